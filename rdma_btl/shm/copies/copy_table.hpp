// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How large transfers cross between two processes of this host: measured on the first of them, kept
// in a file for the jobs to come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace remit::shm {

/// How the bytes of a put or get cross where the kernel lets processes copy directly.
enum class CopyMethod : std::uint8_t {
  alone,     ///< the initiator copies
  together,  ///< the target copies chunks from the back meanwhile, if it is there
  ring,      ///< in two copies through the data area; the target has to be there
};
inline constexpr std::size_t kCopyMethods = 3;
inline constexpr std::array<std::string_view, kCopyMethods> kCopyNames = {"alone", "together",
                                                                          "ring"};

/// What decides how long a transfer takes.
struct Transfer {
  // A number of bytes is a transfer of so many.
  constexpr Transfer(std::size_t bytes_in_all, bool trap = false)
      : bytes(bytes_in_all), trapped(trap) {}
  std::size_t bytes;
  bool trapped;  ///< at a distance at which the kernel must not copy directly: in_copy_trap()
};

/// What each method takes, by classes of size (a power of two and what is below the next one) of
/// transfers in the trap and others, and the choice that follows. Which is fastest may change: with
/// what the program does with its data between transfers, and, where processors are virtual, with
/// how near they are to each other. So what counts is what was measured lately. A method shows what
/// it takes only after a few transfers: it leaves the data in other caches than the one before did,
/// so each is tried several times in a row. Plain data: no clock and no file in here. One thread.
class CopyTable {
 public:
  static constexpr std::size_t kSmallest = 16 * 1024;
  static constexpr std::size_t kClasses = 11;  ///< of sizes; the last has all from 16 MB on
  static constexpr unsigned kSamples = 8;      ///< of each method; the lowest counts at first
  /// From then on one transfer in so many is measured,
  static constexpr unsigned kLook = 16;
  /// and once in so many, kTrial go another way than the best (one that takes more than twice as
  /// long, more seldom); the last half of them is measured.
  static constexpr unsigned kRound = 256;
  static constexpr unsigned kTrial = 4;

  /// `together_from`: bytes below which both together are not worth asking the target.
  explicit CopyTable(std::size_t together_from) : together_from_(together_from) {}

  /// How to move so many bytes: as usual (together from `together_from` on, else alone), unless
  /// another method is known to be clearly faster.
  [[nodiscard]] CopyMethod best(Transfer transfer) const;

  struct Choice {
    CopyMethod method;
    bool timed;  ///< record() is to hear what it takes
  };
  /// How to move so many bytes this time, for transfers of at least kSmallest that can be measured.
  /// Call it for each: first every method has its kSamples, one after the other; from then on see
  /// kLook.
  [[nodiscard]] Choice next(Transfer transfer);
  /// A transfer (not of 0 bytes) that took `ns`. True if that is news for the file.
  bool record(Transfer transfer, CopyMethod method, std::uint64_t ns);

  /// A line for each class with a measurement: its bytes, "trap" or "free", then for each method
  /// the time in nanoseconds for a KiB and the number of samples; before them a line that says for
  /// which host.
  [[nodiscard]] std::string text(std::string_view host) const;
  /// Takes over what others have measured, but for classes of which this process has measured every
  /// method itself: so the file says what the last job found that came so far. Nothing, if the text
  /// is of another host; an error that says what is wrong, and nothing, if it is not of text().
  [[nodiscard]] Expected<> merge(std::string_view text, std::string_view host);
  /// Classes that are measured.
  [[nodiscard]] std::size_t measured() const;

  /// A measured class, for people.
  struct Line {
    std::size_t bytes;  ///< the smallest of the class
    bool trapped;
    std::array<double, kCopyMethods> ns_per_kib;  ///< by method; 0: not asked of so few bytes
    CopyMethod best;
  };
  [[nodiscard]] std::vector<Line> lines() const;

 private:
  /// What a method takes for transfers of one class.
  struct Cost {
    double ns_per_kib = 0;  ///< 0: unknown
    double step = 0;        ///< of it: the next sample moves it no farther
    unsigned samples = 0;   ///< of all jobs, kSamples at most
    unsigned own = 0;       ///< of these, or later ones, by this process, kSamples at most

    void take(double sample);
  };
  struct Row {
    std::array<Cost, kCopyMethods> costs = {};
    unsigned transfers = 0;  ///< next() was asked for, by this process, since all was measured
    CopyMethod tried = CopyMethod::alone;  ///< in the trial under way
  };

  /// Rows of transfers in the trap stand behind the others.
  static constexpr std::size_t kRows = 2 * kClasses;
  [[nodiscard]] static std::size_t row_of(Transfer transfer);
  [[nodiscard]] static Transfer smallest_of(std::size_t row);
  [[nodiscard]] CopyMethod usual(std::size_t row) const;
  /// Whether a method comes into question for a class.
  [[nodiscard]] bool candidate(std::size_t row, CopyMethod method) const;
  [[nodiscard]] const Cost& cost(std::size_t row, CopyMethod method) const {
    return rows_[row].costs[static_cast<std::size_t>(method)];
  }
  /// Of methods that come into question, the first with too few samples, by this number of them.
  [[nodiscard]] std::optional<CopyMethod> missing(std::size_t row, unsigned Cost::*samples) const;
  [[nodiscard]] bool complete(std::size_t row) const { return !missing(row, &Cost::samples); }
  [[nodiscard]] CopyMethod to_try(std::size_t row, unsigned round) const;

  std::size_t together_from_;
  std::array<Row, kRows> rows_ = {};
};

/// Where the table of this host is kept; see cache_file(). Empty: nowhere.
[[nodiscard]] std::string copy_table_path(const std::string& path);

/// Merges the file into the table, if it is there and of this host.
void load_copy_table(const std::string& path, CopyTable& table);

/// Writes the table, with what others have put there meanwhile; replaces the file at once.
[[nodiscard]] Expected<> save_copy_table(const std::string& path, CopyTable& table);

}  // namespace remit::shm
