// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages among processes that have no communicator in common, or of which only some take part in
// a call: how MPI_Comm_create_group, the constructors from groups and MPI_Intercomm_create come to
// their context.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "communicators/comm_process.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Messages to and from any process that this one has heard of, on a context of their own. Each
/// says in full which call it belongs to, so messages of different calls never take each other's
/// place; those of one sender for one call keep their order.
class GroupMail {
 public:
  explicit GroupMail(CommProcess& comms);
  ~GroupMail();
  GroupMail(const GroupMail&) = delete;
  GroupMail& operator=(const GroupMail&) = delete;

  /// Sends `data` to a process, and waits until they have left. `subject` describes the wait. The
  /// error is of class MPI_ERR_PROC_ABORTED if the process was lost.
  [[nodiscard]] Expected<> send(const std::string& topic, ProcId to,
                                std::span<const std::byte> data, const WaitSubject& subject);
  /// Waits for the next message of a process about `topic`; errors as of send().
  [[nodiscard]] Expected<Bytes> receive(const std::string& topic, ProcId from,
                                        const WaitSubject& subject);

 private:
  struct Arrival;
  using Key = std::pair<std::string, ProcId>;

  void collect(int tag);
  void open_first();

  CommProcess& comms_;
  CommCore core_;                                 // of all processes; its ranks are their numbers
  std::list<std::unique_ptr<Arrival>> arriving_;  // in the order of their arrival
  std::map<Key, std::deque<Bytes>> waiting_;
};

/// One call that all of `members` make together. They use the same functions of it in the same
/// order. All wait; their errors say that the processes could not agree.
class MailCall {
 public:
  /// `topic` is the same at all members, and differs from that of every other call that any two of
  /// them may be making at the same time in the other order. This process has rank `rank`.
  MailCall(const CommCall& call, std::string topic, std::vector<ProcId> members, int rank);

  /// Brings `data` of the first member to all.
  [[nodiscard]] Expected<> broadcast(Bytes& data);
  /// A context that is free at all members, and taken at each from then on.
  [[nodiscard]] Expected<ContextId> agree_on_context();

 private:
  [[nodiscard]] Expected<> maximum(ContextAgreement::Words& words);
  [[nodiscard]] Expected<> send(int to, std::span<const std::byte> data);
  [[nodiscard]] Expected<Bytes> receive(int from);

  CommCall call_;
  std::string topic_;
  std::vector<ProcId> members_;
  int rank_;
};

}  // namespace remit
