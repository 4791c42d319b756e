// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a simulated process has registered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "rdma_btl/device.hpp"
#include "runtime/error.hpp"

namespace remit::sim {

/// Memory by keys. Two different ones for each region, so that one used in place of the other is
/// caught.
class Registrations {
 public:
  /// A region under these keys; an error if more than `limit` bytes (0: no limit) would be
  /// registered.
  [[nodiscard]] Expected<Region> add(void* address, std::size_t length, Access access,
                                     std::uint64_t local_key, std::uint64_t remote_key,
                                     std::size_t limit);
  /// False: it is not registered.
  [[nodiscard]] bool remove(const Region& region);
  /// Whether the key allows that.
  [[nodiscard]] bool allows_access(std::uint64_t key, std::uint64_t address, std::size_t length,
                                   Access access) const;
  [[nodiscard]] std::size_t keys() const { return by_key_.size(); }

 private:
  struct Registered {
    std::uintptr_t begin = 0;
    std::size_t length = 0;
    Access access = Access::local;
  };
  std::unordered_map<std::uint64_t, Registered> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace remit::sim
