// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/exposed_memory.hpp"

#include <utility>

namespace remit {

ExposedMemory::ExposedMemory(WindowCore& window, void* base, std::shared_ptr<void> keeps,
                             std::string name, ActiveTarget& active_target,
                             NotifiedAccess& notified_access)
    : window_(window),
      keeps_(std::move(keeps)),
      base_(base),
      unnamed_(std::move(name)),
      lock_watch_(window.members, window.members.own_control()),
      served_(window.manager.traffic(), served_member(active_target, notified_access)) {
  if (window.spec.flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    regions_ = std::make_unique<Regions>(window.members.own_control().identity);
  }
  const HostSegment& segment = window.members.segment();
  if (segment.has_slots()) {
    delegate_.emplace(
        segment.slot(segment.index()),
        Delegate::Member{
            window.members.memory(window.comm.rank), &window.members.own_control(),
            [this](std::uint64_t address, std::uint64_t bytes) { return contains(address, bytes); },
            window.manager.links().devices().host_memory()});
    window.manager.serve(*delegate_);
  }
  window.manager.add(window.comm.context, served_);
}

ExposedMemory::~ExposedMemory() {
  close();
}

void ExposedMemory::close() {
  if (!std::exchange(open_, false)) return;
  window_.manager.remove(window_.comm.context);
  leave_slot();
  offered_.reset();
}

void ExposedMemory::leave_slot() {
  if (delegate_) window_.manager.drop(*delegate_);
}

ServedWindow::Member ExposedMemory::served_member(ActiveTarget& active_target,
                                                  NotifiedAccess& notified_access) {
  WindowCore& window = window_;
  ServedWindow::Member member;
  member.number = window.comm.context;
  member.name = unnamed_;
  member.memory = window.members.memory(window.comm.rank);
  member.control = &window.members.own_control();
  member.contains = [this](std::uint64_t address, std::uint64_t bytes) {
    return contains(address, bytes);
  };
  member.rank_of = [&window](ProcId proc) { return window.comm.local->rank_of(proc); };
  member.posted = [&active_target](int rank) { active_target.take_post(rank); };
  member.completed = [&active_target](int /*rank*/) { active_target.take_completion(); };
  member.notified = [&notified_access](std::uint32_t index) {
    return notified_access.arrived(index);
  };
  member.lock_moved = [&window] { window.host.lock_moved(window.members.own_control()); };
  member.lock_lost = [this] { return lock_watch_.look(); };
  member.keys = [this] { return keys(); };
  member.adapter_keys = [&window] {
    return window.adapter != nullptr ? window.adapter->peers().own().key_bytes()
                                     : std::span<const std::byte>{};
  };
  return member;
}

bool ExposedMemory::contains(std::uint64_t address, std::uint64_t bytes) const {
  if (regions_ != nullptr) return regions_->contains(address, bytes);
  const MemberEntry& own = window_.members.entry(window_.comm.rank);
  const std::uint64_t offset = address - own.base;
  return offset <= own.bytes && bytes <= own.bytes - offset;
}

std::span<const std::byte> ExposedMemory::keys() {
  const auto bytes = static_cast<std::size_t>(window_.spec.bytes);
  if (!offered_ && regions_ == nullptr && bytes != 0) {
    auto offered =
        OfferedMemory::offer(window_.manager.links().devices(), base_, bytes, Access::all);
    offered_ = offered ? std::move(*offered) : OfferedMemory{};
  }
  return offered_ ? std::span<const std::byte>(offered_->keys()) : std::span<const std::byte>{};
}

Expected<> ExposedMemory::attach(void* base, MPI_Aint bytes) {
  return regions_->attach(base, static_cast<std::size_t>(bytes));
}

Expected<> ExposedMemory::detach(const void* base) {
  return regions_->detach(base);
}

void ExposedMemory::set_name(const std::string& name) {
  served_.set_name(name.empty() ? unnamed_ : name);
}

}  // namespace remit
