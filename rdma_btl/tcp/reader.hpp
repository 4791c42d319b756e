// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What arrives: reading connections, and what their frames say.
#pragma once

#include <span>
#include <vector>

#include "rdma_btl/tcp/connections.hpp"
#include "rdma_btl/tcp/read_scheduler.hpp"
#include "rdma_btl/tcp/sender.hpp"

namespace remit::tcp {

/// Reads the connections that ReadScheduler names, acts upon their frames, and tells of messages,
/// notifications and answers.
class Reader {
 public:
  Reader(const LocalProcess& local, TcpCounters& counters, Connections& connections, Sender& sender,
         ReadScheduler& scheduler)
      : local_(local),
        counters_(counters),
        connections_(connections),
        sender_(sender),
        scheduler_(scheduler) {}

  /// The layer above has read what the last poll gave it.
  void take_back();
  /// Something that has left its socket already waits for room in a poll: no look at all
  /// connections would show it.
  [[nodiscard]] bool has_unfinished() const { return !unfinished_.empty(); }
  [[nodiscard]] std::size_t read_unfinished(std::span<Completion> out);
  /// Each of the hot connections.
  [[nodiscard]] std::size_t read_hot(std::span<Completion> out);
  /// What has arrived from one peer. Fails for nothing: see take_shortage().
  [[nodiscard]] std::size_t read(Endpoint& endpoint, std::span<Completion> out);
  /// Whether something could not be read for want of memory since this was asked. What was read
  /// before that has been told, and the rest will be read.
  [[nodiscard]] bool take_shortage() { return std::exchange(lacks_memory_, false); }

 private:
  [[nodiscard]] bool read_socket(Endpoint& endpoint);
  void parse(Endpoint& endpoint, std::span<Completion> out, std::size_t& count);
  [[nodiscard]] bool on_frame(Endpoint& endpoint, const Frame& frame,
                              std::span<const std::byte> rest, Completion& out);
  [[nodiscard]] bool on_message(Endpoint& endpoint, std::span<const std::byte> message,
                                Completion& out);
  void on_put(Endpoint& endpoint, const PutHead& head, std::size_t bytes);
  void on_get(Endpoint& endpoint, const GetHead& head);
  void on_confirm(Endpoint& endpoint);
  void on_answer(Endpoint& endpoint, std::size_t bytes);
  [[nodiscard]] bool on_answered(Endpoint& endpoint, std::optional<std::uint64_t> cookie,
                                 int status, Completion& out);
  [[nodiscard]] bool end_placing(Endpoint& endpoint, Completion& out);
  [[nodiscard]] bool notified(const Endpoint& endpoint, std::uint32_t value, Completion& out);

  const LocalProcess& local_;
  TcpCounters& counters_;
  Connections& connections_;
  Sender& sender_;
  ReadScheduler& scheduler_;
  bool lacks_memory_ = false;
  std::vector<Endpoint*> unfinished_;
  std::vector<Endpoint*> lent_;  ///< what they have received is being read by the layer above
};

}  // namespace remit::tcp
