// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages of windows between this process and others: what is on its way is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "links/links.hpp"
#include "onesided/remote/wire.hpp"
#include "runtime/call_status.hpp"
#include "runtime/error.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Sends messages of all windows of a process, in order, from before there is a connection on.
/// Bytes that an origin sends, and those that it asks for, are counted for each process: whoever
/// wants to send more than kMostUnderWay waits for answers. Targets keep nothing, so memory is
/// bounded on both sides. The thread that drives the links.
class WindowTraffic {
 public:
  WindowTraffic(Process& process, Links& links) : process_(process), links_(links) {}

  /// The process cannot be reached any more.
  [[nodiscard]] bool lost(ProcId proc) const { return links_.lost(proc); }
  /// What to say of it (MPI_ERR_PROC_ABORTED).
  [[nodiscard]] Error words_of_loss(ProcId proc) const;

  /// Bytes of one message to the process, at most.
  [[nodiscard]] std::size_t most_bytes(ProcId proc) const;
  /// Makes progress until a message of `bytes` that asks for `asked` bytes may leave. An error: the
  /// process is lost.
  [[nodiscard]] Expected<> await_room(ProcId proc, std::size_t bytes, std::size_t asked = 0);

  /// Sends a message; `body` may be reused on return. Begins to connect if it must. Does nothing if
  /// the process is lost.
  void send(ProcId proc, const WindowHead& head, std::span<const std::byte> body = {});
  /// `front` and `body` behind each other.
  void send(ProcId proc, const WindowHead& head, std::span<const MemoryRun> front,
            std::span<const std::byte> body);

  /// A message has asked for so many bytes.
  void ask(ProcId proc, std::size_t bytes) { peers_[proc].asked += bytes; }
  /// So many of them have come, or are not waited for any more.
  void answered(ProcId proc, std::size_t bytes) {
    if (const auto peer = peers_.find(proc); peer != peers_.end()) peer->second.asked -= bytes;
  }

  /// A message of a peer has been taken: acknowledges, once there are kAcknowledged bytes.
  void taken(ProcId proc, std::size_t bytes);
  /// `total` bytes of what was sent have been taken. False: that is not so.
  [[nodiscard]] bool acknowledged(ProcId proc, std::uint64_t total);

  void connected(Link& link);
  void forget(ProcId proc) { peers_.erase(proc); }

 private:
  struct Peer {
    std::uint64_t sent = 0;                       ///< bytes of messages that are counted
    std::uint64_t acknowledged = 0;               ///< of them
    std::uint64_t asked = 0;                      ///< bytes that were asked for and have not come
    std::uint64_t taken = 0;                      ///< bytes of its messages
    std::uint64_t told = 0;                       ///< of them, acknowledged
    std::vector<std::vector<std::byte>> waiting;  ///< messages for which there is no connection yet
  };
  void dispatch(ProcId proc, std::span<const std::byte> front, std::span<const std::byte> body);

  Process& process_;
  Links& links_;
  std::map<ProcId, Peer> peers_;
  std::vector<std::byte> front_;  // of the message that is being sent
};

}  // namespace remit
