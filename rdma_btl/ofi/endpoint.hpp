// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the parts of the ofi device share: an endpoint, a request.
#pragma once

#include <algorithm>

#include "rdma_btl/ofi/ofi_device.hpp"

namespace remit {

enum class OfiDevice::State : std::uint8_t {
  idle,        ///< the peer is known, nothing was begun
  connecting,  ///< the line is being made, and a request waits for its answer
  yielding,    ///< ours was dropped: the peer's request is on its way
  opening,     ///< both know each other: the first message is on its way
  open,
  gone,  ///< the peer has left in order
  failed,
};

struct OfiDevice::Endpoint {
  State state = State::idle;
  bool has_address = false;
  bool active = false;      ///< our request was accepted: we send first
  bool greeted = false;     ///< the request is on the line
  bool opened = false;      ///< the peer's first message is here
  bool wants_more = false;  ///< the peer used its last credit
  bool asked = false;       ///< the peer knows that we have none
  bool hungry = false;      ///< something waits, or has waited, for a credit
  bool recalled = false;    ///< was asked for its credits
  bool needy = false;       ///< is in needy_
  bool credit_due = false;  ///< is in credit_due_
  bool leaving = false;     ///< the peer has said goodbye
  bool counted = false;     ///< in settling_
  bool timed = false;       ///< is in timed_
  EndpointId id = 0;
  std::uint32_t theirs = 0;    ///< what the peer calls us
  std::uint32_t secret = 0;    ///< what its messages carry
  std::uint32_t password = 0;  ///< what ours carry
  std::uint32_t credits = 0;   ///< messages that we may send
  std::uint32_t lease = 0;     ///< receives that are the peer's, `owed` included
  std::uint32_t owed = 0;      ///< of them, those it has used and which are free again
  std::uint32_t first_lease = 0;
  std::uint32_t under_way = 0;  ///< requests
  fi_addr_t to = FI_ADDR_UNSPEC;
  std::uint64_t sent = 0;      ///< messages and notifications
  std::uint64_t received = 0;  ///< ... of the peer
  std::uint64_t expected = 0;  ///< when it has left
  std::uint64_t deadline_ns = 0;
  PeerName peer = 0;
  ofi::Line line;
  sockaddr_storage address = {};
  std::string where;  ///< "10.0.0.2:4711"
  std::string host;   ///< its name
  std::string words;  ///< behind the last failure
};

/// Something that libfabric has: its `context` is what libfabric calls it.
struct OfiDevice::Request {
  enum class Kind : std::uint8_t { receive, send, put, get };
  fi_context2 context = {};  ///< the first, so that a pointer to it is one to the request
  Kind kind = Kind::receive;
  bool notify = false;     ///< a put: a message follows it
  bool owes = false;       ///< a receive: its credit goes back when it is posted again
  bool forgotten = false;  ///< its operation is complete already, with an error
  EndpointId endpoint = 0;
  std::uint32_t notification = 0;
  std::uint64_t cookie = kNoCompletion;
  std::size_t bytes = 0;
  std::byte* buffer = nullptr;
  void* key = nullptr;  ///< of the buffer
};

namespace ofi {

/// What an event of the epoll set is about: an endpoint's line, by its number, or one of these.
inline constexpr std::uint64_t kNoToken = ~std::uint64_t{0};
inline constexpr std::uint64_t kListenerToken = kNoToken - 1;
inline constexpr std::uint64_t kGuestBit = std::uint64_t{1} << 62;  ///< and a descriptor

inline constexpr std::uint64_t ms(std::uint64_t count) {
  return count * 1'000'000;
}

}  // namespace ofi

}  // namespace remit
