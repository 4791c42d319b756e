// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages that were announced and are matched now: read by the receiver, written by the sender,
// or sent in fragments.
#include <algorithm>
#include <array>
#include <cassert>

#include "pt2pt/engine.hpp"
#include "pt2pt/engine_post.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Fragments of one message that the receiver has not acknowledged yet.
constexpr std::uint32_t kFragmentWindow = 8;
}  // namespace

Transfer* Engine::transfer_of(Peer& peer, SlabHandle handle) {
  Transfer* transfer = transfers_.get(handle);
  return transfer != nullptr && transfer->peer == &peer ? transfer : nullptr;
}

void Engine::finish(Transfer& transfer, int error) {
  Request* request = transfer.request;
  if (transfer.unexpected != nullptr) {  // its peer died: found by a receive, it is an error
    transfer.unexpected->kind = UnexpectedKind::announced;
    if (request != nullptr) forget(*transfer.unexpected);
  }
  unmap(transfer);
  if (transfer.is_send) --sending_;
  transfers_.free(&transfer);
  if (request == nullptr) return;
  request->place = RequestPlace::nowhere;
  if (error != MPI_SUCCESS) request->status.error = error;
  complete(*request);
}

/// The status of `request` is filled in; its bytes are what will move.
void Engine::start_rendezvous(Peer& peer, Request& request, const Announcement& announced) {
  const auto length = static_cast<std::size_t>(request.status.bytes);
  if (length == 0 || announced.has_data) {
    if (length != 0) request.view.unpack(0, std::span(announced.data).first(length));
    send_handle(peer, MessageKind::done, announced.sender);
    return complete(request);
  }
  Transfer* transfer = transfers_.allocate();
  transfer->peer = &peer;
  transfer->request = &request;
  transfer->remote_handle = announced.sender;
  transfer->remote = announced.remote;
  transfer->length = length;
  request.place = RequestPlace::transfer;
  request.transfer = transfers_.handle_of(transfer);
  if (start_get(*transfer, announced)) return;
  if (start_put_target(*transfer, announced)) return;
  start_fragment_target(*transfer);
}

bool Engine::start_get(Transfer& transfer, const Announcement& announced) {
  LinkDevice& slot = *transfer.peer->device;
  const Caps& caps = slot.device->caps();
  if (!announced.can_get || !transfer.peer->same_device || !caps.has_get) return false;
  const View& view = transfer.request->view;
  transfer.chunk = static_cast<std::uint32_t>(slot.chunk);
  if (view.is_contiguous()) {
    if (!map_local(transfer)) return false;
    transfer.kind = TransferKind::getting;
  } else if (layout_of(view, *slot.device) == LayoutClass::long_runs &&
             caps.max_pieces >= kMinListPieces && map_runs(transfer)) {
    transfer.kind = TransferKind::getting_pieces;
    ++counters_.listed;
  } else {
    if (!take_staging(*transfer.peer, transfer.staging)) return false;
    transfer.kind = TransferKind::getting_staged;
    transfer.chunk = static_cast<std::uint32_t>(
        std::min({transfer.length, slot.memory.staging_bytes(), slot.chunk}));
  }
  ++counters_.gets;
  pump(transfer);
  return true;
}

bool Engine::start_put_target(Transfer& transfer, const Announcement& announced) {
  const Caps& caps = transfer.peer->device->device->caps();
  if (announced.put_chunk == 0 || !transfer.peer->same_device || !caps.has_put) return false;
  const View& view = transfer.request->view;
  if (!view.is_contiguous()) return false;
  if (!map(transfer, {view.data(), transfer.length}, Access::remote_write)) return false;
  transfer.kind = TransferKind::put_target;
  transfer.outstanding =
      static_cast<std::uint32_t>((transfer.length + announced.put_chunk - 1) / announced.put_chunk);
  CtsHeader header;
  header.flags = kUsePut;
  header.sender = transfer.remote_handle;
  header.receiver = transfer.request->transfer;
  header.length = transfer.length;
  header.address = reinterpret_cast<std::uintptr_t>(view.data());
  header.key = transfer.memory.region().remote_key;
  send_message(*transfer.peer, header);
  return true;
}

