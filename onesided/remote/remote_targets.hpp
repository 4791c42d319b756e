// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What one window has under way to members that this process does not reach by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "links/links.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/remote/traffic.hpp"
#include "onesided/tally.hpp"
#include "runtime/call_status.hpp"
#include "runtime/error.hpp"

namespace remit {

class AdapterAccess;
class Fetches;
class OneSided;

/// A member that there was a remote operation on.
struct RemoteTarget {
  enum class Lock : std::uint8_t { none, asked, granted };
  enum class Keys : std::uint8_t { unknown, asked, known };

  bool used = false;             ///< by operations that no flush has seen to their end
  bool told = false;             ///< ... some of which are messages
  std::uint64_t operations = 0;  ///< that were begun
  std::uint64_t asked = 0;       ///< markers that were sent
  std::uint64_t reached = 0;     ///< ... and answered
  std::uint64_t lock_token = 0;  ///< of the last lock that was asked for
  Lock lock = Lock::none;
  Keys keys_state = Keys::unknown;
  std::vector<std::byte> keys;    ///< of its memory; empty: it is reached by messages only
  Link* link = nullptr;           ///< null: there was none yet
  RemoteAddress memory;           ///< its memory, for the link's device
  bool has_memory = false;        ///< ... which is known
  OwnTally moves = make_tally();  ///< by the device, and confirmations
  bool got = false;               ///< there were gets by the device, perhaps under way
  bool unconfirmed = false;       ///< there were puts by the device that none follows yet
  std::optional<Error> error;     ///< the first one

  /// A place of its memory, for the link's device, which reaches that.
  [[nodiscard]] RemoteAddress at(std::uint64_t offset) const {
    return {memory.address + offset, memory.key};
  }
  void note(Error other);
};

/// The members that there were remote operations on: which of these a flush waits for, and what is
/// not to overtake what. The thread that holds the process.
class RemoteTargets {
 public:
  /// `fetches` are those of the same operations.
  RemoteTargets(OneSided& manager, std::uint32_t window, const WindowMembers& members,
                const Fetches& fetches);

  /// The target of an operation that begins now. An error: it cannot be reached.
  [[nodiscard]] Expected<RemoteTarget*> begin(int rank);
  /// An operation on it is under way; by a message.
  void use(RemoteTarget& target);
  void tell(RemoteTarget& target);
  /// Null: there was none on this process.
  [[nodiscard]] RemoteTarget* find(ProcId proc);
  /// The same of the one that was looked for last; null: it is another one.
  [[nodiscard]] RemoteTarget* at_hand(ProcId proc) const {
    return proc == last_proc_ ? last_ : nullptr;
  }
  /// One more operation begins.
  void count() { ++asked_; }
  /// Whether operations by the device reach the memory of the target, as far as that is known.
  [[nodiscard]] static bool reaches_memory(RemoteTarget& target) {
    const Link* const link = target.link;
    if (link == nullptr || link->device == nullptr || link->failed || !link->same_device) {
      return false;
    }
    return target.has_memory || finds_memory(target);
  }

  /// Whether a put by the device tells the target of itself behind all its bytes, and before what
  /// is sent behind it.
  [[nodiscard]] static bool notifies(const RemoteTarget& target) {
    return keeps_order(target) && target.link->device->device->caps().notify != NotifyMode::none;
  }

  /// Waits, where the device keeps no order, until puts to the member are visible there, and gets
  /// have ended: what follows does not overtake them.
  [[nodiscard]] Expected<> order(int rank);
  /// The same before an accumulate: one by an adapter does not overtake messages either.
  [[nodiscard]] Expected<> order_atomic(int rank);

  /// Whether anything has been started that a flush would wait for.
  [[nodiscard]] bool busy() const { return under_way_ != 0; }
  /// Waits until all operations on `rank` (< 0: on all) are visible there. `local`: until memory of
  /// this process is free and results are there. The first error of one of them.
  [[nodiscard]] Expected<> flush(int rank, bool local, const WaitSubject* subject);
  /// The same of one member, where nothing but moves by a device are under way and none fails.
  /// False: flush() is to do it, and will say what is wrong.
  [[nodiscard]] bool try_flush(int rank, const WaitSubject& subject);
  /// The first error of operations on this member, which have ended.
  [[nodiscard]] static Expected<> outcome_of(RemoteTarget& target);

  /// Accumulates of this window go by that, too, which outlives this one's use.
  void set_adapter(AdapterAccess& adapter) { adapter_ = &adapter; }
  [[nodiscard]] AdapterAccess* adapter() const { return adapter_; }
  /// Targets that a flush would wait for; others may count theirs, too.
  [[nodiscard]] std::uint64_t& used() { return under_way_; }

  /// Operations, notifications and locks that were asked for.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

  /// The process cannot be reached any more.
  void forget(ProcId proc);

 private:
  [[nodiscard]] static bool keeps_order(const RemoteTarget& target) {
    const Link* const link = target.link;
    return link != nullptr && link->device != nullptr && link->device->device->caps().in_order;
  }
  /// By keys that have come.
  [[nodiscard]] static bool finds_memory(RemoteTarget& target);
  void confirm(ProcId proc, RemoteTarget& target);
  [[nodiscard]] bool has_settled(ProcId proc, const RemoteTarget& target, bool local) const;
  void ask_if_reached(ProcId proc, RemoteTarget& target);
  [[nodiscard]] Expected<> flush_one(ProcId proc, RemoteTarget& target, bool local,
                                     const WaitSubject* subject);
  /// Operations on the target have ended, so many of which had begun: the first error.
  [[nodiscard]] Expected<> end(ProcId proc, RemoteTarget& target, std::uint64_t operations,
                               bool local);

  OneSided& manager_;
  std::uint32_t window_;
  const WindowMembers& members_;
  WindowTraffic& traffic_;
  const Fetches& fetches_;
  std::uint64_t under_way_ = 0;  ///< targets that are used
  std::uint64_t asked_ = 0;
  AdapterAccess* adapter_ = nullptr;  ///< null: processors take locks
  std::map<ProcId, RemoteTarget> targets_;
  ProcId last_proc_ = kAnyProc;  ///< whose is the one that was looked for last
  RemoteTarget* last_ = nullptr;
};

}  // namespace remit
