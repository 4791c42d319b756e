// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages among processes that have no communicator in common.
#include "bindings/comm/group_mail.hpp"

#include <cstring>
#include <functional>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "runtime/call_board.hpp"

namespace remit {

namespace {

/// Letters about one thing share a tag; others may have the same.
int tag_of(const std::string& about) {
  return static_cast<int>(std::hash<std::string>()(about) & 0x7fffffffU);
}

/// On the wire: who writes, how long the subject is, the subject, the data.
struct LetterHead {
  PeerName from = 0;
  std::uint64_t length = 0;
};

/// The wait for one process of the group.
class LetterWait final : public WaitSubject {
 public:
  LetterWait(const Entry& entry, ProcId proc, CallKind kind)
      : entry_(entry), proc_(proc), kind_(kind) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, entry_.function());
    set_text(record.operation, "members of the group");
    record.threads = entry_.instance().locking();
    record.kind = kind_;
    record.waits_for.add(proc_);
  }

 private:
  const Entry& entry_;
  ProcId proc_;
  CallKind kind_;
};

}  // namespace

/// A letter whose bytes may still be on their way.
struct GroupMail::Arrival {
  Request request{RequestKind::receive};
  Letter bytes;
};

GroupMail::GroupMail(Instance& instance) : instance_(instance) {
  core_.context = ContextIds::context_of(ContextIds::kGroups);
  core_.rank = instance.process->rank();
  core_.local = Group::regular(0, 1, instance.process->size());
}

GroupMail::~GroupMail() = default;

int GroupMail::send(const std::string& about, ProcId to, std::span<const std::byte> data,
                    const WaitSubject& subject) {
  const LetterHead head{instance_.process->name_of(instance_.process->rank()), about.size()};
  Letter letter(sizeof head + about.size() + data.size());
  std::memcpy(letter.data(), &head, sizeof head);
  std::memcpy(letter.data() + sizeof head, about.data(), about.size());
  if (!data.empty()) {
    std::memcpy(letter.data() + sizeof head + about.size(), data.data(), data.size());
  }
  Request request(RequestKind::send);
  const View view = bytes_view(letter.data(), letter.size());
  instance_.engine->isend(request, view, static_cast<int>(to), tag_of(about), core_);
  instance_.progress().wait([&] { return request.complete; }, &subject);
  return request.status.error;
}

/// Takes in all letters of this tag. Ranks of senders mean nothing: two of different jobs may have
/// the same.
void GroupMail::collect(int tag) {
  ProbeResult found;
  while (MatchedMessage* message = instance_.engine->improbe(MPI_ANY_SOURCE, tag, core_, found)) {
    auto arrival = std::make_unique<Arrival>();
    arrival->bytes.resize(static_cast<std::size_t>(found.bytes));
    const View view = bytes_view(arrival->bytes.data(), arrival->bytes.size());
    instance_.engine->imrecv(arrival->request, view, message);
    arriving_.push_back(std::move(arrival));
  }
  while (!arriving_.empty() && arriving_.front()->request.complete) open_first();
}

void GroupMail::open_first() {
  const std::unique_ptr<Arrival> arrival = std::move(arriving_.front());
  arriving_.pop_front();
  Letter& bytes = arrival->bytes;
  LetterHead head;
  if (arrival->request.status.error != MPI_SUCCESS || bytes.size() < sizeof head) return;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (bytes.size() - sizeof head < head.length) return;
  const std::string about(reinterpret_cast<const char*>(bytes.data()) + sizeof head, head.length);
  bytes.erase(bytes.begin(),
              bytes.begin() + static_cast<std::ptrdiff_t>(sizeof head + head.length));
  waiting_[{about, instance_.engine->links().proc_of(head.from)}].push_back(std::move(bytes));
  instance_.others_may_care = true;  // another thread may be waiting for it
}

int GroupMail::receive(const std::string& about, ProcId from, Letter& data,
                       const WaitSubject& subject) {
  const int tag = tag_of(about);
  const Key key(about, from);
  auto letters = waiting_.end();
  instance_.progress().wait(
      [&] {
        collect(tag);
        letters = waiting_.find(key);
        return letters != waiting_.end() || instance_.engine->links().lost(from);
      },
      &subject);
  if (letters == waiting_.end()) return MPI_ERR_PROC_ABORTED;
  data = std::move(letters->second.front());
  letters->second.pop_front();
  if (letters->second.empty()) waiting_.erase(letters);
  return MPI_SUCCESS;
}

namespace {

GroupMail& mail_of(Instance& instance) {
  if (instance.group_mail == nullptr) instance.group_mail = std::make_unique<GroupMail>(instance);
  return *instance.group_mail;
}

}  // namespace

MailCall::MailCall(Entry& entry, std::string about, std::vector<ProcId> members, int rank)
    : entry_(entry),
      mail_(mail_of(entry.instance())),
      about_(std::move(about)),
      members_(std::move(members)),
      rank_(rank) {}

int MailCall::failed(int code) {
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  return entry_.fail(code, "the processes of the new communicator could not agree on it");
}

int MailCall::send(int to, std::span<const std::byte> data) {
  const ProcId proc = members_[static_cast<std::size_t>(to)];
  const LetterWait subject(entry_, proc, CallKind::send);
  return failed(mail_.send(about_, proc, data, subject));
}

int MailCall::receive(int from, GroupMail::Letter& data) {
  const ProcId proc = members_[static_cast<std::size_t>(from)];
  const LetterWait subject(entry_, proc, CallKind::receive);
  return failed(mail_.receive(about_, proc, data, subject));
}

int MailCall::broadcast(GroupMail::Letter& data) {
  const BinomialTree tree{rank_, static_cast<int>(members_.size())};
  if (rank_ != 0) {
    if (int err = receive(tree.parent(), data)) return err;
  }
  for (int distance = tree.span() / 2; distance > 0; distance /= 2) {
    if (rank_ + distance >= tree.size) continue;
    if (int err = send(rank_ + distance, data)) return err;
  }
  return MPI_SUCCESS;
}

/// The members' maxima, at all of them: up a binomial tree and down again.
int MailCall::maximum(ContextAgreement::Words& words) {
  const BinomialTree tree{rank_, static_cast<int>(members_.size())};
  GroupMail::Letter letter;
  ContextAgreement::Words theirs{};
  for (int distance = 1; distance < tree.span() && rank_ + distance < tree.size; distance *= 2) {
    if (int err = receive(rank_ + distance, letter)) return err;
    if (letter.size() != sizeof theirs) return failed(MPI_ERR_OTHER);
    std::memcpy(theirs.data(), letter.data(), sizeof theirs);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::max(words[i], theirs[i]);
  }
  letter.assign(sizeof words, std::byte{});
  std::memcpy(letter.data(), words.data(), sizeof words);
  if (rank_ != 0) {
    if (int err = send(tree.parent(), letter)) return err;
  }
  if (int err = broadcast(letter)) return err;
  if (letter.size() != sizeof words) return failed(MPI_ERR_OTHER);
  std::memcpy(words.data(), letter.data(), sizeof words);
  return MPI_SUCCESS;
}

int MailCall::agree_on_context(ContextId& out) {
  Instance& instance = entry_.instance();
  ContextAgreement agreement(instance.contexts, !instance.locking());
  ContextAgreement::Words words{};
  do {
    words = agreement.mine();
    if (int err = maximum(words)) return err;
  } while (!agreement.settle(words));
  out = agreement.context();
  return MPI_SUCCESS;
}

}  // namespace remit
