// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/rendezvous.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <optional>

#include "pt2pt/protocol.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Fragments of one message that the receiver has not acknowledged yet.
constexpr std::uint32_t kFragmentWindow = 8;

}  // namespace

void Rendezvous::announce(Peer& peer, Request& request, std::size_t bytes, bool starved) {
  LinkDevice& slot = *peer.device;
  Transfer& transfer = transfers_.begin_send(peer, request, TransferKind::await_answer);
  transfer.length = bytes;
  transfer.key = request.key;
  if (events_.events().wanted(EventKind::rendezvous_answered)) {
    transfer.announced_ns = monotonic_ns();
  }
  const std::size_t piece = slot.memory.pin_piece();
  transfer.chunk =
      static_cast<std::uint32_t>(piece != 0 ? std::min(slot.chunk, piece) : slot.chunk);

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
  try {
    if (peer.same_device && !carries) offer(transfer, header);
    messenger_.send(peer, header);
  } catch (...) {
    abandon(transfer);
    throw;
  }
  ++counters_.rendezvous;
  if (starved) ++counters_.starved;
}

void Rendezvous::send_synchronous(Peer& peer, Request& request, const EagerHeader& header,
                                  std::span<const std::byte> data) {
  Transfer& transfer = transfers_.begin_send(peer, request, TransferKind::await_ack);
  EagerSyncHeader sync;
  sync.match = header;
  sync.match.kind = MessageKind::eager_sync;
  sync.sender = request.transfer;
  try {
    messenger_.send(peer, sync, data);
  } catch (...) {
    abandon(transfer);
    throw;
  }
}

/// Goes on with a transfer, or notes that what has come for it has been looked at.
template <class Step>
void Rendezvous::or_stall(Transfer& transfer, Step&& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    transfer.stalls = true;
    throw;
  }
}

/// The peer knows nothing of it, and nothing of it is under way.
void Rendezvous::abandon(Transfer& transfer) {
  if (transfer.request != nullptr) transfer.request->place = RequestPlace::nowhere;
  TransferMemory::unmap(transfer);
  transfers_.end(transfer);
}

/// What the receiver may choose besides fragments. What is eager by its size, but found no credit,
/// gets the cheapest rendezvous that works: fragments, if it is not long.
void Rendezvous::offer(Transfer& transfer, RtsHeader& header) {
  const Caps& caps = transfer.peer->device->device->caps();
  const DeviceProtocols& protocols = *transfer.peer->protocols;
  const View& view = transfer.request->view;
  const LayoutClass layout = layout_of(view, caps);
  const bool is_long = transfer.length >= protocols.long_send;
  const std::size_t first = is_long ? protocols.table.eager_below(layout) : 0;
  const Protocol protocol = protocols.table.choose(layout, std::max(first, transfer.length));
  if (protocol != Protocol::rendezvous_get && protocol != Protocol::rendezvous_put) return;
  const bool contiguous = layout == LayoutClass::contiguous;
  if (contiguous && protocol == Protocol::rendezvous_get &&
      memory_.map(transfer, {view.data(), transfer.length}, Access::remote_read)) {
    header.match.flags |= kCanGet;
    header.remote = {reinterpret_cast<std::uintptr_t>(view.data()),
                     transfer.memory.region().remote_key};
  }
  const bool can_put = caps.has_put && caps.notify != NotifyMode::none;
  if (can_put && (contiguous || memory_.map_lists(transfer))) header.put_chunk = transfer.chunk;
}

void Rendezvous::clear_to_send(Peer& peer, const CtsHeader& header) {
  Transfer* transfer = transfers_.find(peer, header.sender);
  if (transfer == nullptr) return;
  if (std::exchange(transfer->stalls, false)) {
    return or_stall(*transfer, [&] { pump(*transfer); });
  }
  if (transfer->kind != TransferKind::await_answer) return;
  raise_answered(*transfer);
  transfer->remote_handle = header.receiver;
  transfer->remote = {header.address, header.key};
  transfer->length = std::min<std::size_t>(transfer->length, header.length);
  if ((header.flags & kUsePut) == 0) {
    transfer->kind = TransferKind::sending;
    transfer->window = kFragmentWindow;
    ++counters_.pipelined;
    return or_stall(*transfer, [&] { pump(*transfer); });
  }
  // The address was offered for reading; for putting from it any registration will do.
  const bool contiguous = transfer->request->view.is_contiguous();
  if (contiguous && !transfer->memory && !memory_.map_local(*transfer)) {
    return no_memory(*transfer);
  }
  transfer->kind = contiguous ? TransferKind::putting : TransferKind::putting_pieces;
  ++counters_.puts;
  if (!contiguous) ++counters_.listed;
  or_stall(*transfer, [&] { pump(*transfer); });
}

