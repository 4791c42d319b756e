// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: what leaves.
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/pending.hpp"
#include "rdma_btl/tcp/endpoint.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// The kernel takes one piece faster than several; to here that pays for a copy.
constexpr std::size_t kCopied = 4096;
constexpr std::size_t kMostSegments = 24;  ///< Caps::max_pieces, frame, head, filling
/// Connections that are tried at every poll, of those whose socket was full.
constexpr std::size_t kTried = 8;

constexpr std::array<std::byte, tcp::kAlignment> kFilling = {};

/// What one call of the kernel takes.
class Row {
 public:
  void add(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    pieces_[count_++] = {const_cast<void*>(data), bytes};
    bytes_ += bytes;
  }
  [[nodiscard]] std::span<const iovec> pieces() const { return std::span(pieces_).first(count_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::array<iovec, kMostSegments> pieces_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// Appends what follows the first `skipped` bytes.
void append(std::span<const iovec> pieces, std::size_t skipped, std::vector<std::byte>& out) {
  for (const iovec& piece : pieces) {
    const std::size_t gone = std::min(skipped, piece.iov_len);
    skipped -= gone;
    const auto* const data = static_cast<const std::byte*>(piece.iov_base);
    out.insert(out.end(), data + gone, data + piece.iov_len);
  }
}

}  // namespace

// --- operations --------------------------------------------------------------------------------

std::size_t TcpDevice::post(EndpointId id, std::span<const Operation> operations) {
  Endpoint& endpoint = *endpoints_[id];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (endpoint.state != State::open) [[unlikely]]
      return i + post_closed(endpoint, operations.subspan(i));
    if (!post_one(endpoint, operations[i])) {
      ++counters_.refused;
      return i;
    }
  }
  return operations.size();
}

/// A failed endpoint takes everything; one that is not connected yet takes nothing.
std::size_t TcpDevice::post_closed(Endpoint& endpoint, std::span<const Operation> operations) {
  if (endpoint.state == State::gone) {
    fail_endpoint(endpoint, fmt::format("{} has finished", way_to(endpoint)));
  }
  if (endpoint.state != State::failed) return 0;
  for (const Operation& operation : operations) {
    if (operation.kind != OpKind::send) complete(endpoint, operation.cookie, MPI_ERR_PROC_ABORTED);
  }
  return operations.size();
}

bool TcpDevice::post_one(Endpoint& endpoint, const Operation& operation) {
  switch (operation.kind) {
    case OpKind::send:
      if (!send_frame(endpoint, tcp::FrameKind::message, operation.local)) return false;
      ++counters_.sends;
      counters_.sent_bytes += total_length(operation.local);
      return true;
    case OpKind::put:
      return post_put(endpoint, operation);
    case OpKind::get:
      return post_get(endpoint, operation);
    case OpKind::atomic:
      complete(endpoint, operation.cookie, MPI_ERR_UNSUPPORTED_OPERATION);
      return true;
    case OpKind::confirm:
      return post_confirm(endpoint, operation);
  }
  return true;
}

/// As post(), in one piece and without a table of pieces, where it may go at once.
void TcpDevice::send(EndpointId id, SendHead head, const void* data, std::size_t length,
                     PendingQueue& refused) {
  Endpoint& endpoint = *endpoints_[id];
  if (endpoint.state != State::open || endpoint.cut || length > kCopied ||
      !endpoint.waiting.empty() || endpoint.in_segment()) [[unlikely]] {
    return post_send(*this, id, head, data, length, refused);
  }
  std::array<std::byte, sizeof(tcp::Frame) + sizeof head + kCopied + tcp::kAlignment> bytes;
  tcp::Frame frame;
  frame.length = static_cast<std::uint32_t>(sizeof head + length);
  std::memcpy(bytes.data(), &frame, sizeof frame);
  std::memcpy(bytes.data() + sizeof frame, &head, sizeof head);
  std::byte* const out = bytes.data() + sizeof frame + sizeof head;
  if (length != 0) copy_bytes(out, data, length);
  const std::size_t filled = length + tcp::filling(length);
  std::memset(out + length, 0, filled - length);
  const iovec all = {bytes.data(), sizeof frame + sizeof head + filled};
  ++counters_.sends;
  counters_.sent_bytes += sizeof head + length;
  const long taken = give(endpoint, {&all, 1});
  if (taken < 0 || taken == static_cast<long>(all.iov_len)) return;
  append({&all, 1}, static_cast<std::size_t>(taken), endpoint.waiting);
  block(endpoint);
}

/// All memory can be reached: no pages are pinned. Its key is a secret.
Expected<Region> TcpDevice::register_memory(void* address, std::size_t length, Access /*access*/) {
  return Region{address, length, 0, key_, 0};
}

void TcpDevice::deregister(const Region& /*region*/) {}

bool TcpDevice::post_put(Endpoint& endpoint, const Operation& operation) {
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    const tcp::NotificationHead head = {operation.notification, 0};
    const Piece piece = {const_cast<tcp::NotificationHead*>(&head), sizeof head, 0};
    if (operation.notify && !send_frame(endpoint, tcp::FrameKind::notification, {&piece, 1})) {
      return false;
    }
    complete(endpoint, operation.cookie, MPI_SUCCESS);
  } else {
    if (endpoint.transfers.size() - endpoint.answers >= config_.most_transfers) return false;
    Transfer& transfer = endpoint.transfers.emplace_back();
    transfer.notify = operation.notify;
    transfer.notification = operation.notification;
    transfer.remote = operation.remote;
    transfer.pieces.assign(operation.local.begin(), operation.local.end());
    transfer.bytes = bytes;
    transfer.cookie = operation.cookie;
    endpoint.unconfirmed = true;
    ++counters_.puts;
    counters_.put_bytes += bytes;
    if (!endpoint.blocked) write(endpoint);
  }
  if (operation.notify) ++counters_.notified;
  return true;
}

