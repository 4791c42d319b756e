// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations of one window on members that this process does not reach by itself: by what a device
// does, and by messages that the member serves (onesided/remote/served_window.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "datatype/layout.hpp"
#include "onesided/adapter/adapter_port.hpp"
#include "onesided/elements/accumulate.hpp"
#include "onesided/elements/runs.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/remote/fetches.hpp"
#include "onesided/remote/remote_targets.hpp"
#include "onesided/remote/wire.hpp"
#include "pt2pt/request.hpp"
#include "runtime/call_status.hpp"
#include "runtime/error.hpp"

namespace remit {

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
  /// The same of few bytes that lie one behind the other on both sides, at `offset` in the member's
  /// memory, where nothing is out of the ordinary: the device makes it, and nobody waits. False:
  /// nothing was done. A put's memory is free on return.
  [[nodiscard]] bool try_move(OpKind kind, int rank, std::uint64_t offset, void* local,
                              std::size_t bytes);
  /// A put, and a notification of it by a counter of the member, if the device makes both at once.
  /// False: the put has been started alone, and notify() is to be called.
  [[nodiscard]] Expected<bool> put_notified(int rank, const View& origin, const View& target,
                                            std::uint32_t index);
  /// The same as try_move() does it. False: nothing was done.
  [[nodiscard]] bool try_put_notified(int rank, std::uint64_t offset, void* local,
                                      std::size_t bytes, std::uint32_t index);
  /// `done` completes when all bytes are in `origin`.
  [[nodiscard]] Expected<> get(int rank, const View& origin, const View& target, Request* done);
  /// As accumulate() of onesided/elements/accumulate.hpp. `done`: `result` is there, or, without
  /// one, `origin` may be used again.
  [[nodiscard]] Expected<> accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result, Request* done);
  /// `result` is there after a flush.
  [[nodiscard]] Expected<> compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result);

  /// Adds to a counter of the member behind all operations on it that were started before: when
  /// puts and accumulates are visible there, and memory that gets read may be overwritten.
  [[nodiscard]] Expected<> notify(int rank, std::uint32_t index);

  /// Waits until the member lets this process in. (MPI_Win_lock)
  [[nodiscard]] Expected<> lock(int rank, bool exclusive, const WaitSubject* subject);
  /// Gives it back behind all operations; those are visible at the member then, and the caller has
  /// flushed.
  void unlock(int rank, bool exclusive);

  /// Tells the member that this process has exposed its memory (MPI_Win_post), or that its accesses
  /// have ended (MPI_Win_complete; they are flushed).
  void tell_posted(int rank);
  void tell_completed(int rank);

  /// What is under way, and what waits for its end.
  [[nodiscard]] RemoteTargets& targets() { return targets_; }
  [[nodiscard]] const RemoteTargets& targets() const { return targets_; }

  /// Operations that the device made by itself.
  [[nodiscard]] std::uint64_t moved() const { return moved_; }
  /// Locks that were not free when this process asked for them.
  [[nodiscard]] std::uint64_t lock_waits() const { return lock_waits_; }

  // For OneSided.

  /// An answer of a process. False: it makes no sense.
  [[nodiscard]] bool answer(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  /// The process cannot be reached any more.
  void forget(ProcId proc);

 private:
  [[nodiscard]] Error error_in(ProcId from, const WindowHead& head,
                               std::span<const std::byte> words) const;
  /// A put or a get.
  struct Transfer {
    OpKind kind = OpKind::put;
    const View& origin;
    const View& target;
    Request* done = nullptr;
    PutNotice notice = {};  ///< of a put; none afterwards if it was not said
  };
  /// Has the device move data. False: it cannot, or not yet, or that is not worth it.
  [[nodiscard]] bool move(int rank, RemoteTarget& member, Transfer& what);
  /// The same of memory that the device reaches, through buffers.
  void move_buffered(int rank, RemoteTarget& member, Transfer& what);
  /// The move that try_move() makes; the device reaches the member's memory, and has buffers.
  [[nodiscard]] bool move_short(RemoteTarget& member, const AdapterPort::Move& what);
  /// Null: try_move() cannot be made to that member.
  [[nodiscard]] RemoteTarget* short_target(int rank, std::size_t bytes);
  [[nodiscard]] bool has_buffers(const RemoteTarget& member);
  void note_move(OpKind kind, RemoteTarget& member, PutNotice notice);
  [[nodiscard]] Expected<> put_by_messages(int rank, RemoteTarget& member, const View& origin,
                                           const View& target);
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
  std::uint64_t moved_ = 0;
  std::uint64_t lock_waits_ = 0;
  RemoteTargets targets_;
  std::vector<std::byte> packed_;  ///< of the message that is being made
};

}  // namespace remit
