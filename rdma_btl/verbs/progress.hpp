// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What poll() of the verbs device does, and in which order.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/agenda.hpp"

namespace remit::verbs {

class AdapterEvents;
class Borrowing;
class Connections;
class Greetings;
class Keepalive;
class Lending;
class NoteReader;
class Notes;
class Receiver;
class Swaps;
class Teardown;
class WorkQueue;

/// Drives the parts of the device: completions go to the receiver or the work queue, and what waits
/// (the agenda, events of connections and of the adapter, timers) is looked after now and then. It
/// alone knows all of them. One thread.
class Progress {
 public:
  /// The parts that it drives; all outlive it.
  struct Parts {
    OpenedAdapter& adapter;
    Receiver& receiver;
    WorkQueue& work;
    Swaps& swaps;
    Notes& notes;
    NoteReader& reader;
    Lending& lending;
    Borrowing& borrowing;
    Connections& connections;
    Greetings& greetings;
    Teardown& teardown;
    Keepalive& keepalive;
    AdapterEvents& events;
  };
  explicit Progress(const Parts& parts) : parts_(parts) {}

  /// The adapter is open.
  void open(ibv_cq* queue) { queue_ = queue; }
  [[nodiscard]] Agenda& agenda() { return agenda_; }

  /// As Device::poll(). What it does when there is nothing to do is what a message waits for.
  [[nodiscard]] std::size_t poll(std::span<Completion> out) {
    --polls_to_look_;
    if (polls_to_look_ == 0 || agenda_.attention || agenda_.chores || out.empty()) [[unlikely]]
      return poll_all(out);
    std::array<ibv_wc, kBatch> work;
    const int got =
        ibv_poll_cq(queue_, static_cast<int>(std::min(kBatch, out.size())), work.data());
    if (got == 0) [[likely]]
      return 0;
    const auto found = static_cast<std::size_t>(std::max(got, 0));
    const std::size_t count = take_all(std::span(work).first(found), out);
    return count != 0 ? count : poll_all(out);
  }

  /// As the functions of Device.
  void arm();
  void disarm();
  [[nodiscard]] int max_sleep_ms(bool any_connection) const;
  [[nodiscard]] bool flushed() const;

 private:
  static constexpr std::size_t kBatch = 16;

  [[nodiscard]] std::size_t poll_all(std::span<Completion> out);
  [[nodiscard]] std::size_t take_all(std::span<const ibv_wc> work, std::span<Completion> out);
  [[nodiscard]] std::size_t attend(std::span<Completion> out);
  void look_around();
  void service();

  std::uint32_t polls_to_look_ = 1;  ///< until look_around()
  ibv_cq* queue_ = nullptr;
  Agenda agenda_;
  const Parts parts_;
};

}  // namespace remit::verbs
