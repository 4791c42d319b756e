// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations of one window on members that this process does not reach by itself: by what a device
// does, and by messages that the member serves (onesided/served_window.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "datatype/layout.hpp"
#include "onesided/accumulate.hpp"
#include "onesided/members.hpp"
#include "pt2pt/request.hpp"
#include "runtime/call_status.hpp"
#include "runtime/error.hpp"

namespace remit {

class OneSided;

/// The origin's side. Addresses in `target` are those of the member's process; the caller has
/// checked epochs and bounds, as far as these are known here. Operations on one member take effect
/// in the order in which accumulates were called. Functions return when the operation is on its
/// way; they make progress, and wait, only while more bytes are on their way to a member than one
/// may have. The thread that holds the process.
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
  [[nodiscard]] Expected<> compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result);

  /// Adds to a counter of the member behind all operations on it that were started before: when
  /// puts and accumulates are visible there, and memory that gets read may be overwritten.
  [[nodiscard]] Expected<> notify(int rank, std::uint32_t index);

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

 private:
  std::uint64_t under_way_ = 0;
};

}  // namespace remit
