// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One member's part of a collective access that goes through memory which a host shares.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "files/collective_plan.hpp"
#include "files/data_access.hpp"
#include "files/file_staging.hpp"

namespace remit {

/// The steps between the meetings of the members. Whoever drives it makes steps and meetings in
/// turn, by a blocking call or as a coroutine:
///
///     for (access.step(); access.meets(); access.step()) meet();
///
/// and then lets the members agree on outcome(). In each cycle a window lies over the next part of
/// the file. Of a write all members put their bytes into it; when they have met, each owner writes
/// its slice, and all put what belongs into the other window. A slice that is not full goes out by
/// the members themselves, each one's own bytes: nothing is written that nobody gave. Of a read
/// owners fill their slices, and when the members have met, each takes what it wants.
///
/// What members read of each other's words between two meetings was written before the first of
/// them, and is not written again before the second, so they all come to the same conclusions.
///
/// Steps may be made by any thread, one after the other; the MPI lock need not be held.
class StagedAccess {
 public:
  /// All must outlive it. This access comes next in the order of the staging.
  StagedAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
               const CollectivePlan& plan);

  void step() noexcept;
  /// Whether the members meet now, and another step follows.
  [[nodiscard]] bool meets() const { return steps_ <= cycles_; }

  /// After the last step: what this member brings to the agreement.
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  /// After the members have agreed, well or not: bytes of this member that were moved. Ends it.
  [[nodiscard]] std::int64_t finish(bool all_well);

 private:
  /// Bytes of the access that lie in a part of the file.
  struct Share {
    std::int64_t at = 0;  ///< the first one, from the beginning of the access
    std::int64_t bytes = 0;
  };
  [[nodiscard]] bool writes() const { return access_.kind == FileMove::write; }
  [[nodiscard]] std::uint64_t number(std::int64_t cycle) const {
    return first_cycle_ + static_cast<std::uint64_t>(cycle);
  }
  [[nodiscard]] std::int64_t below(std::int64_t offset) const;
  [[nodiscard]] Share share_of(FileRun run) const;
  [[nodiscard]] View window_view(std::int64_t cycle) const;
  [[nodiscard]] std::span<std::byte> slice_memory(std::int64_t cycle, FileRun slice) const;
  /// The first byte that the slices of a cycle stopped at, if that is not far behind them all.
  void note_stops(std::int64_t cycle, bool failures_only);
  void tell_stop(std::int64_t cycle, const Transferred& moved, FileRun slice);
  void tell_error(const Transferred& moved, std::int64_t asked);

  // Of writes.
  void put(std::int64_t cycle);
  void look_at_puts(std::int64_t cycle);
  void write_out(std::int64_t cycle);
  void write_slice(std::int64_t cycle, FileRun slice);
  void write_own(FileRun run);

  // Of reads.
  void fill(std::int64_t cycle);
  void look_at_fills(std::int64_t cycle);
  void take(std::int64_t cycle);

  FileStaging& staging_;
  FileCore& file_;
  const DataAccess& access_;
  const CollectivePlan plan_;
  const std::uint64_t first_cycle_;
  std::int64_t cycles_;  ///< perhaps fewer than planned: an end or an error was met
  std::int64_t steps_ = 0;
  std::vector<bool> is_full_;   ///< the slices of the cycle that was looked at last
  bool goes_on_alone_ = false;  ///< what comes behind that cycle each member writes by itself
  bool is_stopped_ = false;     ///< an owner has failed to write
  /// The lowest byte of the file, as far as this member knows, that was not moved.
  std::int64_t stopped_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t own_bytes_;  ///< up to there, nothing that this member wrote itself has failed
  Outcome outcome_;
};

}  // namespace remit
