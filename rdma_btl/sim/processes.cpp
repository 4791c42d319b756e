// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/processes.hpp"

#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace remit::sim {

std::uint32_t Processes::next_index(PeerName name) const {
  if (knows(name, name) || odd_names_.contains(name)) {
    throw std::invalid_argument("the simulated network has this process already");
  }
  return static_cast<std::uint32_t>(processes_.size());
}

void Processes::add(VirtualProcess& process) {
  if (process.name != process.index) odd_names_.emplace(process.name, process.index);
  processes_.push_back(&process);
  names_.push_back(process.name);
}

void Processes::remove(const VirtualProcess& process) {
  if (!process.dead) lost_at_exit_ += process.in_flight;
  processes_[process.index] = nullptr;
}

std::uint32_t Processes::index_of(PeerName name) const {
  if (knows(name, name)) return static_cast<std::uint32_t>(name);
  const auto found = odd_names_.find(name);
  if (found == odd_names_.end()) {
    throw std::invalid_argument("the simulated network has no such process");
  }
  return found->second;
}

VirtualProcess& Processes::of(PeerName name) const {
  VirtualProcess* process = at(index_of(name));
  if (process == nullptr) throw std::invalid_argument("the simulated process has left");
  return *process;
}

VirtualProcess* Processes::living(std::uint32_t index) const {
  VirtualProcess* const process = at(index);
  return process == nullptr || process->dead ? nullptr : process;
}

void Processes::make_ready(VirtualProcess& process) {
  if (process.ready || process.dead) return;
  process.ready = true;
  ready_.push_back(process.index);
}

void Processes::wake(VirtualProcess& process) {
  make_ready(process);
  if (process.armed && process.wait_fd >= 0) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(process.wait_fd, &one, sizeof one);
  }
}

std::optional<PeerName> Processes::pop_ready() {
  while (ready_head_ < ready_.size()) {
    if (shuffle_) {
      const std::size_t other = ready_head_ + random_.below(ready_.size() - ready_head_);
      std::swap(ready_[ready_head_], ready_[other]);
    }
    VirtualProcess* const process = at(ready_[ready_head_++]);
    if (process == nullptr) continue;
    process->ready = false;
    if (!process->dead) return process->name;
  }
  ready_.clear();
  ready_head_ = 0;
  return std::nullopt;
}

std::size_t Processes::memory_in_use() const {
  return processes_.capacity() * sizeof(VirtualProcess*) + names_.capacity() * sizeof(PeerName) +
         ready_.capacity() * sizeof(std::uint32_t);
}

}  // namespace remit::sim
