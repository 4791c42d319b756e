// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What links tell of messages, and which part of the engine each event is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "links/links.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/flow_control.hpp"
#include "pt2pt/message_events.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/receiver.hpp"
#include "pt2pt/rendezvous.hpp"
#include "pt2pt/sender.hpp"
#include "pt2pt/wire.hpp"

namespace remit {

/// Gives each event of the links to the part that it is for, by the way that all of them can take:
/// so everybody hears of every message who wants to. What there is no memory for is kept by the
/// links, which offer it again. Every link is a Peer. One thread.
class MessageDispatch : public LinkUser {
 public:
  /// Who is told; all of it outlives it.
  struct Parts {
    Links& links;
    FlowControl& flow;
    Rendezvous& rendezvous;
    Receiver& receiver;
    Sender& sender;
    MessageCounters& counters;
    MessageEvents& events;
  };
  explicit MessageDispatch(const Parts& parts) : parts_(parts) {}
  MessageDispatch(const MessageDispatch&) = delete;
  MessageDispatch& operator=(const MessageDispatch&) = delete;

  // LinkUser
  void connected(Link& link) override;
  void introduced(Link& link, std::uint32_t word) override;
  void completed(std::uint64_t value, int status) override;
  void notified(Link& link, std::uint32_t value) override;
  void message(Link& link, std::span<const std::byte> data) override;
  void lost(Link& link, bool left_in_order) override;
  void arrived(LinkDevice& device, std::span<const Completion> completions) override;

 protected:
  [[nodiscard]] const Parts& parts() const { return parts_; }
  /// A message that is not what arrives most often.
  void receive(Peer& peer, std::span<const std::byte> data);
  /// Does `take` with each of the completions in turn.
  template <class Take>
  void take_each(LinkDevice& device, std::span<const Completion> completions, Take&& take);

 private:
  void receive_kind(Peer& peer, const EagerHeader& header, std::span<const std::byte> data);
  void receive_handle(Peer& peer, const HandleHeader& header);

  const Parts parts_;
};

/// The same by the shortest way: what arrives most often goes from the device to its receive, past
/// the table of users, and no event is raised.
class ShortDispatch final : public MessageDispatch {
 public:
  using MessageDispatch::MessageDispatch;
  void arrived(LinkDevice& device, std::span<const Completion> completions) override;
};

}  // namespace remit
