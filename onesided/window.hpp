// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A window: memory of each member of a group that the others put to, get from and change.
// (MPI-5.0, chapter 12.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "communicators/comm_process.hpp"
#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"
#include "onesided/epochs.hpp"
#include "onesided/host_sync.hpp"
#include "onesided/members.hpp"
#include "onesided/remote_access.hpp"
#include "onesided/window_spec.hpp"
#include "pt2pt/request.hpp"
#include "runtime/copy.hpp"

namespace remit {

class OneSided;
class Regions;

/// Where an operation goes: elements of a type in a member's memory.
struct WindowTarget {
  int rank = 0;                   ///< of the window's group; not MPI_PROC_NULL
  MPI_Aint displacement = 0;      ///< in the member's displacement units
  MPI_Count count = 0;            ///< elements of `type`
  const Datatype* type = nullptr;
};

/// One process's part of a window. Made and freed by all members together. The caller has checked
/// handles, counts, types and ranks; epochs and the bounds of memory are checked here
/// (MPI_ERR_RMA_SYNC, MPI_ERR_RMA_RANGE). All calls by the thread that holds the process.
class Window {
 public:
  /// Collective over `parent`, an intra-communicator; waits. Every member gets the window or each
  /// an error.
  [[nodiscard]] static Expected<std::unique_ptr<Window>> make(const CommCall& call,
                                                              const ParentComm& parent,
                                                              OneSided& manager,
                                                              const WindowSpec& spec);
  /// Not before free(), unless the process ends without it.
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Collective; waits for all members, and for the operations of this one. MPI_ERR_RMA_SYNC: an
  /// epoch of this process is open; then nothing is done.
  [[nodiscard]] Expected<> free(const CommCall& call);

  [[nodiscard]] const CommCore& comm() const { return comm_; }
  [[nodiscard]] const WindowSpec& spec() const { return spec_; }
  [[nodiscard]] const WindowMembers& members() const { return members_; }
  /// Of this process.
  [[nodiscard]] void* base() const;
  [[nodiscard]] const Epochs& epochs() const { return epochs_; }

  /// MPI_Win_shared_query: what this process can load from and store to. For MPI_PROC_NULL that of
  /// the lowest rank with memory. Size 0 and null where nothing is shared.
  struct SharedPart {
    MPI_Aint bytes = 0;
    int displacement_unit = 1;
    void* base = nullptr;
  };
  [[nodiscard]] SharedPart shared_part(int rank) const;

  /// MPI_Win_attach and MPI_Win_detach, of dynamic windows. Local. MPI_ERR_RMA_ATTACH.
  [[nodiscard]] Expected<> attach(void* base, MPI_Aint bytes);
  [[nodiscard]] Expected<> detach(const void* base);

  // Communication. Never waits for a call of the target, but where memory is out of its reach for
  // credits. `done`, of the forms with a request, completes when the origin's memory is free
  // (put, accumulate) or the result is there; null: nobody asks. It may be complete on return.

  [[nodiscard]] Expected<> put(const View& origin, const WindowTarget& target,
                               Request* done = nullptr);
  [[nodiscard]] Expected<> get(const View& origin, const WindowTarget& target,
                               Request* done = nullptr);
  /// Also MPI_Get_accumulate and MPI_Fetch_and_op, where `result` is not null. `origin` is null for
  /// MPI_NO_OP.
  [[nodiscard]] Expected<> accumulate(const View* origin, const Op& op, const WindowTarget& target,
                                      const View* result = nullptr, Request* done = nullptr);
  /// One element of a predefined type.
  [[nodiscard]] Expected<> compare_and_swap(const void* replacement, const void* compare,
                                            void* result, const WindowTarget& target);

  /// The short way of a put or get of plain bytes: true if it is done. False: nothing was done, and
  /// put() or get() says why.
  [[nodiscard, gnu::always_inline]] bool try_put(const void* from, std::size_t bytes, int rank,
                                                 MPI_Aint displacement, std::size_t target_bytes) {
    std::byte* const to = plain_place(bytes, rank, displacement, target_bytes);
    if (to == nullptr) [[unlikely]]
      return false;
    copy_bytes(to, from, bytes);
    return true;
  }
  [[nodiscard, gnu::always_inline]] bool try_get(void* to, std::size_t bytes, int rank,
                                                 MPI_Aint displacement, std::size_t target_bytes) {
    const std::byte* const from = plain_place(bytes, rank, displacement, target_bytes);
    if (from == nullptr) [[unlikely]]
      return false;
    copy_bytes(to, from, bytes);
    return true;
  }

  // Synchronization. `assertion`: what MPI_MODE_ bits the program gave.

  [[nodiscard]] Expected<> fence(const CommCall& call, int assertion);
  /// Waits until each of `ranks` has posted, unless the program says that they have.
  [[nodiscard]] Expected<> start(const CommCall& call, std::vector<int> ranks, int assertion);
  [[nodiscard]] Expected<> complete(const CommCall& call);
  [[nodiscard]] Expected<> post(const CommCall& call, const std::vector<int>& ranks, int assertion);
  [[nodiscard]] Expected<> wait(const CommCall& call);
  /// Whether the exposure has ended; then it has for the window, too.
  [[nodiscard]] Expected<bool> test();
  [[nodiscard]] Expected<> lock(const CommCall& call, int rank, bool exclusive, int assertion);
  [[nodiscard]] Expected<> unlock(const CommCall& call, int rank);
  [[nodiscard]] Expected<> lock_all(const CommCall& call, int assertion);
  [[nodiscard]] Expected<> unlock_all(const CommCall& call);
  /// Until the operations to `rank`, or to all, can be seen there; `local`: until the memory of
  /// this process is free.
  [[nodiscard]] Expected<> flush(const CommCall& call, int rank, bool local);
  [[nodiscard]] Expected<> flush_all(const CommCall& call, bool local);
  /// A barrier of memory.
  [[nodiscard]] Expected<> sync();

  /// The short way of a flush: true if there is nothing to wait for.
  [[nodiscard, gnu::always_inline]] bool try_flush() const {
    if (!epochs_.is_passive() || remote_.busy()) [[unlikely]]
      return false;
    std::atomic_thread_fence(std::memory_order_release);
    return true;
  }

 private:
  friend class OneSided;
};

}  // namespace remit
