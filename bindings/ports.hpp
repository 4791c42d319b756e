// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ports: where a process can be found by others that know nothing of it but the port's name.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "bindings/bridge.hpp"

namespace remit {

/// The ports of one process. The name of a port says where its process is (its passport) and, by a
/// tag, which of its ports is meant; so it leads there from any job, without a launcher. Who
/// connects sends a *knock* to that tag: its own passport, and the tag that it wants to be answered
/// on. All of that is on a context of its own.
class Ports {
 public:
  explicit Ports(Instance& instance) : instance_(instance) {}

  /// The name of a new port.
  [[nodiscard]] std::string open();
  /// Those who have knocked are refused. False: it is no open port of this process.
  bool close(Entry& entry, std::string_view name);

  /// Waits until somebody knocks.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> accept(Entry& entry, std::string_view name);
  /// Knocks, and waits until it is accepted.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> connect(Entry& entry, std::string_view name);

  /// The two ends of a socket, each of which calls this, become a bridge. Null: they cannot reach
  /// each other by other means than the socket. What was sent over the socket was read.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> join(Entry& entry, int socket);

 private:
  struct Knock;
  [[nodiscard]] CommCore core_to(ProcId proc) const;
  [[nodiscard]] MatchedMessage* take_knock(int tag, MPI_Count& bytes) const;
  [[nodiscard]] Expected<Knock> read_knock(Entry& entry, MatchedMessage* message, MPI_Count bytes);
  [[nodiscard]] std::unique_ptr<Bridge> bridge_to(Entry& entry, ProcId proc, int there, int here);
  void refuse_knocks(Entry& entry);

  Instance& instance_;
  int next_tag_ = 1;      ///< of ports and of bridges
  std::set<int> open_;    ///< tags
  std::set<int> closed_;  ///< somebody may still knock there
};

[[nodiscard]] Ports& ports_of(Instance& instance);

}  // namespace remit
