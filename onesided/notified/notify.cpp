// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/notified/notify.hpp"

#include <array>

#include "communicators/inner_collectives.hpp"
#include "onesided/memory/segment_making.hpp"

namespace remit {

namespace {

/// The maxima of what the members give.
using NotifyWords = std::array<std::int64_t, 2>;

Expected<NotifyWords> notify_maxima(const CommCall& call, const ParentComm& comm,
                                    const NotifyWords& mine) {
  NotifyWords maxima{};
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, mine.data(), maxima.data(),
                                   static_cast<MPI_Count>(mine.size()), MPI_INT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  constexpr const char* kWords = "the members could not agree on counters of notifications";
  if (auto done = run_among_members(call, comm, args, kWords); !done) {
    return tl::unexpected(done.error());
  }
  return maxima;
}

/// The process whose control words come first in the segment of this host.
ProcId first_of_host(const WindowMembers& members) {
  int rank = 0;
  while (members.control(rank) == nullptr || members.entry(rank).local_index != 0) ++rank;
  return members.proc(rank);
}

}  // namespace

/// The first member of each host allocates, and says where in the control words that the host
/// shares: so nobody keeps anything of other hosts. Each agreement orders what was stored before
/// it.
Expected<std::unique_ptr<Notifications>> Notifications::make(const CommCall& call,
                                                             const ParentComm& comm,
                                                             OneSided& manager,
                                                             WindowMembers& members,
                                                             std::uint32_t count) {
  const auto counts = notify_maxima(call, comm, {count, -static_cast<std::int64_t>(count)});
  if (!counts) return tl::unexpected(counts.error());
  const Bounds bounds{static_cast<std::uint32_t>((*counts)[0]), (*counts)[0] == -(*counts)[1]};
  const HostSegment& segment = members.segment();
  const std::size_t bytes = segment.members() * NotifyCounters::bytes(bounds.most);
  std::atomic<std::uint64_t>& place = segment.control(0).identity.counters_address;
  std::shared_ptr<void> owner;
  if (segment.index() == 0) {
    owner = segment.members() == 1 ? allocate_private_segment(bytes)
                                   : allocate_segment(manager.links(), bytes, bytes);
    place.store(reinterpret_cast<std::uint64_t>(owner.get()), std::memory_order_release);
  }
  if (auto told = notify_maxima(call, comm, {}); !told) return tl::unexpected(told.error());
  std::byte* begin = static_cast<std::byte*>(owner.get());
  if (segment.index() != 0) {
    begin = map_segment(call, manager.links(), first_of_host(members),
                        {place.load(std::memory_order_acquire), bytes});
  }
  if (begin == nullptr) return nullptr;
  NotifyCounters(begin + segment.index() * NotifyCounters::bytes(bounds.most)).set_count(count);
  return std::unique_ptr<Notifications>(
      new Notifications(manager, members, begin, std::move(owner), bounds));
}

Expected<> Notifications::agree(const CommCall& call, const ParentComm& comm,
                                const Notifications* mine) {
  const auto failures = notify_maxima(call, comm, {mine == nullptr ? 1 : 0, 0});
  if (!failures) return tl::unexpected(failures.error());
  if ((*failures)[0] == 0) return {};
  return fail(MPI_ERR_NO_MEM, "a host has no memory that its members can share for the counters");
}

Notifications::Notifications(OneSided& manager, const WindowMembers& members, std::byte* begin,
                             std::shared_ptr<void> owner, Bounds bounds)
    : manager_(manager),
      members_(members),
      begin_(begin),
      owner_(std::move(owner)),
      stride_(NotifyCounters::bytes(bounds.most)),
      most_(bounds.most),
      all_equal_(bounds.all_equal),
      waits_(manager.progress(), own()) {}

Expected<> Notifications::check_free(const char* function) const {
  if (waits_.pending() == 0) return {};
  return fail(MPI_ERR_RMA_SYNC,
              "{} while {} requests wait for notifications: complete or cancel them first",
              function, waits_.pending());
}

std::uint32_t Notifications::limit(int rank) const {
  if (all_equal_ || members_.control(rank) == nullptr) return most_;
  return of(members_.entry(rank).local_index).count();
}

/// A thread of this process that sleeps is woken by the call that has told it.
void Notifications::wake(int rank) {
  if (rank != members_.rank()) manager_.nudge(members_.proc(rank));
}

bool Notifications::arrived(std::uint32_t index) {
  if (index >= count()) return false;
  own().add(index);
  return true;
}

}  // namespace remit