void Engine::start_fragment_target(Transfer& transfer) {
  transfer.kind = TransferKind::fragment_target;
  CtsHeader header;
  header.sender = transfer.remote_handle;
  header.receiver = transfer.request->transfer;
  header.length = transfer.length;
  send_message(*transfer.peer, header);
}

/// A small message found no credit at its sender. While the pool lasts it is fetched at once, so
/// that its send ends without a receive, as that of an eager one: many programs count on it.
void Engine::start_pull(Unexpected& message) {
  const std::uint32_t units = units_of(message.bytes);
  if (units > unleased_) return;
  unleased_ -= units;
  message.units = units;
  message.pulled = true;
  ++counters_.pulled;
  Peer& peer = *message.peer;
  const SlabHandle sender = message.announced.sender;
  message.announced.sender = kNoSlabHandle;
  if (message.bytes == 0) {
    message.kind = UnexpectedKind::eager;
    return send_handle(peer, MessageKind::done, sender);
  }
  message.data = blocks_.allocate(message.bytes);
  if (message.announced.has_data) {
    message.kind = UnexpectedKind::eager;
    copy_bytes(message.data, message.announced.data.data(), message.bytes);
    return send_handle(peer, MessageKind::done, sender);
  }
  Transfer* transfer = transfers_.allocate();
  transfer->kind = TransferKind::fragment_target;
  transfer->peer = &peer;
  transfer->unexpected = &message;
  transfer->length = message.bytes;
  transfer->remote_handle = sender;
  message.kind = UnexpectedKind::arriving;
  message.pull = transfer;
  CtsHeader header;
  header.sender = sender;
  header.receiver = transfers_.handle_of(transfer);
  header.length = message.bytes;
  send_message(peer, header);
}

/// All is here: from now on the message is as an eager one.
void Engine::end_pull(Transfer& transfer) {
  Unexpected& message = *transfer.unexpected;
  Request* request = transfer.request;
  transfers_.free(&transfer);
  message.kind = UnexpectedKind::eager;
  message.pull = nullptr;
  if (request == nullptr) return;
  request->place = RequestPlace::nowhere;
  hand_over(message, *request);
}

void Engine::receive_cts(Peer& peer, const CtsHeader& header) {
  Transfer* transfer = transfer_of(peer, header.sender);
  if (transfer == nullptr || transfer->kind != TransferKind::await_answer) return;
  transfer->remote_handle = header.receiver;
  transfer->remote = {header.address, header.key};
  transfer->length = std::min<std::size_t>(transfer->length, header.length);
  if ((header.flags & kUsePut) == 0) {
    transfer->kind = TransferKind::sending;
    transfer->window = kFragmentWindow;
    ++counters_.pipelined;
    return pump(*transfer);
  }
  // The address was offered for reading; for putting from it any registration will do.
  const bool contiguous = transfer->request->view.is_contiguous();
  transfer->kind = contiguous ? TransferKind::putting : TransferKind::putting_pieces;
  if (contiguous && !transfer->memory && !map_local(*transfer)) return no_memory(*transfer);
  ++counters_.puts;
  if (!contiguous) ++counters_.listed;
  pump(*transfer);
}

void Engine::pump(Transfer& transfer) {
  switch (transfer.kind) {
    case TransferKind::getting:
      return pump_contiguous(transfer, OpKind::get);
    case TransferKind::putting:
      return pump_contiguous(transfer, OpKind::put);
    case TransferKind::getting_pieces:
      return pump_lists(transfer, OpKind::get);
    case TransferKind::putting_pieces:
      return pump_lists(transfer, OpKind::put);
    case TransferKind::getting_staged:
      return pump_staged_get(transfer);
    case TransferKind::sending:
      return pump_fragments(transfer);
    default:
      return;
  }
}

