// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The LogGP machine.
#include <algorithm>
#include <cstring>

#include "pt2pt/engine.hpp"

namespace remit {

Engine::Engine(Process& process, const MachineCosts& costs, int processes,
               const std::vector<MachineLevel>& inner)
    : process_(process),
      levels_(inner),
      processors_(static_cast<std::size_t>(processes)),
      posted_(static_cast<std::size_t>(processes)),
      first_kept_(static_cast<std::size_t>(processes), -1),
      last_kept_(static_cast<std::size_t>(processes), -1) {
  levels_.push_back({processes, costs});
}

Engine::~Engine() {
  const auto drop = [](const Message& message) {
    if (message.bytes > sizeof message.near) delete[] message.far;
  };
  for (const auto& [time, messages] : arrivals_) {
    std::for_each(messages.begin(), messages.end(), drop);
  }
  std::for_each(now_.begin(), now_.end(), drop);
}

std::uint32_t Engine::level_of(ProcId a, ProcId b) const {
  std::uint32_t level = 0;
  while (level + 1U < levels_.size()) {
    const auto each = static_cast<std::uint32_t>(levels_[level].processes);
    if (number_of(a) / each == number_of(b) / each) break;
    ++level;
  }
  return level;
}

VirtualTime Engine::spread(const Message& message) const {
  if (message.bytes == 0) return 0;
  return static_cast<VirtualTime>(static_cast<double>(message.bytes - 1) *
                                  costs_of(message).per_byte);
}

void Engine::isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
                   SendMode /*mode*/, bool /*collective*/) {
  const ProcId from = comm.local->proc(comm.rank);
  Processor& sender = processors_[number_of(from)];
  Message message;
  message.to = comm.peers().proc(dest);
  message.level = level_of(from, message.to) & 7U;
  message.source = comm.rank;
  message.context = comm.context;
  message.tag = tag;
  message.bytes = static_cast<std::uint32_t>(buffer.size());
  std::byte* data = message.near;
  if (message.bytes > sizeof message.near) data = message.far = new std::byte[message.bytes];
  if (message.bytes != 0) buffer.pack(0, {data, message.bytes});
  ++sender.messages;
  if (message.level + 1U == levels_.size()) ++sender.outward;
  sender.bytes += message.bytes;
  const MachineCosts& costs = costs_of(message);
  sender.free += costs.overhead;
  const VirtualTime last_byte = std::max(sender.free, sender.out_free) + spread(message);
  sender.out_free = last_byte + costs.gap;
  arrivals_[last_byte + costs.latency].push_back(message);
  request.status = OpStatus{};
  request.complete = true;
}

void Engine::irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
                   bool /*collective*/) {
  const std::uint32_t me = number_of(comm.local->proc(comm.rank));
  request.complete = false;
  request.view = buffer;
  request.key = {comm.context, source, tag};
  std::int32_t previous = -1;
  for (std::int32_t at = first_kept_[me]; at >= 0;) {
    Message& message = kept_[static_cast<std::size_t>(at)];
    const std::int32_t next = message.next;
    if (message.source == source && message.tag == tag && message.context == comm.context) {
      if (previous < 0) {
        first_kept_[me] = next;
      } else {
        kept_[static_cast<std::size_t>(previous)].next = next;
      }
      if (last_kept_[me] == at) last_kept_[me] = previous;
      free_kept_.push_back(at);
      complete(processors_[me], request, message);
      return;
    }
    previous = at;
    at = next;
  }
  posted_[me].push_back(request);
}

void Engine::complete(Processor& processor, Request& request, const Message& message) {
  processor.free += costs_of(message).overhead;
  const bool is_far = message.bytes > sizeof message.near;
  const std::size_t room = request.view.size();
  const std::size_t bytes = std::min<std::size_t>(room, message.bytes);
  if (bytes != 0) request.view.unpack(0, {is_far ? message.far : message.near, bytes});
  if (is_far) delete[] message.far;
  request.status = OpStatus{};
  request.status.source = message.source;
  request.status.tag = message.tag;
  request.status.error = message.bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  request.status.bytes = static_cast<MPI_Count>(bytes);
  complete_request(request, process_.progress());
}

std::int32_t Engine::keep(const Message& message) {
  std::int32_t at = 0;
  if (free_kept_.empty()) {
    at = static_cast<std::int32_t>(kept_.size());
    kept_.push_back(message);
  } else {
    at = free_kept_.back();
    free_kept_.pop_back();
    kept_[static_cast<std::size_t>(at)] = message;
  }
  kept_[static_cast<std::size_t>(at)].next = -1;
  return at;
}

void Engine::arrive(const Message& message, VirtualTime time) {
  Processor& receiver = processors_[number_of(message.to)];
  const VirtualTime whole = std::max(time, receiver.in_free + spread(message));
  receiver.in_free = whole + costs_of(message).gap;
  // What the processor does with the message is after that, whoever asks for it.
  receiver.free = std::max(receiver.free, whole);
  for (Request& request : posted_[number_of(message.to)]) {
    if (request.key.source != message.source || request.key.tag != message.tag ||
        request.key.context != message.context) {
      continue;
    }
    Waiting::erase(request);
    complete(receiver, request, message);
    return;
  }
  const std::int32_t at = keep(message);
  std::int32_t& last = last_kept_[number_of(message.to)];
  if (last < 0) {
    first_kept_[number_of(message.to)] = at;
  } else {
    kept_[static_cast<std::size_t>(last)].next = at;
  }
  last = at;
}

bool Engine::step() {
  if (now_.empty()) {
    if (arrivals_.empty()) return false;
    const auto first = arrivals_.begin();
    time_ = first->first;
    now_.swap(first->second);
    arrivals_.erase(first);
    std::reverse(now_.begin(), now_.end());
  }
  const Message message = now_.back();
  now_.pop_back();
  arrive(message, time_);
  process_.progress().poll();
  return true;
}

}  // namespace remit
