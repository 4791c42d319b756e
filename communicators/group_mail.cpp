// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages among processes that have no communicator in common.
#include "communicators/group_mail.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "communicators/waits.hpp"

namespace remit {

namespace {

/// Messages about one topic share a tag; those about others may have the same.
int tag_of_topic(const std::string& topic) {
  return static_cast<int>(std::hash<std::string>()(topic) & 0x7fffffffU);
}

/// What a message begins with; the topic and the data follow.
struct MailHead {
  PeerName from = 0;
  std::uint64_t topic_bytes = 0;
};

tl::unexpected<Error> no_mail(int code) {
  return fail(code, "the processes of the new communicator could not agree on it");
}

}  // namespace

/// A message whose bytes may still be on their way.
struct GroupMail::Arrival {
  Request request{RequestKind::receive};
  Bytes bytes;
};

GroupMail::GroupMail(CommProcess& comms) : comms_(comms) {
  core_.context = ContextIds::context_of(ContextIds::kGroups);
  core_.rank = comms.process().rank();
  core_.local = Group::regular(ProcId{0}, 1, comms.process().size());
}

GroupMail::~GroupMail() = default;

Expected<> GroupMail::send(const std::string& topic, ProcId to, std::span<const std::byte> data,
                           const WaitSubject& subject) {
  const Process& process = comms_.process();
  const MailHead head{process.name_of(process.rank()), topic.size()};
  Bytes message(sizeof head + topic.size() + data.size());
  std::memcpy(message.data(), &head, sizeof head);
  std::memcpy(message.data() + sizeof head, topic.data(), topic.size());
  if (!data.empty()) {
    std::memcpy(message.data() + sizeof head + topic.size(), data.data(), data.size());
  }
  Request request(RequestKind::send);
  const View view = bytes_view(message.data(), message.size());
  comms_.engine().isend(request, view, static_cast<int>(to), tag_of_topic(topic), core_);
  comms_.process().progress().wait([&] { return request.complete; }, &subject);
  if (request.status.error != MPI_SUCCESS) return no_mail(request.status.error);
  return {};
}

/// Takes in all messages of this tag. Ranks of senders mean nothing: two of different jobs may have
/// the same.
void GroupMail::collect(int tag) {
  ProbeResult found;
  while (MatchedMessage* message = comms_.engine().improbe(MPI_ANY_SOURCE, tag, core_, found)) {
    auto arrival = std::make_unique<Arrival>();
    arrival->bytes.resize(static_cast<std::size_t>(found.bytes));
    const View view = bytes_view(arrival->bytes.data(), arrival->bytes.size());
    // In the list first: once the engine knows the request it must stay, whatever is thrown.
    Arrival& listed = *arriving_.emplace_back(std::move(arrival));
    comms_.engine().imrecv(listed.request, view, message);
  }
  while (!arriving_.empty() && arriving_.front()->request.complete) open_first();
}

void GroupMail::open_first() {
  const std::unique_ptr<Arrival> arrival = std::move(arriving_.front());
  arriving_.pop_front();
  Bytes& bytes = arrival->bytes;
  MailHead head;
  if (arrival->request.status.error != MPI_SUCCESS || bytes.size() < sizeof head) return;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (bytes.size() - sizeof head < head.topic_bytes) return;
  const std::string topic(reinterpret_cast<const char*>(bytes.data()) + sizeof head,
                          head.topic_bytes);
  bytes.erase(bytes.begin(),
              bytes.begin() + static_cast<std::ptrdiff_t>(sizeof head + head.topic_bytes));
  waiting_[{topic, comms_.engine().links().directory().proc_of(head.from)}].push_back(
      std::move(bytes));
  comms_.threads().note_change();  // another thread may be waiting for it
}

Expected<Bytes> GroupMail::receive(const std::string& topic, ProcId from,
                                   const WaitSubject& subject) {
  const int tag = tag_of_topic(topic);
  const Key key(topic, from);
  auto messages = waiting_.end();
  comms_.process().progress().wait(
      [&] {
        collect(tag);
        messages = waiting_.find(key);
        return messages != waiting_.end() || comms_.engine().links().lost(from);
      },
      &subject);
  if (messages == waiting_.end()) return no_mail(MPI_ERR_PROC_ABORTED);
  Bytes data = std::move(messages->second.front());
  messages->second.pop_front();
  if (messages->second.empty()) waiting_.erase(messages);
  return data;
}

MailCall::MailCall(const CommCall& call, std::string topic, std::vector<ProcId> members, int rank)
    : call_(call), topic_(std::move(topic)), members_(std::move(members)), rank_(rank) {}

Expected<> MailCall::send(int to, std::span<const std::byte> data) {
  const ProcId proc = members_[static_cast<std::size_t>(to)];
  const ProcessWait subject(call_, "members of the group", proc, CallKind::send);
  return call_.comms.mail().send(topic_, proc, data, subject);
}

Expected<Bytes> MailCall::receive(int from) {
  const ProcId proc = members_[static_cast<std::size_t>(from)];
  const ProcessWait subject(call_, "members of the group", proc, CallKind::receive);
  return call_.comms.mail().receive(topic_, proc, subject);
}

Expected<> MailCall::broadcast(Bytes& data) {
  const BinomialTree tree{rank_, static_cast<int>(members_.size())};
  if (rank_ != 0) {
    auto received = receive(tree.parent());
    if (!received) return tl::unexpected(received.error());
    data = std::move(*received);
  }
  for (int distance = tree.span() / 2; distance > 0; distance /= 2) {
    if (rank_ + distance >= tree.size) continue;
    if (auto sent = send(rank_ + distance, data); !sent) return sent;
  }
  return {};
}

/// The members' maxima, at all of them: up a binomial tree and down again.
Expected<> MailCall::maximum(ContextAgreement::Words& words) {
  const BinomialTree tree{rank_, static_cast<int>(members_.size())};
  ContextAgreement::Words theirs{};
  for (int distance = 1; distance < tree.span() && rank_ + distance < tree.size; distance *= 2) {
    const auto received = receive(rank_ + distance);
    if (!received) return tl::unexpected(received.error());
    if (received->size() != sizeof theirs) return no_mail(MPI_ERR_OTHER);
    std::memcpy(theirs.data(), received->data(), sizeof theirs);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::max(words[i], theirs[i]);
  }
  Bytes message(sizeof words);
  std::memcpy(message.data(), words.data(), sizeof words);
  if (rank_ != 0) {
    if (auto sent = send(tree.parent(), message); !sent) return sent;
  }
  if (auto told = broadcast(message); !told) return told;
  if (message.size() != sizeof words) return no_mail(MPI_ERR_OTHER);
  std::memcpy(words.data(), message.data(), sizeof words);
  return {};
}

Expected<ContextId> MailCall::agree_on_context() {
  ContextAgreement agreement(call_.comms.contexts(), !call_.comms.threads().overlap());
  ContextAgreement::Words words{};
  do {
    words = agreement.mine();
    if (auto done = maximum(words); !done) return tl::unexpected(done.error());
  } while (!agreement.settle(words));
  return agreement.context();
}

}  // namespace remit
