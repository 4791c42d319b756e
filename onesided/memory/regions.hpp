// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory that a member of a dynamic window has attached, as it knows it and as others of its
// host read it. (MPI-5.0, section 12.2.4.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onesided/memory/control.hpp"
#include "runtime/error.hpp"

namespace remit {

class ProcessMemory;

/// Attached memory, at an address of its owner's process. Read by other processes.
struct AttachedMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;

  /// Behind its last byte.
  [[nodiscard]] std::uint64_t end() const { return address + bytes; }
  friend bool operator==(const AttachedMemory&, const AttachedMemory&) = default;
};

/// Where a process keeps its regions: what other processes read first. Whole while
/// MemberControl::Identity::regions_version is even and the same before and after.
struct RegionTable {
  std::uint64_t count = 0;
  std::uint64_t array =
      0;  ///< address of so many of AttachedMemory, by address, none overlaps another
};

/// What a process has attached to one window. The control words, in which the others find it, must
/// outlive it, and stay as they are when it ends: behind the members' last meeting their memory may
/// be somebody else's. One thread, and any processes that read meanwhile.
class Regions {
 public:
  explicit Regions(MemberControl::Identity& identity);
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  /// MPI_ERR_RMA_ATTACH: some of these bytes are attached already. Regions may touch each other.
  /// One without bytes overlaps nothing and is reached by nobody.
  [[nodiscard]] Expected<> attach(const void* base, std::size_t bytes);
  /// The region that begins there; if one without bytes does too, that one. MPI_ERR_RMA_ATTACH:
  /// none does.
  [[nodiscard]] Expected<> detach(const void* base);

  /// Whether all of these bytes are attached, in one region or in several that touch each other.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const;
  /// The same with words: MPI_ERR_RMA_RANGE.
  [[nodiscard]] Expected<> check(std::uint64_t address, std::uint64_t bytes) const;

  /// Those with bytes, by address.
  [[nodiscard]] std::span<const AttachedMemory> attached() const { return current_; }

 private:
  void publish();

  MemberControl::Identity& identity_;
  RegionTable table_;
  std::vector<AttachedMemory> current_;  ///< what `table_` names
  std::vector<AttachedMemory> next_;     ///< what it named before; becomes the next one
  std::vector<std::uint64_t> without_;   ///< regions of no bytes, which others need not know
};

/// What another process of the host has attached, as this one has read it last. One thread.
class PeerRegions {
 public:
  /// The process and its control words must outlive it.
  PeerRegions(ProcessMemory& process, const MemberControl::Identity& identity)
      : process_(process), identity_(identity) {}

  /// Whether all of these bytes are attached now: MPI_ERR_RMA_RANGE with words if not. Reads the
  /// other's table if that has changed, which may fail as ProcessMemory::read() does.
  [[nodiscard]] Expected<> check(std::uint64_t address, std::uint64_t bytes);

  [[nodiscard]] std::span<const AttachedMemory> known() const { return regions_; }

 private:
  static constexpr std::uint64_t kNothingRead = 1;  // odd: no table has this version

  [[nodiscard]] Expected<> refresh();
  [[nodiscard]] Expected<> read_regions(std::uint64_t before);
  [[nodiscard]] bool is_still(std::uint64_t before) const;

  ProcessMemory& process_;
  const MemberControl::Identity& identity_;
  std::uint64_t version_ = kNothingRead;  ///< of `regions_`
  std::vector<AttachedMemory> regions_;
};

}  // namespace remit
