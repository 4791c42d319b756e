// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How two groups that know nothing of each other become an inter-communicator, although they may be
// of different jobs: one process of each group talks to one of the other, over a bridge.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "bindings/comm/new_comm.hpp"
#include "bindings/entry.hpp"

namespace remit {

/// A way between two processes; both ends have one. Messages keep their order. Calls wait, and
/// return MPI_SUCCESS or an error class.
class Bridge {
 public:
  /// Messages leave for rank `peer` of `core` with tag `there`, and come from it with tag `here`;
  /// nothing else uses these tags on that context.
  Bridge(Entry& entry, CommCore core, int peer, int there, int here);

  /// Each end says something and hears what the other one has said.
  [[nodiscard]] int swap(std::span<const std::byte> mine, Bytes& theirs);
  [[nodiscard]] int send(std::span<const std::byte> mine);
  [[nodiscard]] int receive(Bytes& theirs);

 private:
  [[nodiscard]] int wait_for(const Request& request);

  Entry& entry_;
  CommCore core_;
  int peer_;
  int there_;
  int here_;
};

/// What the member that leads its group does to come to a bridge; errors in words for the user.
using BridgeOpener = std::function<Expected<std::unique_ptr<Bridge>>()>;

/// Makes the inter-communicator of `local`, all of whose members call this, and of the group whose
/// leader is at the other end of the bridge. `open` is called at `root` only. Returns what the MPI
/// function is to return.
[[nodiscard]] int bridge_groups(Entry& entry, CommObject& local, int root, const BridgeOpener& open,
                                MPI_Comm* out);

/// From `root` to all members of an intra-communicator: a code, and bytes whose number only the
/// root knows.
struct Told {
  std::int64_t code = MPI_SUCCESS;
  Bytes bytes;
};
[[nodiscard]] int tell_members(Entry& entry, CommObject& comm, int root, Told& told);

/// Raises at all members what went wrong at the root, whose words they have been told.
[[nodiscard]] int fail_as_told(Entry& entry, const Told& told);
[[nodiscard]] Told told_of(const Error& error);

}  // namespace remit
