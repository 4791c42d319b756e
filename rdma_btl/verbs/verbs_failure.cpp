// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: peers that leave or die, links and adapters that fail.
#include <algorithm>

#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

namespace {

bool about_queue_pair(const ibv_async_event& event) {
  return event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR ||
         event.event_type == IBV_EVENT_QP_ACCESS_ERR;
}

}  // namespace

// --- ends --------------------------------------------------------------------------------------

/// What the peer sent before is still in the completion queue.
void VerbsDevice::leave(Endpoint& endpoint) {
  if (endpoint.leaving) return;
  endpoint.leaving = chores_ = true;
  leaving_.push_back(endpoint.id);
}

void VerbsDevice::on_goodbye(Endpoint& endpoint) {
  endpoint.state = State::gone;
  endpoint.words = fmt::format("{} has finished", way_to(endpoint));
  release_lease(endpoint);
  expect_end(endpoint);
}

/// Of the work requests under way. A peer that is gone acknowledges nothing twice: what was lost on
/// the link would be repeated for ever.
void VerbsDevice::expect_end(Endpoint& endpoint) {
  if (endpoint.under_way() == 0) return;
  constexpr std::uint64_t kGraceMs = 2000;
  endpoint.timer_ns = verbs::now_ns() + verbs::ms(kGraceMs);
  dying_.push_back(endpoint.id);
}

/// The completion queue is drained.
void VerbsDevice::settle_leaving() {
  unleased_ += parked_;
  parked_ = 0;
  std::vector<EndpointId> leaving;
  leaving.swap(leaving_);
  for (const EndpointId id : leaving) {
    Endpoint& endpoint = *endpoints_[id];
    endpoint.leaving = false;
    if (endpoint.state == State::accepting) {
      drop_passive(endpoint);
      endpoint.state = State::idle;
    } else if (endpoint.state == State::open && said_farewell(endpoint)) {
      on_goodbye(endpoint);
      ready_.push_back(verbs::event_of(CompletionKind::endpoint_closed, endpoint.id, MPI_SUCCESS));
      attention_ = true;
    } else if (endpoint.state == State::open) {
      fail_endpoint(endpoint, fmt::format("{}: its process has ended or lost the connection",
                                          way_to(endpoint)));
    }
  }
}

void VerbsDevice::fail_endpoint(Endpoint& endpoint, std::string words) {
  if (endpoint.state == State::failed) return;
  drop_question(endpoint);
  const bool was_open = endpoint.state == State::open || endpoint.state == State::gone;
  endpoint.state = State::failed;
  endpoint.words = std::move(words);
  say(LogLevel::info, "verbs: {}", endpoint.words);
  if (was_open) {
    // The work requests under way come back with errors.
    for (rdma_cm_id* const cm : {endpoint.active, endpoint.passive}) {
      if (cm != nullptr) api_.disconnect(cm);
    }
  } else {
    drop_active(endpoint);
    drop_passive(endpoint);
  }
  release_lease(endpoint);
  expect_end(endpoint);
  ready_.push_back(
      verbs::event_of(CompletionKind::endpoint_failed, endpoint.id, MPI_ERR_PROC_ABORTED));
  attention_ = true;
}

/// The adapter is lost. Who needs it for a peer hears of it as that peer's failure.
void VerbsDevice::fail_all(const std::string& words) {
  if (!broken_.empty()) return;
  broken_ = words;
  say(LogLevel::info, "verbs: {}", words);
  for (const auto& endpoint : endpoints_) fail_endpoint(*endpoint, words);
}

/// The adapter has not given back the work requests of a failed connection in time: without its
/// queue pair it cannot touch their memory any more.
void VerbsDevice::abandon(Endpoint& endpoint) {
  if (endpoint.under_way() == 0) return;
  drop_active(endpoint);
  drop_passive(endpoint);
  for (; endpoint.retired != endpoint.posted; ++endpoint.retired, --outstanding_) {
    const Record record = endpoint.records[endpoint.retired & (config_.send_depth - 1)];
    retire_record(endpoint, record, MPI_ERR_PROC_ABORTED);
    complete(endpoint, record.cookie, MPI_ERR_PROC_ABORTED);
  }
}

VerbsDevice::Endpoint* VerbsDevice::endpoint_of(const ibv_qp* qp) {
  const auto found = by_qp_num_.find(qp->qp_num);
  return found == by_qp_num_.end() ? nullptr : endpoints_[found->second].get();
}

