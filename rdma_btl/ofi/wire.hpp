// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What two ofi devices say to each other: addresses, what goes over their line, headers of
// messages. Both are of one byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rdma_btl/device.hpp"

namespace remit::ofi {

inline constexpr std::uint32_t kMagic = 0x69666f72;  // "rofi"
inline constexpr std::uint16_t kVersion = 2;

enum class Verdict : std::uint16_t {
  accepted,   ///< of a request: please
  mine_wins,  ///< both ask: wait for mine
  stranger,   ///< of another job, or for another process
  over,       ///< this peer has come and gone here
};

/// The first message of either side over a line.
struct Hello {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  Verdict verdict = Verdict::accepted;
  std::uint64_t job = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint32_t endpoint = 0;  ///< what its sender calls the other side: for Header::endpoint
  std::uint32_t secret = 0;    ///< for Header::secret
  std::uint32_t credits = 0;   ///< receives that its sender has leased to the other side
  std::uint32_t address_bytes = 0;
  std::uint64_t proof_address = 0;  ///< of eight bytes that are there to be read behind writes
  std::uint64_t proof_key = 0;      ///< for that
  std::array<std::byte, 128> address = {};  ///< of libfabric
  std::array<char, 64> host = {};           ///< ends with 0
};
static_assert(sizeof(Hello) == 256);

enum class LineKind : std::uint32_t {
  credits = 1,  ///< `count` receives may be used (again)
  request,      ///< its sender has something to send and no credit
  recall,       ///< its sender wants back all that it has lent
  give_back,    ///< the answer: `count` credits
  goodbye,      ///< its sender closes the device in order, having sent `count` messages
};

/// All other messages over a line.
struct LineMessage {
  LineKind kind = LineKind::credits;
  std::uint32_t magic = kMagic;
  std::uint64_t count = 0;
};
static_assert(sizeof(LineMessage) == 16);

enum class MessageKind : std::uint8_t {
  data = 1,      ///< a send of the layer above follows
  open,          ///< says that this way works
  notification,  ///< `value`
};

inline constexpr std::uint8_t kLastCredit = 1;  ///< its sender has no more of them

/// Before every message through libfabric.
struct Header {
  std::uint32_t endpoint = 0;
  std::uint32_t secret = 0;
  MessageKind kind = MessageKind::data;
  std::uint8_t flags = 0;
  std::uint16_t credits = 0;  ///< receives that may be used again
  std::uint32_t value = 0;
};
static_assert(sizeof(Header) == 16, "keeps the data behind it aligned");

/// Remote data of a write: who, and what.
[[nodiscard]] constexpr std::uint64_t notice_of(std::uint32_t endpoint, std::uint32_t value) {
  return std::uint64_t{endpoint} << 32 | value;
}

}  // namespace remit::ofi
