// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which way the data of a collective access go: straight from each member, or through memory that
// the members of a host share, and from there perhaps to another host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "files/file_hints.hpp"
#include "files/storage/transferred.hpp"
#include "files/views/file_view.hpp"

namespace remit {

/// Adds up numbers that belong to the ends of runs of a file, so that ends which meet cancel. Runs
/// of any number of members fill a range, each byte of it once, exactly if the sum of all of them
/// is that of the range as one run; that others have the same sum happens by chance, once in 2^60
/// times. So members find out by a few bytes each what lists of their runs would say.
class BoundarySum {
 public:
  void add(FileRun run) { sum_ += number_of(run.offset + run.length) - number_of(run.offset); }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

  /// Of [begin, end).
  [[nodiscard]] static std::uint64_t of_range(std::int64_t begin, std::int64_t end) {
    return number_of(end) - number_of(begin);
  }

 private:
  /// Splitmix64's.
  [[nodiscard]] static std::uint64_t number_of(std::int64_t offset) {
    std::uint64_t z = static_cast<std::uint64_t>(offset) + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t sum_ = 0;
};

/// What a member tells the others of its part of a collective access. Trivially copyable.
struct MemberAccess {
  std::int64_t first = 0;  ///< the part of the file, up to `end`; nothing: 0 bytes
  std::int64_t end = 0;
  std::int64_t bytes = 0;
  std::int64_t runs = 0;          ///< about so many
  std::int64_t period = 0;        ///< after so many bytes the view repeats
  std::int64_t period_bytes = 0;  ///< of the view in that; 0: the view has none at all
  std::uint64_t period_sum = 0;   ///< BoundarySum of these bytes, their offsets modulo the period
  std::uint64_t sum = 0;          ///< BoundarySum of the access
  std::uint32_t host = 0;         ///< where it is: the lowest rank of that host
  std::uint8_t may_stage = 0;     ///< its data can go through memory of its host
  std::uint8_t knows_period = 0;  ///< the sums were worth the time that they take
  std::uint8_t knows_sum = 0;
  std::uint8_t is_mapped = 0;  ///< by itself it would go through a mapping of the file
};

/// How slices are cut.
struct SliceLimits {
  std::int64_t unit = kFilePage;   ///< slices begin at multiples of it
  std::int64_t slice = kFilePage;  ///< bytes that an owner moves at a time; a multiple of `unit`
  int owners = 0;
};

/// Owners that a host has at most, whatever hints ask for.
inline constexpr int kMostHostOwners = 64;

/// What plans depend on beside the members. The same at all members of a host.
struct StagingLimits {
  FileMove kind = FileMove::read;
  HintSwitch wish = HintSwitch::automatic;
  bool is_local = true;  ///< the file system is this host's own
  SliceLimits of_host{kFilePage, kFilePage, 1};
  SliceLimits of_all;  ///< between hosts, the same at all members; no owners: they send nothing
};

/// How the members of one host carry out a collective access. Staged ones go through a window that
/// slides over the range of all, an owner for each slice of it.
struct CollectivePlan {
  [[nodiscard]] bool is_staged() const { return owners != 0; }
  /// Places of the window.
  [[nodiscard]] std::int64_t cycles() const;
  /// Byte of the file where the window begins; below `begin` in the first cycle, perhaps.
  [[nodiscard]] std::int64_t window_begin(std::int64_t cycle) const {
    return base + cycle * owners * slice;
  }
  /// What lies in the window, and what an owner has of it; perhaps nothing.
  [[nodiscard]] FileRun window(std::int64_t cycle) const;
  [[nodiscard]] FileRun slice_of(std::int64_t cycle, int owner) const;

  int owners = 0;            ///< 0: each member moves its own data
  bool spans_hosts = false;  ///< slices belong to owners of all hosts, and so does the range
  std::int64_t slice = 0;    ///< bytes of a slice; the first and the last one may be cut
  std::int64_t base = 0;     ///< `begin` rounded down
  std::int64_t begin = 0;    ///< the range of all members who take part
  std::int64_t end = 0;
  /// The views give no byte twice, whatever is accessed: known of all members' sums of periods.
  bool views_are_proof = false;
};

/// What plans are made in: a member that had no memory for its plan would leave the others waiting.
struct PlanRoom {
  explicit PlanRoom(std::size_t members) {
    order.reserve(members);
    parts.reserve(members);
  }
  std::vector<const MemberAccess*> order;
  std::vector<FileRun> parts;
};

/// The plan for the members of `host`, which has at least one, of all `members` of the file. Pure,
/// so that all of them find the same without another word.
///
/// Data are staged where pieces of members interleave, are short, and fill a good part of their
/// range. Writes also need a proof that no byte is given twice: only then do as many bytes as a
/// slice has fill it, and no byte is ever written that nobody gave. What interleaves between hosts
/// either all of them stage together, or none. Nothing has to be proved then for safety, but where
/// the proof fails slices have holes, which are better left to the members if the file system is
/// local.
///
/// Takes no memory but `room`, which is for as many members, at least.
[[nodiscard]] CollectivePlan plan_access(std::span<const MemberAccess> members, std::uint32_t host,
                                         const StagingLimits& limits, PlanRoom& room);

}  // namespace remit
