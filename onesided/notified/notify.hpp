// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Notified access: counters beside a window, to which operations on it add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "communicators/comm_process.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/notified/notify_counters.hpp"
#include "onesided/notified/notify_waits.hpp"
#include "onesided/one_sided.hpp"
#include "runtime/error.hpp"

namespace remit {

/// The counters of a window: 8 bytes for each, in memory that the members of each host share;
/// nothing for each peer. Members may have different numbers of them. The thread that holds the
/// process.
class Notifications {
 public:
  /// Collective over `comm`, whose members are those of the window; `count` are this member's.
  /// Waits. Null: this member has not got at memory for them. The members use them when all have
  /// agreed that they all have them.
  [[nodiscard]] static Expected<std::unique_ptr<Notifications>> make(const CommCall& call,
                                                                     const ParentComm& comm,
                                                                     OneSided& manager,
                                                                     WindowMembers& members,
                                                                     std::uint32_t count);

  /// Collective; waits. Every member returns an error or none does: MPI_ERR_NO_MEM if any of them
  /// has nothing in its place.
  [[nodiscard]] static Expected<> agree(const CommCall& call, const ParentComm& comm,
                                        const Notifications* mine);

  /// Of this member.
  [[nodiscard]] std::uint32_t count() const { return own().count(); }
  [[nodiscard]] std::uint64_t value(std::uint32_t index) const { return own().value(index); }
  [[nodiscard]] NotifyWaits& waits() { return waits_; }

  /// MPI_ERR_RMA_SYNC: requests wait for counters, so `function` may not be called.
  [[nodiscard]] Expected<> check_free(const char* function) const;

  /// Whether the member may have a counter of that index. For one on another host this may be known
  /// only there.
  [[nodiscard, gnu::always_inline]] bool may_have(int rank, int index) const {
    if (static_cast<std::uint32_t>(index) >= most_) [[unlikely]]
      return false;
    return all_equal_ || has(rank, static_cast<std::uint32_t>(index));
  }
  /// How many counters a member may have.
  [[nodiscard]] std::uint32_t limit(int rank) const;

  /// Adds to a counter of a member of this host, which may have it. What this process has stored
  /// before is seen by whoever sees the new value; what it has loaded before may be overwritten.
  [[gnu::always_inline]] void notify(int rank, std::uint32_t index) {
    NotifyCounters target = of(members_.entry(rank).local_index);
    target.add(index);
    if (target.sleeps().load(std::memory_order_seq_cst) != 0) [[unlikely]]
      wake(rank);
  }
  /// A member has told by a message. False: there is no such counter.
  [[nodiscard]] bool arrived(std::uint32_t index);

 private:
  /// What all members have told.
  struct Bounds {
    std::uint32_t most = 0;
    bool all_equal = true;
  };
  Notifications(OneSided& manager, const WindowMembers& members, std::byte* begin,
                std::shared_ptr<void> owner, Bounds bounds);

  [[nodiscard]] NotifyCounters of(std::uint32_t local_index) const {
    return NotifyCounters(begin_ + local_index * stride_);
  }
  [[nodiscard]] NotifyCounters own() const { return of(members_.segment().index()); }
  [[nodiscard]] bool has(int rank, std::uint32_t index) const { return index < limit(rank); }
  void wake(int rank);

  OneSided& manager_;
  const WindowMembers& members_;
  std::byte* begin_;             ///< counters of the members of this host, by their index
  std::shared_ptr<void> owner_;  ///< of that memory; null: another member is
  std::size_t stride_;
  std::uint32_t most_;
  bool all_equal_;
  NotifyWaits waits_;
};

}  // namespace remit
