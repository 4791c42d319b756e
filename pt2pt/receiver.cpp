// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/receiver.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <vector>

#include "pt2pt/receiver_deliver.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Longest message to oneself that is copied so that its send completes at once.
constexpr std::size_t kSelfEager = 8192;

void prepare_receive(Request& request, const View& buffer) {
  request.complete = false;
  request.status = OpStatus{};
  request.view = buffer;
  request.place = RequestPlace::nowhere;
}

/// Copies the packed bytes of one buffer to another, as many as both hold.
void copy_packed(const View& from, const View& to) {
  const std::size_t bytes = std::min(from.size(), to.size());
  if (bytes == 0) return;
  if (from.is_contiguous()) {
    to.unpack(0, {from.data(), bytes});
  } else if (to.is_contiguous()) {
    from.pack(0, {to.data(), bytes});
  } else {
    std::array<std::byte, 4096> part;
    for (std::size_t at = 0; at < bytes;) {
      const std::size_t length = std::min(part.size(), bytes - at);
      from.pack(at, std::span(part).first(length));
      to.unpack(at, std::span(part).first(length));
      at += length;
    }
  }
}

Announcement read_announcement(const RtsHeader& header) {
  Announcement announced;
  announced.length = static_cast<std::size_t>(header.length);
  announced.sender = header.sender;
  announced.can_get = (header.match.flags & kCanGet) != 0;
  announced.put_chunk = header.put_chunk;
  announced.has_data = (header.match.flags & kHasData) != 0 && header.length <= kRtsData;
  if (announced.has_data) {
    announced.data = header.data;
  } else {
    announced.remote = {header.remote.address, header.remote.key};
  }
  return announced;
}

}  // namespace

void Receiver::irecv(Request& request, const View& buffer, int source, int tag,
                     const CommCore& comm, bool collective) {
  prepare_receive(request, buffer);
  request.key = {comm.context + (collective ? 1U : 0U), source, tag};
  request.proc = source == MPI_ANY_SOURCE ? kAnyProc : comm.peers().proc(source);
  parts_.events.posted(request);
  if (UnexpectedLinks* found = matcher_.find(request.key)) {
    return consume(static_cast<Unexpected&>(*found), request);
  }
  if (request.proc != kAnyProc) {
    const Link* link = parts_.links.find(request.proc);
    if (link != nullptr && link->failed) {
      return parts_.events.fail(request, MPI_ERR_PROC_ABORTED);
    }
  }
  request.place = RequestPlace::posted;
  matcher_.post(request);
}

std::optional<ProbeResult> Receiver::iprobe(int source, int tag, const CommCore& comm) {
  const UnexpectedLinks* found = matcher_.find({comm.context, source, tag});
  if (found == nullptr) return std::nullopt;
  return ProbeResult{found->key().source, found->key().tag,
                     static_cast<MPI_Count>(static_cast<const Unexpected*>(found)->bytes)};
}

MatchedMessage* Receiver::improbe(int source, int tag, const CommCore& comm, ProbeResult& result) {
  UnexpectedLinks* found = matcher_.find({comm.context, source, tag});
  if (found == nullptr) return nullptr;
  auto* message = static_cast<Unexpected*>(found);
  result = {found->key().source, found->key().tag, static_cast<MPI_Count>(message->bytes)};
  matcher_.remove(*found);
  return message;
}

void Receiver::imrecv(Request& request, const View& buffer, MatchedMessage* message) {
  prepare_receive(request, buffer);
  auto& unexpected = static_cast<Unexpected&>(*message);
  request.key = unexpected.key();
  request.proc = sender_of(unexpected);
  parts_.events.posted(request);
  consume(unexpected, request);
}

void Receiver::cancel_posted(Request& request) {
  matcher_.remove_posted(request);
  parts_.events.cancel(request);
}

void Receiver::cancel_from_self(Request& send) {
  forget(*send.unexpected);
  parts_.events.cancel(send);
}

