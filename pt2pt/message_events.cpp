// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/message_events.hpp"

#include <utility>

namespace remit {

namespace {

EventOperation operation_of(const Request& request) {
  return request.kind == RequestKind::receive ? EventOperation::receive : EventOperation::send;
}

std::uint64_t name_of_request(const Request& request) {
  return reinterpret_cast<std::uintptr_t>(&request);
}

}  // namespace

void MessageEvents::tell_posted(const Request& request) {
  events_.raise(EventKind::request_posted, name_of_request(request), operation_of(request),
                peer_number(request.proc), request.key.context, request.key.tag,
                request.view.size());
}

void MessageEvents::note_of_collective(const Request& request) {
  last_key_ = request.key;
  last_peer_ = request.proc;
  if (!is_of(request.key, awaited_.context, awaited_.tag)) return;
  const std::int64_t now = monotonic_ns();
  const std::int64_t took = now - std::exchange(awaited_.since_ns, now);
  if (took <= awaited_.longest_ns) return;
  awaited_.longest_ns = took;
  awaited_.peer = request.proc;
}

void MessageEvents::tell_completed(const Request& request) {
  const bool of_collective = request.key.context % 2 != 0;
  if (of_collective) note_of_collective(request);
  const bool received = operation_of(request) == EventOperation::receive;
  const bool has_status = received && !request.status.cancelled;
  events_.raise(EventKind::request_completed, name_of_request(request), operation_of(request),
                peer_number(request.proc), request.key.context,
                has_status ? request.status.tag : request.key.tag,
                received ? static_cast<std::int64_t>(request.status.bytes)
                         : static_cast<std::int64_t>(request.view.size()),
                request.status.error);
}

}  // namespace remit
