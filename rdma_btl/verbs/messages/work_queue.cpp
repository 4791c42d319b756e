// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Posting and retiring work requests.
#include "rdma_btl/verbs/messages/work_queue.hpp"

#include <cstring>

#include "rdma_btl/verbs/messages/swaps.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

/// And if there is none, does what brings it.
bool WorkQueue::room(Endpoint& endpoint, std::uint32_t requests) {
  if (has_room(endpoint, requests)) [[likely]]
    return true;
  if (endpoint.note.due || endpoint.work.under_way() + requests + kSpare > depth_) {
    flush_tail(endpoint);
  } else {
    flush_tails();
  }
  return false;
}

/// Whether a message that is not inline has a place.
bool WorkQueue::slot_room() {
  if (slots_.has_room()) [[likely]]
    return true;
  flush_tails();
  return false;
}

/// Makes the last work requests, of which nobody wanted to hear, give a completion: an empty write
/// behind them does.
void WorkQueue::flush_tail(Endpoint& endpoint) {
  if (!endpoint.work.has_tail() || endpoint.state != State::open || !spare_room(endpoint)) return;
  ibv_send_wr request = {};
  request.opcode = IBV_WR_RDMA_WRITE;
  submit(endpoint, request, Record{}, true);
}

void WorkQueue::flush_tails() {
  for (Endpoint& endpoint : endpoints_) flush_tail(endpoint);
}

void WorkQueue::submit(Endpoint& endpoint, ibv_send_wr& request, const Record& record,
                       bool signal) {
  hand_over(endpoint, request, record, signal);
}

void WorkQueue::on_refusal(Endpoint& endpoint, const Record& record, int error) {
  teardown_.fail_endpoint(endpoint, fmt::format("{}: a work request was refused: {}",
                                                adapter_.way_to(endpoint), std::strerror(error)));
  release(endpoint, record, MPI_ERR_PROC_ABORTED);
  agenda_.complete(endpoint.id, record.cookie, MPI_ERR_PROC_ABORTED);
}

/// A work request is finished, and with it those before it on its connection. With iWARP not the
/// gets among these: an adapter may report a send while a get before it waits for its data.
bool WorkQueue::retire(const ibv_wc& work, Completion& out) {
  const auto sequence = static_cast<std::uint32_t>(work.wr_id);
  Endpoint& endpoint = endpoints_[static_cast<EndpointId>(work.wr_id >> 32)];
  if (!endpoint.work.holds(sequence)) return false;  // given up before
  int status = MPI_SUCCESS;
  if (work.status != IBV_WC_SUCCESS) [[unlikely]] {
    status = work.status == IBV_WC_REM_ACCESS_ERR ? MPI_ERR_RMA_RANGE : MPI_ERR_PROC_ABORTED;
    teardown_.on_failed_work(endpoint, work);
  }
  const Record own = endpoint.work.finish(sequence, [&](const Record& record) {
    --outstanding_;
    if (record.kind != RecordKind::plain) release(endpoint, record, MPI_SUCCESS);
    if (record.cookie != kNoCompletion) agenda_.complete(endpoint.id, record.cookie, MPI_SUCCESS);
  });
  if (own.kind != RecordKind::plain) release(endpoint, own, status);
  if (own.cookie == kNoCompletion) return false;
  out = {CompletionKind::local, status, endpoint.id, 0, own.cookie, {}};
  return true;
}

/// Gives back what a work request held.
void WorkQueue::release(Endpoint& endpoint, const Record& record, int status) {
  if (record.kind == RecordKind::buffered) {
    slots_.give_back(record.resource);
  } else if (record.kind == RecordKind::swap) {
    swaps_.on_done(record.resource, status);
  } else if (record.kind == RecordKind::proof) {
    endpoint.note.flies = false;
  }
}

void WorkQueue::abandon(Endpoint& endpoint) {
  endpoint.work.abandon([&](const Record& record) {
    --outstanding_;
    release(endpoint, record, MPI_ERR_PROC_ABORTED);
    agenda_.complete(endpoint.id, record.cookie, MPI_ERR_PROC_ABORTED);
  });
}

}  // namespace remit::verbs
