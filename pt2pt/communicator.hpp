// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Groups and communicators as messages see them: who is rank i, and which messages belong together.
// Names, attributes and error handlers are added by the bindings.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "links/process_id.hpp"
#include "mpi.h"

namespace remit {

/// Separates messages of different communicators. Each communicator owns kContextsEach of them,
/// from a multiple of that on: for point-to-point, for collectives, two for partitioned
/// communication; then as many for messages inside the local group of an inter-communicator.
using ContextId = std::uint32_t;
inline constexpr ContextId kContextsEach = 8;
inline constexpr ContextId kPartitionNames = 2;    ///< added to the first: what names partitions
inline constexpr ContextId kPartitionContext = 3;  ///< and the partitions

/// An ordered set of processes; immutable and shared. A regular one (first, first + stride, ...)
/// takes O(1) memory whatever its size (sparse ranks are listed).
class Group {
 public:
  /// {first, first + stride, ...}, `size` of them; stride may be negative, not 0 unless size <= 1.
  static std::shared_ptr<const Group> regular(ProcId first, std::int64_t stride, int size);
  /// Takes a regular form if the list happens to be one.
  static std::shared_ptr<const Group> of(std::vector<ProcId> members);

  [[nodiscard]] int size() const { return size_; }
  /// The process of rank `rank`, 0 <= rank < size().
  [[nodiscard]] ProcId proc(int rank) const {
    if (!members_.empty()) [[unlikely]]
      return members_[static_cast<std::size_t>(rank)];
    return static_cast<ProcId>(static_cast<std::int64_t>(first_) + rank * stride_);
  }
  /// The rank of a process, or MPI_UNDEFINED. O(1) if regular, else O(log size).
  [[nodiscard]] int rank_of(ProcId proc) const;
  /// Whether it is {proc(0), proc(0) + stride, ...}, so that nothing is listed.
  [[nodiscard]] bool is_regular() const { return members_.empty(); }
  /// Of a regular group.
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// The processes of these ranks, in their order.
  [[nodiscard]] std::shared_ptr<const Group> subset(std::span<const int> ranks) const;

 private:
  Group() = default;
  ProcId first_{};
  std::int64_t stride_ = 1;
  int size_ = 0;
  std::vector<ProcId> members_;                  // empty if regular
  std::vector<std::pair<ProcId, int>> by_proc_;  // sorted; empty if regular
};

/// Whether it has a process of another job than this process's, which has `job_size` processes. All
/// members find out alike.
[[nodiscard]] bool spans_jobs(const Group& group, int job_size);

/// MPI_IDENT: the same processes in the same order; MPI_SIMILAR: in another one; else MPI_UNEQUAL.
[[nodiscard]] int compare(const Group& a, const Group& b);

struct CollectiveState;

/// What point-to-point and collectives need of a communicator. Immutable once made, except for the
/// collective sequence number and what follows it.
struct CommCore {
  ContextId context = 0;                ///< even; point-to-point
  int rank = 0;                         ///< of this process in the local group
  std::shared_ptr<const Group> local;   ///< of an intra-communicator: the group
  std::shared_ptr<const Group> remote;  ///< inter-communicator only; else null
  /// Inter-communicator only: the local group by itself, for the parts of its collectives. Its own
  /// sequence number is not used: it takes part in the operations of the whole.
  std::shared_ptr<CommCore> within;
  std::uint32_t collective_sequence = 0;  ///< tag of the next collective operation
  /// What collectives keep here, and nobody else looks at (collectives/state.hpp); null until they
  /// need it.
  mutable std::shared_ptr<CollectiveState> collectives;

  void set_context(ContextId own) {
    context = own;
    if (within != nullptr) within->context = own + kContextsEach / 2;
  }
  [[nodiscard]] bool is_inter() const { return remote != nullptr; }
  [[nodiscard]] int size() const { return local->size(); }
  /// The group that destinations and sources are ranks of.
  [[nodiscard]] const Group& peers() const { return remote ? *remote : *local; }
};

}  // namespace remit
