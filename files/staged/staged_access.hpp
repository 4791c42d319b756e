// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One member's part of a collective access that the members of one host carry out together.
#pragma once

#include <bitset>
#include <cstdint>

#include "files/staged/shared_access.hpp"

namespace remit {

/// A slice of a write that is not full goes out by the members themselves, each one's own bytes:
/// nothing is written that nobody gave.
class StagedAccess final : public SharedAccess {
 public:
  /// See SharedAccess.
  StagedAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
               const CollectivePlan& plan);

  void step() noexcept override;
  /// Whom a meeting fails for fails for all: it is the end.
  void break_off(const Error& error) override;
  [[nodiscard]] std::int64_t finish(bool all_well) override;

 private:
  // Of writes.
  void put(std::int64_t cycle);
  void look_at_puts(std::int64_t cycle);
  void write_out(std::int64_t cycle);
  void write_slice(std::int64_t cycle, FileRun slice);
  void write_own(FileRun run);

  // Of reads.
  void fill(std::int64_t cycle);

  std::int64_t steps_ = 0;
  /// The slices of the cycle that was looked at last.
  std::bitset<static_cast<std::size_t>(kMostHostOwners)> is_full_;
  bool goes_on_alone_ = false;  ///< what comes behind that cycle each member writes by itself
  bool is_stopped_ = false;     ///< an owner has failed to write
  std::int64_t own_bytes_;      ///< up to there, nothing that this member wrote itself has failed
};

}  // namespace remit
