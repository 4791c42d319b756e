// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Connections that end.
#include "rdma_btl/verbs/teardown.hpp"

#include <string_view>

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/connections/connections.hpp"
#include "rdma_btl/verbs/connections/host_questions.hpp"
#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"

namespace remit::verbs {

/// What the peer sent before is still in the completion queue.
void Teardown::on_disconnect(Endpoint& endpoint) {
  if (endpoint.leaving) return;
  endpoint.leaving = agenda_.chores = true;
  leaving_.push_back(endpoint.id);
}

void Teardown::on_goodbye(Endpoint& endpoint) {
  endpoint.state = State::gone;
  endpoint.words = fmt::format("{} has finished", adapter_.way_to(endpoint));
  lending_.release(endpoint);
  expect_end(endpoint);
}

/// Of the work requests under way. A peer that is gone acknowledges nothing twice: what was lost on
/// the link would be repeated for ever.
void Teardown::expect_end(Endpoint& endpoint) {
  if (endpoint.work.under_way() == 0) return;
  constexpr std::uint64_t kGraceMs = 2000;
  endpoint.contact.timer_ns = now_ns() + ms(kGraceMs);
  dying_.push_back(endpoint.id);
}

/// The completion queue is drained.
void Teardown::settle() {
  lending_.reclaim_parked();
  std::vector<EndpointId> leaving;
  leaving.swap(leaving_);
  for (const EndpointId id : leaving) {
    Endpoint& endpoint = endpoints_[id];
    endpoint.leaving = false;
    if (endpoint.state == State::accepting) {
      connections_.drop_passive(endpoint);
      endpoint.state = State::idle;
    } else if (endpoint.state == State::open && Notes::said_farewell(endpoint)) {
      on_goodbye(endpoint);
      agenda_.closed(endpoint.id);
    } else if (endpoint.state == State::open) {
      fail_endpoint(endpoint, fmt::format("{}: its process has ended or lost the connection",
                                          adapter_.way_to(endpoint)));
    }
  }
}

void Teardown::fail_endpoint(Endpoint& endpoint, std::string words) {
  if (endpoint.state == State::failed) return;
  questions_.drop(endpoint);
  const bool was_open = endpoint.state == State::open || endpoint.state == State::gone;
  endpoint.state = State::failed;
  endpoint.words = std::move(words);
  say(config_, LogLevel::info, "verbs: {}", endpoint.words);
  if (was_open) {
    // The work requests under way come back with errors.
    for (rdma_cm_id* const cm : {endpoint.contact.active, endpoint.contact.passive}) {
      if (cm != nullptr) adapter_.cm().disconnect(cm);
    }
  } else {
    connections_.drop_active(endpoint);
    connections_.drop_passive(endpoint);
  }
  lending_.release(endpoint);
  expect_end(endpoint);
  agenda_.failed(endpoint.id);
}

/// The adapter is lost. Who needs it for a peer hears of it as that peer's failure.
void Teardown::fail_all(const std::string& words) {
  if (!broken_.empty()) return;
  broken_ = words;
  say(config_, LogLevel::info, "verbs: {}", words);
  for (Endpoint& endpoint : endpoints_) fail_endpoint(endpoint, words);
}

/// The adapter has not given back the work requests of a failed connection in time: without its
/// queue pair it cannot touch their memory any more.
void Teardown::abandon(Endpoint& endpoint) {
  if (endpoint.work.under_way() == 0) return;
  connections_.drop_active(endpoint);
  connections_.drop_passive(endpoint);
  work_.abandon(endpoint);
}

/// The first error of a connection says why; the others only follow from it.
void Teardown::on_failed_work(Endpoint& endpoint, const ibv_wc& work) {
  if (endpoint.state == State::failed || endpoint.state == State::gone) return;
  if (Notes::said_farewell(endpoint)) return on_disconnect(endpoint);
  std::string_view hint;
  switch (work.status) {
    case IBV_WC_RETRY_EXC_ERR:
      hint = " (the link is down, or the peer's process or host is dead: see 'rdma link' there)";
      break;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      ++counters_.rnr;
      hint = " (the peer has posted no receive: please report this)";
      break;
    case IBV_WC_REM_ACCESS_ERR:
      hint = " (memory of the peer that is not registered for it)";
      break;
    case IBV_WC_WR_FLUSH_ERR:
      hint = " (the connection was cut)";
      break;
    default:
      break;
  }
  fail_endpoint(endpoint, fmt::format("{}: {}{}", adapter_.way_to(endpoint),
                                      adapter_.ibv().wc_status_str(work.status), hint));
}

void Teardown::check_dying(std::uint64_t now) {
  std::erase_if(dying_, [&](EndpointId id) {
    Endpoint& endpoint = endpoints_[id];
    if (endpoint.work.under_way() != 0 && now < endpoint.contact.timer_ns) return false;
    abandon(endpoint);
    return true;
  });
}

}  // namespace remit::verbs
