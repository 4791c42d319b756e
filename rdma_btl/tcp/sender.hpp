// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations become frames, and what a socket did not take is offered again.
#pragma once

#include <vector>

#include "rdma_btl/tcp/endpoint.hpp"
#include "rdma_btl/tcp/epoll_set.hpp"
#include "rdma_btl/tcp/read_scheduler.hpp"
#include "runtime/intrusive_list.hpp"

namespace remit::tcp {

/// Everything that is sent over open connections goes through it.
class Sender {
 public:
  Sender(const LocalProcess& local, TcpCounters& counters, OwnCompletions& own, EpollSet& set,
         ReadScheduler& scheduler)
      : local_(local), counters_(counters), own_(own), set_(set), scheduler_(scheduler) {}

  /// One operation. False: the endpoint has no room for it now.
  [[nodiscard]] bool post(Endpoint& endpoint, const Operation& operation);
  /// Whether a send of so many bytes may be given to the kernel in one copied piece, at once.
  [[nodiscard]] static bool takes_short(const Endpoint& endpoint, std::size_t bytes) {
    return endpoint.state == State::open && !endpoint.outgoing.cut() && bytes <= kCopied &&
           endpoint.outgoing.clear();
  }
  /// That send.
  void send_short(Endpoint& endpoint, SendHead head, const void* data, std::size_t length);
  /// The last frame: nothing comes behind it.
  void say_goodbye(Endpoint& endpoint);

  /// An answer to a get of so many bytes, or its refusal, or an answer to a confirm.
  void answer_get(Endpoint& endpoint, const GetHead& get);
  void answer_confirm(Endpoint& endpoint);
  /// Whether the peer has asked for more at a time than it may.
  [[nodiscard]] bool too_many_answers(const Endpoint& endpoint) const {
    return endpoint.outgoing.answers() >= 2 * local_.config.most_transfers;  // gets and confirms
  }

  /// Something waits for room in a socket.
  [[nodiscard]] bool has_blocked() const { return !blocked_.empty(); }
  /// Tries again with some of those.
  void write_blocked();
  /// From now on room in a socket for which something waits makes the set readable.
  void arm();
  void disarm();

 private:
  /// The kernel takes one piece faster than several; to here that pays for a copy.
  static constexpr std::size_t kCopied = 4096;

  [[nodiscard]] bool send_frame(Endpoint& endpoint, FrameKind kind, std::span<const Piece> pieces);
  [[nodiscard]] bool post_put(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_get(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_confirm(Endpoint& endpoint, const Operation& operation);
  void write(Endpoint& endpoint);
  void note(Endpoint& endpoint, bool all);
  void make_room_to_watch();
  void watch_room(Endpoint& endpoint, bool wanted);

  const LocalProcess& local_;
  TcpCounters& counters_;
  OwnCompletions& own_;
  EpollSet& set_;
  ReadScheduler& scheduler_;
  IntrusiveList<Endpoint> blocked_;
  std::vector<Endpoint*> watched_;  ///< their sockets wake a sleeper when they take more
  bool armed_ = false;
};

}  // namespace remit::tcp
