// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The data of one collective operation among many virtual members in one process, and what must
// come out. Compiled against the engine and against the LogGP machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/state.hpp"
#include "datatype/reductions.hpp"

namespace remit::logp {

/// `T` is std::int64_t or double; sums of small integers are exact in both. The root is member 0.
template <class T>
class Operation {
 public:
  /// `elements` of one contribution (of the whole vector in reductions; for reduce_scatter_block a
  /// multiple of the size).
  Operation(CollectiveKind kind, int size, MPI_Count elements)
      : kind_(kind), size_(size), elements_(elements), sums_(static_cast<std::size_t>(size) + 1) {
    for (int r = 0; r < size; ++r) {
      sums_[static_cast<std::size_t>(r) + 1] = sums_[static_cast<std::size_t>(r)] + base(r);
    }
  }

  [[nodiscard]] static bool knows(CollectiveKind kind) {
    using enum CollectiveKind;
    switch (kind) {
      case barrier:
      case bcast:
      case gather:
      case scatter:
      case allgather:
      case alltoall:
      case reduce:
      case allreduce:
      case reduce_scatter_block:
      case scan:
      case exscan:
        return true;
      default:
        return false;
    }
  }

  /// A member's buffers.
  struct Buffers {
    std::unique_ptr<T[]> send, recv;
  };

  [[nodiscard]] Buffers make_buffers(int rank) const {
    Buffers made;
    if (kind_ == CollectiveKind::barrier) return made;
    const std::size_t sends = send_elements(rank);
    const std::size_t receives = receive_elements(rank);
    if (sends != 0) made.send = std::make_unique<T[]>(sends);
    if (receives != 0) made.recv = std::make_unique<T[]>(receives);
    for (std::size_t i = 0; i < sends; ++i) made.send[i] = value(rank, i);
    if (kind_ == CollectiveKind::bcast && rank == 0) {
      for (std::size_t i = 0; i < receives; ++i) made.recv[i] = value(rank, i);
    }
    return made;
  }

  [[nodiscard]] CollectiveArgs args(const Buffers& buffers) const {
    CollectiveArgs args;
    args.kind = kind_;
    args.send = buffers.send.get();
    args.recv = buffers.recv.get();
    args.send_count = args.recv_count = elements_;
    if (kind_ == CollectiveKind::reduce_scatter_block) args.recv_count = elements_ / size_;
    args.send_type = args.recv_type =
        &predefined(std::is_same_v<T, double> ? MPI_DOUBLE : MPI_INT64_T);
    args.op = op_of(MPI_SUM);
    return args;
  }

  /// Whether a member has what it must have.
  [[nodiscard]] bool right(int rank, const Buffers& buffers) const {
    const std::size_t count = kind_ == CollectiveKind::barrier ? 0 : receive_elements(rank);
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<T> wanted = want(rank, i);
      if (wanted && buffers.recv[i] != *wanted) return false;
    }
    return true;
  }

  /// A number that all results of a member go into.
  [[nodiscard]] std::uint64_t digest(int rank, const Buffers& buffers) const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const std::size_t count = kind_ == CollectiveKind::barrier ? 0 : receive_elements(rank);
    for (std::size_t i = 0; i < count; ++i) {
      if (!want(rank, i)) continue;
      hash = (hash ^ static_cast<std::uint64_t>(buffers.recv[i])) * 0x100000001b3U;
    }
    return hash;
  }

 private:
  static std::int64_t base(int rank) { return (std::int64_t{rank} * 37 + 5) % 101; }
  static T value(int rank, std::size_t i) {
    return static_cast<T>(base(rank) + static_cast<std::int64_t>(i % 8));
  }
  /// Of the values with index i at ranks [0, ranks).
  [[nodiscard]] T sum(int ranks, std::size_t i) const {
    return static_cast<T>(sums_[static_cast<std::size_t>(ranks)] +
                          ranks * static_cast<std::int64_t>(i % 8));
  }
  [[nodiscard]] std::size_t one() const { return static_cast<std::size_t>(elements_); }
  [[nodiscard]] std::size_t all() const { return one() * static_cast<std::size_t>(size_); }

  [[nodiscard]] std::size_t send_elements(int rank) const {
    switch (kind_) {
      case CollectiveKind::bcast:
        return 0;
      case CollectiveKind::scatter:
        return rank == 0 ? all() : 0;
      case CollectiveKind::alltoall:
        return all();
      default:
        return one();
    }
  }
  [[nodiscard]] std::size_t receive_elements(int rank) const {
    switch (kind_) {
      case CollectiveKind::gather:
        return rank == 0 ? all() : 0;
      case CollectiveKind::reduce:
        return rank == 0 ? one() : 0;
      case CollectiveKind::allgather:
      case CollectiveKind::alltoall:
        return all();
      case CollectiveKind::reduce_scatter_block:
        return one() / static_cast<std::size_t>(size_);
      default:
        return one();
    }
  }
  /// Nothing where the standard leaves it open.
  [[nodiscard]] std::optional<T> want(int rank, std::size_t i) const {
    const auto me = static_cast<std::size_t>(rank);
    switch (kind_) {
      case CollectiveKind::bcast:
        return value(0, i);
      case CollectiveKind::gather:
      case CollectiveKind::allgather:
        return value(static_cast<int>(i / one()), i % one());
      case CollectiveKind::scatter:
        return value(0, me * one() + i);
      case CollectiveKind::alltoall:
        return value(static_cast<int>(i / one()), me * one() + i % one());
      case CollectiveKind::reduce_scatter_block:
        return sum(size_, me * (one() / static_cast<std::size_t>(size_)) + i);
      case CollectiveKind::scan:
        return sum(rank + 1, i);
      case CollectiveKind::exscan:
        if (rank == 0) return std::nullopt;
        return sum(rank, i);
      default:
        return sum(size_, i);
    }
  }

  CollectiveKind kind_;
  int size_;
  MPI_Count elements_;
  std::vector<std::int64_t> sums_;  ///< of base(), of the ranks before
};

/// One virtual member's side of an operation: the algorithm's coroutine itself, without a driver.
struct Member {
  CommCore comm;
  FrameArena arena;
  CollectiveArgs args;
  std::optional<CollCtx> context;
  Task<int> task;
};

/// Member `rank` of a communicator of all processes, for the operation with this number.
inline void join(Member& member, Engine& engine, int rank,
                 const std::shared_ptr<const Group>& group, const CollectiveTable& table,
                 CostClass cost_class, std::uint32_t sequence) {
  member.comm.rank = rank;
  member.comm.local = group;
  CollectiveState& state = collective_state(member.comm);
  state.table = &table;
  state.cost_class = cost_class;
  member.context.emplace(engine, member.comm, sequence, member.arena, 0);
}

}  // namespace remit::logp
