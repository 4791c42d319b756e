// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Swaps by compare-and-swap.
#include "rdma_btl/verbs/messages/swaps.hpp"

#include <algorithm>
#include <cstring>

#include "rdma_btl/verbs/credits/borrowing.hpp"
#include "rdma_btl/verbs/messages/messages.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"

namespace remit::verbs {

bool Swaps::start(Endpoint& endpoint, const Operation& operation) {
  if (!work_.slot_room()) return false;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.push_back(std::make_unique<Job>());
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Job& job = *jobs_[index];
  job = Job{};
  job.index = index;
  job.live = true;
  job.endpoint = endpoint.id;
  job.notify = operation.notify;
  job.notification = operation.notification;
  job.slot = work_.slots().take();
  job.operand = operation.operand;
  job.cookie = operation.cookie;
  job.remote = operation.remote;
  job.result = operation.local.empty() ? nullptr : operation.local[0].address;
  attempt(job);
  return true;
}

bool Swaps::any_of(EndpointId endpoint) const {
  return std::ranges::any_of(jobs_, [endpoint](const std::unique_ptr<Job>& job) {
    return job->live && !job->swapped && job->endpoint == endpoint;
  });
}

/// One attempt, with the guess so far.
void Swaps::attempt(const Job& job) {
  Endpoint& endpoint = endpoints_[job.endpoint];
  ibv_sge result = {reinterpret_cast<std::uintptr_t>(work_.slots()[job.slot]), 8,
                    work_.slots().lkey()};
  ibv_send_wr request = {};
  request.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  request.sg_list = &result;
  request.num_sge = 1;
  request.wr.atomic = {job.remote.address, job.guess, job.operand,
                       static_cast<std::uint32_t>(job.remote.key)};
  Record record;
  record.kind = RecordKind::swap;
  record.resource = job.index;
  ++counters_.atomics;
  work_.submit(endpoint, request, record, true);
}

void Swaps::on_done(std::uint32_t index, int status) {
  Job& job = *jobs_[index];
  if (status != MPI_SUCCESS) return end(job, status);
  std::uint64_t old = 0;
  std::memcpy(&old, work_.slots()[job.slot], sizeof old);
  if (old == job.guess) {
    job.swapped = true;
    if (job.result != nullptr) std::memcpy(job.result, &old, sizeof old);
    work_.slots().give_back(job.slot);
    if (!job.notify) return end(job, MPI_SUCCESS);
  }
  job.guess = old;
  due_.push_back(index);
  agenda_.attention = true;
}

void Swaps::end(Job& job, int status) {
  job.live = false;
  if (!job.swapped) work_.slots().give_back(job.slot);
  agenda_.complete(job.endpoint, job.cookie, status);
  free_.push_back(job.index);
}

/// The next attempt of swaps whose guess was wrong, and the notifications of those that are done.
void Swaps::retry() {
  std::vector<std::uint32_t> due;
  due.swap(due_);
  for (const std::uint32_t index : due) {
    Job& job = *jobs_[index];
    Endpoint& endpoint = endpoints_[job.endpoint];
    if (endpoint.state != State::open) {
      end(job, MPI_ERR_PROC_ABORTED);
      continue;
    }
    const bool no_credit = job.swapped && !Borrowing::can_send(endpoint);
    if (no_credit) (void)borrowing_.starve(endpoint);
    if (no_credit || !work_.room(endpoint, 2) || (job.swapped && !work_.message_room())) {
      due_.push_back(index);
      continue;
    }
    if (!job.swapped) {
      attempt(job);
      continue;
    }
    messages_.post_signal(endpoint, job.notification);
    end(job, MPI_SUCCESS);
  }
}

}  // namespace remit::verbs
