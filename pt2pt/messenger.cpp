// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/messenger.hpp"

namespace remit {

void Messenger::greet(Peer& peer) {
  peer.greeted = true;
  set_fast_path(peer);
}

void Messenger::close_fast_path(bool closed) {
  fast_path_closed_ = closed;
  for (Link* link : links_.table().all()) set_fast_path(static_cast<Peer&>(*link));
}

void Messenger::set_fast_path(Peer& peer) const {
  peer.fast_below = 0;
  const bool open = peer.greeted && !peer.failed && peer.device != nullptr && !fast_path_closed_;
  if (!open || peer.protocols == nullptr) return;
  const Caps& caps = peer.device->device->caps();
  if (!caps.ordered || caps.max_pieces < 2) return;
  peer.fast_below = std::min(peer.protocols->table.eager_below(LayoutClass::contiguous),
                             peer.protocols->long_send);
}

void Messenger::send_handle(Peer& peer, MessageKind kind, SlabHandle handle, std::uint32_t value,
                            std::uint8_t flags) {
  HandleHeader header;
  header.kind = kind;
  header.flags = flags;
  header.handle = handle;
  header.value = value;
  send(peer, header);
}

}  // namespace remit
