// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collective operations as the bindings start them: arguments as one value, and the three drivers
// (blocking, nonblocking, persistent) of one coroutine per algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "collectives/collective_watch.hpp"
#include "collectives/context.hpp"
#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/engine.hpp"
#include "pt2pt/request.hpp"
#include "runtime/task.hpp"

namespace remit {

enum class CollectiveKind : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  agree,  ///< on the context of a new communicator: `recv` is the member's ContextAgreement
};
inline constexpr std::size_t kCollectiveKinds = 23;

/// An array of counts or displacements, in either width; not owned.
class Counts {
 public:
  Counts() = default;
  explicit Counts(const int* narrow) : narrow_(narrow) {}
  explicit Counts(const MPI_Count* wide) : wide_(wide) {}
  [[nodiscard]] MPI_Count operator[](int i) const { return narrow_ ? narrow_[i] : wide_[i]; }
  [[nodiscard]] bool null() const { return narrow_ == nullptr && wide_ == nullptr; }
  [[nodiscard]] bool wide() const { return wide_ != nullptr; }
  /// Copies so many values to `memory`, which is aligned for either width, and stays with the copy.
  /// Returns their bytes: none if it is null.
  std::size_t move_to(std::byte* memory, int values) {
    const auto n = static_cast<std::size_t>(values);
    if (narrow_ != nullptr) {
      narrow_ = static_cast<const int*>(std::memcpy(memory, narrow_, n * sizeof *narrow_));
      return n * sizeof *narrow_;
    }
    if (wide_ == nullptr) return 0;
    wide_ = static_cast<const MPI_Count*>(std::memcpy(memory, wide_, n * sizeof *wide_));
    return n * sizeof *wide_;
  }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
};

/// Whom a member sends to and receives from in neighbourhood collectives (MPI-5.0, section 8.6), in
/// the order of the blocks of its buffers. A rank may be there several times.
struct Neighborhood {
  std::vector<int> sources, destinations;  ///< MPI_PROC_NULL: nobody, the block stays as it is
  /// Of a grid: what leaves towards neighbour i arrives from the opposite direction, as block i
  /// ^ 1.
  bool opposite = false;
};

/// The arguments of any collective, as the standard names them (MPI-5.0, chapter 6). `send` may be
/// MPI_IN_PLACE where the standard allows it; bcast and barrier use `recv`. Reductions take
/// `recv_type` for both sides. reduce_scatter and reduce_scatter_block have the elements of the
/// whole vector in `send_count` (in place too), of this member's block in `recv_count`. Arrays,
/// buffers, types and operation must live until the operation is complete. The caller has checked
/// the arguments.
struct CollectiveArgs {
  CollectiveKind kind = CollectiveKind::barrier;
  int root = 0;  ///< may be MPI_ROOT or MPI_PROC_NULL on an inter-communicator
  const void* send = nullptr;
  MPI_Count send_count = 0;
  const Datatype* send_type = nullptr;
  void* recv = nullptr;
  MPI_Count recv_count = 0;
  const Datatype* recv_type = nullptr;
  Counts send_counts, send_displs, recv_counts, recv_displs;
  const Datatype* const* send_types = nullptr;  ///< alltoallw, neighbor_alltoallw
  const Datatype* const* recv_types = nullptr;
  const Op* op = nullptr;
  const Neighborhood* neighbors = nullptr;  ///< neighbourhood collectives only
};

/// A row of the table of algorithms (algorithms.hpp).
struct Algorithm;

/// A collective operation to start: a Request whose work is a coroutine. Used by the nonblocking
/// and persistent drivers. Made in the same order at all members, for that takes the communicator's
/// next sequence number and chooses the algorithm; persistent ones may be started in any order,
/// also before a blocking operation here and after it there, which may have set up what choices
/// depend on (MPI-5.0, section 6.13).
class Collective {
 public:
  /// `request.complete` says when it is done.
  Request request{RequestKind::collective};

  Collective(Engine& engine, CommCore& comm, const CollectiveArgs& args);
  /// Not between start() and completion: the engine knows requests in the coroutines' frames.
  ~Collective();
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  /// Starts it (again, after completion: persistent). Advances until it first has to wait.
  void start();

  /// It is complete, and an exception ended it: it must never be destroyed, for what it had started
  /// may still write to its memory. Started again it only fails again.
  [[nodiscard]] bool broken() const { return ended_by_exception(request.status.error); }

  /// For reports: what it is, and its number on its communicator.
  [[nodiscard]] CollectiveKind kind() const { return args_.kind; }
  [[nodiscard]] std::uint32_t sequence() const { return sequence_; }

  /// Where its coroutines' frames are.
  [[nodiscard]] FrameArena& arena() { return arena_; }

 private:
  static Task<int> body(Collective& self);
  void tell_end();

  FrameArena arena_;
  Engine& engine_;
  CommCore& comm_;
  CollectiveArgs args_;
  const std::uint32_t sequence_;
  const Algorithm* algorithm_ = nullptr;  ///< null: every member does its part alone
  std::optional<CollCtx> context_;
  std::optional<CollectiveWatch> watch_;  ///< somebody wants to know of it
  Task<int> task_;
};

/// The blocking driver: returns MPI_SUCCESS or an MPI error class. `subject` describes the wait, of
/// the operation whose number was comm.collective_sequence.
[[nodiscard]] int run_collective(Engine& engine, CommCore& comm, const CollectiveArgs& args,
                                 const WaitSubject* subject = nullptr);

}  // namespace remit
