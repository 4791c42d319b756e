// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The clocks of other hosts, compared with mpirun's by messages to their daemons and back: traces
// of ranks of several hosts are drawn on one clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "launcher/tree/message.hpp"

namespace remit::launcher {

/// A moment on mpirun's CLOCK_MONOTONIC, and what a host's was ahead of it then, within half the
/// time that the question and its answer took.
struct ClockSample {
  std::int64_t at_ns = 0;
  std::int64_t ahead_ns = 0;
  std::int64_t within_ns = 0;
};

/// The clock of a host as it was seen first and last.
struct SeenClock {
  ClockSample first;
  ClockSample last;
};

/// Asks a few times in a row, each time when the answer has come, and keeps the quickest. Nobody
/// waits for an answer. One thread.
class HostClocks {
 public:
  /// Sends a host a question, the payload of MessageKind::tell_clock.
  using Send = std::function<void(int node, std::string question)>;
  explicit HostClocks(Send send) : send_(std::move(send)) {}

  /// From now on ask() asks. Every host of `nodes`, without mpirun's own, is asked at once.
  void start(int nodes);
  /// Asks a host, unless it has been asked a moment ago.
  void ask(int node);
  /// A daemon's answer; one that nobody has asked for is left out.
  void take(const Message& message);
  /// nullopt: it has not answered.
  [[nodiscard]] std::optional<SeenClock> of(int node) const;

  /// A daemon's answer to a question.
  [[nodiscard]] static std::string answer(const Message& question);

 private:
  struct Host {
    int rounds = 0;                    // that are still to come; 0: nothing is asked
    std::int64_t asked_ns = 0;         // when the answer that is waited for was asked for
    std::optional<ClockSample> best;   // of these rounds
    std::optional<ClockSample> first;  // of the first rounds
    std::optional<ClockSample> last;
  };
  void send(int node, Host& host);

  Send send_;
  bool is_on_ = false;
  std::map<int, Host> hosts_;  // by node
};

}  // namespace remit::launcher
