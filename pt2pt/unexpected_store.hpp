// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory of messages that arrived before their receives.
#pragma once

#include <cstddef>

#include "pt2pt/matching.hpp"
#include "pt2pt/memory_pool.hpp"
#include "pt2pt/transfer.hpp"
#include "runtime/pool.hpp"
#include "runtime/watermark.hpp"

namespace remit {

/// Owns the records of unexpected messages and their data, in blocks of a pool whose size credits
/// see to. Knows nothing of matching: a record must be out of the Matcher before it is freed here.
/// One thread; allocates only when more is held than ever before.
class UnexpectedStore {
 public:
  explicit UnexpectedStore(std::size_t pool_bytes) : blocks_(pool_bytes) {}
  ~UnexpectedStore() {
    records_.for_each([this](Unexpected& message) { drop_data(message); });
  }
  UnexpectedStore(const UnexpectedStore&) = delete;
  UnexpectedStore& operator=(const UnexpectedStore&) = delete;

  /// A record of a message of so many bytes, without data. Throws std::bad_alloc.
  [[nodiscard]] Unexpected& add(const MatchKey& key, std::size_t bytes) {
    Unexpected& message = *records_.allocate();
    message.links[0].key = key;
    message.bytes = bytes;
    peak_.reach(this->bytes());
    return message;
  }
  /// The same with memory for its bytes, if it has any. Throws std::bad_alloc, and there is neither
  /// then.
  [[nodiscard]] Unexpected& add_with_data(const MatchKey& key, std::size_t bytes) {
    Unexpected& message = add(key, bytes);
    try {
      hold_data(message);
    } catch (...) {
      records_.free(&message);
      throw;
    }
    return message;
  }
  /// Gives it memory for its bytes, if it has any. Throws std::bad_alloc.
  void hold_data(Unexpected& message) {
    if (message.bytes != 0) message.data = blocks_.allocate(message.bytes);
    peak_.reach(bytes());
  }
  /// Takes that back.
  void drop_data(Unexpected& message) {
    if (message.data != nullptr) blocks_.free(message.data, message.bytes);
    message.data = nullptr;
  }
  void free(Unexpected& message) {
    drop_data(message);
    records_.free(&message);
  }

  /// Bytes that are held now, and the most ever.
  [[nodiscard]] std::size_t bytes() const {
    return blocks_.in_use() + records_.live() * sizeof(Unexpected);
  }
  [[nodiscard]] std::size_t peak() const { return peak_.most(); }
  /// The most since restart_peak().
  [[nodiscard]] std::size_t recent_peak() const { return peak_.recent(); }
  void restart_peak() { peak_.restart(bytes()); }
  /// Of the memory for data that is in use, in hundredths of a percent.
  [[nodiscard]] std::size_t pool_use() const {
    const std::size_t all = blocks_.capacity();
    return all == 0 ? 0 : blocks_.in_use() * 10000 / all;
  }

 private:
  Slab<Unexpected> records_;
  BlockPool blocks_;
  Watermark peak_;
};

}  // namespace remit
