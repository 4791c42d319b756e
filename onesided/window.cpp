// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window.hpp"

#include <algorithm>
#include <utility>

#include "communicators/agreement.hpp"
#include "communicators/creation.hpp"
#include "communicators/hardware_split.hpp"
#include "onesided/copy_pieces.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/window_waits.hpp"

namespace remit {

// --- life --------------------------------------------------------------------------------------

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
  std::unique_ptr<Window> window(new Window(std::move(comm), manager, spec, std::move(*memory)));
  // Whoever comes out of this may send at once, to members that serve the window by then.
  if (!window->is_served_) return window;
  if (auto met = window->barrier(call); !met) {
    call.comms.contexts().release(*context);
    return tl::unexpected(met.error());
  }
  return window;
}

Window::Window(CommCore comm, OneSided& manager, const WindowSpec& spec, MadeMemory memory)
    : comm_(std::move(comm)),
      manager_(manager),
      spec_(spec),
      keeps_(std::move(memory.keeps)),
      base_(memory.base),
      is_served_(memory.is_served),
      unshared_(std::move(memory.unshared)),
      members_(comm_, std::move(memory.segment), manager.kernel(), manager.links()),
      epochs_(comm_.size()),
      host_(manager, members_),
      served_(manager.traffic(), served_member()),
      delegation_(manager, members_),
      remote_(manager, comm_.context, members_) {
  if (spec.flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    regions_ = std::make_unique<Regions>(members_.own_control().identity);
  }
  manager_.add(comm_.context, served_);
  if (members_.segment().has_slots()) {
    const ServedWindow::Member own = served_member();
    delegate_.emplace(members_.segment().slot(members_.segment().index()),
                      Delegate::Member{own.memory, own.control, own.contains});
    manager_.add(*delegate_);
  }
}

Window::~Window() {
  close();
}

void Window::close() {
  if (!std::exchange(open_, false)) return;
  manager_.remove(comm_.context);
  if (delegate_) manager_.remove(*delegate_);
  offered_.reset();
}

ServedWindow::Member Window::served_member() {
  ServedWindow::Member member;
  member.number = comm_.context;
  member.memory = members_.memory(comm_.rank);
  member.control = &members_.own_control();
  member.contains = [this](std::uint64_t address, std::uint64_t bytes) {
    return contains(address, bytes);
  };
  member.rank_of = [this](ProcId proc) { return comm_.local->rank_of(proc); };
  member.posted = [this](int rank) { remote_posts_.push_back(rank); };
  member.completed = [this](int /*rank*/) {
    members_.own_control().exposure.completed.fetch_add(1, std::memory_order_release);
  };
  member.notified = [this](std::uint32_t index) {
    return notifications_ != nullptr && notifications_->arrived(index);
  };
  member.lock_moved = [this] { host_.lock_moved(members_.own_control()); };
  member.keys = [this] { return keys(); };
  return member;
}

bool Window::contains(std::uint64_t address, std::uint64_t bytes) const {
  if (regions_ != nullptr) return regions_->contains(address, bytes);
  const MemberEntry& own = members_.entry(comm_.rank);
  const std::uint64_t offset = address - own.base;
  return offset <= own.bytes && bytes <= own.bytes - offset;
}

std::span<const std::byte> Window::keys() {
  if (!offered_ && regions_ == nullptr && spec_.bytes != 0) {
    auto offered = OfferedMemory::offer(manager_.links().devices(), base_,
                                        static_cast<std::size_t>(spec_.bytes), Access::all);
    offered_ = offered ? std::move(*offered) : OfferedMemory{};
  }
  return offered_ ? std::span<const std::byte>(offered_->keys()) : std::span<const std::byte>{};
}

Expected<> Window::check_free() const {
  if (auto fine = epochs_.check_free(); !fine) return fine;
  return notifications_ != nullptr ? notifications_->check_free("MPI_Win_free") : Expected<>{};
}

/// Behind the barrier nobody has anything under way to this member.
Expected<> Window::free(const CommCall& call) {
  if (auto fine = check_free(); !fine) return fine;
  auto flushed = end_operations(call, kAllMembers, false);
  auto met = barrier(call);
  close();
  call.comms.contexts().release(comm_.context);
  return flushed ? met : flushed;
}

void Window::meet_at_end(const CommCall& call) {
  static_cast<void>(barrier(call));  // whoever has ended without this is no origin any more
}

