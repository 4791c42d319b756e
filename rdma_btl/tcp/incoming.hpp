// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What has been read from one connection and not been looked at.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rdma_btl/tcp/placement.hpp"
#include "rdma_btl/tcp/wire.hpp"

namespace remit::tcp {

/// Buffers for what arrives, as many as were ever in use at a time: one that is silent has none.
class BufferPool {
 public:
  using Buffer = std::unique_ptr<std::byte[]>;
  /// Three of the longest messages: so two of them are moved at most to make room for a third.
  static constexpr std::size_t kBytes = 196608 + 1024;

  [[nodiscard]] Buffer take();
  void give_back(Buffer buffer) { free_.push_back(std::move(buffer)); }

 private:
  std::vector<Buffer> free_;
  std::size_t made_ = 0;
};

/// The receiving half of a connection: bytes of a socket become frames. Bytes whose place is known
/// (Placement) are read there at once; the others, through a buffer that is borrowed while
/// something is in it, or while the layer above reads a message there.
class Incoming {
 public:
  explicit Incoming(BufferPool& pool) : pool_(pool) {}

  /// Long data are likely to come next: not much is read through the buffer.
  void expect_long() { long_lately_ = kLongMemory; }
  /// The data of a put or an answer, from which on that is so.
  static constexpr std::size_t kLongBytes = 16384;

  struct Read {
    bool some = false;
    int error = 0;  ///< 0, an errno, or kEnded
  };
  /// Reads once: first what `placement` waits for, then others into the buffer. Nothing and no
  /// error: there was nothing, or the buffer has no room before the next poll. `answers`: some of
  /// long data were asked for.
  [[nodiscard]] Read read(int socket, Placement& placement, bool answers);
  /// The last read() found less than it asked for.
  [[nodiscard]] bool drained() const { return drained_; }

  /// Something is in the buffer.
  [[nodiscard]] bool has_bytes() const { return first_ != last_; }
  /// Moves what is here of its bytes to their places.
  void fill(Placement& placement);
  /// The beginning of the next frame; none: it is not here.
  [[nodiscard]] std::optional<Frame> next_frame();
  /// That frame with its head and, of a message, its bytes: what is behind the frame itself. It
  /// leaves the buffer, but its memory stays until the next settle(). None: it is not whole yet.
  [[nodiscard]] std::optional<std::span<const std::byte>> take_frame(const Frame& frame);

  /// The frame that was taken last is in the buffer again. Not for messages.
  void put_back(const Frame& frame) { first_ -= sizeof frame + head_bytes(frame.kind); }

  /// A message is handed out; true if it is the first since the last give_back().
  [[nodiscard]] bool lend();
  /// The layer above has read what it was given.
  void give_back();
  /// Gives the buffer to others, or sees that a message of so many bytes whose beginning it holds
  /// has room. Nothing while it is lent.
  void settle(std::size_t longest_message);
  /// Forgets what has come; the buffer itself may be lent.
  void drop(std::size_t longest_message);

 private:
  static constexpr unsigned kLongMemory = 16;  ///< messages

  [[nodiscard]] std::size_t room_to_ask(const Placement& placement, bool answers) const;

  BufferPool::Buffer buffer_;  ///< null: nothing is here
  std::size_t first_ = 0;      ///< what is in the buffer and was not looked at
  std::size_t last_ = 0;
  std::size_t wanted_ = 0;    ///< bytes until the first frame in the buffer is whole
  unsigned long_lately_ = 0;  ///< messages that may pass until long data are unlikely to be next
  bool drained_ = false;
  bool lent_ = false;
  BufferPool& pool_;
};

}  // namespace remit::tcp
