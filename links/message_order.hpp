// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the messages of a device that does not keep their order get it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit {

/// Before every message on a device that does not keep the order of sends.
struct SequenceHeader {
  std::uint32_t sequence = 0;  ///< of the messages from this sender to this receiver
  std::uint32_t unused = 0;
};
static_assert(sizeof(SequenceHeader) == 8);
/// Bytes that Links puts before each message of such a device.
[[nodiscard]] inline std::size_t message_overhead(const Caps& caps) {
  return caps.ordered ? 0 : sizeof(SequenceHeader);
}

/// The two sequences of messages between this process and one other: numbers those that leave, and
/// holds those that come too early until what was sent before them is here. Pure: it moves nothing.
/// Its memory is bounded by what the sender has credits for.
class MessageOrder {
 public:
  /// What goes before the next message to the peer.
  [[nodiscard]] SequenceHeader stamp() const { return {next_, 0}; }
  /// That one has left: a number that was given to none would be waited for for ever.
  void sent() { ++next_; }

  /// Calls deliver(std::span<const std::byte>) with each message, without its header, whose turn
  /// has come: this one and those that waited for it, or none. False: the message has no header.
  /// `deliver` must not call restore(). If it throws, the same message is to be given again.
  template <class Deliver>
  [[nodiscard]] bool restore(std::span<const std::byte> message, Deliver&& deliver) {
    SequenceHeader header;
    if (message.size() < sizeof header) return false;
    std::memcpy(&header, message.data(), sizeof header);
    if (header.sequence == expected_) {
      deliver(message.subspan(sizeof header));
      ++expected_;
    } else if (header.sequence - expected_ < kHalf) {
      early_.emplace(header.sequence, std::vector<std::byte>(message.begin(), message.end()));
      return true;
    }
    for (auto next = early_.find(expected_); next != early_.end(); next = early_.find(expected_)) {
      deliver(std::span(next->second).subspan(sizeof header));
      early_.erase(next);
      ++expected_;
    }
    return true;
  }

 private:
  /// What is further behind than ahead has been delivered, and is given again for those behind it.
  static constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;

  std::uint32_t next_ = 0;                                 // number of the next message to the peer
  std::uint32_t expected_ = 0;                             // number of the next message of the peer
  std::map<std::uint32_t, std::vector<std::byte>> early_;  // messages that came before it
};

}  // namespace remit
