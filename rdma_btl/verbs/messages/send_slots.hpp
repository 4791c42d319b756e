// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Registered buffers for messages that do not fit a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace remit::verbs {

/// Slots of one registered block: each belongs to one message until the adapter has read it. A few
/// are kept for the device's own messages. The memory belongs to RegisteredMemory. One thread.
class SendSlots {
 public:
  /// Kept for the device's own messages.
  static constexpr std::size_t kSpare = 8;

  /// The bytes of a block for so many slots of `bytes`: one more is for unwanted results.
  [[nodiscard]] static constexpr std::size_t block_bytes(std::size_t count, std::size_t bytes) {
    return (count + 1) * bytes;
  }
  /// Cuts a block of block_bytes() into slots; once.
  void make(std::byte* base, std::uint32_t lkey, std::size_t count, std::size_t bytes) {
    lkey_ = lkey;
    trash_ = base + count * bytes;
    for (std::size_t i = 0; i < count; ++i) {
      slots_.push_back(base + i * bytes);
      free_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  [[nodiscard]] std::uint32_t lkey() const { return lkey_; }
  /// Where the results of atomics go that nobody wants.
  [[nodiscard]] std::byte* trash() const { return trash_; }
  [[nodiscard]] std::byte* operator[](std::uint32_t slot) const { return slots_[slot]; }

  /// Whether there is one for a message of the layer above.
  [[nodiscard]] bool has_room() const { return free_.size() > kSpare; }
  /// Whether there is none, even for the device's own messages.
  [[nodiscard]] bool exhausted() const { return free_.empty(); }
  /// Whether so many are in use that they must come back soon.
  [[nodiscard]] bool runs_short() const { return free_.size() < slots_.size() / 2; }

  /// Only if it is not exhausted().
  [[nodiscard]] std::uint32_t take() {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }

 private:
  std::vector<std::byte*> slots_;
  std::vector<std::uint32_t> free_;
  std::byte* trash_ = nullptr;
  std::uint32_t lkey_ = 0;
};

}  // namespace remit::verbs