/// A receive takes a message that was here first. If there is no memory for that the message stays
/// where it was, in matching or out of it, and the receive may be begun again.
void Receiver::consume(Unexpected& message, Request& request) {
  set_received(request, message.key(), message.bytes);
  parts_.events.matched(sender_of(message), message.key(), message.bytes, message.arrived_ns,
                        request);
  switch (message.kind) {
    case UnexpectedKind::from_self: {
      Request& send = *message.request;
      copy_packed(send.view, request.view);
      forget(message);
      send.place = RequestPlace::nowhere;
      parts_.events.complete(send);
      return parts_.events.complete(request);
    }
    case UnexpectedKind::announced: {
      Peer& peer = *message.peer;
      if (peer.failed) {
        parts_.events.fail(request, MPI_ERR_PROC_ABORTED);
      } else {
        parts_.rendezvous.start(peer, request, message.announced);
      }
      return forget(message);
    }
    case UnexpectedKind::arriving:
      if (message.linked()) matcher_.remove(message);
      return TransferTable::adopt(*message.pull, request);
    case UnexpectedKind::eager:
    case UnexpectedKind::from_self_eager:
      return hand_over(message, request);
  }
}

/// Completes a receive with a message whose data is here.
void Receiver::hand_over(Unexpected& message, Request& request) {
  const std::size_t bytes = static_cast<std::size_t>(request.status.bytes);
  if (bytes != 0) request.view.unpack(0, {message.data, bytes});
  const SlabHandle sender = message.announced.sender;
  if (sender != kNoSlabHandle && !message.peer->failed) {
    parts_.messenger.send_handle(*message.peer, MessageKind::ack, sender);
  }
  forget(message);
  parts_.events.complete(request);
}

/// Takes a message out of matching, if it is in there, and frees it and what it occupied.
void Receiver::forget(Unexpected& message) {
  if (message.linked()) matcher_.remove(message);
  Peer* peer = message.peer;
  const std::uint32_t units = message.units;
  const bool pulled = message.pulled;
  store_.free(message);
  if (peer == nullptr || pulled) {
    parts_.flow.release(units);
  } else if (units != 0) {
    parts_.flow.return_units(*peer, units);
  }
}

/// What has to be done before a receive has the message that took it out of matching. If there is
/// no memory for that it waits again.
template <class Step>
void Receiver::take_or_put_back(Request& request, Step&& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    request.status = OpStatus{};
    request.place = RequestPlace::posted;
    if (request.key.source == MPI_ANY_SOURCE) request.proc = kAnyProc;
    matcher_.put_back(request);
    throw;
  }
}

void Receiver::eager(Peer& peer, const EagerHeader& header, SlabHandle sender,
                     std::span<const std::byte> data) {
  const MatchKey key{header.context, header.source, header.tag};
  if (PostedLink* posted = matcher_.take_posted(key)) {
    auto& request = static_cast<Request&>(*posted);
    parts_.events.expected(peer.id, key, data.size(), request);
    if (sender != kNoSlabHandle) {
      take_or_put_back(request,
                       [&] { parts_.messenger.send_handle(peer, MessageKind::ack, sender); });
    }
    fill(peer, request, key, data);
    return parts_.events.complete(request);
  }
  const std::int64_t now = parts_.events.unexpected(peer.id, key, data.size());
  Unexpected& message = store_.add_with_data(key, data.size());
  message.arrived_ns = now;
  message.kind = UnexpectedKind::eager;
  message.units = units_of(data.size());
  message.peer = &peer;
  message.announced.sender = sender;
  if (!data.empty()) copy_bytes(message.data, data.data(), data.size());
  FlowControl::note_active(peer);
  matcher_.add(message);
}

void Receiver::announced(Peer& peer, const RtsHeader& header) {
  const MatchKey key{header.match.context, header.match.source, header.match.tag};
  const Announcement announced = read_announcement(header);
  if (PostedLink* posted = matcher_.take_posted(key)) {
    auto& request = static_cast<Request&>(*posted);
    parts_.events.expected(peer.id, key, announced.length, request);
    take_or_put_back(request, [&] {
      set_received(request, key, announced.length);
      parts_.rendezvous.start(peer, request, announced);
    });
  } else {
    const std::int64_t now = parts_.events.unexpected(peer.id, key, announced.length);
    Unexpected& message = store_.add(key, announced.length);
    message.arrived_ns = now;
    message.kind = UnexpectedKind::announced;
    message.peer = &peer;
    message.announced = announced;
    matcher_.add(message);
    if ((header.match.flags & kMayPull) != 0) start_pull(message);
  }
  if ((header.match.flags & kStarved) != 0) parts_.flow.extend(peer, units_of(announced.length));
}

