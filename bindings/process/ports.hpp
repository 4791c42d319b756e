// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ports: where a process can be found by others that know nothing of it but the port's name.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/comm/bridge.hpp"
#include "pt2pt/context_ids.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// The ports of one process. The name of a port says where its process is (its passport) and, by a
/// tag, which of its ports is meant; so it leads there from any job, without a launcher. Who
/// connects sends a *knock*: that tag, its own passport, and the tag that it wants to be answered
/// on. All of that is on contexts of its own. Knocks are taken whatever this process does in MPI:
/// at a port that is not open, or not any more, they are refused at once.
class Ports final : public ProgressSource {
 public:
  explicit Ports(Instance& instance);
  ~Ports() override;
  Ports(const Ports&) = delete;
  Ports& operator=(const Ports&) = delete;

  /// The name of a new port.
  [[nodiscard]] std::string open();
  /// Those who have knocked are refused. False: it is no open port of this process.
  bool close(std::string_view name);
  /// Of a process that leaves MPI.
  void close_all();

  /// Waits until somebody knocks.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> accept(Entry& entry, std::string_view name);
  /// Knocks, and waits until it is accepted. MPI_ERR_PORT: the port is not open there, or its
  /// process has ended.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> connect(Entry& entry, std::string_view name);

  /// The two ends of a socket, each of which calls this, become a bridge. Null: they cannot reach
  /// each other by other means than the socket. What was sent over the socket was read.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> join(Entry& entry, int socket);

  // ProgressSource, from the first port on. The engine wakes sleepers: only messages come here.
  int progress() override;
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>&) const override {}

 private:
  /// Who has knocked.
  struct Knock {
    ProcId proc = 0;
    int answer_tag = 0;
  };
  struct Arriving;
  struct Refusal;

  [[nodiscard]] CommCore core_to(ProcId proc, ContextIds::Reserved slot) const;
  [[nodiscard]] std::unique_ptr<Bridge> bridge_to(Entry& entry, ProcId proc, int there, int here);
  void close(std::map<int, std::deque<Knock>>::iterator port);
  void take(const Arriving& message);
  void refuse(const Knock& knock);

  Instance& instance_;
  CommCore knocks_;                        ///< for looking after them
  int next_tag_ = 1;                       ///< of ports and of bridges
  std::map<int, std::deque<Knock>> open_;  ///< by tag: who waits there
  bool watching_ = false;                  ///< this is a source
  std::list<Arriving> arriving_;
  std::list<Refusal> refusals_;
};

[[nodiscard]] Ports& ports_of(Instance& instance);

}  // namespace remit
