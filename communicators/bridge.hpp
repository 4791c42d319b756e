// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How two groups that know nothing of each other become an inter-communicator, although they may be
// of different jobs: one process of each group talks to one of the other, over a bridge.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "communicators/creation.hpp"

namespace remit {

/// A way between two processes; both ends have one. Messages keep their order. All functions wait;
/// their errors have the class of the message's, MPI_ERR_PROC_ABORTED if the other end was lost.
class Bridge {
 public:
  /// Messages leave for rank `peer` of `core` with tag `there`, and come from it with tag `here`;
  /// nothing else uses these tags on that context.
  Bridge(const CommCall& call, CommCore core, int peer, int there, int here);

  /// What is done with the other end's words. It may fail, or throw.
  using Taker = std::function<Expected<>(Bytes theirs)>;

  /// Each end says something, hears what the other one has said, and has `take` do with it what
  /// could go wrong. Then both confirm: it succeeds at both ends or at neither, so that no end
  /// goes on alone.
  [[nodiscard]] Expected<> exchange(std::span<const std::byte> mine, const Taker& take);
  /// The same for who only wants to know.
  [[nodiscard]] Expected<Bytes> exchange(std::span<const std::byte> mine);
  /// Takes part in an exchange for which this end has nothing to say, for something went wrong: it
  /// fails at the other end. Needs no memory; whether the other end is still there does not matter.
  void refuse();
  [[nodiscard]] Expected<> send(std::span<const std::byte> mine);
  [[nodiscard]] Expected<Bytes> receive();

 private:
  void start_send(Request& request, std::span<const std::byte> mine);
  [[nodiscard]] Expected<> wait_for(const Request& request);
  [[nodiscard]] Expected<MatchedMessage*> await_message(ProbeResult& found);
  [[nodiscard]] Expected<> take_message(MatchedMessage* message, std::span<std::byte> room);
  [[nodiscard]] Expected<> confirm(bool good);

  CommCall call_;
  CommCore core_;
  int peer_;
  int there_;
  int here_;
};

/// What the member that leads its group does to come to a bridge; errors in words for the user.
using BridgeOpener = std::function<Expected<std::unique_ptr<Bridge>>()>;

/// The inter-communicator of `local`, all of whose members call this, and of the group whose leader
/// is at the other end of the bridge. `open` is called at `root` only; its error, or exception, is
/// that of all members. Where something fails at a member it fails at all, of both groups. Waits.
[[nodiscard]] Expected<CommCore> bridge_groups(const CommCall& call, const ParentComm& local,
                                               int root, const BridgeOpener& open);

}  // namespace remit
