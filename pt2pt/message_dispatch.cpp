// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/message_dispatch.hpp"

#include <new>

#include "pt2pt/receiver_deliver.hpp"

namespace remit {

/// No memory is reserved for processes of other jobs, of which there may be any number: they get
/// leases when they talk.
void MessageDispatch::connected(Link& link) {
  auto& peer = static_cast<Peer&>(link);
  const bool foreign = parts_.links.directory().is_foreign(peer.id);
  parts_.flow.connected(peer, foreign ? 0 : parts_.flow.first_window());
  parts_.events.events().raise(EventKind::connection_opened, MessageEvents::peer_number(peer.id));
  parts_.sender.connected(peer);
}

void MessageDispatch::introduced(Link& link, std::uint32_t word) {
  FlowControl::learn_window(static_cast<Peer&>(link), word);
}

void MessageDispatch::completed(std::uint64_t value, int status) {
  parts_.rendezvous.completed(value, status);
}

void MessageDispatch::notified(Link& link, std::uint32_t value) {
  parts_.rendezvous.notified(static_cast<Peer&>(link), value);
}

void MessageDispatch::message(Link& link, std::span<const std::byte> data) {
  receive(static_cast<Peer&>(link), data);
}

/// Every operation with the peer completes with MPI_ERR_PROC_ABORTED.
void MessageDispatch::lost(Link& link, bool left_in_order) {
  auto& peer = static_cast<Peer&>(link);
  peer.fast_below = 0;
  parts_.events.events().raise(EventKind::connection_failed, MessageEvents::peer_number(peer.id),
                               left_in_order ? 1 : 0);
  parts_.sender.lost(peer);
  parts_.rendezvous.transfers().for_each([&](Transfer& transfer) {
    if (transfer.peer != &peer) return;
    if (transfer.unexpected != nullptr) return parts_.receiver.fail_pull(transfer);
    parts_.rendezvous.lost(transfer);
  });
  parts_.receiver.lost(peer, left_in_order);
  parts_.flow.lost(peer);
}

template <class Take>
void MessageDispatch::take_each(LinkDevice& device, std::span<const Completion> completions,
                                Take&& take) {
  const Completion* next = completions.data();
  const Completion* const end = next + completions.size();
  try {
    for (; next != end; ++next) take(*next);
  } catch (const std::bad_alloc&) {
    parts_.links.keep(device, {next, end});
    throw;
  }
}

void MessageDispatch::arrived(LinkDevice& device, std::span<const Completion> completions) {
  take_each(device, completions,
            [&](const Completion& completion) { parts_.links.dispatch(device, completion); });
}

/// A message that is not what arrives most often: books the credits that came with it, and gives it
/// to the part that it is for.
void MessageDispatch::receive(Peer& peer, std::span<const std::byte> data) {
  EagerHeader header;
  if (!read_header(data, header)) {
    ++parts_.counters.malformed;
    return;
  }
  if ((header.flags & kHello) != 0) [[unlikely]] {
    FlowControl::learn_window(peer, header.credits);
    return receive_kind(peer, header, data);
  }
  peer.credits.grant(header.credits);
  try {
    receive_kind(peer, header, data);
  } catch (const std::bad_alloc&) {  // it will come again, and so will these
    peer.credits.spend(header.credits);
    throw;
  }
}

void MessageDispatch::receive_kind(Peer& peer, const EagerHeader& header,
                                   std::span<const std::byte> data) {
  if (header.kind == MessageKind::eager) [[likely]] {
    return parts_.receiver.eager(peer, header, kNoSlabHandle, data.subspan(sizeof header));
  }
  if (header.kind == MessageKind::fragment) {
    FragmentHeader fragment;
    if (read_header(data, fragment)) {
      Transfer* whole = parts_.rendezvous.fragment(peer, fragment, data.subspan(sizeof fragment));
      if (whole == nullptr) return;
      return whole->unexpected != nullptr ? parts_.receiver.end_pull(*whole)
                                          : parts_.rendezvous.finish(*whole, MPI_SUCCESS);
    }
  } else if (header.kind == MessageKind::eager_sync) {
    EagerSyncHeader sync;
    if (read_header(data, sync)) {
      return parts_.receiver.eager(peer, sync.match, sync.sender, data.subspan(sizeof sync));
    }
  } else if (header.kind == MessageKind::rts) {
    RtsHeader rts;
    if (read_header(data, rts)) return parts_.receiver.announced(peer, rts);
  } else if (header.kind == MessageKind::cts) {
    CtsHeader cts;
    if (read_header(data, cts)) return parts_.rendezvous.clear_to_send(peer, cts);
  } else {
    HandleHeader handle;
    if (read_header(data, handle)) return receive_handle(peer, handle);
  }
  ++parts_.counters.malformed;
}

void MessageDispatch::receive_handle(Peer& peer, const HandleHeader& header) {
  switch (header.kind) {
    case MessageKind::credits:
      return;
    case MessageKind::recall:
      return parts_.flow.give_back(peer);
    case MessageKind::give_back:
      return parts_.flow.take_back(peer, header.value);
    case MessageKind::cancel:
      return parts_.receiver.cancel_of(peer, header.handle);
    default:
      return parts_.rendezvous.answer(peer, header);
  }
}

void ShortDispatch::arrived(LinkDevice& device, std::span<const Completion> completions) {
  Receiver& receiver = parts().receiver;
  take_each(device, completions, [&](const Completion& completion) {
    const bool known = completion.endpoint < device.by_endpoint.size() &&
                       device.by_endpoint[completion.endpoint] != nullptr;
    if (completion.kind != CompletionKind::receive || !device.ordered || !known) [[unlikely]] {
      return parts().links.dispatch(device, completion);
    }
    auto& peer = static_cast<Peer&>(*device.by_endpoint[completion.endpoint]);
    const std::span<const std::byte> data = completion.data;
    if (receiver.deliver(peer, data)) return;
    if (data.empty() || user_of_kind(data[0]) != LinkUserId::matching) [[unlikely]] {
      parts().links.dispatch(device, completion);
    } else {
      receive(peer, data);
    }
  });
}

}  // namespace remit
