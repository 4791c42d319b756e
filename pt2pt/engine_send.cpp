// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a message leaves: eagerly while there are credits, else announced.
#include <algorithm>
#include <cstring>

#include "pt2pt/engine.hpp"
#include "pt2pt/engine_post.hpp"

namespace remit {

void Engine::isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
                   SendMode mode, bool collective) {
  request.complete = false;
  request.status = OpStatus{};
  request.view = buffer;
  request.mode = mode;
  request.proc = comm.peers().proc(dest);
  request.key = {comm.context + (collective ? 1U : 0U), comm.rank, tag};
  request.place = RequestPlace::nowhere;
  if (request.proc == self_) return send_to_self(request);
  Peer& peer = this->peer(request.proc);
  if (peer.device != nullptr && !peer.failed) [[likely]] {
    start_send(peer, request);
  } else if (peer.failed) {
    fail(request, MPI_ERR_PROC_ABORTED);
  } else {
    request.place = RequestPlace::waiting;
    peer.waiting.push_back(request);
    ++waiting_;
    links_.connect(peer);
  }
}

void Engine::start_send(Peer& peer, Request& request) {
  LinkDevice& slot = *peer.device;
  const std::size_t bytes = request.view.size();
  const LayoutClass layout = layout_of(request.view, *slot.device);
  const DeviceProtocols& protocols = *peer.protocols;
  if (bytes >= protocols.table.eager_below(layout)) return send_rts(peer, request, bytes, false);
  const std::uint32_t units = units_of(bytes);
  const bool is_long = bytes >= protocols.long_send;
  // Long ones leave credits for those that have no other way to complete by themselves.
  const std::uint32_t reserve = is_long ? peer.their_window / 2 : 0;
  if (units + reserve > peer.credits) return send_rts(peer, request, bytes, true);
  if (is_long &&
      (!slot.pending.empty(peer.endpoint) || !slot.eager->takes_now(peer.endpoint, bytes))) {
    return send_rts(peer, request, bytes, false);
  }
  send_eager(peer, request, bytes, units);
}

void Engine::send_eager(Peer& peer, Request& request, std::size_t bytes, std::uint32_t units) {
  peer.credits -= units;
  ++counters_.eager;
  std::span<const std::byte> data;
  if (request.view.is_contiguous()) {
    data = {request.view.data(), bytes};
  } else {
    request.view.pack(0, std::span(scratch_).first(bytes));
    data = std::span(scratch_).first(bytes);
  }
  EagerHeader header;
  header.context = request.key.context;
  header.source = request.key.source;
  header.tag = request.key.tag;
  if (request.mode != SendMode::synchronous) {
    send_message(peer, header, data);
    complete(request);
    return;
  }
  Transfer* transfer = transfers_.allocate();
  transfer->kind = TransferKind::await_ack;
  transfer->is_send = true;
  transfer->peer = &peer;
  transfer->request = &request;
  ++sending_;
  request.place = RequestPlace::transfer;
  request.transfer = transfers_.handle_of(transfer);
  EagerSyncHeader sync;
  sync.match = header;
  sync.match.kind = MessageKind::eager_sync;
  sync.sender = request.transfer;
  send_message(peer, sync, data);
}

void Engine::send_rts(Peer& peer, Request& request, std::size_t bytes, bool starved) {
  LinkDevice& slot = *peer.device;
  Transfer* transfer = transfers_.allocate();
  transfer->kind = TransferKind::await_answer;
  transfer->is_send = true;
  transfer->peer = &peer;
  transfer->request = &request;
  transfer->length = bytes;
  transfer->key = request.key;
  const std::size_t piece = slot.memory.pin_piece();
  transfer->chunk =
      static_cast<std::uint32_t>(piece != 0 ? std::min(slot.chunk, piece) : slot.chunk);
  ++sending_;
  ++counters_.rendezvous;
  if (starved) ++counters_.starved;
  request.place = RequestPlace::transfer;
  request.transfer = transfers_.handle_of(transfer);

  RtsHeader header;
  header.match.kind = MessageKind::rts;
  if (starved) {
    const bool may_pull =
        request.mode != SendMode::synchronous && bytes < peer.protocols->long_send;
    header.match.flags = kStarved | (may_pull ? kMayPull : 0);
  }
  // What fits the announcement need not be asked for.
  const bool carries = starved && bytes <= kRtsData;
  if (carries) {
    header.match.flags |= kHasData;
    header.data = {};
    request.view.pack(0, std::span(header.data).first(bytes));
  }
  header.match.context = request.key.context;
  header.match.source = request.key.source;
  header.match.tag = request.key.tag;
  header.length = bytes;
  header.sender = request.transfer;
  if (peer.same_device && !carries) offer(*transfer, header);
  send_message(peer, header);
}

/// What the receiver may choose besides fragments. What is eager by its size, but found no credit,
/// gets the cheapest rendezvous that works: fragments, if it is not long.
void Engine::offer(Transfer& transfer, RtsHeader& header) {
  LinkDevice& slot = *transfer.peer->device;
  const Caps& caps = slot.device->caps();
  const DeviceProtocols& protocols = *transfer.peer->protocols;
  const View& view = transfer.request->view;
  const LayoutClass layout = layout_of(view, *slot.device);
  const bool is_long = transfer.length >= protocols.long_send;
  const std::size_t first = is_long ? protocols.table.eager_below(layout) : 0;
  const Protocol protocol = protocols.table.choose(layout, std::max(first, transfer.length));
  if (protocol != Protocol::rendezvous_get && protocol != Protocol::rendezvous_put) return;
  const bool contiguous = layout == LayoutClass::contiguous;
  if (contiguous && protocol == Protocol::rendezvous_get &&
      map(transfer, {view.data(), transfer.length}, Access::remote_read)) {
    header.match.flags |= kCanGet;
    header.remote = {reinterpret_cast<std::uintptr_t>(view.data()),
                     transfer.memory.region().remote_key};
  }
  const bool can_put = caps.has_put && caps.notify != NotifyMode::none;
  if (can_put && (contiguous || map_lists(transfer))) header.put_chunk = transfer.chunk;
}

void Engine::send_to_self(Request& request) {
  if (PostedLink* posted = matcher_.take_posted(request.key)) {
    auto& receive = static_cast<Request&>(*posted);
    copy(request.view, receive.view);
    set_received(receive, request.key, request.view.size());
    complete(receive);
    complete(request);
    return;
  }
  const std::size_t bytes = request.view.size();
  const std::uint32_t units = units_of(bytes);
  Unexpected* message = unexpected_.allocate();
  message->links[0].key = request.key;
  message->bytes = bytes;
  if (request.mode != SendMode::synchronous && units <= unleased_ && bytes <= kSelfEager) {
    unleased_ -= units;
    message->kind = UnexpectedKind::from_self_eager;
    message->units = units;
    if (bytes != 0) {
      message->data = blocks_.allocate(bytes);
      request.view.pack(0, {message->data, bytes});
    }
    complete(request);
  } else {
    message->kind = UnexpectedKind::from_self;
    message->request = &request;
    request.place = RequestPlace::at_self;
    request.unexpected = message;
  }
  matcher_.add(*message);
  note_unexpected();
}

void Engine::send_handle(Peer& peer, MessageKind kind, SlabHandle handle, std::uint32_t value,
                         std::uint8_t flags) {
  HandleHeader header;
  header.kind = kind;
  header.flags = flags;
  header.handle = handle;
  header.value = value;
  send_message(peer, header);
}

}  // namespace remit
