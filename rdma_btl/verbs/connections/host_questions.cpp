// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Asking hosts.
#include "rdma_btl/verbs/connections/host_questions.hpp"

#include <netinet/in.h>

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/connections/address.hpp"
#include "rdma_btl/verbs/connections/handshake.hpp"

namespace remit::verbs {

namespace {

/// A port at which nobody listens: its host refuses the connection itself, whatever its processes
/// do.
constexpr std::uint16_t kNobodysPort = 1;
constexpr std::uint32_t kNobodysQueuePair = 0xfffffe;
constexpr std::uint64_t kAskAgainMs = 10000;
/// If a question itself fails.
constexpr std::uint64_t kRetryMs = 2000;

}  // namespace

void HostQuestions::begin(Endpoint& endpoint, std::uint64_t now) const {
  endpoint.question.ask_ns = now + ms(config_.quiet_ms);
  endpoint.question.asked_ns = 0;
}

bool HostQuestions::overdue(const Endpoint& endpoint, std::uint64_t now) const {
  const std::uint64_t asked = endpoint.question.asked_ns;
  return asked != 0 && now >= asked + ms(config_.host_timeout_ms);
}

void HostQuestions::ask(Endpoint& endpoint, std::uint64_t now) {
  if (adapter_.chosen().iwarp || endpoint.question.id != nullptr || now < endpoint.question.ask_ns)
    return;
  endpoint.question.ask_ns = now + ms(kRetryMs);
  if (endpoint.question.asked_ns == 0) endpoint.question.asked_ns = now;
  if (adapter_.cm().create_id(adapter_.listener().channel(), &endpoint.question.id,
                              context_of(endpoint.id), RDMA_PS_TCP) != 0) {
    endpoint.question.id = nullptr;
    return;
  }
  ++counters_.asked;
  sockaddr_storage own = adapter_.chosen().address;
  sockaddr_storage there = endpoint.contact.address;
  set_port(there, htons(kNobodysPort));
  if (adapter_.cm().resolve_addr(endpoint.question.id, reinterpret_cast<sockaddr*>(&own),
                                 reinterpret_cast<sockaddr*>(&there),
                                 static_cast<int>(config_.resolve_timeout_ms)) != 0) {
    drop(endpoint);
  }
}

bool HostQuestions::on_answer(Endpoint& endpoint, const rdma_cm_event& event) {
  if (event.event == RDMA_CM_EVENT_ADDR_RESOLVED) {
    if (adapter_.cm().resolve_route(event.id, static_cast<int>(config_.resolve_timeout_ms)) == 0)
      return false;
  } else if (event.event == RDMA_CM_EVENT_ROUTE_RESOLVED) {
    rdma_conn_param parameters = {};
    parameters.qp_num = kNobodysQueuePair;
    parameters.retry_count = kRetries;
    if (adapter_.cm().connect(event.id, &parameters) == 0) return false;
  } else if (event.event == RDMA_CM_EVENT_REJECTED ||
             event.event == RDMA_CM_EVENT_CONNECT_RESPONSE) {
    return true;
  }
  drop(endpoint);
  return false;
}

void HostQuestions::on_sign_of_life(Endpoint& endpoint, std::uint64_t now) {
  drop(endpoint);
  endpoint.question.asked_ns = 0;
  endpoint.question.ask_ns = now + ms(kAskAgainMs);
}

void HostQuestions::drop(Endpoint& endpoint) {
  if (endpoint.question.id != nullptr) adapter_.cm().destroy_id(endpoint.question.id);
  endpoint.question.id = nullptr;
}

}  // namespace remit::verbs
