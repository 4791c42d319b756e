// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a poll does when its fast path is not all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/agenda.hpp"

namespace remit::shm {

class FirstContact;
class PeerHeaps;
class PeerHealth;
class Receiver;
class Sender;
class Sleep;
class Target;
class Transfers;

/// Drives the parts of the device that have something to do, and reads the clock, the socket and
/// who is there now and then: seldom while messages come. One thread.
class Upkeep {
 public:
  Upkeep(Receiver& receiver, Sender& sender, FirstContact& contact, PeerHeaps& heaps,
         PeerHealth& health, Transfers& transfers, Target& target, Sleep& sleep);

  /// Before the rings are visited, with something on the agenda: what must not wait, and all rings
  /// instead of the active ones. Fills `out` and returns how many events it holds.
  [[nodiscard]] std::size_t before_rings(std::span<Completion> out);
  /// After the rings were visited: nothing may be left that the caller could sleep on.
  [[nodiscard]] std::size_t after_rings(std::span<Completion> out, std::size_t n);
  /// A poll is over that found something or nothing.
  void count_poll(bool nothing) {
    ticks_ += nothing ? kIdleTicks : 1;
    if (ticks_ >= kTicks) [[unlikely]]
      look_around(nothing);
  }

  /// Device::max_sleep_ms(); `liveness_ms` while there are peers, -1 without.
  [[nodiscard]] int max_sleep_ms(int liveness_ms) const;
  /// Device::flushed().
  [[nodiscard]] bool flushed() const;

 private:
  static constexpr std::uint32_t kIdleTicks = 16;
  static constexpr std::uint32_t kTicks = 1024;  ///< the clock is read every 64th empty poll

  [[nodiscard]] std::size_t work(std::span<Completion> out);
  [[nodiscard]] bool is_work_left() const;
  void look_around(bool nothing_arrived);

  std::uint32_t ticks_ = 0;
  std::uint64_t socket_read_ns_ = 0;
  Agenda& agenda_;
  Receiver& receiver_;
  Sender& sender_;
  FirstContact& contact_;
  PeerHeaps& heaps_;
  PeerHealth& health_;
  Transfers& transfers_;
  Target& target_;
  Sleep& sleep_;
};

}  // namespace remit::shm
