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

  /// Each end says something and hears what the other one has said.
  [[nodiscard]] Expected<Bytes> exchange(std::span<const std::byte> mine);
  [[nodiscard]] Expected<> send(std::span<const std::byte> mine);
  [[nodiscard]] Expected<Bytes> receive();

 private:
  void start_send(Request& request, std::span<const std::byte> mine);
  [[nodiscard]] Expected<> wait_for(const Request& request);

  CommCall call_;
  CommCore core_;
  int peer_;
  int there_;
  int here_;
};

/// What the member that leads its group does to come to a bridge; errors in words for the user.
using BridgeOpener = std::function<Expected<std::unique_ptr<Bridge>>()>;

/// The inter-communicator of `local`, all of whose members call this, and of the group whose leader
/// is at the other end of the bridge. `open` is called at `root` only; its error is that of all
/// members. Waits.
[[nodiscard]] Expected<CommCore> bridge_groups(const CommCall& call, const ParentComm& local,
                                               int root, const BridgeOpener& open);

}  // namespace remit
