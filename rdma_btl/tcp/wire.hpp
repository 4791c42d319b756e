// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What two tcp devices say to each other: addresses, a hello, then frames. Both are of one byte
// order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace remit::tcp {

inline constexpr std::uint32_t kMagic = 0x70637472;  // "rtcp"
inline constexpr std::uint16_t kVersion = 2;

enum class Verdict : std::uint16_t {
  accepted,   ///< of a request: please
  mine_wins,  ///< both ask: wait for mine
  stranger,   ///< of another job, or for another process
  over,       ///< this peer has come and gone here
};

/// The first message of either side over a connection.
struct Hello {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  Verdict verdict = Verdict::accepted;
  std::uint64_t job = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::array<char, 64> host = {};  ///< of its sender; ends with 0
};
static_assert(sizeof(Hello) == 96);

enum class FrameKind : std::uint8_t {
  message = 1,   ///< a send: its bytes
  put,           ///< PutHead, then bytes for the peer's memory
  notification,  ///< NotificationHead
  get,           ///< GetHead
  answer,        ///< to the oldest get that is not answered: some of its bytes, in order
  refusal,       ///< to that get: the key is wrong
  goodbye,       ///< its sender closes the device in order
  confirm,       ///< asks for word that all puts before it are where they belong
  confirmed,     ///< to the oldest confirm that is not answered
};

[[nodiscard]] constexpr bool is_answer(FrameKind kind) {
  return kind == FrameKind::answer || kind == FrameKind::refusal || kind == FrameKind::confirmed;
}

/// Before everything else; what follows is filled up to a multiple of kAlignment bytes, so that a
/// message is aligned where the frame is.
struct Frame {
  std::uint32_t length = 0;  ///< bytes behind the frame and its head, without the filling
  FrameKind kind = FrameKind::message;
  std::uint8_t reserved = 0;
  std::uint16_t magic = 0x7446;
};
static_assert(sizeof(Frame) == 8);
inline constexpr std::size_t kAlignment = 8;

/// A part of a put, complete in itself; others may come before and behind.
struct PutHead {
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  std::uint32_t notification = 0;
  std::uint32_t notify = 0;  ///< 1: this is the last part, and the peer shall be told
};
static_assert(sizeof(PutHead) == 24);

struct NotificationHead {
  std::uint32_t value = 0;
  std::uint32_t reserved = 0;
};

struct GetHead {
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(GetHead) == 24);

/// Bytes of the head that follows a frame of this kind.
[[nodiscard]] constexpr std::size_t head_bytes(FrameKind kind) {
  if (kind == FrameKind::put) return sizeof(PutHead);
  if (kind == FrameKind::get) return sizeof(GetHead);
  return kind == FrameKind::notification ? sizeof(NotificationHead) : 0;
}
inline constexpr std::size_t kLongestHead = sizeof(Frame) + sizeof(PutHead);

/// Behind `length` bytes.
[[nodiscard]] constexpr std::size_t filling(std::size_t length) {
  return (kAlignment - length % kAlignment) % kAlignment;
}

}  // namespace remit::tcp
