// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Sending, and the turn of the progress loop.
#include "links/links.hpp"

#include <algorithm>
#include <new>

namespace remit {

Links::Links(Process& process, std::vector<std::unique_ptr<Device>> devices, MakeLink make)
    : process_(process),
      table_(static_cast<std::size_t>(process.size()), make),
      devices_(process.params(), std::move(devices)),
      directory_(process, table_),
      postponed_(users_),
      lost_links_(process.log(), directory_, table_, postponed_, users_),
      connector_({process, table_, directory_, devices_, postponed_, lost_links_, users_}) {
  process_.progress().sources().add(this);
  devices_.set_events(process_.events());
}

Links::~Links() {
  process_.progress().sources().remove(this);
}

void Links::send(Link& link, std::span<const Piece> pieces) {
  LinkDevice& slot = *link.device;
  SequenceHeader sequence;
  std::array<Piece, 3> all;
  std::size_t count = 0;
  if (!slot.ordered) {
    sequence = link.order->stamp();
    all[count++] = {&sequence, sizeof sequence, 0};
  }
  for (const Piece& piece : pieces) all[count++] = piece;
  if (count > slot.device->caps().max_pieces) {
    gathered_.clear();
    for (const Piece& piece : std::span(all).first(count)) {
      const auto* bytes = static_cast<const std::byte*>(piece.address);
      gathered_.insert(gathered_.end(), bytes, bytes + piece.length);
    }
    all[0] = {gathered_.data(), gathered_.size(), 0};
    count = 1;
  }
  Operation operation;
  operation.local = std::span(all).first(count);
  slot.pending.post(*slot.device, link.endpoint, {&operation, 1});
  if (!slot.ordered) link.order->sent();
}

void Links::post_unconnected(Link& link, std::span<const Operation> operations) {
  if (link.failed) return postponed_.refuse(operations);
  postponed_.keep(link, operations);
  connect(link);
}

Link* Links::link_of(LinkDevice& slot, EndpointId endpoint) {
  if (endpoint < slot.by_endpoint.size() && slot.by_endpoint[endpoint] != nullptr) [[likely]] {
    return slot.by_endpoint[endpoint];
  }
  const ProcId proc = directory_.proc_of(slot.device->peer(endpoint));
  if (proc == kAnyProc) return nullptr;
  Link& link = table_.get(proc);
  connector_.attach(link, slot, endpoint);
  return &link;
}

void Links::dispatch(LinkDevice& slot, const Completion& completion) {
  if (completion.kind == CompletionKind::local) {
    return users_.completed(completion.cookie, completion.status);
  }
  const bool ends = completion.kind == CompletionKind::endpoint_closed ||
                    completion.kind == CompletionKind::endpoint_failed;
  if (ends && connector_.ends_aside(slot, completion.endpoint)) return;
  Link* link = link_of(slot, completion.endpoint);
  if (link == nullptr) return users_.note_malformed();
  switch (completion.kind) {
    case CompletionKind::receive: {
      if (slot.ordered) [[likely]]
        return users_.message(*link, completion.data);
      if (!link->order) link->order = std::make_unique<MessageOrder>();
      const auto deliver = [&](std::span<const std::byte> data) { users_.message(*link, data); };
      if (!link->order->restore(completion.data, deliver)) users_.note_malformed();
      return;
    }
    case CompletionKind::notification:
      return users_.notified(*link, completion.notification);
    case CompletionKind::endpoint_closed:
    case CompletionKind::endpoint_failed:
      return lost_links_.add(*link, slot.device->explain(completion.endpoint),
                             completion.kind == CompletionKind::endpoint_closed);
    case CompletionKind::local:
      return;
  }
}

void Links::deliver(LinkDevice& slot, std::span<const Completion> found) {
  if (LinkUser* const first = users_.matching()) [[likely]] {
    first->arrived(slot, found);
  } else {
    for (const Completion& completion : found) dispatch(slot, completion);
  }
  slot.eager->have_read();
}

int Links::progress() {
  std::size_t events = 0;
  if (!rest_.empty()) [[unlikely]] {
    events = rest_.size();
    deliver(*rest_of_, std::exchange(rest_, {}));
  }
  unpolled = 0;
  for (const auto& slot : devices_) {
    const std::size_t count = slot->device->poll(completions_);
    if (count != 0) deliver(*slot, std::span(completions_).first(count));
    events += count;
    if (!slot->pending.empty()) [[unlikely]]
      events += slot->pending.flush(*slot->device);
    slot->memory.reap();
  }
  if (connector_.looking_up()) [[unlikely]]
    events += static_cast<std::size_t>(connector_.take_answers());
  if (postponed_.refused()) [[unlikely]]
    events += static_cast<std::size_t>(postponed_.complete());
  if (users_.take_shortage()) [[unlikely]]
    throw std::bad_alloc();
  return static_cast<int>(events);
}

void Links::wait_fds(std::vector<int>& out) const {
  for (const auto& slot : devices_) {
    if (const int fd = slot->device->wait_fd(); fd >= 0) out.push_back(fd);
  }
  if (connector_.looking_up()) {
    if (const int fd = process_.bootstrap().wait_fd(); fd >= 0) out.push_back(fd);
  }
}

int Links::max_sleep_ms() const {
  int bound = -1;
  const auto at_most = [&](int ms) { bound = bound < 0 ? ms : std::min(bound, ms); };
  for (const auto& slot : devices_) {
    if (const int ms = slot->device->max_sleep_ms(); ms >= 0) at_most(ms);
    if (slot->device->wait_fd() < 0 || !slot->pending.empty()) at_most(1);
  }
  if (connector_.looking_up() && process_.bootstrap().wait_fd() < 0) at_most(1);
  if (postponed_.refused()) at_most(0);
  return bound;
}

Links::HostPath Links::host_path(ProcId proc) const {
  const Link* link = table_.find(proc);
  if (link == nullptr || link->device == nullptr || link->failed) return {};
  return {link->device->host_memory, link->endpoint};
}

}  // namespace remit
