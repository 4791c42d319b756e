// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages to bytes and back.
#include "launcher/tree/message.hpp"

#include <cstring>

namespace remit::launcher {
namespace {

struct Header {
  std::uint64_t payload_bytes;
  MessageKind kind;
  std::int32_t from;
  std::int32_t to;
  std::uint32_t zero;
};
static_assert(sizeof(Header) == 24);

}  // namespace

std::string encode(const Message& message) {
  const Header header{message.payload.size(), message.kind, message.from, message.to, 0};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += message.payload;
  return bytes;
}

Expected<std::optional<Message>> MessageParser::next() {
  Header header{};
  const std::size_t there = pending_.size() - at_;
  if (there >= sizeof header) {
    std::memcpy(&header, pending_.data() + at_, sizeof header);
    const auto kind = static_cast<std::uint32_t>(header.kind);
    if (header.payload_bytes > kMaxPayload || kind == 0 ||
        kind > static_cast<std::uint32_t>(kLastKind) || header.zero != 0) {
      return fail(MPI_ERR_OTHER, "a message that is none of this protocol (kind {}, {} bytes)",
                  kind, header.payload_bytes);
    }
  }
  if (there < sizeof header || there - sizeof header < header.payload_bytes) {
    pending_.erase(0, at_);
    at_ = 0;
    return std::nullopt;
  }
  Message message{header.kind, header.from, header.to,
                  pending_.substr(at_ + sizeof header, header.payload_bytes)};
  at_ += sizeof header + header.payload_bytes;
  return message;
}

}  // namespace remit::launcher