void Receiver::from_self(Request& send) {
  if (PostedLink* posted = matcher_.take_posted(send.key)) {
    auto& receive = static_cast<Request&>(*posted);
    parts_.events.expected(self_, send.key, send.view.size(), receive);
    copy_packed(send.view, receive.view);
    set_received(receive, send.key, send.view.size());
    parts_.events.complete(receive);
    return parts_.events.complete(send);
  }
  const std::size_t bytes = send.view.size();
  const std::uint32_t units = units_of(bytes);
  const std::int64_t now = parts_.events.unexpected(self_, send.key, bytes);
  const bool holds =
      send.mode != SendMode::synchronous && bytes <= kSelfEager && parts_.flow.can_reserve(units);
  Unexpected& message = holds ? store_.add_with_data(send.key, bytes) : store_.add(send.key, bytes);
  message.arrived_ns = now;
  if (holds) {
    parts_.flow.reserve(units);
    message.kind = UnexpectedKind::from_self_eager;
    message.units = units;
    if (bytes != 0) send.view.pack(0, {message.data, bytes});
    parts_.events.complete(send);
  } else {
    message.kind = UnexpectedKind::from_self;
    message.request = &send;
    send.place = RequestPlace::at_self;
    send.unexpected = &message;
  }
  matcher_.add(message);
}

void Receiver::cancel_of(Peer& peer, SlabHandle sender) {
  for (UnexpectedLinks& links : matcher_.arrivals()) {
    auto& message = static_cast<Unexpected&>(links);
    if (message.peer != &peer || message.announced.sender != sender) continue;
    // Synchronous ones may be here as a whole. `arriving` ones have no sender that waits.
    const bool whole = message.kind == UnexpectedKind::eager;
    if (message.kind != UnexpectedKind::announced && !whole) continue;
    parts_.messenger.send_handle(peer, MessageKind::cancelled, sender, 1);
    return forget(message);
  }
  parts_.messenger.send_handle(peer, MessageKind::cancelled, sender, 0);
}

/// A small message found no credit at its sender. While the pool lasts it is fetched at once, so
/// that its send ends without a receive, as that of an eager one: many programs count on it.
void Receiver::start_pull(Unexpected& message) {
  const std::uint32_t units = units_of(message.bytes);
  if (!parts_.flow.can_reserve(units)) return;
  const SlabHandle sender = message.announced.sender;
  const bool fetches = message.bytes != 0 && !message.announced.has_data;
  try {
    store_.hold_data(message);
    if (fetches) {
      parts_.rendezvous.fetch(*message.peer, message, sender);
    } else {
      parts_.messenger.send_handle(*message.peer, MessageKind::done, sender);
    }
  } catch (const std::bad_alloc&) {  // then it waits at its sender, as a longer one does
    return store_.drop_data(message);
  }
  parts_.flow.reserve(units);
  message.units = units;
  message.pulled = true;
  ++parts_.counters.pulled;
  message.announced.sender = kNoSlabHandle;
  message.kind = fetches ? UnexpectedKind::arriving : UnexpectedKind::eager;
  if (!fetches && message.bytes != 0) {
    copy_bytes(message.data, message.announced.data.data(), message.bytes);
  }
}

void Receiver::end_pull(Transfer& transfer) {
  Unexpected& message = *transfer.unexpected;
  Request* request = transfer.request;
  parts_.rendezvous.transfers().end(transfer);
  message.kind = UnexpectedKind::eager;
  message.pull = nullptr;
  if (request == nullptr) return;
  request->place = RequestPlace::nowhere;
  hand_over(message, *request);
}

void Receiver::fail_pull(Transfer& transfer) {
  transfer.unexpected->kind = UnexpectedKind::announced;
  if (transfer.request != nullptr) forget(*transfer.unexpected);
  parts_.rendezvous.lost(transfer);
}

// No communicator has this context.
void Receiver::close_fast_paths(bool closed) {
  if (closed == fast_paths_closed_) return;
  fast_paths_closed_ = closed;
  if (!closed) return matcher_.remove(nobodys_);
  nobodys_.links[0].key = {std::numeric_limits<ContextId>::max(), 0, 0};
  matcher_.add(nobodys_);
}

void Receiver::lost(const Peer& peer, bool left_in_order) {
  std::vector<Request*> hit;
  matcher_.for_each_posted([&](PostedLink& posted) {
    auto& request = static_cast<Request&>(posted);
    const bool from_any = request.proc == kAnyProc && !left_in_order;
    if (request.proc == peer.id || from_any) hit.push_back(&request);
  });
  for (Request* request : hit) {
    matcher_.remove_posted(*request);
    parts_.events.fail(*request, MPI_ERR_PROC_ABORTED);
  }
}

}  // namespace remit