/// Gets into, or puts from, one run of memory. Each put notifies by itself, for puts have no order.
void Engine::pump_contiguous(Transfer& transfer, OpKind kind) {
  while (transfer.outstanding < kOperationWindow && transfer.next < transfer.length) {
    const std::size_t bytes =
        std::min<std::size_t>(transfer.chunk, transfer.length - transfer.next);
    Piece piece{transfer.request->view.data() + transfer.next, bytes, 0};
    std::uint32_t part = 0;
    if (transfer.pins) {
      const std::optional<Piece> pinned = pin_part(transfer, kind, bytes, part);
      if (!pinned) {
        if (transfer.outstanding == 0) no_memory(transfer);
        return;
      }
      piece = *pinned;
    } else {
      piece.key = transfer.memory.region().local_key;
    }
    Operation operation;
    operation.kind = kind;
    operation.local = {&piece, 1};
    operation.remote = {transfer.remote.address + transfer.next, transfer.remote.key};
    operation.cookie =
        cookie_of(LinkUserId::matching, std::uint64_t{part} << 32 | transfer.request->transfer);
    operation.notify = kind == OpKind::put;
    operation.notification = notification_for(LinkUserId::matching, transfer.remote_handle);
    transfer.next += bytes;
    ++transfer.outstanding;
    links_.post(*transfer.peer, {&operation, 1});
  }
}

/// The same with lists of runs. A get takes as many as one list holds; of a put the receiver knows
/// how many bytes it has, and map_lists() has seen that they fit.
void Engine::pump_lists(Transfer& transfer, OpKind kind) {
  LinkDevice& slot = *transfer.peer->device;
  const std::size_t fit = std::min(kMaxPieces, slot.device->caps().max_pieces);
  const std::uint64_t key = transfer.memory ? transfer.memory.region().local_key : 0;
  while (transfer.outstanding < kOperationWindow && transfer.next < transfer.length) {
    std::array<Layout::Piece, kMaxPieces> runs;
    std::array<Piece, kMaxPieces> pieces;
    const std::size_t limit =
        std::min<std::size_t>(transfer.chunk, transfer.length - transfer.next);
    const Layout::Gathered gathered =
        transfer.request->view.pieces(transfer.next, limit, std::span(runs).first(fit));
    for (std::size_t i = 0; i < gathered.pieces; ++i) {
      pieces[i] = {runs[i].address, runs[i].length, key};
    }
    assert(kind == OpKind::get || gathered.bytes == limit);
    Operation operation;
    operation.kind = kind;
    operation.local = std::span(pieces).first(gathered.pieces);
    operation.remote = {transfer.remote.address + transfer.next, transfer.remote.key};
    operation.cookie = cookie_of(LinkUserId::matching, transfer.request->transfer);
    operation.notify = kind == OpKind::put;
    operation.notification = notification_for(LinkUserId::matching, transfer.remote_handle);
    transfer.next += gathered.bytes;
    ++transfer.outstanding;
    links_.post(*transfer.peer, {&operation, 1});
  }
}

/// One part at a time; completed() unpacks it.
void Engine::pump_staged_get(Transfer& transfer) {
  if (transfer.outstanding != 0 || transfer.next == transfer.length) return;
  const std::size_t bytes = std::min<std::size_t>(transfer.chunk, transfer.length - transfer.next);
  const Piece piece{transfer.staging.memory.get(), bytes, transfer.staging.region.local_key};
  Operation operation;
  operation.kind = OpKind::get;
  operation.local = {&piece, 1};
  operation.remote = {transfer.remote.address + transfer.next, transfer.remote.key};
  operation.cookie = cookie_of(LinkUserId::matching, transfer.request->transfer);
  transfer.next += bytes;
  ++transfer.outstanding;
  links_.post(*transfer.peer, {&operation, 1});
}

