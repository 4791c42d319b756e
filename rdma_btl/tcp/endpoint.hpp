// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the parts of the tcp device share: an endpoint, what is under way to and from it.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "rdma_btl/tcp/tcp_device.hpp"

namespace remit {

enum class TcpDevice::State : std::uint8_t {
  idle,        ///< the peer is known, nothing was begun
  connecting,  ///< and the answer to our request is awaited
  yielding,    ///< ours was dropped: the peer's request is on its way
  open,
  gone,  ///< the peer has left in order
  failed,
};

/// What leaves in segments and in its order: long data, of a put or of the answer to a get; a
/// confirm, or the answer to one.
struct TcpDevice::Transfer {
  tcp::FrameKind kind = tcp::FrameKind::put;  ///< or answer, refusal, confirm, confirmed
  bool notify = false;
  std::uint32_t notification = 0;
  RemoteAddress remote;
  std::vector<Piece> pieces;
  std::size_t bytes = 0;
  std::size_t begun = 0;   ///< bytes in this and earlier segments
  std::size_t piece = 0;   ///< the first bytes that have not left: their piece
  std::size_t offset = 0;  ///< ... and where in it
  std::uint64_t cookie = kNoCompletion;
};

/// A get that is not answered.
struct TcpDevice::Fetch {
  std::vector<Piece> pieces;
  std::size_t bytes = 0;
  std::size_t arrived = 0;
  std::uint64_t cookie = kNoCompletion;
};

struct TcpDevice::Endpoint {
  State state = State::idle;
  bool has_address = false;
  bool greeted = false;  ///< our request is on its way
  bool counted = false;  ///< in settling_
  bool timed = false;    ///< in timed_
  bool hot = false;      ///< in hot_
  bool blocked = false;  ///< in blocked_
  bool cut = false;      ///< nothing can be written any more; what can be read says why
  bool bounded = false;  ///< long data were sent: the kernel does not take too much of them ahead
  bool unfinished = false;  ///< in unfinished_
  bool is_lent = false;     ///< in lent_
  EndpointId id = 0;
  PeerName peer = 0;
  std::uint64_t deadline_ns = 0;
  shm::Fd socket;  ///< what is read, and written
  shm::Fd other;   ///< of a process's connection to itself: what is written

  // To be sent, in this order: the rest of a segment, waiting frames, the next segment.
  std::array<std::byte, tcp::kLongestHead> head = {};  ///< of the segment
  std::size_t head_at = 0;
  std::size_t head_left = 0;
  std::size_t body_left = 0;       ///< bytes of the segment
  std::size_t filling_left = 0;    ///< behind it
  std::vector<std::byte> waiting;  ///< whole frames, but for what has left of the first one
  std::size_t waiting_at = 0;
  std::deque<Transfer> transfers;
  std::deque<Fetch> fetches;
  std::deque<std::uint64_t> confirms;  ///< cookies of those that are not answered
  bool unconfirmed = false;            ///< puts were posted behind the last confirm
  std::size_t answers = 0;             ///< of the transfers, those that are answers

  // Received.
  std::unique_ptr<std::byte[]> buffer;  ///< null: nothing is here
  std::size_t first = 0;                ///< what is in the buffer and was not looked at
  std::size_t last = 0;
  std::size_t wanted = 0;     ///< bytes until the first frame in the buffer is whole
  bool drained = false;       ///< the socket had less than it was asked for
  bool is_placing = false;    ///< the bytes that come next go to `places`
  std::size_t placing = 0;    ///< so many, the filling included
  std::vector<iovec> places;  ///< what is left of them
  std::array<std::byte, tcp::kAlignment> scrap = {};  ///< place of the filling
  std::size_t place = 0;                              ///< the first with room
  bool notify = false;                                ///< when all are there
  bool fetching = false;                              ///< they are of the oldest get
  std::uint32_t notification = 0;
  unsigned misses = 0;       ///< reads in vain since the last bytes
  unsigned long_lately = 0;  ///< messages that may pass until long data are unlikely to be next

  tcp::Hello answer;  ///< what has arrived of it
  std::size_t answer_bytes = 0;

  sockaddr_storage address = {};
  std::string where;  ///< "10.0.0.2:4711"
  std::string host;   ///< its name
  std::string words;  ///< behind the last failure

  [[nodiscard]] int out() const { return other ? other.get() : socket.get(); }
  [[nodiscard]] bool in_segment() const { return head_left + body_left + filling_left != 0; }
  /// Everything has been given to the kernel.
  [[nodiscard]] bool written() const {
    return waiting.empty() && transfers.empty() && !in_segment();
  }
};

namespace tcp {

/// What an event of the epoll set is about: an endpoint, by its number, or one of these.
inline constexpr std::uint64_t kNoToken = ~std::uint64_t{0};
inline constexpr std::uint64_t kListenerToken = kNoToken - 1;
inline constexpr std::uint64_t kGuestBit = std::uint64_t{1} << 62;  ///< and a descriptor

inline constexpr int kEnded = -1;  ///< beside the errnos: the other side has closed the connection

}  // namespace tcp

}  // namespace remit