void Rendezvous::answer(Peer& peer, const HandleHeader& header) {
  Transfer* transfer = transfers_.find(peer, header.handle);
  if (transfer == nullptr || !transfer->is_send) return;  // it ended meanwhile
  switch (header.kind) {
    case MessageKind::ack:
    case MessageKind::done:
      if (transfer->kind == TransferKind::await_answer) raise_answered(*transfer);
      return finish(*transfer, (header.flags & kFailed) != 0 ? MPI_ERR_OTHER : MPI_SUCCESS);
    case MessageKind::fragment_ack:
      if (!std::exchange(transfer->stalls, false)) transfer->window += header.value;
      return or_stall(*transfer, [&] { pump(*transfer); });
    case MessageKind::cancelled:
      if (header.value == 0) return;  // too late: it goes on
      transfer->request->status.cancelled = true;
      return finish(*transfer, MPI_SUCCESS);
    default:
      ++counters_.malformed;
  }
}

void Rendezvous::raise_answered(const Transfer& transfer) {
  if (transfer.announced_ns == 0) return;
  events_.events().raise(EventKind::rendezvous_answered,
                         MessageEvents::peer_number(transfer.peer->id),
                         monotonic_ns() - transfer.announced_ns, transfer.key.context,
                         transfer.key.tag, transfer.length);
}

void Rendezvous::cancel(const Request& request) {
  const Transfer* transfer = transfers_.get(request.transfer);
  if (transfer == nullptr) return;
  if (transfer->kind == TransferKind::await_answer || transfer->kind == TransferKind::await_ack) {
    messenger_.send_handle(*transfer->peer, MessageKind::cancel, request.transfer);
  }
}

void Rendezvous::start(Peer& peer, Request& request, const Announcement& announced) {
  const auto length = static_cast<std::size_t>(request.status.bytes);
  if (length == 0 || announced.has_data) {
    if (length != 0) request.view.unpack(0, std::span(announced.data).first(length));
    messenger_.send_handle(peer, MessageKind::done, announced.sender);
    return events_.complete(request);
  }
  Transfer& transfer = transfers_.begin_receive(peer, &request, announced.sender);
  transfer.remote = announced.remote;
  transfer.length = length;
  try {
    if (start_get(transfer, announced)) return;
    if (start_put_target(transfer, announced)) return;
    start_fragment_target(transfer);
  } catch (...) {
    abandon(transfer);
    throw;
  }
}

bool Rendezvous::start_get(Transfer& transfer, const Announcement& announced) {
  LinkDevice& slot = *transfer.peer->device;
  const Caps& caps = slot.device->caps();
  if (!announced.can_get || !transfer.peer->same_device || !caps.has_get) return false;
  const View& view = transfer.request->view;
  transfer.chunk = static_cast<std::uint32_t>(slot.chunk);
  if (view.is_contiguous()) {
    if (!memory_.map_local(transfer)) return false;
    transfer.kind = TransferKind::getting;
  } else if (layout_of(view, caps) == LayoutClass::long_runs && caps.max_pieces >= kMinListPieces &&
             memory_.map_runs(transfer)) {
    transfer.kind = TransferKind::getting_pieces;
    ++counters_.listed;
  } else {
    if (!memory_.take_staging(transfer)) return false;
    transfer.kind = TransferKind::getting_staged;
    transfer.chunk = static_cast<std::uint32_t>(
        std::min({transfer.length, slot.memory.staging_bytes(), slot.chunk}));
  }
  ++counters_.gets;
  pump(transfer);
  return true;
}

bool Rendezvous::start_put_target(Transfer& transfer, const Announcement& announced) {
  const Caps& caps = transfer.peer->device->device->caps();
  if (announced.put_chunk == 0 || !transfer.peer->same_device || !caps.has_put) return false;
  const View& view = transfer.request->view;
  if (!view.is_contiguous()) return false;
  if (!memory_.map(transfer, {view.data(), transfer.length}, Access::remote_write)) return false;
  transfer.kind = TransferKind::put_target;
  transfer.outstanding =
      static_cast<std::uint32_t>((transfer.length + announced.put_chunk - 1) / announced.put_chunk);
  CtsHeader header;
  header.flags = kUsePut;
  header.sender = transfer.remote_handle;
  header.receiver = TransferTable::handle_of(transfer);
  header.length = transfer.length;
  header.address = reinterpret_cast<std::uintptr_t>(view.data());
  header.key = transfer.memory.region().remote_key;
  messenger_.send(*transfer.peer, header);
  return true;
}

