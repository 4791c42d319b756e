// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Helpers shared by the engine's own files: a message with its credits, a copy between buffers.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "pt2pt/engine.hpp"

namespace remit {

/// Longest message to oneself that is copied so that its send completes at once.
inline constexpr std::size_t kSelfEager = 8192;

/// Runs of memory in one list.
inline constexpr std::size_t kMaxPieces = 64;

/// How the message's memory looks to a device.
inline LayoutClass layout_of(const View& view, const Device& device) {
  if (view.is_contiguous()) return LayoutClass::contiguous;
  const bool long_runs = view.layout->mean_run() >= device.caps().min_piece;
  return long_runs ? LayoutClass::long_runs : LayoutClass::scattered;
}

/// Copies the packed bytes of one buffer to another, as many as both hold.
inline void copy(const View& from, const View& to) {
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

/// Where the common part of a header lies: EagerHeader inside those that begin with one.
template <class Header>
auto& common_part(Header& header) {
  if constexpr (requires { header.match; }) {
    return header.match;
  } else {
    return header;
  }
}

/// Sends a header and data, with what the peer gets back of our receive memory. The first message
/// to a peer tells it the window that it may start with.
template <class Header>
void Engine::send_message(Peer& peer, Header header, std::span<const std::byte> data) {
  auto& common = common_part(header);
  if (peer.greeted) [[likely]] {
    common.credits = static_cast<std::uint16_t>(peer.owed);
    peer.owed = 0;
  } else {
    peer.greeted = true;
    common.flags |= kHello;
    common.credits = static_cast<std::uint16_t>(peer.base);
    if (peer.device->device->caps().ordered && peer.device->device->caps().max_pieces >= 2) {
      peer.fast_below = std::min(peer.protocols->table.eager_below(LayoutClass::contiguous),
                                 peer.protocols->long_send);
    }
  }
  const std::array<Piece, 2> pieces = {Piece{&header, sizeof header, 0},
                                       Piece{const_cast<std::byte*>(data.data()), data.size(), 0}};
  links_.send(peer, std::span(pieces).first(data.empty() ? 1 : 2));
}

}  // namespace remit
