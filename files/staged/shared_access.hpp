// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One member's part of a collective access that goes through memory which a host shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tl/expected.hpp>

#include "files/data_access.hpp"
#include "files/staged/collective_plan.hpp"
#include "files/staged/file_staging.hpp"
#include "files/storage/storage.hpp"

namespace remit {

/// The steps of an access, between which its members wait for each other. Whoever drives it, by a
/// blocking call or as a coroutine, does what next() says after each step:
///
///     for (access.step(); access.next() != end; access.step()) meet, or move letters();
///
/// and then lets the members agree on outcome(). A meeting or a letter that fails is told by
/// break_off(). In each cycle a window lies over the next part of the file, with slices, each of
/// which has an owner. Of a write all members put their bytes into it; when they have met, owners
/// write. Of a read owners fill their slices, and when the members have met, each takes what it
/// wants.
///
/// What members read of each other's words between two meetings was written before the first of
/// them, and is not written again before the second, so they all come to the same conclusions.
///
/// Steps may be made by any thread, one after the other; the MPI lock need not be held.
class SharedAccess {
 public:
  enum class Next : std::uint8_t { meeting, letters, end };

  virtual ~SharedAccess() = default;
  SharedAccess(const SharedAccess&) = delete;
  SharedAccess& operator=(const SharedAccess&) = delete;

  virtual void step() noexcept = 0;
  [[nodiscard]] Next next() const { return next_; }
  /// They stay until the next step.
  [[nodiscard]] virtual std::span<FileLetter> letters() { return {}; }
  /// The others may still wait for this member: then it plays its part to the end.
  virtual void break_off(const Error& error) = 0;

  /// After the last step: what this member brings to the agreement.
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  /// Whether stopped() is a matter of all members, if they agree that something went wrong.
  [[nodiscard]] virtual bool tells_all() const { return false; }
  /// The lowest byte of the file, as far as this member knows, that was not moved.
  [[nodiscard]] std::int64_t stopped() const { return stopped_; }
  void set_stopped(std::int64_t offset) { stopped_ = offset; }
  /// After the members have agreed, well or not: bytes of this member that were moved. Ends it.
  [[nodiscard]] virtual std::int64_t finish(bool all_well) = 0;

 protected:
  /// All must outlive it. This access comes next in the order of the staging.
  SharedAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
               const CollectivePlan& plan);

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
  /// What came of the slice that this member owns.
  void tell_stop(std::int64_t cycle, int owner, const Transferred& moved, FileRun slice);
  void tell_error(const Transferred& moved, std::int64_t asked);
  void tell_error(const Error& error);

  /// Before a slice is written: others who change what lies between their bytes lock that
  /// (romio_ds_write). Nothing where nobody does.
  [[nodiscard]] tl::expected<std::optional<RangeLock>, Transferred> lock_slice(FileRun slice);

  /// This member's bytes of a cycle's window: into it, and, as far as they were read, out of it.
  /// Returns what it has of it.
  Share put_share(std::int64_t cycle);
  void take_share(std::int64_t cycle);
  /// Of a read, when all slices were filled: the end of the file, or an error, is the end for all.
  void look_at_fills(std::int64_t cycle);

  FileStaging& staging_;
  FileCore& file_;
  const DataAccess& access_;
  const CollectivePlan plan_;
  const std::uint64_t first_cycle_;
  std::int64_t cycles_;  ///< perhaps fewer than planned: an end or an error was met
  Next next_ = Next::end;
  std::int64_t stopped_ = std::numeric_limits<std::int64_t>::max();
  Outcome outcome_;
};

}  // namespace remit
