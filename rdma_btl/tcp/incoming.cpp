// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/incoming.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "rdma_btl/device.hpp"
#include "rdma_btl/tcp/hello_reader.hpp"
#include "runtime/copy.hpp"

namespace remit::tcp {

namespace {

/// Where long data are likely to come: enough for what precedes them, so that they themselves are
/// not copied.
constexpr std::size_t kPeekBytes = 512;
constexpr std::size_t kMostPlaces = kMostPieces + 8;

}  // namespace

BufferPool::Buffer BufferPool::take() {
  if (free_.empty()) {
    free_.reserve(made_ + 1);  // give_back() takes no memory
    Buffer made = std::make_unique_for_overwrite<std::byte[]>(kBytes);
    ++made_;
    return made;
  }
  Buffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

std::size_t Incoming::room_to_ask(const Placement& placement, bool answers) const {
  const std::size_t room = BufferPool::kBytes - last_;
  const bool peek = placement.left() != 0 || long_lately_ != 0 || answers;
  return peek ? std::min(room, std::max(kPeekBytes, wanted_)) : room;
}

Incoming::Read Incoming::read(int socket, Placement& placement, bool answers) {
  if (!buffer_) {
    buffer_ = pool_.take();
    first_ = last_ = 0;
  }
  if (first_ == last_) {
    // Behind what a place takes the next frame begins: it shall be aligned.
    first_ = last_ = lent_ ? last_ + filling(last_) : 0;
  }
  const std::size_t room = room_to_ask(placement, answers);
  std::array<iovec, kMostPlaces> places;
  std::size_t count = 0;
  if (placement.left() != 0) {
    for (const iovec& place : placement.rest()) places[count++] = place;
  }
  if (room != 0) places[count++] = {buffer_.get() + last_, room};
  if (count == 0) return {};
  msghdr message = {};
  message.msg_iov = places.data();
  message.msg_iovlen = count;
  const ssize_t got = count == 1 ? ::recv(socket, places[0].iov_base, places[0].iov_len, 0)
                                 : ::recvmsg(socket, &message, 0);
  if (got > 0) {
    const auto bytes = static_cast<std::size_t>(got);
    drained_ = bytes < placement.left() + room;
    const std::size_t placed = std::min(bytes, placement.left());
    placement.move_on(placed);
    last_ += bytes - placed;
    return {true, 0};
  }
  if (got == 0) return {false, kEnded};
  return {false, errno == EAGAIN || errno == EINTR ? 0 : errno};
}

void Incoming::fill(Placement& placement) {
  first_ += placement.fill({buffer_.get() + first_, last_ - first_});
  wanted_ = 0;
}

std::optional<Frame> Incoming::next_frame() {
  wanted_ = 0;
  if (last_ - first_ < sizeof(Frame)) return std::nullopt;
  Frame frame;
  std::memcpy(&frame, buffer_.get() + first_, sizeof frame);
  return frame;
}

std::optional<std::span<const std::byte>> Incoming::take_frame(const Frame& frame) {
  const bool is_message = frame.kind == FrameKind::message;
  const std::size_t body = is_message ? frame.length + filling(frame.length) : 0;
  const std::size_t whole = sizeof frame + head_bytes(frame.kind) + body;
  const std::span<const std::byte> bytes(buffer_.get() + first_, last_ - first_);
  if (bytes.size() < whole) {
    wanted_ = whole - bytes.size();
    return std::nullopt;
  }
  first_ += whole;
  if (is_message && long_lately_ != 0) --long_lately_;
  return bytes.subspan(sizeof frame);
}

bool Incoming::lend() {
  return !std::exchange(lent_, true);
}

void Incoming::give_back() {
  lent_ = false;
}

void Incoming::settle(std::size_t longest_message) {
  if (lent_ || !buffer_) return;
  if (first_ == last_) {
    pool_.give_back(std::move(buffer_));
    first_ = last_ = 0;
    return;
  }
  const std::size_t longest = sizeof(Frame) + longest_message + kAlignment;
  if (BufferPool::kBytes - first_ >= longest) return;
  const std::size_t bytes = last_ - first_;
  move_bytes(buffer_.get(), buffer_.get() + first_, bytes);
  first_ = 0;
  last_ = bytes;
}

void Incoming::drop(std::size_t longest_message) {
  first_ = last_;
  settle(longest_message);
}

}  // namespace remit::tcp
