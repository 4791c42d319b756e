// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The bounded memory for messages that arrive before their receives: accounting in units, which
// are leased to senders as credits, and the blocks themselves.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace remit {

/// Bytes of one unit of receive memory.
inline constexpr std::size_t kUnitBytes = 64;
/// Units charged for the record of an unexpected message itself.
inline constexpr std::uint32_t kRecordUnits = 6;

/// What a message of `bytes` data takes of the receiver's memory.
[[nodiscard]] constexpr std::uint32_t units_of(std::size_t bytes) {
  return kRecordUnits + static_cast<std::uint32_t>((bytes + kUnitBytes - 1) / kUnitBytes);
}

/// Blocks of whole units, kept for reuse. Blocks in use and kept never exceed the capacity,
/// provided that those in use do not (the credits see to that).
class BlockPool {
 public:
  explicit BlockPool(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}
  ~BlockPool() { trim(0); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// At least `bytes` > 0 bytes. Throws std::bad_alloc, and has changed nothing then.
  [[nodiscard]] std::byte* allocate(std::size_t bytes) {
    const std::size_t c = size_class(bytes);
    if (c >= free_.size()) free_.resize(c + 1, nullptr);  // free() takes no memory
    const std::size_t in_use = in_use_ + c * kUnitBytes;
    if (free_[c] != nullptr) {
      Block* block = free_[c];
      free_[c] = block->next;
      kept_ -= c * kUnitBytes;
      in_use_ = in_use;
      return reinterpret_cast<std::byte*>(block);
    }
    if (in_use + kept_ > capacity_) trim(capacity_ > in_use ? capacity_ - in_use : 0);
    auto* const memory = static_cast<std::byte*>(::operator new(c* kUnitBytes));
    in_use_ = in_use;
    if (in_use_ + kept_ > peak_) peak_ = in_use_ + kept_;
    return memory;
  }
  void free(std::byte* memory, std::size_t bytes) {
    const std::size_t c = size_class(bytes);
    in_use_ -= c * kUnitBytes;
    free_[c] = ::new (memory) Block{free_[c]};
    kept_ += c * kUnitBytes;
  }

  [[nodiscard]] std::size_t in_use() const { return in_use_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  /// The most bytes that were ever held.
  [[nodiscard]] std::size_t peak() const { return peak_; }

 private:
  struct Block {
    Block* next;
  };
  [[nodiscard]] static std::size_t size_class(std::size_t bytes) {
    return (bytes + kUnitBytes - 1) / kUnitBytes;
  }
  void trim(std::size_t keep) {
    for (std::size_t c = free_.size(); c-- > 0 && kept_ > keep;) {
      while (free_[c] != nullptr && kept_ > keep) {
        Block* block = free_[c];
        free_[c] = block->next;
        kept_ -= c * kUnitBytes;
        ::operator delete(block);
      }
    }
  }

  std::size_t capacity_;
  std::size_t in_use_ = 0;
  std::size_t kept_ = 0;
  std::size_t peak_ = 0;
  std::vector<Block*> free_;  // by units
};

}  // namespace remit
