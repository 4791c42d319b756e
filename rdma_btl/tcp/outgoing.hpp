// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What leaves over one connection.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "rdma_btl/common/own_completions.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/tcp/local_process.hpp"
#include "rdma_btl/tcp/wire.hpp"

namespace remit::tcp {

/// What leaves in segments and in its order: long data, of a put or of the answer to a get; a
/// confirm, or the answer to one.
struct Transfer {
  FrameKind kind = FrameKind::put;  ///< or answer, refusal, confirm, confirmed
  bool notify = false;
  bool has_left = false;  ///< the kernel has it all: only that has to be told
  std::uint32_t notification = 0;
  RemoteAddress remote;
  std::vector<Piece> pieces;
  std::size_t bytes = 0;
  std::size_t begun = 0;   ///< bytes in this and earlier segments
  std::size_t piece = 0;   ///< the first bytes that have not left: their piece
  std::size_t offset = 0;  ///< ... and where in it
  std::uint64_t cookie = kNoCompletion;
};

/// The sending half of a connection: the rest of a segment, frames that wait, transfers, in this
/// order. A frame goes to the kernel at once if it can; long data go there out of the memory that
/// they are in. The kernel says how much it takes: what it does not take stays here.
class Outgoing {
 public:
  Outgoing(const LocalProcess& local, OwnCompletions& own, EndpointId endpoint)
      : local_(local), own_(own), endpoint_(endpoint) {}

  /// Frames may be given to the kernel: nothing is before them.
  [[nodiscard]] bool clear() const { return waiting_.empty() && !in_segment(); }
  /// Everything has been given to the kernel.
  [[nodiscard]] bool written() const { return clear() && transfers_.empty(); }
  /// Nothing can be written any more; what can be read says why.
  [[nodiscard]] bool cut() const { return cut_; }
  /// Answers that the peer waits for.
  [[nodiscard]] std::size_t answers() const { return answers_; }
  /// Puts and confirms.
  [[nodiscard]] std::size_t requests() const { return transfers_.size() - answers_; }
  /// Whether anything was given to the kernel, or could not be for good, since this was asked.
  [[nodiscard]] bool has_moved() { return std::exchange(moved_, false); }

  /// Some frames, as they are on the wire; clear() was true. False: some of it waits here.
  [[nodiscard]] bool send(int socket, std::span<const std::byte> frames);
  /// What became of a frame; its pieces are free but where it was refused.
  enum class Sent : std::uint8_t { all, waits, refused };
  /// One frame with its head and data; refused: too much waits already.
  [[nodiscard]] Sent send_frame(int socket, FrameKind kind, std::span<const Piece> pieces);
  /// Behind the others: write() sends it. Its cookie is told when the kernel has it all.
  Transfer& add(FrameKind kind);
  /// Gives the kernel what it takes. False: the socket is full. Throws std::bad_alloc if there is
  /// no memory to tell that a transfer has left, which is told at another call.
  [[nodiscard]] bool write(int socket);
  /// Nothing leaves any more: transfers with cookies fail.
  void fail();

 private:
  [[nodiscard]] bool in_segment() const { return head_left_ + body_left_ + filling_left_ != 0; }
  [[nodiscard]] long give(int socket, std::span<const iovec> pieces);
  [[nodiscard]] bool keep_rest(int socket, std::span<const iovec> pieces, std::size_t taken);
  void cut_off(int socket);
  [[nodiscard]] bool write_waiting(int socket);
  void begin_segment(int socket);
  [[nodiscard]] bool write_segment(int socket);
  void advance(Transfer& transfer, std::size_t bytes);
  void end_transfer();

  std::vector<std::byte> waiting_;  ///< whole frames, but for what has left of the first one
  std::size_t head_left_ = 0;       ///< bytes of the segment's head
  std::size_t body_left_ = 0;       ///< ... of the segment
  std::size_t filling_left_ = 0;    ///< ... behind it
  bool cut_ = false;
  bool moved_ = false;
  bool bounded_ = false;  ///< long data were sent: the kernel does not take too much of them ahead
  std::size_t waiting_at_ = 0;
  std::size_t head_at_ = 0;
  std::array<std::byte, kLongestHead> head_ = {};  ///< of the segment
  std::deque<Transfer> transfers_;
  std::size_t answers_ = 0;  ///< of the transfers, those that are answers
  const LocalProcess& local_;
  OwnCompletions& own_;
  EndpointId endpoint_;
};

}  // namespace remit::tcp
