// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ports: where a process can be found by others that know nothing of it but the port's name
// (MPI-5.0, section 11.9).
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "communicators/bridge.hpp"
#include "pt2pt/context_ids.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// The ports of one process. The name of a port says where its process is (its passport) and, by a
/// tag, which of its ports is meant; so it leads there from any job, without a launcher. Who
/// connects sends a *connection request*: that tag, its own passport, and the tag that it wants to
/// be answered on. All of that is on contexts of its own. Requests are taken whatever this process
/// does in MPI: at a port that is not open, or not any more, they are refused at once.
class Ports final : public ProgressSource {
 public:
  explicit Ports(CommProcess& comms);
  ~Ports() override;
  Ports(const Ports&) = delete;
  Ports& operator=(const Ports&) = delete;

  /// The name of a new port.
  [[nodiscard]] std::string open();
  /// Refuses those whose requests wait. False: it is no open port of this process.
  bool close(std::string_view name);
  /// Of a process that leaves MPI.
  void close_all();

  /// Waits until somebody asks for a connection. MPI_ERR_PORT: it is no port of this process, or is
  /// closed meanwhile.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> accept(const CommCall& call,
                                                         std::string_view name);
  /// Asks for a connection, and waits until it is accepted. MPI_ERR_PORT: the port is not open
  /// there, or its process has ended.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> connect(const CommCall& call,
                                                          std::string_view name);

  /// Makes a bridge of the two ends of a connected stream socket, each of which calls this
  /// (MPI_Comm_join, section 11.10.5), and waits. Null: they cannot reach each other by other means
  /// than the socket. What was sent over the socket was read.
  [[nodiscard]] Expected<std::unique_ptr<Bridge>> join(const CommCall& call, int socket);

  // ProgressSource, from the first port on. The engine wakes sleepers: only messages come here.
  int progress() override;
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>&) const override {}

 private:
  /// Who has asked for a connection.
  struct ConnectRequest {
    ProcId proc{};
    int answer_tag = 0;
  };
  struct Arriving;
  struct Refusal;

  [[nodiscard]] CommCore core_to(ProcId proc, ContextIds::Reserved slot) const;
  [[nodiscard]] std::unique_ptr<Bridge> bridge_to(const CommCall& call, ProcId proc, int there,
                                                  int here);
  void close(std::map<int, std::deque<ConnectRequest>>::iterator port);
  void take(const Arriving& message);
  void refuse(const ConnectRequest& request);

  CommProcess& comms_;
  Progress& progress_;                              ///< for the destructor: see CommProcess
  CommCore request_core_;                           ///< for looking after requests
  int next_tag_ = 1;                                ///< of ports and of bridges
  std::map<int, std::deque<ConnectRequest>> open_;  ///< by tag: who waits there
  bool watching_ = false;                           ///< this is a source
  std::list<Arriving> arriving_;
  std::list<Refusal> refusals_;
};

}  // namespace remit
