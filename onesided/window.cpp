// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window.hpp"

#include <utility>

#include "communicators/agreement.hpp"
#include "communicators/creation.hpp"
#include "communicators/hardware_split.hpp"

namespace remit {

namespace {

/// What a window is called that the program has given no name.
std::string unnamed_words(int flavor, const std::string& comm) {
  return fmt::format("of {}{}{}", maker_of(flavor), comm.empty() ? "" : " on ", comm);
}

}  // namespace

Expected<std::unique_ptr<Window>> Window::make(const CommCall& call, const ParentComm& parent,
                                               OneSided& manager, const WindowSpec& spec) {
  const auto context = agree_on_context(call, parent);
  if (!context) return tl::unexpected(context.error());
  const std::int64_t color = host_color(call.process(), parent.core);
  auto memory = make_window_memory(call, parent, manager, spec, color);
  if (!memory) {
    call.comms.contexts().release(*context);
    return tl::unexpected(memory.error());
  }
  CommCore comm = make_core(*context, parent.core.rank, parent.core.local);
  std::unique_ptr<Window> window(new Window(std::move(comm), manager, spec, std::move(*memory),
                                            unnamed_words(spec.flavor, parent.name)));
  // Whoever comes out of this may send at once, to members that serve the window by then.
  if (!window->is_served()) return window;
  if (auto met = meet_members(call, window->core_); !met) {
    call.comms.contexts().release(*context);
    return tl::unexpected(met.error());
  }
  return window;
}

Window::Window(CommCore comm, OneSided& manager, const WindowSpec& spec, MadeMemory memory,
               std::string name)
    : core_(std::move(comm), manager, spec, std::move(memory.segment), memory.is_served,
            std::move(memory.offered)),
      unshared_(std::move(memory.unshared)),
      active_target_(core_),
      passive_target_(core_),
      notified_access_(core_),
      exposed_memory_(core_, memory.base, std::move(memory.keeps), std::move(name), active_target_,
                      notified_access_),
      operations_(core_, exposed_memory_.regions()) {}

Expected<> Window::check_free() const {
  if (auto fine = core_.epochs.check_free(); !fine) return fine;
  return notified_access_.check_free("MPI_Win_free");
}

/// Behind the barrier nobody has anything under way to this member.
Expected<> Window::free(const CommCall& call) {
  if (auto fine = check_free(); !fine) return fine;
  auto flushed = end_operations(call, core_, kAllMembers, false);
  exposed_memory_.leave_slot();
  auto met = meet_members(call, core_);
  exposed_memory_.close();
  call.comms.contexts().release(core_.comm.context);
  return flushed ? met : flushed;
}

void Window::meet_at_end(const CommCall& call) {
  exposed_memory_.leave_slot();
  // Whoever has ended without this is no origin any more.
  static_cast<void>(meet_members(call, core_));
}

Window::SharedPart Window::shared_part(int rank) const {
  const WindowMembers& all = core_.members;
  const auto part = [&](int member) -> SharedPart {
    const MemberEntry& entry = all.entry(member);
    const bool elsewhere = entry.segment_offset == MemberEntry::kElsewhere;
    std::byte* here = elsewhere ? nullptr : all.mapped(member);
    if (member == all.rank()) here = static_cast<std::byte*>(exposed_memory_.base());
    if (here == nullptr && elsewhere) {
      return {0, static_cast<int>(entry.displacement_unit), nullptr};
    }
    return {static_cast<MPI_Aint>(entry.bytes), static_cast<int>(entry.displacement_unit), here};
  };
  if (rank != MPI_PROC_NULL) return part(rank);
  for (int member = 0; member < all.size(); ++member) {
    if (all.entry(member).bytes != 0) return part(member);
  }
  return {};
}

}  // namespace remit
