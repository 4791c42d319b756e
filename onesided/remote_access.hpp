// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations of one window on members that this process does not reach by itself: by what a device
// does, and by messages that the member serves (onesided/served_window.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datatype/layout.hpp"
#include "onesided/accumulate.hpp"
#include "onesided/fetches.hpp"
#include "onesided/members.hpp"
#include "onesided/runs.hpp"
#include "onesided/wire.hpp"
#include "pt2pt/request.hpp"
#include "runtime/call_status.hpp"
#include "runtime/error.hpp"

namespace remit {

class AdapterAccess;
class OneSided;

/// The origin's side. Addresses in `target` are those of the member's process; the caller has
/// checked epochs and bounds, as far as these are known here. Operations on one member take effect
/// in the order in which accumulates were called. Functions return when the operation is on its
/// way; they make progress, and wait, only while more bytes are on their way to a member than one
/// may have. Where they return an error `done` is not touched. The thread that holds the process.
class RemoteAccess {
 public:
  /// `window` names it in messages, the same number at all members.
  RemoteAccess(OneSided& manager, std::uint32_t window, const WindowMembers& members);
  ~RemoteAccess();
  RemoteAccess(const RemoteAccess&) = delete;
  RemoteAccess& operator=(const RemoteAccess&) = delete;

  /// `done` completes when `origin` may be used again; null: nobody asks.
  [[nodiscard]] Expected<> put(int rank, const View& origin, const View& target, Request* done);
  /// `done` completes when all bytes are in `origin`.
  [[nodiscard]] Expected<> get(int rank, const View& origin, const View& target, Request* done);
  /// As accumulate() of onesided/accumulate.hpp. `done`: `result` is there, or, without one,
  /// `origin` may be used again.
  [[nodiscard]] Expected<> accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result, Request* done);
  /// `result` is there after a flush.
  [[nodiscard]] Expected<> compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result);

  /// Adds to a counter of the member behind all operations on it that were started before: when
  /// puts and accumulates are visible there, and memory that gets read may be overwritten.
  [[nodiscard]] Expected<> notify(int rank, std::uint32_t index);

  /// Waits, where the device keeps no order, until puts to the member are visible there, and gets
  /// have ended: what follows does not overtake them.
  [[nodiscard]] Expected<> order(int rank);
  /// The same before an accumulate: one by an adapter does not overtake messages either.
  [[nodiscard]] Expected<> order_atomic(int rank);

  /// Locks and accumulates of this window go by that, which outlives this one's use.
  void set_adapter(AdapterAccess& adapter) { adapter_ = &adapter; }
  /// Targets that a flush would wait for; others may count theirs, too.
  [[nodiscard]] std::uint64_t& used_targets() { return under_way_; }

  /// Whether anything has been started that a flush would wait for.
  [[nodiscard]] bool busy() const { return under_way_ != 0; }
  /// Waits until all operations on `rank` (< 0: on all) are visible there. `local`: until memory of
  /// this process is free and results are there. The first error of one of them.
  [[nodiscard]] Expected<> flush(int rank, bool local, const WaitSubject* subject);

  /// Waits until the member lets this process in. (MPI_Win_lock)
  [[nodiscard]] Expected<> lock(int rank, bool exclusive, const WaitSubject* subject);
  /// Gives it back behind all operations; those are visible at the member then, and the caller has
  /// flushed.
  void unlock(int rank, bool exclusive);

  /// Tells the member that this process has exposed its memory (MPI_Win_post), or that its accesses
  /// have ended (MPI_Win_complete; they are flushed).
  void tell_posted(int rank);
  void tell_completed(int rank);

  /// Operations, notifications and locks that were asked for, and those of them that the device
  /// made by itself.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  [[nodiscard]] std::uint64_t moved() const { return moved_; }

  // For OneSided.

  /// An answer of a process. False: it makes no sense.
  [[nodiscard]] bool answer(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  /// A put or get by the device, or the confirmation of puts, has ended.
  void moved(ProcId proc, int status);
  /// The process cannot be reached any more.
  void forget(ProcId proc);

 private:
  enum class Lock : std::uint8_t { none, asked, granted };
  enum class Keys : std::uint8_t { unknown, asked, known };

  /// A member that there was an operation on.
  struct Target {
    bool used = false;             ///< by operations that no flush has seen to their end
    bool told = false;             ///< ... some of which are messages
    std::uint64_t operations = 0;  ///< that were begun
    std::uint64_t asked = 0;       ///< markers that were sent
    std::uint64_t reached = 0;     ///< ... and answered
    std::uint64_t lock_token = 0;  ///< of the last lock that was asked for
    Lock lock = Lock::none;
    Keys keys_state = Keys::unknown;
    std::vector<std::byte> keys;  ///< of its memory; empty: it is reached by messages only
    std::uint32_t moving = 0;     ///< moves by the device and confirmations that have not ended
    bool got = false;             ///< there were gets by the device, perhaps under way
    bool unconfirmed = false;     ///< there were puts by the device that none follows yet
    std::optional<Error> error;   ///< the first one

    void note(Error other);
  };

  /// The target of an operation that begins now. An error: it cannot be reached.
  [[nodiscard]] Expected<Target*> begin(int rank);
  void use(Target& target);
  /// The same by a message.
  void tell(Target& target);
  [[nodiscard]] Error error_in(ProcId from, const WindowHead& head,
                               std::span<const std::byte> words) const;
  /// Has the device move contiguous data. False: it cannot, or not yet, or that is not worth it.
  [[nodiscard]] bool move(OpKind kind, int rank, const View& origin, const View& target,
                          Request* done);
  [[nodiscard]] bool keeps_order(ProcId proc) const;
  [[nodiscard]] bool has_settled(ProcId proc, const Target& target, bool local) const;
  /// The operations of this member are done, up to the one of that number: its first error.
  [[nodiscard]] Expected<> settle(Target& target, bool local, std::uint64_t operations);
  void ask_if_reached(ProcId proc, Target& target);
  /// Sends an accumulate by parts, all of which begin with `head`.
  [[nodiscard]] Expected<> send_accumulate(ProcId proc, WindowHead head, const Accumulation& what,
                                           const View* origin, const View& target);
  /// The packed bytes of a part of a view, in it or copied.
  [[nodiscard]] std::span<const std::byte> bytes_of(const View& view, const RunCutter::Part& part);
  [[nodiscard]] Progress& progress();

  OneSided& manager_;
  std::uint32_t window_;
  const WindowMembers& members_;
  WindowTraffic& traffic_;
  Fetches fetches_;
  std::uint64_t under_way_ = 0;  ///< targets that are used
  std::uint64_t asked_ = 0;
  std::uint64_t moved_ = 0;
  AdapterAccess* adapter_ = nullptr;  ///< null: processors take locks
  std::map<ProcId, Target> targets_;
  std::vector<std::byte> packed_;  ///< of the message that is being made
};

}  // namespace remit
