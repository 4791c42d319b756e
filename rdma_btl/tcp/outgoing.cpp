// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/outgoing.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "rdma_btl/net/sockets.hpp"

namespace remit::tcp {

namespace {

constexpr std::size_t kMostSegments = kMostPieces + 8;  ///< and frame, head, filling
constexpr std::array<std::byte, kAlignment> kFilling = {};

/// What one call of the kernel takes.
class GatherList {
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

bool Outgoing::send(int socket, std::span<const std::byte> frames) {
  const iovec all = {const_cast<std::byte*>(frames.data()), frames.size()};
  const long taken = give(socket, {&all, 1});
  if (taken < 0 || taken == static_cast<long>(all.iov_len)) return true;
  // Whoever has no room for it cannot send it later.
  if (!keep_rest(socket, {&all, 1}, static_cast<std::size_t>(taken))) cut_off(socket);
  return cut_;
}

Outgoing::Sent Outgoing::send_frame(int socket, FrameKind kind, std::span<const Piece> pieces) {
  if (cut_) return Sent::all;
  const std::size_t bytes = total_length(pieces);
  Frame frame;
  frame.kind = kind;
  frame.length = static_cast<std::uint32_t>(bytes - head_bytes(kind));
  GatherList list;
  list.add(&frame, sizeof frame);
  for (const Piece& piece : pieces) list.add(piece.address, piece.length);
  list.add(kFilling.data(), filling(bytes));
  long taken = 0;
  if (clear()) {
    taken = give(socket, list.pieces());
    if (taken < 0 || taken == static_cast<long>(list.bytes())) return Sent::all;
  } else if (waiting_.size() + list.bytes() > local_.config.most_waiting) {
    return Sent::refused;
  }
  if (!keep_rest(socket, list.pieces(), static_cast<std::size_t>(taken))) return Sent::refused;
  return cut_ ? Sent::all : Sent::waits;
}

/// Keeps what the kernel has not taken of a frame. False: there is no memory for it, and nothing
/// has left. If part of it has left, its peer can make no sense of anything behind: it is cut.
bool Outgoing::keep_rest(int socket, std::span<const iovec> pieces, std::size_t taken) {
  std::size_t needed = waiting_.size() - taken;
  for (const iovec& piece : pieces) needed += piece.iov_len;
  try {
    if (needed > waiting_.capacity()) waiting_.reserve(std::max(needed, 2 * waiting_.capacity()));
  } catch (const std::bad_alloc&) {
    if (taken == 0) return false;
    cut_off(socket);
    return true;
  }
  append(pieces, taken, waiting_);
  return true;
}

void Outgoing::cut_off(int socket) {
  ::shutdown(socket, SHUT_RDWR);
  cut_ = true;
  waiting_.clear();
}

Transfer& Outgoing::add(FrameKind kind) {
  Transfer& transfer = transfers_.emplace_back();
  transfer.kind = kind;
  if (is_answer(kind)) ++answers_;
  return transfer;
}

/// Bytes that the kernel took; negative: nothing can be written any more.
long Outgoing::give(int socket, std::span<const iovec> pieces) {
  for (;;) {
    ssize_t sent = 0;
    if (pieces.size() == 1) {
      sent = ::send(socket, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL);
    } else {
      msghdr message = {};
      message.msg_iov = const_cast<iovec*>(pieces.data());
      message.msg_iovlen = pieces.size();
      sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    }
    if (sent < 0 && errno == EAGAIN) return 0;
    if (sent < 0 && errno == EINTR) continue;
    moved_ = true;
    if (sent >= 0) return sent;
    cut_ = true;
    waiting_.clear();
    return -1;
  }
}

bool Outgoing::write(int socket) {
  while (!cut_ && !written()) {
    bool all = true;
    if (in_segment()) {
      all = write_segment(socket);
    } else if (!transfers_.empty() && transfers_.front().has_left) {
      end_transfer();
    } else if (!waiting_.empty()) {
      all = write_waiting(socket);
    } else {
      begin_segment(socket);
    }
    if (!all) return false;
  }
  return true;
}

bool Outgoing::write_waiting(int socket) {
  const std::span<std::byte> rest = std::span(waiting_).subspan(waiting_at_);
  const iovec piece = {rest.data(), rest.size()};
  const long taken = give(socket, {&piece, 1});
  if (taken < 0) return false;
  waiting_at_ += static_cast<std::size_t>(taken);
  if (waiting_at_ < waiting_.size()) return false;
  waiting_ = {};  // and its memory: most peers never need it
  waiting_at_ = 0;
  return true;
}

void Outgoing::begin_segment(int socket) {
  Transfer& transfer = transfers_.front();
  const TcpConfig& config = local_.config;
  if (!bounded_ && transfer.bytes > config.message_bytes && config.socket_bytes == 0) {
    bounded_ = true;
    net::bound_buffer(socket, local_.bandwidth);
  }
  Frame frame;
  frame.kind = transfer.kind;
  const std::size_t bytes = std::min(config.segment_bytes, transfer.bytes - transfer.begun);
  frame.length = static_cast<std::uint32_t>(bytes);
  std::memcpy(head_.data(), &frame, sizeof frame);
  if (transfer.kind == FrameKind::put) {
    const bool last = transfer.begun + bytes == transfer.bytes;
    const PutHead head = {transfer.remote.address + transfer.begun, transfer.remote.key,
                          transfer.notification, transfer.notify && last ? 1U : 0U};
    std::memcpy(head_.data() + sizeof frame, &head, sizeof head);
  }
  transfer.begun += bytes;
  head_at_ = 0;
  head_left_ = sizeof frame + head_bytes(transfer.kind);
  body_left_ = bytes;
  filling_left_ = filling(bytes);
}

/// Some or all of what is left of the segment. True: all.
bool Outgoing::write_segment(int socket) {
  Transfer& transfer = transfers_.front();
  GatherList list;
  list.add(head_.data() + head_at_, head_left_);
  std::size_t left = body_left_;
  std::size_t offset = transfer.offset;
  for (std::size_t i = transfer.piece; left != 0; ++i, offset = 0) {
    const Piece& piece = transfer.pieces[i];
    const std::size_t bytes = std::min(left, piece.length - offset);
    list.add(static_cast<const std::byte*>(piece.address) + offset, bytes);
    left -= bytes;
  }
  list.add(kFilling.data(), filling_left_);
  const long taken = give(socket, list.pieces());
  if (taken < 0) return false;
  advance(transfer, static_cast<std::size_t>(taken));
  if (in_segment()) return false;
  transfer.has_left = transfer.begun == transfer.bytes;
  if (transfer.has_left) end_transfer();
  return true;
}

/// The kernel has so many more bytes of the segment.
void Outgoing::advance(Transfer& transfer, std::size_t bytes) {
  const std::size_t head = std::min(bytes, head_left_);
  head_at_ += head;
  head_left_ -= head;
  bytes -= head;
  std::size_t body = std::min(bytes, body_left_);
  body_left_ -= body;
  filling_left_ -= bytes - body;
  while (body != 0) {
    const std::size_t in_piece = transfer.pieces[transfer.piece].length - transfer.offset;
    transfer.offset = body < in_piece ? transfer.offset + body : 0;
    if (body >= in_piece) ++transfer.piece;
    body -= std::min(body, in_piece);
  }
}

/// The kernel has all of the first transfer.
void Outgoing::end_transfer() {
  const Transfer& transfer = transfers_.front();
  own_.complete(endpoint_, transfer.cookie, MPI_SUCCESS);
  if (is_answer(transfer.kind)) --answers_;
  transfers_.pop_front();
}

void Outgoing::fail() {
  for (const Transfer& transfer : transfers_) {
    own_.complete(endpoint_, transfer.cookie, MPI_ERR_PROC_ABORTED);
  }
  transfers_.clear();
  answers_ = 0;
  waiting_.clear();
  waiting_at_ = 0;
  head_left_ = body_left_ = filling_left_ = 0;
}

}  // namespace remit::tcp