void VerbsDevice::service_async_events() {
  ibv_async_event event = {};
  while (api_.get_async_event(context_, &event) == 0) {
    const ibv_async_event copy = event;
    // A queue pair can be destroyed only after its events are acknowledged.
    Endpoint* const endpoint = about_queue_pair(event) ? endpoint_of(event.element.qp) : nullptr;
    api_.ack_async_event(&event);
    if (!about_queue_pair(event)) {
      handle_async_event(copy);
    } else if (endpoint != nullptr) {
      pretend(endpoint->id, copy.event_type);
    }
  }
}

void VerbsDevice::pretend(EndpointId endpoint, ibv_event_type event) {
  Endpoint& hit = *endpoints_[endpoint];
  fail_endpoint(hit, fmt::format("{}: {}", way_to(hit), api_.event_type_str(event)));
}

void VerbsDevice::pretend_credits(EndpointId endpoint, std::uint32_t credits) {
  endpoints_[endpoint]->credits += credits;
}

/// Of an event that is not about one connection.
void VerbsDevice::handle_async_event(const ibv_async_event& event) {
  const bool port = event.element.port_num == adapter_.port;
  const bool queue = (event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq_) ||
                     (event.event_type == IBV_EVENT_SRQ_ERR && event.element.srq == srq_);
  if (queue || event.event_type == IBV_EVENT_DEVICE_FATAL) {
    fail_all(fmt::format("RDMA adapter {} ({}) has failed: {}; see 'dmesg' of this host",
                         adapter_.device, adapter_.text, api_.event_type_str(event.event_type)));
  } else if (event.event_type == IBV_EVENT_PORT_ERR && port) {
    // It may come back before the connections give up; if not, their errors say it.
    trouble_ = fmt::format("whose port is down (check {} and its cable)", adapter_.netdev);
    say(LogLevel::info, "verbs: port {} of RDMA adapter {} is down", adapter_.port,
        adapter_.device);
  } else if (event.event_type == IBV_EVENT_PORT_ACTIVE && port) {
    trouble_.clear();
    say(LogLevel::info, "verbs: port {} of RDMA adapter {} is up", adapter_.port, adapter_.device);
  }
}

/// Who dies silently is noticed by who writes to it; where nobody writes, this does, now and then:
/// an empty write, which the adapter of the peer acknowledges whatever its process does, or a read,
/// which it answers.
void VerbsDevice::knock(std::uint64_t now) {
  constexpr std::uint32_t kAtOnce = 64;
  if (knock_due_ns_ == 0) knock_due_ns_ = now + verbs::ms(config_.knock_ms);
  if (now < knock_due_ns_) return;
  for (std::uint32_t posted = 0; knock_next_ < endpoints_.size(); ++knock_next_) {
    Endpoint& endpoint = *endpoints_[knock_next_];
    if (endpoint.state != State::open || waits_for_knock(endpoint, now) || !spare_room(endpoint)) {
      continue;
    }
    if (++posted > kAtOnce) return;  // the others in the next look
    endpoint.knocking = true;
    endpoint.knock = endpoint.posted;
    endpoint.knock_retired = endpoint.retired;
    endpoint.knock_ns = now;
    ++counters_.knocks;
    if (config_.mask.iwarp) {
      read_note_back(endpoint, RecordKind::plain);
      continue;
    }
    ibv_send_wr request = {};
    request.opcode = IBV_WR_RDMA_WRITE;
    submit(endpoint, request, Record{}, true);
  }
  knock_next_ = 0;
  knock_due_ns_ = now + verbs::ms(config_.knock_ms);
}

/// Whether the last knock is still under way. An adapter that never gives up is no excuse for a
/// peer that has acknowledged nothing for too long.
bool VerbsDevice::waits_for_knock(Endpoint& endpoint, std::uint64_t now) {
  if (endpoint.knocking && endpoint.knock - endpoint.retired >= endpoint.under_way()) {
    endpoint.knocking = false;
  }
  if (!endpoint.knocking) return false;
  if (endpoint.knock_retired != endpoint.retired) {
    endpoint.knock_retired = endpoint.retired;
    endpoint.knock_ns = now;
  } else if (now - endpoint.knock_ns >= verbs::ms(config_.host_timeout_ms)) {
    fail_endpoint(endpoint,
                  fmt::format("{}: nothing was acknowledged for {} s: is its host up, and is the "
                              "link? ('rdma link', 'ip link')",
                              way_to(endpoint), (now - endpoint.knock_ns) / verbs::ms(1000)));
  }
  return true;
}

}  // namespace remit