void Engine::pump_fragments(Transfer& transfer) {
  Peer& peer = *transfer.peer;
  const View& view = transfer.request->view;
  const bool contiguous = view.is_contiguous();
  while (transfer.window != 0 && transfer.next < transfer.length) {
    const std::size_t bytes = std::min(peer.protocols->fragment, transfer.length - transfer.next);
    std::span<const std::byte> data;
    if (contiguous) {
      data = {view.data() + transfer.next, bytes};
    } else {
      view.pack(transfer.next, std::span(scratch_).first(bytes));
      data = std::span(scratch_).first(bytes);
    }
    FragmentHeader header;
    header.receiver = transfer.remote_handle;
    header.offset = transfer.next;
    transfer.next += bytes;
    --transfer.window;
    send_message(peer, header, data);
  }
  if (transfer.next == transfer.length) finish(transfer, MPI_SUCCESS);
}

void Engine::receive_fragment(Peer& peer, const FragmentHeader& header,
                              std::span<const std::byte> data) {
  Transfer* transfer = transfer_of(peer, header.receiver);
  const bool fits = transfer != nullptr && transfer->kind == TransferKind::fragment_target &&
                    header.offset == transfer->done &&
                    data.size() <= transfer->length - transfer->done;
  if (!fits) {
    ++counters_.malformed;
    return;
  }
  if (transfer->unexpected == nullptr) {
    transfer->request->view.unpack(transfer->done, data);
  } else if (!data.empty()) {
    copy_bytes(transfer->unexpected->data + transfer->done, data.data(), data.size());
  }
  transfer->done += data.size();
  if (transfer->done == transfer->length) {
    return transfer->unexpected != nullptr ? end_pull(*transfer) : finish(*transfer, MPI_SUCCESS);
  }
  if (++transfer->window == kFragmentWindow / 2) {
    transfer->window = 0;
    send_handle(peer, MessageKind::fragment_ack, transfer->remote_handle, kFragmentWindow / 2);
  }
}

void Engine::notified(Link& link, std::uint32_t value) {
  Transfer* transfer = transfer_of(static_cast<Peer&>(link), value);
  if (transfer == nullptr || transfer->kind != TransferKind::put_target) {
    ++counters_.malformed;
    return;
  }
  if (--transfer->outstanding == 0) finish(*transfer, transfer->error);
}

/// Nothing of it is under way any more.
void Engine::end_failed(Transfer& transfer) {
  if (!transfer.is_send && !transfer.peer->failed) {
    send_handle(*transfer.peer, MessageKind::done, transfer.remote_handle, 0, kFailed);
  }
  finish(transfer, transfer.error);
}

/// A get or put of ours is done.
void Engine::completed(std::uint64_t value, int status) {
  Transfer* found = transfers_.get(static_cast<SlabHandle>(value));
  if (found == nullptr) return;
  Transfer& transfer = *found;
  --transfer.outstanding;
  if (transfer.pins) {
    part_done(transfer, static_cast<std::uint32_t>(value >> 32), status == MPI_SUCCESS);
  }
  if (status != MPI_SUCCESS && !transfer.failed) {
    transfer.failed = true;
    transfer.error = status;
  }
  if (transfer.failed) {
    if (transfer.outstanding == 0) end_failed(transfer);
    return;
  }
  if (transfer.kind == TransferKind::getting_staged) {
    const std::size_t bytes = transfer.next - transfer.done;
    transfer.request->view.unpack(transfer.done, {transfer.staging.memory.get(), bytes});
    transfer.done += bytes;
  }
  if (transfer.next < transfer.length) return pump(transfer);
  if (transfer.outstanding != 0) return;
  if (!transfer.is_send) {
    send_handle(*transfer.peer, MessageKind::done, transfer.remote_handle);
  }
  finish(transfer, MPI_SUCCESS);
}

}  // namespace remit
