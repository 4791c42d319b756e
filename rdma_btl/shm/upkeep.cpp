// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/upkeep.hpp"

#include "rdma_btl/shm/copies/target.hpp"
#include "rdma_btl/shm/copies/transfers.hpp"
#include "rdma_btl/shm/peers/first_contact.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/rings/sender.hpp"
#include "rdma_btl/shm/sleep.hpp"

namespace remit::shm {

namespace {

/// How often the socket is read, and how often while something is awaited there.
constexpr std::uint64_t kSocketNs = 20000;
constexpr std::uint64_t kConnectingNs = 2000;

}  // namespace

Upkeep::Upkeep(Receiver& receiver, Sender& sender, FirstContact& contact, PeerHeaps& heaps,
               PeerHealth& health, Transfers& transfers, Target& target, Sleep& sleep)
    : agenda_(receiver.agenda()),
      receiver_(receiver),
      sender_(sender),
      contact_(contact),
      heaps_(heaps),
      health_(health),
      transfers_(transfers),
      target_(target),
      sleep_(sleep) {}

std::size_t Upkeep::before_rings(std::span<Completion> out) {
  std::size_t n = 0;
  if (agenda_.has(Agenda::kPublish)) receiver_.publish_consumed();
  if (agenda_.has(Agenda::kWork)) n = work(out);
  return receiver_.visit_all(out, n);
}

std::size_t Upkeep::after_rings(std::span<Completion> out, std::size_t n) {
  if (n == 0 && agenda_.has(Agenda::kPublish)) n = receiver_.publish_early(out);
  n = agenda_.take_events(out, n);
  if (agenda_.has(Agenda::kArmed)) sleep_.settle_blocked();
  agenda_.set(Agenda::kFair, n == out.size());
  return n;
}

std::size_t Upkeep::work(std::span<Completion> out) {
  if (health_.memory_is_due()) health_.give_memory_back();
  if (contact_.hellos_wait()) contact_.retry();
  if (heaps_.answers_wait()) heaps_.retry();
  if (sender_.cells_wait()) sender_.retry_cells();
  if (target_.any_reply()) target_.progress_replies();
  if (transfers_.any_active()) transfers_.progress();
  if (target_.any_to_help()) target_.progress_helping();
  if (agenda_.has(Agenda::kArmed)) look_around(true);
  const std::size_t n = agenda_.take_events(out, 0);
  agenda_.set(Agenda::kWork, is_work_left());
  return n;
}

bool Upkeep::is_work_left() const {
  return agenda_.has(Agenda::kArmed) || contact_.hellos_wait() || heaps_.answers_wait() ||
         sender_.cells_wait() || target_.any_reply() || transfers_.any_active() ||
         target_.any_to_help() || agenda_.has_events() || health_.memory_is_due();
}

void Upkeep::look_around(bool nothing_arrived) {
  ticks_ = 0;
  const std::uint64_t now = now_ns();
  const bool awaits = contact_.awaits_hello() || heaps_.awaits_offer();
  if (!agenda_.has(Agenda::kArmed) &&
      now - socket_read_ns_ < (awaits ? kConnectingNs : kSocketNs)) {
    return;
  }
  socket_read_ns_ = now;
  contact_.serve();
  sleep_.check_barriers();
  if (nothing_arrived) health_.check_peers_at(now);
}

int Upkeep::max_sleep_ms(int liveness_ms) const {
  const bool now = agenda_.has_events() || target_.any_to_help() || agenda_.has(Agenda::kPublish) ||
                   agenda_.has(Agenda::kFair) || transfers_.any_to_copy();
  if (now) return 0;
  return contact_.hellos_wait() || heaps_.answers_wait() || health_.any_gone() ? 1 : liveness_ms;
}

bool Upkeep::flushed() const {
  return !contact_.hellos_wait() && !sender_.cells_wait() && !target_.any_reply() &&
         !target_.any_to_help() && transfers_.puts_done();
}

}  // namespace remit::shm
