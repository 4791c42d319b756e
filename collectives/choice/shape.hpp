// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the choice of an algorithm depends on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/collectives.hpp"

namespace remit {

class CollectiveTable;
class Hierarchy;

/// Where the members of a communicator are, as far as costs depend on it; users know it as a place.
/// Ranks of other hosts do not tell whether they share cores, so between hosts there is one class.
enum class CostClass : std::uint8_t {
  host,         ///< one host
  host_shared,  ///< one host on which the job has more ranks than there are processors
  network,      ///< several hosts
};

/// Which data that do not fit a page of the board go through it nevertheless, in pieces.
enum class LongBoard : std::uint8_t {
  none,
  cached,  ///< those that the caches hold: of others the second copy costs more
  all,     ///< the kernel's copies are so slow that none are faster
};

/// What a choice depends on. The same at every member, so that all choose alike.
struct CollectiveShape {
  int size = 1;            ///< members
  std::size_t bytes = 0;   ///< of one member's contribution, the largest one of an allgatherv (of
                           ///< the whole vector in reductions)
  MPI_Count elements = 0;  ///< of the same
  bool commutative = true;
  bool exact = false;     ///< the result does not depend on the order of combining, to the last bit
  bool in_place = false;  ///< MPI_IN_PLACE as the send buffer; the same everywhere where it matters
  bool uniform = true;    ///< false: v-variants, whose sizes differ
  bool board = false;     ///< blocking, and the communicator has a shared board
  bool one_host = false;  ///< all members are on one host
  LongBoard long_board = LongBoard::none;  ///< where the kernel's copies are slower
  bool quick_copies = false;             ///< members with a board copy each other's memory quickly
  const Hierarchy* hierarchy = nullptr;  ///< cells of the members, once they were found out
  bool plain = true;  ///< elements to reduce lie one behind the other, without gaps
  CostClass cost_class = CostClass::host;  ///< where the members are
  int processors = 1;                      ///< of the host, where CostClass::host_shared
  const CollectiveTable* table = nullptr;  ///< what things cost there; null: as built in
  bool inter = false;  ///< an inter-communicator; then nothing above but `size` says anything
};

/// Operations whose members know the sizes of their own blocks only.
[[nodiscard]] bool has_own_sizes(CollectiveKind kind);
[[nodiscard]] bool is_reduction(CollectiveKind kind);
[[nodiscard]] CollectiveShape shape_of(const CommCore& comm, const CollectiveArgs& args);

}  // namespace remit
