// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a nonblocking or persistent collective needs until it is complete, whatever the program does
// with its own.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/collectives.hpp"
#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"
#include "datatype/ref.hpp"

namespace remit {

/// Types and operation, which the program may free at once (MPI-5.0, section 6.12), and the arrays
/// of types, whose handles became objects.
struct CollectiveHold {
  std::vector<Ref<const Datatype>> types;
  Ref<const Op> op;
  std::vector<const Datatype*> send_types, recv_types;  ///< alltoallw, neighbor_alltoallw
  std::shared_ptr<void> kept;                           ///< anything else, of MPI_Comm_idup
};

/// Copies of arrays of counts and displacements. The program must leave its own alone until the
/// operation is complete (MPI-5.0, section 6.12), but many programs and bindings of other languages
/// free them when the call returns, which goes well with every other library.
class CopiedCounts {
 public:
  /// Puts copies in the place of the arrays of `args`, which have `sends` and `receives` values.
  CopiedCounts(CollectiveArgs& args, int sends, int receives);
  CopiedCounts(const CopiedCounts&) = delete;
  CopiedCounts& operator=(const CopiedCounts&) = delete;

 private:
  /// Of all four arrays of an alltoallv, in the wide form; with more values they are on the heap.
  static constexpr std::size_t kInlineValues = 16;
  static constexpr std::size_t kInlineBytes = 4 * kInlineValues * sizeof(MPI_Count);

  alignas(MPI_Count) std::array<std::byte, kInlineBytes> inline_;
  std::unique_ptr<std::byte[]> large_;
};

/// A collective behind a request, and what it uses.
class HeldCollective {
 public:
  /// `sends` and `receives` are the lengths of the arrays of `args`, which are its copies
  /// afterwards.
  HeldCollective(Engine& engine, CommCore& comm, CollectiveArgs& args, CollectiveHold hold,
                 int sends = 0, int receives = 0)
      : hold_(std::move(hold)), counts_(args, sends, receives), work_(engine, comm, args) {}

  [[nodiscard]] Collective& work() { return work_; }
  [[nodiscard]] const Collective& work() const { return work_; }

 private:
  // Made before `work_` and destroyed after it.
  CollectiveHold hold_;
  CopiedCounts counts_;
  Collective work_;
};

}  // namespace remit