bool TcpDevice::post_get(Endpoint& endpoint, const Operation& operation) {
  const std::size_t bytes = total_length(operation.local);
  if (bytes == 0) {
    complete(endpoint, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (endpoint.fetches.size() >= config_.most_transfers) return false;
  const tcp::GetHead head = {operation.remote.address, operation.remote.key, bytes};
  const Piece piece = {const_cast<tcp::GetHead*>(&head), sizeof head, 0};
  if (!send_frame(endpoint, tcp::FrameKind::get, {&piece, 1})) return false;
  Fetch& fetch = endpoint.fetches.emplace_back();
  fetch.pieces.assign(operation.local.begin(), operation.local.end());
  fetch.bytes = bytes;
  fetch.cookie = operation.cookie;
  ++counters_.gets;
  counters_.got_bytes += bytes;
  return true;
}

/// It leaves behind the puts before it, so whoever reads it has all of these.
bool TcpDevice::post_confirm(Endpoint& endpoint, const Operation& operation) {
  assert(operation.cookie != kNoCompletion);
  if (!endpoint.unconfirmed && endpoint.confirms.empty()) {
    complete(endpoint, operation.cookie, MPI_SUCCESS);
    return true;
  }
  if (endpoint.confirms.size() >= config_.most_transfers) return false;
  endpoint.confirms.push_back(operation.cookie);
  endpoint.unconfirmed = false;
  endpoint.transfers.emplace_back().kind = tcp::FrameKind::confirm;
  ++counters_.confirms;
  if (!endpoint.blocked) write(endpoint);
  return true;
}

void TcpDevice::event(CompletionKind kind, EndpointId endpoint, int status, std::uint64_t cookie) {
  ready_.push_back({kind, status, endpoint, 0, cookie, {}});
}

/// Tells poll() that an operation is complete. It may be called by post().
void TcpDevice::complete(const Endpoint& endpoint, std::uint64_t cookie, int status) {
  if (cookie != kNoCompletion) event(CompletionKind::local, endpoint.id, status, cookie);
}

// --- frames ------------------------------------------------------------------------------------

/// One frame with its head and data, which are free afterwards. False: too much waits already.
bool TcpDevice::send_frame(Endpoint& endpoint, tcp::FrameKind kind, std::span<const Piece> pieces) {
  if (endpoint.cut) return true;
  const std::size_t bytes = total_length(pieces);
  tcp::Frame frame;
  frame.kind = kind;
  frame.length = static_cast<std::uint32_t>(bytes - tcp::head_bytes(kind));
  Row row;
  row.add(&frame, sizeof frame);
  for (const Piece& piece : pieces) row.add(piece.address, piece.length);
  row.add(kFilling.data(), tcp::filling(bytes));
  long taken = 0;
  if (endpoint.waiting.empty() && !endpoint.in_segment()) {
    taken = give(endpoint, row.pieces());
    if (taken < 0 || taken == static_cast<long>(row.bytes())) return true;
  } else if (endpoint.waiting.size() + row.bytes() > config_.most_waiting) {
    return false;
  }
  append(row.pieces(), static_cast<std::size_t>(taken), endpoint.waiting);
  block(endpoint);
  return true;
}

/// Bytes that the kernel took; negative: nothing can be written any more.
long TcpDevice::give(Endpoint& endpoint, std::span<const iovec> pieces) {
  taken_ = 0;
  for (;;) {
    ssize_t sent = 0;
    if (pieces.size() == 1) {
      sent = ::send(endpoint.out(), pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL);
    } else {
      msghdr message = {};
      message.msg_iov = const_cast<iovec*>(pieces.data());
      message.msg_iovlen = pieces.size();
      sent = ::sendmsg(endpoint.out(), &message, MSG_NOSIGNAL);
    }
    if (sent >= 0) {
      warm(endpoint);
      return sent;
    }
    if (errno == EAGAIN) return 0;
    if (errno == EINTR) continue;
    endpoint.cut = true;
    endpoint.waiting.clear();
    warm(endpoint);
    return -1;
  }
}

// --- what waits --------------------------------------------------------------------------------

/// Gives the kernel what it takes: the rest of a segment, waiting frames, the next segment.
void TcpDevice::write(Endpoint& endpoint) {
  while (!endpoint.cut && !endpoint.written()) {
    bool all = true;
    if (endpoint.in_segment()) {
      all = write_segment(endpoint);
    } else if (!endpoint.waiting.empty()) {
      all = write_waiting(endpoint);
    } else {
      begin_segment(endpoint);
    }
    if (!all) return block(endpoint);
  }
}

bool TcpDevice::write_waiting(Endpoint& endpoint) {
  const std::span<std::byte> rest = std::span(endpoint.waiting).subspan(endpoint.waiting_at);
  const iovec piece = {rest.data(), rest.size()};
  const long taken = give(endpoint, {&piece, 1});
  if (taken < 0) return false;
  endpoint.waiting_at += static_cast<std::size_t>(taken);
  if (endpoint.waiting_at < endpoint.waiting.size()) return false;
  endpoint.waiting = {};  // and its memory: most peers never need it
  endpoint.waiting_at = 0;
  return true;
}

void TcpDevice::begin_segment(Endpoint& endpoint) {
  Transfer& transfer = endpoint.transfers.front();
  if (!endpoint.bounded && transfer.bytes > config_.message_bytes && config_.socket_bytes == 0) {
    endpoint.bounded = true;
    net::bound_buffer(endpoint.out(), caps_.bandwidth);
  }
  tcp::Frame frame;
  frame.kind = transfer.kind;
  const std::size_t bytes = std::min(config_.segment_bytes, transfer.bytes - transfer.begun);
  frame.length = static_cast<std::uint32_t>(bytes);
  std::memcpy(endpoint.head.data(), &frame, sizeof frame);
  if (transfer.kind == tcp::FrameKind::put) {
    const bool last = transfer.begun + bytes == transfer.bytes;
    const tcp::PutHead head = {transfer.remote.address + transfer.begun, transfer.remote.key,
                               transfer.notification, transfer.notify && last ? 1U : 0U};
    std::memcpy(endpoint.head.data() + sizeof frame, &head, sizeof head);
  }
  transfer.begun += bytes;
  endpoint.head_at = 0;
  endpoint.head_left = sizeof frame + tcp::head_bytes(transfer.kind);
  endpoint.body_left = bytes;
  endpoint.filling_left = tcp::filling(bytes);
}

/// Some or all of what is left of the segment. True: all.
bool TcpDevice::write_segment(Endpoint& endpoint) {
  Transfer& transfer = endpoint.transfers.front();
  Row row;
  row.add(endpoint.head.data() + endpoint.head_at, endpoint.head_left);
  std::size_t left = endpoint.body_left;
  std::size_t offset = transfer.offset;
  for (std::size_t i = transfer.piece; left != 0; ++i, offset = 0) {
    const Piece& piece = transfer.pieces[i];
    const std::size_t bytes = std::min(left, piece.length - offset);
    row.add(static_cast<const std::byte*>(piece.address) + offset, bytes);
    left -= bytes;
  }
  row.add(kFilling.data(), endpoint.filling_left);
  const long taken = give(endpoint, row.pieces());
  if (taken < 0) return false;
  auto bytes = static_cast<std::size_t>(taken);
  const std::size_t head = std::min(bytes, endpoint.head_left);
  endpoint.head_at += head;
  endpoint.head_left -= head;
  bytes -= head;
  std::size_t body = std::min(bytes, endpoint.body_left);
  endpoint.body_left -= body;
  endpoint.filling_left -= bytes - body;
  while (body != 0) {
    const std::size_t in_piece = transfer.pieces[transfer.piece].length - transfer.offset;
    transfer.offset = body < in_piece ? transfer.offset + body : 0;
    if (body >= in_piece) ++transfer.piece;
    body -= std::min(body, in_piece);
  }
  if (endpoint.in_segment()) return false;
  if (transfer.begun == transfer.bytes) end_transfer(endpoint);
  return true;
}

/// The kernel has all of the first transfer.
void TcpDevice::end_transfer(Endpoint& endpoint) {
  const Transfer& transfer = endpoint.transfers.front();
  complete(endpoint, transfer.cookie, MPI_SUCCESS);
  if (tcp::is_answer(transfer.kind)) --endpoint.answers;
  endpoint.transfers.pop_front();
}

/// Its socket is full.
void TcpDevice::block(Endpoint& endpoint) {
  ++counters_.blocked;
  if (endpoint.blocked) return;
  endpoint.blocked = true;
  blocked_.push_back(endpoint.id);
  if (armed_) watch_writable(endpoint, true);
}

void TcpDevice::write_blocked() {
  for (std::size_t i = std::min(kTried, blocked_.size()); i != 0; --i) {
    Endpoint& endpoint = *endpoints_[blocked_.front()];
    blocked_.pop_front();
    endpoint.blocked = false;
    if (endpoint.state == State::open) write(endpoint);
  }
}

}  // namespace remit
