// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What arrives, and the receives that wait for it.
#include <algorithm>

#include "pt2pt/engine.hpp"
#include "pt2pt/engine_post.hpp"
#include "runtime/copy.hpp"
#include "runtime/copy_small.hpp"

namespace remit {

void Engine::prepare_receive(Request& request, const View& buffer) {
  request.complete = false;
  request.status = OpStatus{};
  request.view = buffer;
  request.place = RequestPlace::nowhere;
}

void Engine::irecv(Request& request, const View& buffer, int source, int tag, const CommCore& comm,
                   bool collective) {
  prepare_receive(request, buffer);
  request.key = {comm.context + (collective ? 1U : 0U), source, tag};
  request.proc = source == MPI_ANY_SOURCE ? kAnyProc : comm.peers().proc(source);
  if (UnexpectedLinks* found = matcher_.find(request.key)) {
    matcher_.remove(*found);
    return consume(static_cast<Unexpected&>(*found), request);
  }
  if (request.proc != kAnyProc) {
    const Peer* peer = find_peer(request.proc);
    if (peer != nullptr && peer->failed) return fail(request, MPI_ERR_PROC_ABORTED);
  }
  request.place = RequestPlace::posted;
  matcher_.post(request);
}

std::optional<ProbeResult> Engine::iprobe(int source, int tag, const CommCore& comm) {
  const UnexpectedLinks* found = matcher_.find({comm.context, source, tag});
  if (found == nullptr) return std::nullopt;
  return ProbeResult{found->key().source, found->key().tag,
                     static_cast<MPI_Count>(static_cast<const Unexpected*>(found)->bytes)};
}

MatchedMessage* Engine::improbe(int source, int tag, const CommCore& comm, ProbeResult& result) {
  UnexpectedLinks* found = matcher_.find({comm.context, source, tag});
  if (found == nullptr) return nullptr;
  auto* message = static_cast<Unexpected*>(found);
  result = {found->key().source, found->key().tag, static_cast<MPI_Count>(message->bytes)};
  matcher_.remove(*found);
  return message;
}

void Engine::imrecv(Request& request, const View& buffer, MatchedMessage* message) {
  prepare_receive(request, buffer);
  auto& unexpected = static_cast<Unexpected&>(*message);
  request.key = unexpected.key();
  request.proc = unexpected.peer != nullptr ? unexpected.peer->id : self_;
  consume(unexpected, request);
}

void Engine::set_received(Request& request, const MatchKey& key, std::size_t bytes) {
  const std::size_t room = request.view.size();
  request.place = RequestPlace::nowhere;
  request.status.source = key.source;
  request.status.tag = key.tag;
  request.status.bytes = static_cast<MPI_Count>(std::min(bytes, room));
  if (bytes > room) request.status.error = MPI_ERR_TRUNCATE;
}

/// A receive takes a message that was here first, and which is out of matching already.
void Engine::consume(Unexpected& message, Request& request) {
  set_received(request, message.key(), message.bytes);
  switch (message.kind) {
    case UnexpectedKind::from_self: {
      Request& send = *message.request;
      copy(send.view, request.view);
      forget(message);
      send.place = RequestPlace::nowhere;
      complete(send);
      return complete(request);
    }
    case UnexpectedKind::announced: {
      Peer& peer = *message.peer;
      const Announcement announced = message.announced;
      forget(message);
      if (peer.failed) return fail(request, MPI_ERR_PROC_ABORTED);
      return start_rendezvous(peer, request, announced);
    }
    case UnexpectedKind::arriving:
      message.pull->request = &request;
      request.place = RequestPlace::transfer;
      request.transfer = transfers_.handle_of(message.pull);
      return;
    case UnexpectedKind::eager:
    case UnexpectedKind::from_self_eager:
      return hand_over(message, request);
  }
}

/// Completes a receive with a message whose data is here, and which is out of matching.
void Engine::hand_over(Unexpected& message, Request& request) {
  const std::size_t bytes = static_cast<std::size_t>(request.status.bytes);
  if (bytes != 0) request.view.unpack(0, {message.data, bytes});
  Peer* peer = message.peer;
  const SlabHandle sender = message.announced.sender;
  forget(message);
  if (sender != kNoSlabHandle && !peer->failed) send_handle(*peer, MessageKind::ack, sender);
  complete(request);
}

/// Frees a message that is out of matching, and what it occupied.
void Engine::forget(Unexpected& message) {
  if (message.data != nullptr) blocks_.free(message.data, message.bytes);
  Peer* peer = message.peer;
  const std::uint32_t units = message.units;
  const bool pulled = message.pulled;
  unexpected_.free(&message);
  if (peer == nullptr || pulled) {
    unleased_ += units;
  } else if (units != 0 && !peer->failed) {
    return_units(*peer, units);
  }
}

void Engine::note_unexpected() {
  unexpected_peak_ = std::max(unexpected_peak_, unexpected_bytes());
}

/// The data of a message to the receive that has taken it.
[[gnu::always_inline]] inline void Engine::fill(Peer& peer, Request& request, const MatchKey& key,
                                                std::span<const std::byte> data) {
  set_received(request, key, data.size());
  const auto bytes = static_cast<std::size_t>(request.status.bytes);
  if (bytes <= kUnitBytes && request.view.is_contiguous()) {
    copy_small(request.view.data(), data.data(), bytes);
  } else {
    request.view.unpack(0, data.first(bytes));
  }
  return_units(peer, units_of(data.size()));
}

/// What arrives most often: an eager message without flags, for a receive that is posted. False:
/// it is something else, and nothing was done.
[[gnu::always_inline]] inline bool Engine::deliver(Peer& peer, std::span<const std::byte> message) {
  SendHead head;
  if (!read_header(message, head) || (head.first & kKindMask) != eager_head(0, 0, 0, 0).first) {
    return false;
  }
  const MatchKey key{static_cast<std::uint32_t>(head.first >> 32), static_cast<int>(head.second),
                     tag_in(head)};
  PostedLink* posted = matcher_.take_posted(key);
  if (posted == nullptr) return false;
  auto& request = static_cast<Request&>(*posted);
  peer.credits += credits_in(head);
  fill(peer, request, key, message.subspan(sizeof head));
  complete(request);
  return true;
}

void Engine::arrived(LinkDevice& device, std::span<const Completion> completions) {
  for (const Completion& completion : completions) {
    const bool known = completion.endpoint < device.by_endpoint.size() &&
                       device.by_endpoint[completion.endpoint] != nullptr;
    if (completion.kind != CompletionKind::receive || !device.ordered || !known) [[unlikely]] {
      links_.dispatch(device, completion);
      continue;
    }
    auto& peer = static_cast<Peer&>(*device.by_endpoint[completion.endpoint]);
    const std::span<const std::byte> data = completion.data;
    if (deliver(peer, data)) continue;
    if (data.empty() || user_of_kind(data[0]) != LinkUserId::matching) [[unlikely]] {
      links_.dispatch(device, completion);
    } else {
      receive(peer, data);
    }
  }
}

void Engine::message(Link& link, std::span<const std::byte> data) {
  receive(static_cast<Peer&>(link), data);
}

void Engine::receive_eager(Peer& peer, const EagerHeader& header, SlabHandle sender,
                           std::span<const std::byte> data) {
  const MatchKey key{header.context, header.source, header.tag};
  const std::uint32_t units = units_of(data.size());
  if (PostedLink* posted = matcher_.take_posted(key)) {
    auto& request = static_cast<Request&>(*posted);
    fill(peer, request, key, data);
    if (sender != kNoSlabHandle) send_handle(peer, MessageKind::ack, sender);
    return complete(request);
  }
  Unexpected* message = unexpected_.allocate();
  message->links[0].key = key;
  message->kind = UnexpectedKind::eager;
  message->units = units;
  message->bytes = data.size();
  message->peer = &peer;
  message->announced.sender = sender;
  if (!data.empty()) {
    message->data = blocks_.allocate(data.size());
    copy_bytes(message->data, data.data(), data.size());
  }
  peer.active = true;
  matcher_.add(*message);
  note_unexpected();
}

void Engine::receive(Peer& peer, std::span<const std::byte> data) {
  EagerHeader header;
  if (!read_header(data, header)) {
    ++counters_.malformed;
    return;
  }
  if ((header.flags & kHello) == 0) [[likely]] {
    peer.credits += header.credits;
  } else if (!peer.base_known) {
    peer.base_known = true;
    peer.their_window = header.credits;
    peer.credits += header.credits;
  }
  if (header.kind == MessageKind::eager) [[likely]] {
    return receive_eager(peer, header, kNoSlabHandle, data.subspan(sizeof header));
  }
  if (header.kind == MessageKind::fragment) {
    FragmentHeader fragment;
    if (read_header(data, fragment)) {
      return receive_fragment(peer, fragment, data.subspan(sizeof fragment));
    }
  } else if (header.kind == MessageKind::eager_sync) {
    EagerSyncHeader sync;
    if (read_header(data, sync)) {
      return receive_eager(peer, sync.match, sync.sender, data.subspan(sizeof sync));
    }
  } else if (header.kind == MessageKind::rts) {
    RtsHeader rts;
    if (read_header(data, rts)) return receive_rts(peer, rts);
  } else if (header.kind == MessageKind::cts) {
    CtsHeader cts;
    if (read_header(data, cts)) return receive_cts(peer, cts);
  } else {
    HandleHeader handle;
    if (read_header(data, handle)) return receive_handle(peer, handle);
  }
  ++counters_.malformed;
}

void Engine::receive_rts(Peer& peer, const RtsHeader& header) {
  const MatchKey key{header.match.context, header.match.source, header.match.tag};
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
  if (PostedLink* posted = matcher_.take_posted(key)) {
    auto& request = static_cast<Request&>(*posted);
    set_received(request, key, announced.length);
    start_rendezvous(peer, request, announced);
    if ((header.match.flags & kStarved) != 0) extend_lease(peer, units_of(announced.length));
    return;
  }
  Unexpected* message = unexpected_.allocate();
  message->links[0].key = key;
  message->kind = UnexpectedKind::announced;
  message->bytes = announced.length;
  message->peer = &peer;
  message->announced = announced;
  matcher_.add(*message);
  if ((header.match.flags & kMayPull) != 0) start_pull(*message);
  if ((header.match.flags & kStarved) != 0) extend_lease(peer, units_of(announced.length));
  note_unexpected();
}

void Engine::receive_handle(Peer& peer, const HandleHeader& header) {
  switch (header.kind) {
    case MessageKind::credits:
      return;
    case MessageKind::recall:
      return give_back(peer);
    case MessageKind::give_back: {
      const std::uint32_t units = std::min(header.value, peer.lease - peer.base);
      peer.lease -= units;
      peer.recalling = false;
      unleased_ += units;
      return;
    }
    case MessageKind::cancel:
      return receive_cancel(peer, header);
    default:
      break;
  }
  Transfer* transfer = transfer_of(peer, header.handle);
  if (transfer == nullptr || !transfer->is_send) return;  // it ended meanwhile
  switch (header.kind) {
    case MessageKind::ack:
    case MessageKind::done:
      finish(*transfer, (header.flags & kFailed) != 0 ? MPI_ERR_OTHER : MPI_SUCCESS);
      return;
    case MessageKind::fragment_ack:
      transfer->window += header.value;
      pump(*transfer);
      return;
    case MessageKind::cancelled:
      if (header.value == 0) return;  // too late: it goes on
      transfer->request->status.cancelled = true;
      finish(*transfer, MPI_SUCCESS);
      return;
    default:
      ++counters_.malformed;
  }
}

/// A sender wants its message back: possible as long as no receive has taken it.
void Engine::receive_cancel(Peer& peer, const HandleHeader& header) {
  for (UnexpectedLinks& links : matcher_.arrivals()) {
    auto& message = static_cast<Unexpected&>(links);
    if (message.peer != &peer || message.announced.sender != header.handle) continue;
    // Synchronous ones may be here as a whole. `arriving` ones have no sender that waits.
    const bool whole = message.kind == UnexpectedKind::eager;
    if (message.kind != UnexpectedKind::announced && !whole) continue;
    matcher_.remove(message);
    forget(message);
    return send_handle(peer, MessageKind::cancelled, header.handle, 1);
  }
  send_handle(peer, MessageKind::cancelled, header.handle, 0);
}

void Engine::cancel(Request& request) {
  if (request.complete) return;
  const auto completed = [&] {
    request.place = RequestPlace::nowhere;
    request.status.cancelled = true;
    complete(request);
  };
  switch (request.place) {
    case RequestPlace::posted:
      matcher_.remove_posted(request);
      return completed();
    case RequestPlace::waiting:
      request.ListNode<>::unlink();
      --waiting_;
      return completed();
    case RequestPlace::at_self:
      matcher_.remove(*request.unexpected);
      forget(*request.unexpected);
      return completed();
    case RequestPlace::transfer: {
      Transfer* transfer = transfers_.get(request.transfer);
      if (transfer == nullptr) return;
      if (transfer->kind == TransferKind::await_answer ||
          transfer->kind == TransferKind::await_ack) {
        send_handle(*transfer->peer, MessageKind::cancel, request.transfer);
      }
      return;
    }
    case RequestPlace::nowhere:
      return;
  }
}

}  // namespace remit
