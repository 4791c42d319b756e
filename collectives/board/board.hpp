// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: blocking collectives among the processes of a host by stores and loads, without
// messages, matching or coroutines. For small data, and long ones where the kernel copies slowly.
#pragma once

#include <optional>
#include <vector>

#include "collectives/board/board_lines.hpp"
#include "collectives/board/board_reduction.hpp"
#include "collectives/board/copy_pace.hpp"
#include "collectives/choice/board_limits.hpp"
#include "collectives/collectives.hpp"
#include "collectives/state.hpp"
#include "runtime/events.hpp"

namespace remit {

/// One member's part of a communicator's board: its lines, what takes place there, and how direct
/// operations among the members are chosen. One thread.
class Board final : private EventSwitch {
 public:
  /// What the members have agreed on.
  struct Agreement {
    std::vector<BoardMember> members;  ///< by rank, this one included; empty: there is no board
    bool reaches_memory = false;       ///< each of them reaches the memory of all others
    bool claims_lines = false;         ///< they are two, and both claim lines that they have read
    LongBoard takes_long = LongBoard::none;  ///< what all of them want, the least of it
    bool copies_quickly = false;             ///< each of them, the memory of all others (CopySpeed)
    bool paces = false;                      ///< all have a CopyPace
    CopyPace::Of64k own_ns = {};             ///< what this one knows for it
  };

  /// `own` was taken from its device; the board gives it back. `known` is the state of `comm`.
  Board(Engine& engine, const CommCore& comm, const CollectiveState& known, OwnNotices own,
        Agreement agreement);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// The next operation, which the limits allow. Every member calls it, or a short form, for the
  /// same operations in the same order. Returns MPI_SUCCESS or an error class. `subject` says what
  /// is waited for, if it lasts.
  [[nodiscard]] int run(const CollectiveArgs& a, const WaitSubject* subject = nullptr);

  /// Which operations take place here.
  [[nodiscard]] const BoardLimits& limits() const { return limits_; }
  /// For the short forms (board_short.hpp) and meetings (BoardMeeting).
  [[nodiscard]] BoardLines& lines() { return lines_; }
  /// Whether each member reaches the memory of all others: then direct operations meet here.
  [[nodiscard]] bool reaches_memory() const { return reaches_memory_; }
  /// Whether each member copies the memory of all others quickly.
  [[nodiscard]] bool copies_quickly() const { return copies_quickly_; }
  /// Either all members have one or none: null.
  [[nodiscard]] CopyPace* pace() { return pace_ ? &*pace_ : nullptr; }

 private:
  /// Short forms are closed while somebody wants to hear of every operation.
  void wanted_events_changed() override;

  Events& events_;
  BoardLimits limits_;
  BoardLines lines_;
  BoardReduction reduction_;
  const OwnNotices own_;
  const bool reaches_memory_;
  const bool copies_quickly_;
  std::optional<CopyPace> pace_;
};

/// The state of a communicator that has a board, which is a part of it: from the communicator to
/// what a short operation needs it is one step.
struct BoardState final : CollectiveState {
  BoardState(Engine& engine, const CommCore& comm, const CollectiveState& known, OwnNotices own,
             Board::Agreement agreement);
  Board here;
};

/// The lines on which a blocking operation of this kind on so many bytes in one piece, or in blocks
/// of so many bytes, takes place by its short form (board_short.hpp); null: run_collective().
[[nodiscard, gnu::always_inline]] inline BoardLines* short_path(const CommCore& comm,
                                                                CollectiveKind kind,
                                                                std::size_t bytes) {
  CollectiveState* state = comm.collectives.get();
  if (state == nullptr || state->board == nullptr) return nullptr;
  Board& board = static_cast<BoardState*>(state)->here;
  return board.limits().takes_short(kind, bytes) ? &board.lines() : nullptr;
}

/// Counts an operation for which `comm` has no board yet, and sets one up with the other members
/// when that pays. Every member calls it for the same operations. It replaces the state of `comm`.
/// An error is that of the operation: others may have a board, and wait there for who has none.
[[nodiscard]] int count_board_use(Engine& engine, CommCore& comm, const CollectiveArgs& a,
                                  const CollectiveShape& shape, const WaitSubject* subject);

}  // namespace remit
