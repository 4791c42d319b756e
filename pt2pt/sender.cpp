// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/sender.hpp"

#include <algorithm>
#include <new>

#include "pt2pt/memory_pool.hpp"

namespace remit {

Sender::Sender(const Parts& parts)
    : parts_(parts), self_(proc_of_world_rank(parts.process.rank())) {
  const ProtocolOptions options = ProtocolOptions::from(parts_.process.params());
  for (const auto& slot : parts_.links.devices()) {
    const Caps& caps = slot->device->caps();
    DeviceProtocols& protocols = protocols_.emplace_back();
    protocols.long_send = slot->eager->long_send();
    protocols.table = ProtocolTable(caps, options, protocols.long_send);
    protocols.fragment = std::min(options.fragment, max_send_payload(caps, sizeof(FragmentHeader)));
  }
}

void Sender::isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
                   SendMode mode, bool collective) {
  request.complete = false;
  request.status = OpStatus{};
  request.view = buffer;
  request.mode = mode;
  request.proc = comm.peers().proc(dest);
  request.key = {comm.context + (collective ? 1U : 0U), comm.rank, tag};
  request.place = RequestPlace::nowhere;
  parts_.events.posted(request);
  if (request.proc == self_) {
    parts_.events.protocol(request, request.view.size(), ProtocolEvent::self);
    return parts_.receiver.from_self(request);
  }
  auto& peer = static_cast<Peer&>(parts_.links.get(request.proc));
  if (peer.device != nullptr && !peer.failed) [[likely]] {
    start(peer, request);
  } else if (peer.failed) {
    parts_.events.fail(request, MPI_ERR_PROC_ABORTED);
  } else {
    wait_for_connection(peer, request);
  }
}

/// That the link is connected, or lost, may be told before connect() returns: then the request does
/// not wait any more.
void Sender::wait_for_connection(Peer& peer, Request& request) {
  request.place = RequestPlace::waiting;
  peer.waiting.push_back(request);
  ++waiting_;
  try {
    parts_.links.connect(peer);
  } catch (const std::bad_alloc&) {
    if (request.place != RequestPlace::waiting) return;
    request.place = RequestPlace::nowhere;
    request.ListNode<>::unlink();
    --waiting_;
    throw;
  }
}

void Sender::start(Peer& peer, Request& request) {
  LinkDevice& slot = *peer.device;
  const std::size_t bytes = request.view.size();
  const LayoutClass layout = layout_of(request.view, slot.device->caps());
  const DeviceProtocols& protocols = *peer.protocols;
  Rendezvous& rendezvous = parts_.rendezvous;
  if (bytes >= protocols.table.eager_below(layout)) {
    parts_.events.protocol(request, bytes, ProtocolEvent::rendezvous);
    return rendezvous.announce(peer, request, bytes, false);
  }
  const std::uint32_t units = units_of(bytes);
  const bool is_long = bytes >= protocols.long_send;
  // Long ones leave credits for those that have no other way to complete by themselves.
  const std::uint32_t reserve = is_long ? peer.their_window / 2 : 0;
  if (!peer.credits.allow(units, reserve)) {
    parts_.events.protocol(request, bytes, ProtocolEvent::starved);
    parts_.events.events().raise(EventKind::credits_starved,
                                 MessageEvents::peer_number(request.proc), request.key.context,
                                 request.key.tag, bytes);
    return rendezvous.announce(peer, request, bytes, true);
  }
  if (is_long &&
      (!slot.pending.empty(peer.endpoint) || !slot.eager->takes_now(peer.endpoint, bytes))) {
    parts_.events.protocol(request, bytes, ProtocolEvent::rendezvous);
    return rendezvous.announce(peer, request, bytes, false);
  }
  send_eager(peer, request, bytes, units);
}

void Sender::send_eager(Peer& peer, Request& request, std::size_t bytes, std::uint32_t units) {
  const bool synchronous = request.mode == SendMode::synchronous;
  parts_.events.protocol(request, bytes,
                         synchronous ? ProtocolEvent::eager_synchronous : ProtocolEvent::eager);
  const auto data = parts_.messenger.packed(request.view, 0, bytes);
  EagerHeader header;
  header.context = request.key.context;
  header.source = request.key.source;
  header.tag = request.key.tag;
  if (synchronous) {
    parts_.rendezvous.send_synchronous(peer, request, header, data);
  } else {
    parts_.messenger.send(peer, header, data);
  }
  peer.credits.spend(units);
  ++parts_.counters.eager;
  if (!synchronous) parts_.events.complete(request);
}

void Sender::cancel_waiting(Request& request) {
  request.ListNode<>::unlink();
  --waiting_;
  parts_.events.cancel(request);
}

/// A send that there is no memory for ends: nobody would begin it again, and others wait behind it.
void Sender::connected(Peer& peer) {
  peer.protocols = &protocols_[peer.device->index];
  while (Request* request = peer.waiting.pop_front()) {
    --waiting_;
    request->place = RequestPlace::nowhere;
    try {
      start(peer, *request);
    } catch (const std::bad_alloc&) {
      parts_.events.fail(*request, MPI_ERR_NO_MEM);
    }
  }
}

void Sender::lost(Peer& peer) {
  while (Request* request = peer.waiting.pop_front()) {
    --waiting_;
    parts_.events.fail(*request, MPI_ERR_PROC_ABORTED);
  }
}

}  // namespace remit
