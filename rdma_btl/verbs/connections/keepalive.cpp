// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether connected peers are still there.
#include "rdma_btl/verbs/connections/keepalive.hpp"

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

void Keepalive::run(std::uint64_t now) {
  constexpr std::uint32_t kAtOnce = 64;
  if (due_ns_ == 0) due_ns_ = now + ms(config_.keepalive_ms);
  if (now < due_ns_) return;
  for (std::uint32_t posted = 0; next_ < endpoints_.size(); ++next_) {
    Endpoint& endpoint = endpoints_[next_];
    if (endpoint.state != State::open || waits(endpoint, now) || !work_.spare_room(endpoint)) {
      continue;
    }
    if (++posted > kAtOnce) return;  // the others in the next look
    endpoint.keepalive.under_way = true;
    endpoint.keepalive.sequence = endpoint.work.posted();
    endpoint.keepalive.retired = endpoint.work.retired();
    endpoint.keepalive.since_ns = now;
    ++counters_.keepalives;
    if (config_.mask.iwarp) {
      notes_.read_back(endpoint, RecordKind::plain);
      continue;
    }
    ibv_send_wr request = {};
    request.opcode = IBV_WR_RDMA_WRITE;
    work_.submit(endpoint, request, Record{}, true);
  }
  next_ = 0;
  due_ns_ = now + ms(config_.keepalive_ms);
}

/// Whether the last question is still under way. An adapter that never gives up is no excuse for a
/// peer that has acknowledged nothing for too long.
bool Keepalive::waits(Endpoint& endpoint, std::uint64_t now) {
  if (endpoint.keepalive.under_way &&
      endpoint.keepalive.sequence - endpoint.work.retired() >= endpoint.work.under_way()) {
    endpoint.keepalive.under_way = false;
  }
  if (!endpoint.keepalive.under_way) return false;
  if (endpoint.keepalive.retired != endpoint.work.retired()) {
    endpoint.keepalive.retired = endpoint.work.retired();
    endpoint.keepalive.since_ns = now;
  } else if (now - endpoint.keepalive.since_ns >= ms(config_.host_timeout_ms)) {
    teardown_.fail_endpoint(
        endpoint,
        fmt::format("{}: nothing was acknowledged for {} s: is its host up, and is the "
                    "link? ('rdma link', 'ip link')",
                    adapter_.way_to(endpoint), (now - endpoint.keepalive.since_ns) / ms(1000)));
  }
  return true;
}

}  // namespace remit::verbs
