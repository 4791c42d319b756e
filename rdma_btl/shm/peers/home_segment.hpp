// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory that this process gives to each peer on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma_btl/shm/rings/layout.hpp"
#include "runtime/error.hpp"
#include "runtime/os/os.hpp"

namespace remit::shm {

/// Holds what peers look up or change without a message: Home, and notices behind it. Peers see by
/// it that this process has left in order: when it is destroyed.
class HomeSegment {
 public:
  HomeSegment() = default;
  HomeSegment(const HomeSegment&) = delete;
  HomeSegment& operator=(const HomeSegment&) = delete;
  ~HomeSegment() {
    if (mapping_) home().life.closed.store(1, std::memory_order_release);
  }

  [[nodiscard]] Expected<> open();
  // After that:
  [[nodiscard]] Home& home() const { return *reinterpret_cast<Home*>(mapping_.data()); }
  [[nodiscard]] int fd() const { return memory_.get(); }
  [[nodiscard]] std::byte* notices(std::uint32_t index) const {
    return mapping_.data() + notices_at(index);
  }

 private:
  Fd memory_;
  Mapping mapping_;
};

}  // namespace remit::shm