Window::SharedPart Window::shared_part(int rank) const {
  const auto part = [this](int member) -> SharedPart {
    const MemberEntry& entry = members_.entry(member);
    const bool elsewhere = entry.segment_offset == MemberEntry::kElsewhere;
    std::byte* here = elsewhere ? nullptr : members_.mapped(member);
    if (member == comm_.rank) here = static_cast<std::byte*>(base_);
    if (here == nullptr && elsewhere) {
      return {0, static_cast<int>(entry.displacement_unit), nullptr};
    }
    return {static_cast<MPI_Aint>(entry.bytes), static_cast<int>(entry.displacement_unit), here};
  };
  if (rank != MPI_PROC_NULL) return part(rank);
  for (int member = 0; member < comm_.size(); ++member) {
    if (members_.entry(member).bytes != 0) return part(member);
  }
  return {};
}

Expected<> Window::attach(void* base, MPI_Aint bytes) {
  return regions_->attach(base, static_cast<std::size_t>(bytes));
}

Expected<> Window::detach(const void* base) {
  return regions_->detach(base);
}

// --- where an operation goes -------------------------------------------------------------------

/// With MPI_Win_lock_all a target is locked when the first operation goes there.
Expected<> Window::admit(int rank) {
  if (epochs_.admits(rank)) [[likely]]
    return {};
  if (!epochs_.wants_lock(rank)) return tl::unexpected(epochs_.refusal(rank));
  const LockWait subject(comm_, "MPI_Win_lock_all", rank, false, members_.control(rank));
  auto held = take_lock(rank, false, &subject);
  if (!held) return tl::unexpected(held.error());
  epochs_.add_lock(*held);
  return {};
}

/// The target's view, if all its bytes are in the member's memory.
Expected<View> Window::locate(const WindowTarget& target) const {
  const MemberEntry& entry = members_.entry(target.rank);
  std::uint64_t offset = 0;
  if (__builtin_mul_overflow(target.displacement, static_cast<MPI_Aint>(entry.displacement_unit),
                             reinterpret_cast<MPI_Aint*>(&offset))) {
    return fail(MPI_ERR_RMA_RANGE, "displacement {} in units of {} bytes is beyond all memory",
                target.displacement, entry.displacement_unit);
  }
  const View view{reinterpret_cast<void*>(entry.base + offset), target.count,
                  &target.type->layout()};
  if (regions_ != nullptr) return view;
  const Layout::Piece span = view.span(view.size());
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(span.address) - entry.base;
  if (first > entry.bytes || span.length > entry.bytes - first) {
    return fail(MPI_ERR_RMA_RANGE,
                "{} bytes from byte {} on are not within the {} bytes that rank {} has in the "
                "window (displacement {} in units of {} bytes)",
                span.length, static_cast<std::int64_t>(first), entry.bytes, target.rank,
                target.displacement, entry.displacement_unit);
  }
  return view;
}

/// Of a dynamic window: whether the bytes are attached, as far as that is known here.
Expected<> Window::check_regions(int rank, const View& view, MemoryWay way) {
  const Layout::Piece span = view.span(view.size());
  const auto address = reinterpret_cast<std::uint64_t>(span.address);
  if (rank == comm_.rank) return regions_->check(address, span.length);
  if (way == MemoryWay::message) return {};  // the member looks
  std::unique_ptr<PeerRegions>& known = peers_[rank];
  if (known == nullptr) {
    known =
        std::make_unique<PeerRegions>(*members_.process(rank), members_.control(rank)->identity);
  }
  return known->check(address, span.length);
}

Expected<Window::Reached> Window::reach(const WindowTarget& target) {
  if (auto open = admit(target.rank); !open) return tl::unexpected(open.error());
  auto view = locate(target);
  if (!view) return tl::unexpected(view.error());
  const MemoryWay way = members_.way(target.rank);
  if (regions_ != nullptr && view->size() != 0) {
    if (auto fine = check_regions(target.rank, *view, way); !fine) {
      return tl::unexpected(fine.error());
    }
  }
  return Reached{way, *view};
}

View Window::mapped_view(int rank, const View& view) {
  if (rank == comm_.rank) return view;
  const auto address = reinterpret_cast<std::uint64_t>(view.base);
  return View{members_.mapped(rank) + (address - members_.entry(rank).base), view.count,
              view.layout};
}

// --- communication -----------------------------------------------------------------------------

namespace {

void finish(Request* done) {
  if (done != nullptr) done->complete = true;
}

}  // namespace

