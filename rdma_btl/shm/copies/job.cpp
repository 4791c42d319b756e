// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/copies/job.hpp"

namespace remit::shm {

Job& JobTable::add(EndpointId endpoint, const Operation& operation) {
  if (free_.empty()) {
    auto made = std::make_unique<Job>();
    made->index = size();
    free_.reserve(jobs_.size() + 1);  // remove() takes no memory
    jobs_.push_back(std::move(made));
    free_.push_back(jobs_.back()->index);
  }
  Job& job = *jobs_[free_.back()];
  job.pieces.assign(operation.local.begin(), operation.local.end());
  free_.pop_back();
  job.kind = operation.kind;
  job.phase = Phase::connecting;
  job.atomic = operation.atomic;
  job.notify = operation.notify;
  job.notification = operation.notification;
  job.endpoint = endpoint;
  job.cookie = operation.cookie;
  job.remote = operation.remote;
  job.operand = operation.operand;
  job.compare = operation.compare;
  job.begun_ns = 0;
  job.total = job.done = job.piece = job.piece_offset = 0;
  for (const Piece& piece : job.pieces) job.total += piece.length;
  return job;
}

void JobTable::remove(Job& job) {
  job.phase = Phase::unused;
  ++job.generation;
  free_.push_back(job.index);
}

Job* JobTable::find(JobName name, EndpointId endpoint) const {
  const auto index = static_cast<std::uint32_t>(name);
  if (index >= jobs_.size()) return nullptr;
  Job& job = *jobs_[index];
  return job.phase != Phase::unused && job.generation == name >> 32 && job.endpoint == endpoint
             ? &job
             : nullptr;
}

}  // namespace remit::shm
