// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How quickly the kernel copies what the members of a board have for each other at the moment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace remit {

/// Decides between two ways of a long blocking operation among the members of a board: by the
/// kernel, directly between their memory, or in two copies through the board.
///
/// The kernel is far quicker while the data are in its caller's caches: between operations on the
/// same buffers that nobody has written since. It is slower as soon as the program has written what
/// it sends, for lines then come from another core's cache, or if the buffers are others each time.
/// Then the program, too, is slowed down, which has to take back the lines that others have read.
/// What a program does shows in the time of a copy: nothing else is in it, no waiting.
///
/// One of these for each board, with a row for each class of lengths, once for operations that have
/// a hub (Direct) and once for others. Every member counts the operations alike, and says in each
/// whether its copies were slow lately. Without a hub all follow anybody who says so; with one they
/// follow the hub, which has heard of the others in the operation before. Now and then all go
/// directly for a few operations, to see whether copies still are slow: soon at first, for the
/// first copies of a program find pages that nobody has touched. No clock in here. One thread.
class CopyPace {
 public:
  static constexpr std::size_t kShortest = std::size_t{8} << 10;  ///< bytes of the first class
  static constexpr std::size_t kClasses = 8;  ///< powers of two, and what is below the next
  static constexpr std::size_t kEnd = kShortest << kClasses;  ///< bytes that have no class any more
  /// Operations of a class in a round: each of the first rounds has twice as many as the one
  /// before.
  static constexpr unsigned kFirstRound = 16;
  static constexpr unsigned kRound = 128;
  static constexpr unsigned kTrial = 4;  ///< so many go directly at the beginning of a round
  static constexpr unsigned kSure = 3;   ///< slow operations, one after the other, that count

  /// What a member tells the others.
  struct Words {
    bool slow = false;         ///< its copies are slow
    bool wants_board = false;  ///< it is for the board this time
  };

  /// What 64 KB take, in nanoseconds.
  struct Of64k {
    std::uint32_t kernel = 0;  ///< for the kernel to copy within a cache
    std::uint32_t board = 0;   ///< to cross the board; 0: unknown
  };
  explicit CopyPace(Of64k ns) : ns_(ns) {}

  /// What a member is in an operation.
  enum class Role : std::uint8_t {
    equal,  ///< there is no hub
    hub,    ///< it speaks for the others too
    other,
  };
  /// The next operation, of kShortest <= `bytes` < kEnd, begins.
  [[nodiscard]] Words begin(std::size_t bytes, Role role);
  /// In it all others have said that none of their copies are slow, or one that its are.
  void hear(bool slow) { row().others_slow = slow; }
  /// In it the kernel has copied so many bytes for this member.
  void copied(std::size_t bytes, std::uint64_t ns);
  /// It has ended, and was a direct one.
  void end();

 private:
  struct Row {
    std::uint32_t begun = 0;
    unsigned slow = 0;  ///< operations, one after the other, kSure at most
    bool others_slow = false;
  };
  [[nodiscard]] Row& row() { return rows_[current_]; }
  /// Which operation of its round it is, from 0 on.
  [[nodiscard]] static unsigned turn(const Row& row);

  Of64k ns_;
  std::array<Row, 2 * kClasses> rows_ = {};  ///< those of operations with a hub stand behind
  std::size_t current_ = 0;                  ///< of the operation under way
  double spent_ns_ = 0;                      ///< in it, by the kernel
  double fair_ns_ = 0;                       ///< what it may take at most not to be slow
};

}  // namespace remit
