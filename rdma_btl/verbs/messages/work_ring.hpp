// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The work requests of one connection that are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit::verbs {

/// What a work request holds until it is finished.
enum class RecordKind : std::uint8_t {
  plain,
  buffered,  ///< `resource` is a send slot
  swap,      ///< `resource` is a job of Swaps
  proof,     ///< with iWARP: the note before it is where it belongs
};

/// A work request under way.
struct Record {
  std::uint64_t cookie = kNoCompletion;
  std::uint32_t resource = 0;
  RecordKind kind = RecordKind::plain;
  bool awaited = false;  ///< what completes behind it says nothing about it
};

/// Records of work requests in the order of their posting. A completion of one finishes those
/// before it, too, which may have asked for none: all but the awaited ones, which wait for their
/// own. Requests are numbered from 0, and the numbers wrap. Belongs to the thread of the device.
class WorkRing {
 public:
  /// Room for so many, a power of two; once, before anything is posted.
  void make(std::uint32_t depth) {
    records_.resize(depth);
    mask_ = depth - 1;
  }
  [[nodiscard]] bool made() const { return !records_.empty(); }

  /// The number of the next request, and how many there were.
  [[nodiscard]] std::uint32_t posted() const { return posted_; }
  /// So many are finished, and with them all before.
  [[nodiscard]] std::uint32_t retired() const { return retired_; }
  [[nodiscard]] std::uint32_t under_way() const { return posted_ - retired_; }
  /// Whether request `number` is among those under way.
  [[nodiscard]] bool holds(std::uint32_t number) const { return number - retired_ < under_way(); }

  /// Notes what request posted() holds. It is under way only after commit().
  void stage(const Record& record) { records_[posted_ & mask_] = record; }
  void commit() { ++posted_; }

  /// Whether a request that needs no completion must ask for one, so that those before it can be
  /// retired: one in `every`, or if `wanted`.
  [[nodiscard]] bool signals(bool wanted, std::uint32_t every) {
    if (!wanted && ++unsignalled_ < every) return false;
    unsignalled_ = 0;
    return true;
  }
  /// Whether the last request asked for no completion.
  [[nodiscard]] bool has_tail() const { return unsignalled_ != 0; }

  /// Request `number`, which is under way, has completed. Calls done(const Record&) for each
  /// request that is retired by that, in order; its own record, which is returned, is empty then.
  template <class Done>
  [[nodiscard]] Record finish(std::uint32_t number, Done&& done) {
    const Record own = std::exchange(records_[number & mask_], Record{});
    if (finished_ - retired_ <= number - retired_) finished_ = number + 1;
    for (; retired_ != finished_; ++retired_) {
      const Record& record = records_[retired_ & mask_];
      if (record.awaited) break;
      done(record);
    }
    return own;
  }
  /// Nothing will complete any more: calls done(const Record&) for all that is under way.
  template <class Done>
  void abandon(Done&& done) {
    for (; retired_ != posted_; ++retired_) {
      const Record record = records_[retired_ & mask_];
      done(record);
    }
  }

 private:
  std::uint32_t posted_ = 0;
  std::uint32_t retired_ = 0;
  std::uint32_t finished_ = 0;     ///< up to here all are, but those that are awaited
  std::uint32_t unsignalled_ = 0;  ///< since the last one that will give a completion
  std::uint32_t mask_ = 0;
  std::vector<Record> records_;
};

}  // namespace remit::verbs
