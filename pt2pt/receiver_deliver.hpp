// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The path of every small message that finds its receive posted, for where it is worth being
// inline.
#pragma once

#include "pt2pt/receiver.hpp"
#include "runtime/copy_small.hpp"

namespace remit {

/// The data of a message to the receive that has taken it.
[[gnu::always_inline]] inline void Receiver::fill(Peer& peer, Request& request, const MatchKey& key,
                                                  std::span<const std::byte> data) {
  set_received(request, key, data.size());
  const auto bytes = static_cast<std::size_t>(request.status.bytes);
  if (bytes <= kUnitBytes && request.view.is_contiguous()) {
    copy_small(request.view.data(), data.data(), bytes);
  } else {
    request.view.unpack(0, data.first(bytes));
  }
  parts_.flow.return_units(peer, units_of(data.size()));
}

[[gnu::always_inline]] inline bool Receiver::deliver(Peer& peer,
                                                     std::span<const std::byte> message) {
  SendHead head;
  if (!read_header(message, head) || (head.first & kKindMask) != eager_head(0, 0, 0, 0).first) {
    return false;
  }
  const MatchKey key{static_cast<std::uint32_t>(head.first >> 32), static_cast<int>(head.second),
                     tag_in(head)};
  PostedLink* posted = matcher_.take_posted(key);
  if (posted == nullptr) return false;
  auto& request = static_cast<Request&>(*posted);
  peer.credits.grant(credits_in(head));
  fill(peer, request, key, message.subspan(sizeof head));
  complete_request(request, parts_.progress);
  return true;
}

}  // namespace remit
