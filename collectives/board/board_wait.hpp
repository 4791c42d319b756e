// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a member of a board waits for others.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collectives/board/board_pages.hpp"
#include "collectives/board/board_segment.hpp"

namespace remit {

class Engine;
struct WaitSubject;

/// Waits for other members of a board to enter an operation: first by looking at their lines, then
/// as any call that blocks. One thread, the member's.
class BoardWait {
 public:
  /// Members, without the one that waits.
  using Others = std::span<const BoardMember>;

  /// `pages` are prepared as long as there is nothing else to do.
  BoardWait(Engine& engine, BoardPages& pages);

  /// Whether these members have entered operation `number`; those at the front that have are taken
  /// out.
  [[nodiscard]] static bool all_entered(Others& awaited, std::uint64_t number) {
    while (!awaited.empty() && awaited.front().entered(number)) awaited = awaited.subspan(1);
    return awaited.empty();
  }
  /// Waits until these members have entered operation `number`. False: one of them never will.
  [[nodiscard]] bool wait(Others awaited, std::uint64_t number);

  /// What the operation under way is, if it lasts; null: nobody knows. It lives until the next one.
  void set_subject(const WaitSubject* subject) { subject_ = subject; }
  /// Whether each member has a core for itself, and so looks without yielding.
  [[nodiscard]] bool spins() const { return spins_; }

  /// What operations have waited for.
  struct Waited {
    std::int64_t ns = 0;
    ProcId last = kAnyProc;  ///< who came last
  };
  /// Whether that is found out from now on.
  void watch(bool watched) {
    watched_ = watched;
    looks_ = watched_ ? Looks::watched : (spins_ ? Looks::spinning : Looks::sharing);
  }
  /// What is known, and forgets it.
  [[nodiscard]] Waited take_waited() { return std::exchange(waited_, {}); }

  /// The processes that a wait which lasts is for; none outside of one.
  [[nodiscard]] std::vector<ProcId> missing() const;
  /// Whether the process of a member is lost.
  [[nodiscard]] bool lost(const BoardMember& member) const;

 private:
  [[nodiscard]] bool wait_spinning(Others awaited, std::uint64_t number);
  [[nodiscard]] bool wait_sharing(Others awaited, std::uint64_t number);
  [[nodiscard]] bool wait_slowly(Others awaited, std::uint64_t number);
  [[nodiscard]] bool wait_otherwise(Others awaited, std::uint64_t number);
  [[nodiscard]] bool wait_watched(Others awaited, std::uint64_t number);
  [[nodiscard]] bool hopeless(Others awaited, std::uint64_t number) const;

  enum class Looks : std::uint8_t { spinning, sharing, watched };
  const bool spins_;
  bool watched_ = false;
  Looks looks_;
  Waited waited_;
  const WaitSubject* subject_ = nullptr;  ///< of the operation under way
  Engine& engine_;
  BoardPages& pages_;
  Others awaited_;                    ///< what missing() tells: those of them that have not entered
  std::uint64_t awaited_number_ = 0;  ///< ... this operation
};

}  // namespace remit
