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

#include "bindings/entry.hpp"
#include "pt2pt/context_ids.hpp"

namespace remit {

/// Letters to and from any process that this one has heard of, on a context of their own. Each says
/// in full what it is about, so letters about different things never take each other's place; those
/// of one sender about one thing keep their order.
class GroupMail {
 public:
  using Letter = std::vector<std::byte>;

  explicit GroupMail(Instance& instance);
  ~GroupMail();
  GroupMail(const GroupMail&) = delete;
  GroupMail& operator=(const GroupMail&) = delete;

  /// Both wait, and return MPI_SUCCESS or an error class. `subject` describes the wait.
  [[nodiscard]] int send(const std::string& about, ProcId to, std::span<const std::byte> data,
                         const WaitSubject& subject);
  [[nodiscard]] int receive(const std::string& about, ProcId from, Letter& data,
                            const WaitSubject& subject);

 private:
  struct Arrival;
  using Key = std::pair<std::string, ProcId>;

  void collect(int tag);
  void open_first();

  Instance& instance_;
  CommCore core_;                                 // of all processes; its ranks are their numbers
  std::list<std::unique_ptr<Arrival>> arriving_;  // in the order of their arrival
  std::map<Key, std::deque<Letter>> waiting_;
};

/// One call that all of `members` make together. They use the same functions of it in the same
/// order. All return what the MPI function is to return.
class MailCall {
 public:
  /// `about` is the same at all members, and differs from that of every other call that any two of
  /// them may be making at the same time in the other order. This process has rank `rank`.
  MailCall(Entry& entry, std::string about, std::vector<ProcId> members, int rank);

  /// `data` of the first member comes to all.
  [[nodiscard]] int broadcast(GroupMail::Letter& data);
  /// A context that is free at all.
  [[nodiscard]] int agree_on_context(ContextId& out);

 private:
  [[nodiscard]] int maximum(ContextAgreement::Words& words);
  [[nodiscard]] int send(int to, std::span<const std::byte> data);
  [[nodiscard]] int receive(int from, GroupMail::Letter& data);
  [[nodiscard]] int failed(int code);

  Entry& entry_;
  GroupMail& mail_;
  std::string about_;
  std::vector<ProcId> members_;
  int rank_;
};

}  // namespace remit