Expected<> Window::put(const View& origin, const WindowTarget& target, Request* done) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->way == MemoryWay::message && origin.size() != 0) {
    return remote_.put(target.rank, origin, reached->view, done);
  }
  finish(done);
  if (origin.size() == 0) return {};
  if (reached->way == MemoryWay::mapped) {
    copy_view_to_view(origin, mapped_view(target.rank, reached->view));
    return {};
  }
  if (delegation_.put(target.rank, origin, reached->view)) return {};
  return write_view(*members_.memory(target.rank).process, origin, reached->view);
}

Expected<> Window::get(const View& origin, const WindowTarget& target, Request* done) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->way == MemoryWay::message && origin.size() != 0) {
    return remote_.get(target.rank, origin, reached->view, done);
  }
  finish(done);
  if (origin.size() == 0) return {};
  if (reached->way == MemoryWay::mapped) {
    copy_view_to_view(mapped_view(target.rank, reached->view), origin);
    return {};
  }
  if (delegation_.get(target.rank, origin, reached->view)) return {};
  return read_view(*members_.memory(target.rank).process, reached->view, origin);
}

Expected<> Window::accumulate(const View* origin, const Op& op, const WindowTarget& target,
                              const View* result, Request* done) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  if (reached->view.size() == 0) {  // whatever the operation and the type are
    finish(done);
    return {};
  }
  const auto what = Accumulation::of(op, *target.type);
  if (!what) return tl::unexpected(what.error());
  if (reached->way == MemoryWay::message) {
    return remote_.accumulate(target.rank, *what, origin, reached->view, result, done);
  }
  finish(done);
  if (reached->way == MemoryWay::kernel) {
    return accumulate_unmapped(target.rank, *what, origin, reached->view, result);
  }
  return remit::accumulate(members_.memory(target.rank), *what, origin, reached->view, result);
}

/// Handed to the member, or copied by the kernel: an array by parts, for the member may poll again
/// after a part that it has not taken.
Expected<> Window::accumulate_unmapped(int rank, const Accumulation& what, const View* origin,
                                       const View& target, const View* result) {
  constexpr std::size_t kKernelBytes = std::size_t{32} << 10;
  const Layout& element = what.element().layout();
  const bool is_array = element.is_contiguous() && target.is_contiguous() &&
                        (origin == nullptr || origin->is_contiguous()) &&
                        (result == nullptr || result->is_contiguous());
  const std::size_t size = target.size();
  if (!is_array || size <= DelegationSlot::kBytes) {
    if (delegation_.accumulate(rank, what, origin, target, result)) return {};
    return remit::accumulate(members_.memory(rank), what, origin, target, result);
  }
  const auto unit = static_cast<std::size_t>(element.size());
  std::size_t offset = 0;
  std::size_t bytes = 0;
  const auto part = [&](const View& whole) {
    return View{whole.data() + offset, static_cast<MPI_Count>(bytes / unit), &element};
  };
  for (; offset != size; offset += bytes) {
    const auto cut = [&](std::size_t most) { bytes = std::min(size - offset, most / unit * unit); };
    const auto change = [&](auto&& how) {
      const View from = origin != nullptr ? part(*origin) : View{};
      const View to = result != nullptr ? part(*result) : View{};
      return how(origin != nullptr ? &from : nullptr, part(target),
                 result != nullptr ? &to : nullptr);
    };
    cut(DelegationSlot::kBytes);
    if (change([&](const View* from, const View& at, const View* to) {
          return delegation_.accumulate(rank, what, from, at, to);
        })) {
      continue;
    }
    cut(kKernelBytes);
    if (auto done = change([&](const View* from, const View& at, const View* to) {
          return remit::accumulate(members_.memory(rank), what, from, at, to);
        });
        !done) {
      return done;
    }
  }
  return {};
}

Expected<> Window::compare_and_swap(const void* replacement, const void* compare, void* result,
                                    const WindowTarget& target) {
  const auto reached = reach(target);
  if (!reached) return tl::unexpected(reached.error());
  const auto address = reinterpret_cast<std::uint64_t>(reached->view.base);
  if (reached->way == MemoryWay::message) {
    return remote_.compare_and_swap(target.rank, *target.type, address, replacement, compare,
                                    result);
  }
  if (reached->way == MemoryWay::kernel &&
      delegation_.compare_and_swap(target.rank, *target.type, address, replacement, compare,
                                   result)) {
    return {};
  }
  return remit::compare_and_swap(members_.memory(target.rank), *target.type, address, replacement,
                                 compare, result);
}

}  // namespace remit
