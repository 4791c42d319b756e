// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Notices of simulated processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "rdma_btl/host_memory.hpp"

namespace remit::sim {

/// Memory that one process writes and others read. The network owns it, for peers may read it after
/// the process is gone.
class NoticeMemory {
 public:
  /// The process's notices of that index, zeros at first; they stay.
  [[nodiscard]] std::byte* make(std::uint32_t process, std::uint32_t index) {
    std::vector<std::byte>& memory = memory_[{process, index}];
    if (memory.empty()) memory.resize(kNoticeBytes + kPage);
    return aligned(memory);
  }
  /// The same; null: they were not made.
  [[nodiscard]] std::byte* find(std::uint32_t process, std::uint32_t index) {
    const auto found = memory_.find({process, index});
    return found == memory_.end() ? nullptr : aligned(found->second);
  }

 private:
  static constexpr std::size_t kPage = 4096;
  [[nodiscard]] static std::byte* aligned(std::vector<std::byte>& memory) {
    void* at = memory.data();
    std::size_t room = memory.size();
    return static_cast<std::byte*>(std::align(kPage, kNoticeBytes, at, room));
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::byte>> memory_;
};

}  // namespace remit::sim
