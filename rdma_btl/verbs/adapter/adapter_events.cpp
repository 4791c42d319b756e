// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Asynchronous events.
#include "rdma_btl/verbs/adapter/adapter_events.hpp"

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

namespace {

bool about_queue_pair(const ibv_async_event& event) {
  return event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR ||
         event.event_type == IBV_EVENT_QP_ACCESS_ERR;
}

}  // namespace

void AdapterEvents::service() {
  ibv_async_event event = {};
  while (adapter_.ibv().get_async_event(adapter_.context(), &event) == 0) {
    const ibv_async_event copy = event;
    // A queue pair can be destroyed only after its events are acknowledged.
    Endpoint* const endpoint =
        about_queue_pair(event) ? endpoints_.of_queue_pair(event.element.qp->qp_num) : nullptr;
    adapter_.ibv().ack_async_event(&event);
    if (!about_queue_pair(event)) {
      handle(copy);
    } else if (endpoint != nullptr) {
      on_queue_pair(*endpoint, copy.event_type);
    }
  }
}

void AdapterEvents::on_queue_pair(Endpoint& endpoint, ibv_event_type event) {
  teardown_.fail_endpoint(endpoint, fmt::format("{}: {}", adapter_.way_to(endpoint),
                                                adapter_.ibv().event_type_str(event)));
}

/// Of an event that is not about one connection.
void AdapterEvents::handle(const ibv_async_event& event) {
  const bool port = event.element.port_num == adapter_.chosen().port;
  const bool queue = (event.event_type == IBV_EVENT_CQ_ERR &&
                      event.element.cq == adapter_.queues().completions()) ||
                     (event.event_type == IBV_EVENT_SRQ_ERR &&
                      event.element.srq == adapter_.queues().shared_receives());
  if (queue || event.event_type == IBV_EVENT_DEVICE_FATAL) {
    teardown_.fail_all(fmt::format("RDMA adapter {} ({}) has failed: {}; see 'dmesg' of this host",
                                   adapter_.chosen().device, adapter_.chosen().text,
                                   adapter_.ibv().event_type_str(event.event_type)));
  } else if (event.event_type == IBV_EVENT_PORT_ERR && port) {
    // It may come back before the connections give up; if not, their errors say it.
    adapter_.set_trouble(
        fmt::format("whose port is down (check {} and its cable)", adapter_.chosen().netdev));
    say(config_, LogLevel::info, "verbs: port {} of RDMA adapter {} is down",
        adapter_.chosen().port, adapter_.chosen().device);
  } else if (event.event_type == IBV_EVENT_PORT_ACTIVE && port) {
    adapter_.set_trouble({});
    say(config_, LogLevel::info, "verbs: port {} of RDMA adapter {} is up", adapter_.chosen().port,
        adapter_.chosen().device);
  }
}

}  // namespace remit::verbs
