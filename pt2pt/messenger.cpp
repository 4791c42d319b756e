// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/messenger.hpp"

namespace remit {

void Messenger::greet(Peer& peer) {
  peer.greeted = true;
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