void Rendezvous::start_fragment_target(Transfer& transfer) {
  transfer.kind = TransferKind::fragment_target;
  CtsHeader header;
  header.sender = transfer.remote_handle;
  header.receiver = TransferTable::handle_of(transfer);
  header.length = transfer.length;
  messenger_.send(*transfer.peer, header);
}

void Rendezvous::fetch(Peer& peer, Unexpected& message, SlabHandle sender) {
  Transfer& transfer = transfers_.begin_receive(peer, nullptr, sender);
  transfer.unexpected = &message;
  transfer.length = message.bytes;
  try {
    start_fragment_target(transfer);
  } catch (...) {
    abandon(transfer);
    throw;
  }
  message.pull = &transfer;
}

void Rendezvous::pump(Transfer& transfer) {
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

/// The next `bytes` of the message move by this get or put. Each put notifies by itself, for puts
/// have no order. False: there is no memory for it before something that is under way has ended. If
/// nothing is, throws std::bad_alloc.
bool Rendezvous::post(Transfer& transfer, Operation& operation, std::size_t bytes,
                      std::uint32_t part) {
  operation.remote = {transfer.remote.address + transfer.next, transfer.remote.key};
  operation.cookie =
      cookie_of(LinkUserId::matching, std::uint64_t{part} << 32 | transfer.request->transfer);
  operation.notify = operation.kind == OpKind::put;
  if (operation.notify) {
    operation.notification = notification_for(LinkUserId::matching, transfer.remote_handle);
  }
  try {
    links_.post(*transfer.peer, {&operation, 1});
  } catch (const std::bad_alloc&) {
    if (transfer.pins) TransferMemory::part_done(transfer, part, false);
    if (transfer.outstanding == 0) throw;
    return false;
  }
  transfer.next += bytes;
  ++transfer.outstanding;
  return true;
}

/// Gets into, or puts from, one run of memory.
void Rendezvous::pump_contiguous(Transfer& transfer, OpKind kind) {
  while (transfer.outstanding < kOperationWindow && transfer.next < transfer.length) {
    const std::size_t bytes =
        std::min<std::size_t>(transfer.chunk, transfer.length - transfer.next);
    Piece piece{transfer.request->view.data() + transfer.next, bytes, 0};
    std::uint32_t part = 0;
    if (transfer.pins) {
      std::optional<Piece> pinned;
      try {
        pinned = memory_.pin_part(transfer, kind, bytes, part);
      } catch (const std::bad_alloc&) {
        // What is under way uses memory that whoever gives the transfer up would give back.
        if (transfer.outstanding == 0) throw;
        return;
      }
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
    if (!post(transfer, operation, bytes, part)) return;
  }
}

/// The same with lists of runs. A get takes as many as one list holds; of a put the receiver knows
/// how many bytes it has, and TransferMemory::map_lists() has seen that they fit.
void Rendezvous::pump_lists(Transfer& transfer, OpKind kind) {
  const std::size_t fit = std::min(kMostRuns, transfer.peer->device->device->caps().max_pieces);
  const std::uint64_t key = transfer.memory ? transfer.memory.region().local_key : 0;
  while (transfer.outstanding < kOperationWindow && transfer.next < transfer.length) {
    std::array<Layout::Piece, kMostRuns> runs;
    std::array<Piece, kMostRuns> pieces;
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
    if (!post(transfer, operation, gathered.bytes)) return;
  }
}

/// One part at a time; completed() unpacks it.
void Rendezvous::pump_staged_get(Transfer& transfer) {
  if (transfer.outstanding != 0 || transfer.next == transfer.length) return;
  const std::size_t bytes = std::min<std::size_t>(transfer.chunk, transfer.length - transfer.next);
  const Piece piece{transfer.staging.memory.get(), bytes, transfer.staging.region.local_key};
  Operation operation;
  operation.kind = OpKind::get;
  operation.local = {&piece, 1};
  (void)post(transfer, operation, bytes);  // or throws, for nothing else is under way
}

void Rendezvous::pump_fragments(Transfer& transfer) {
  Peer& peer = *transfer.peer;
  while (transfer.window != 0 && transfer.next < transfer.length) {
    const std::size_t bytes = std::min(peer.protocols->fragment, transfer.length - transfer.next);
    const auto data = messenger_.packed(transfer.request->view, transfer.next, bytes);
    FragmentHeader header;
    header.receiver = transfer.remote_handle;
    header.offset = transfer.next;
    messenger_.send(peer, header, data);
    transfer.next += bytes;
    --transfer.window;
  }
  if (transfer.next == transfer.length) finish(transfer, MPI_SUCCESS);
}

Transfer* Rendezvous::fragment(Peer& peer, const FragmentHeader& header,
                               std::span<const std::byte> data) {
  Transfer* transfer = transfers_.find(peer, header.receiver);
  const bool fits = transfer != nullptr && transfer->kind == TransferKind::fragment_target &&
                    header.offset == transfer->done &&
                    data.size() <= transfer->length - transfer->done;
  if (!fits) {
    ++counters_.malformed;
    return nullptr;
  }
  const bool is_last = data.size() == transfer->length - transfer->done;
  if (!is_last && transfer->window + 1 == kFragmentWindow / 2) {
    messenger_.send_handle(peer, MessageKind::fragment_ack, transfer->remote_handle,
                           kFragmentWindow / 2);
    transfer->window = 0;
  } else {
    ++transfer->window;
  }
  if (transfer->unexpected == nullptr) {
    transfer->request->view.unpack(transfer->done, data);
  } else if (!data.empty()) {
    copy_bytes(transfer->unexpected->data + transfer->done, data.data(), data.size());
  }
  transfer->done += data.size();
  return is_last ? transfer : nullptr;
}

void Rendezvous::notified(Peer& peer, std::uint32_t handle) {
  Transfer* transfer = transfers_.find(peer, handle);
  if (transfer == nullptr || transfer->kind != TransferKind::put_target) {
    ++counters_.malformed;
    return;
  }
  if (--transfer->outstanding == 0) finish(*transfer, transfer->error);
}

void Rendezvous::completed(std::uint64_t value, int status) {
  Transfer* found = transfers_.get(static_cast<SlabHandle>(value));
  if (found == nullptr) return;
  if (!std::exchange(found->stalls, false)) {
    take_completed(*found, static_cast<std::uint32_t>(value >> 32), status);
  }
  or_stall(*found, [&] { go_on(*found); });
}

void Rendezvous::take_completed(Transfer& transfer, std::uint32_t part, int status) {
  --transfer.outstanding;
  if (transfer.pins) TransferMemory::part_done(transfer, part, status == MPI_SUCCESS);
  if (status != MPI_SUCCESS && !transfer.failed) {
    transfer.failed = true;
    transfer.error = status;
  }
  if (transfer.kind == TransferKind::getting_staged && !transfer.failed) {
    const std::size_t bytes = transfer.next - transfer.done;
    transfer.request->view.unpack(transfer.done, {transfer.staging.memory.get(), bytes});
    transfer.done += bytes;
  }
}

/// Something of it is done.
void Rendezvous::go_on(Transfer& transfer) {
  if (transfer.failed) {
    if (transfer.outstanding == 0) end_failed(transfer);
    return;
  }
  if (transfer.next < transfer.length) return pump(transfer);
  if (transfer.outstanding != 0) return;
  if (!transfer.is_send) {
    messenger_.send_handle(*transfer.peer, MessageKind::done, transfer.remote_handle);
  }
  finish(transfer, MPI_SUCCESS);
}

void Rendezvous::finish(Transfer& transfer, int error) {
  Request* request = transfer.request;
  TransferMemory::unmap(transfer);
  transfers_.end(transfer);
  if (request == nullptr) return;
  request->place = RequestPlace::nowhere;
  if (error != MPI_SUCCESS) request->status.error = error;
  events_.complete(*request);
}

/// Nothing of it is under way any more.
void Rendezvous::end_failed(Transfer& transfer) {
  if (!transfer.is_send && !transfer.peer->failed) {
    messenger_.send_handle(*transfer.peer, MessageKind::done, transfer.remote_handle, 0, kFailed);
  }
  finish(transfer, transfer.error);
}

void Rendezvous::lost(Transfer& transfer) {
  const bool busy = transfer.outstanding != 0 && transfer.kind != TransferKind::put_target;
  if (!busy) return finish(transfer, MPI_ERR_PROC_ABORTED);
  // The device still uses the memory: completed() ends it.
  transfer.failed = true;
  transfer.error = MPI_ERR_PROC_ABORTED;
}

/// Neither the memory of a message nor a bounce buffer can be registered, and nothing of it is
/// under way. A sender cannot say so to the receiver, which waits for its puts.
void Rendezvous::no_memory(Transfer& transfer) {
  LostLinks& lost = links_.lost_links();
  if (transfer.is_send) {
    return lost.add(*transfer.peer,
                    fmt::format("rank {}: the memory of a message of {} bytes cannot be "
                                "registered: {}",
                                process_.rank(), transfer.length, memory_.refusal()));
  }
  lost.note(*transfer.peer,
            fmt::format("rank {}: the memory for a message of {} bytes cannot be registered: {}",
                        process_.rank(), transfer.length, memory_.refusal()));
  transfer.failed = true;
  transfer.error = MPI_ERR_NO_MEM;
  end_failed(transfer);
}

}  // namespace remit
