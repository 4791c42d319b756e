// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks that make windows, and the part of a window that one process of a host has.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "onesided/handover/delegation_slot.hpp"
#include "onesided/window.hpp"
#include "tests/unit/communicators/calling_ranks.hpp"

namespace remit::testing {

inline void expect_fine(const Expected<>& outcome) {
  EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
}

/// Ranks that may make windows, whose members reach each other by messages only.
class WindowMakers : public CallingRanks {
 public:
  explicit WindowMakers(int size) : CallingRanks(size, quiet(test_seed())) {
    for (int rank = 0; rank < size; ++rank) {
      managers_.push_back(std::make_unique<OneSided>(process(rank), engine(rank).links()));
    }
  }
  ~WindowMakers() {
    settle();
    managers_.clear();
  }
  [[nodiscard]] OneSided& manager(int rank) { return *managers_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::unique_ptr<OneSided>> managers_;
};

/// The part of a window that one process has of a host with three members, which have slots.
class SharedWindow {
 public:
  static constexpr std::uint32_t kMembers = 3;

  SharedWindow(WindowMakers& ranks, int rank)
      : lines_((HostSegment::head_bytes(kMembers, kMembers) + kMembers * sizeof(DelegationSlot)) /
                   kControlLine +
               1),
        core_(ranks.comm(rank), ranks.manager(rank), spec_of_shared(),
              HostSegment(reinterpret_cast<std::byte*>(lines_.data()), nullptr, kMembers,
                          static_cast<std::uint32_t>(rank), kMembers, true),
              false) {
    for (std::uint32_t member = 0; member < kMembers; ++member) {
      core_.members.segment().table()[member].local_index = member;
    }
  }
  [[nodiscard]] WindowCore& core() { return core_; }
  [[nodiscard]] MemberControl::LockLine& lock_of(int rank) {
    return core_.members.control(rank)->access;
  }

 private:
  struct alignas(kControlLine) Line {
    std::byte bytes[kControlLine] = {};
  };
  static WindowSpec spec_of_shared() {
    WindowSpec spec;
    spec.flavor = MPI_WIN_FLAVOR_SHARED;
    return spec;
  }

  std::vector<Line> lines_;
  WindowCore core_;
};

}  // namespace remit::testing
