// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a message of the engine leaves: a header of wire.hpp, the credits that go with it, and data.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datatype/layout.hpp"
#include "links/links.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/protocol.hpp"
#include "pt2pt/wire.hpp"
#include "rdma_btl/device.hpp"

namespace remit {

/// Where the common part of a header lies: EagerHeader inside those that begin with one.
template <class Header>
auto& common_part(Header& header) {
  if constexpr (requires { header.match; }) {
    return header.match;
  } else {
    return header;
  }
}

/// Sends messages to the engines of peers. Whatever leaves carries what its receiver may use again
/// of this process's memory; the first message to a peer, its *greeting*, tells it the window that
/// it may start with instead. So every message but those of Engine::try_send() passes here. One
/// thread.
class Messenger {
 public:
  explicit Messenger(Links& links) : links_(links) {}

  /// Sends a header and data, which may be reused on return. The peer is connected. Throws
  /// std::bad_alloc, and has neither sent nor changed anything then.
  template <class Header>
  void send(Peer& peer, Header header, std::span<const std::byte> data = {}) {
    auto& common = common_part(header);
    const bool greets = !peer.greeted;
    if (!greets) [[likely]] {
      common.credits = static_cast<std::uint16_t>(peer.lease.owed);
    } else {
      if (peer.protocols == nullptr) return;  // lost before it was connected, and connected since
      common.flags |= kHello;
      common.credits = static_cast<std::uint16_t>(peer.lease.base);
    }
    const std::array<Piece, 2> pieces = {
        Piece{&header, sizeof header, 0},
        Piece{const_cast<std::byte*>(data.data()), data.size(), 0}};
    links_.send(peer, std::span(pieces).first(data.empty() ? 1 : 2));
    if (!greets) [[likely]] {
      (void)peer.lease.take_owed();
    } else {
      greet(peer);
    }
  }

  /// Sends one of the messages that consist of a handle and a number.
  void send_handle(Peer& peer, MessageKind kind, SlabHandle handle, std::uint32_t value = 0,
                   std::uint8_t flags = 0);

  /// Whether the fast path of sends is closed, for somebody wants to hear of every message.
  void close_fast_path(bool closed);

  /// `bytes` packed bytes of a message from `offset` on, as they can be sent: where they are, or in
  /// a buffer that holds them until the next call.
  [[nodiscard]] std::span<const std::byte> packed(const View& view, std::size_t offset,
                                                  std::size_t bytes) {
    if (view.is_contiguous()) return {view.data() + offset, bytes};
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    view.pack(offset, std::span(buffer_).first(bytes));
    return std::span(buffer_).first(bytes);
  }

 private:
  /// From now on the fast path may be used.
  void greet(Peer& peer);
  void set_fast_path(Peer& peer) const;

  Links& links_;
  bool fast_path_closed_ = false;
  std::vector<std::byte> buffer_;
};

}  // namespace remit
