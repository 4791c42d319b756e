// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// First contact: what becomes of two processes that ask each other for a connection at once.
#pragma once

#include <cstdint>

#include "rdma_btl/device.hpp"

namespace remit {

/// How far this process and a peer have come, as far as it matters for a request of the peer. A
/// device has more states than these, and says which of these each of them is.
enum class ContactPhase : std::uint8_t {
  none,      ///< nothing was asked, or an attempt has come to nothing
  asking,    ///< our request is under way
  yielding,  ///< ours was dropped, for the peer's wins: that is on its way
  agreed,    ///< one connection is made, or is certain
  over,      ///< the peer has come and gone here, or has failed
};

/// What is answered to a request of a peer.
enum class ContactAnswer : std::uint8_t {
  accept,     ///< this connection is the one; what we have asked ourselves is dropped
  mine_wins,  ///< both have asked: the peer drops its request and waits for ours
  refuse,     ///< there will be no connection
};

/// Two processes that speak to each other first at the same time each ask over a connection of
/// their own, and one of the two must stay. The rule, with which both agree whatever overtakes
/// what: the request of the process with the lower name wins. The one with the lower name answers
/// the other's request with mine_wins, also if that comes when the connection is made already (it
/// was sent before ours was accepted); the one with the higher name drops its own and accepts.
///
/// A process that asks itself has to know that before: it needs no answer.
[[nodiscard]] constexpr ContactAnswer answer_contact(PeerName self, PeerName asker,
                                                     ContactPhase phase) {
  switch (phase) {
    case ContactPhase::none:
    case ContactPhase::yielding:
      return ContactAnswer::accept;
    case ContactPhase::asking:
      return self < asker ? ContactAnswer::mine_wins : ContactAnswer::accept;
    case ContactPhase::agreed:
      return self < asker ? ContactAnswer::mine_wins : ContactAnswer::refuse;
    case ContactPhase::over:
      break;
  }
  return ContactAnswer::refuse;
}

}  // namespace remit
