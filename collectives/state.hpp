// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What collectives keep of a communicator, which is nobody else's business.
#pragma once

#include <cstdint>
#include <memory>

#include "pt2pt/communicator.hpp"

namespace remit {

class Board;
class CollectiveTable;
class Hierarchy;
enum class CostClass : std::uint8_t;

/// The state behind CommCore::collectives: what members have found out and set up together. One
/// thread at a time. Setting up a board replaces the object (BoardState), so that nobody keeps a
/// reference to it across a blocking operation.
struct CollectiveState {
  Board* board = nullptr;                      ///< a part of this object, once it was set up
  std::shared_ptr<const Hierarchy> hierarchy;  ///< null until it was set up; or there is none
  /// What collectives cost in this group; null until it was asked for (learn_costs()).
  const CollectiveTable* table = nullptr;
  CostClass cost_class{};            ///< of the members, in that table
  bool quick_copies = false;         ///< there is a board, and all copy each other's memory quickly
  int processors = 1;                ///< of the members' host, if that is one
  std::uint32_t board_uses = 0;      ///< operations so far that would have used a board
  std::uint32_t hierarchy_uses = 0;  ///< blocking operations so far, before cells are looked for
  /// What has kept this member from agreeing with the others on a board or on cells: they may go
  /// other ways from then on, so no blocking operation succeeds any more.
  int agreement_error = MPI_SUCCESS;
};

/// The state of a communicator, which is made when it is first asked for.
[[nodiscard]] CollectiveState& collective_state(const CommCore& comm);
/// The same as far as it is known: a state in which nothing is, if there is none yet.
[[nodiscard]] const CollectiveState& known_state(const CommCore& comm);
/// Null: none was set up.
[[nodiscard]] inline Board* board_of(const CommCore& comm) {
  return known_state(comm).board;
}
[[nodiscard]] inline const Hierarchy* hierarchy_of(const CommCore& comm) {
  return known_state(comm).hierarchy.get();
}
/// The communicator gets neither a board nor cells, however often it is used.
void refuse_set_up(const CommCore& comm);

}  // namespace remit
