// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Inter-communicators, and communicators from groups alone.
#include "communicators/intercomm.hpp"

#include <algorithm>

#include "communicators/bridge.hpp"
#include "communicators/group_encoding.hpp"
#include "communicators/group_mail.hpp"
#include "communicators/inner_collectives.hpp"
#include "communicators/root_outcome.hpp"

namespace remit {

Expected<> check_disjoint(const Engine& engine, const Group& local, const Group& remote) {
  const Group& small = local.size() < remote.size() ? local : remote;
  const Group& large = local.size() < remote.size() ? remote : local;
  for (int i = 0; i < small.size(); ++i) {
    if (large.rank_of(small.proc(i)) == MPI_UNDEFINED) continue;
    return fail(MPI_ERR_COMM, "{} of MPI_COMM_WORLD is in both groups; they must be disjoint",
                engine.links().directory().words_of(small.proc(i)));
  }
  return {};
}

Expected<ContextId> agree_between(const CommCall& call, std::string topic, const Group& local,
                                  const Group& remote) {
  // Both sides list the members in the same order.
  const bool first = comes_first(call.engine(), local, remote);
  std::vector<ProcId> members = members_of(first ? local : remote);
  const std::vector<ProcId> others = members_of(first ? remote : local);
  const int rank = own_rank_in(call.process(), local) + (first ? 0 : remote.size());
  members.insert(members.end(), others.begin(), others.end());
  return MailCall(call, std::move(topic), std::move(members), rank).agree_on_context();
}

// --- leaders -------------------------------------------------------------------------------------

namespace {

/// On a context of the peer communicator that the program's own messages do not use.
Bridge bridge_over(const CommCall& call, const LeaderLink& link, int tag) {
  CommCore side = link.peer;
  side.context += kContextsEach / 2;
  return Bridge(call, std::move(side), link.remote_leader, tag, tag);
}

/// Whether some of those whom this leader sees are of another job.
bool sees_other_job(const Engine& engine, const CommCore& local, const LeaderLink& link) {
  return spans_jobs(*local.local, engine.process().size()) ||
         engine.links().directory().is_foreign(link.peer.peers().proc(link.remote_leader));
}

/// What a leader says to the other one: whether it sees processes of several jobs, the members of
/// its group, and its own rank in its job.
GroupWords words_of_leader(const CommCall& call, const CommCore& local, const LeaderLink& link) {
  GroupWords mine{sees_other_job(call.engine(), local, link) ? 1 : 0};
  const GroupWords group = encode_group(call.engine(), *local.local);
  mine.insert(mine.end(), group.begin(), group.end());
  mine.push_back(call.process().rank());
  return mine;
}

/// What a leader tells its group of what both have said: nothing if they see processes of several
/// jobs; else the remote group, and the leaders' ranks, the lower one first, which tell this call
/// from all others: the same at both sides.
GroupWords words_for_group(const GroupWords& mine, GroupWords theirs) {
  if (mine.front() != 0 || theirs.front() != 0) return {};
  theirs.erase(theirs.begin());
  const std::int64_t low = std::min(mine.back(), theirs.back());
  const std::int64_t high = std::max(mine.back(), theirs.back());
  theirs.back() = low;
  theirs.push_back(high);
  return theirs;
}

/// At the leader. `kept`: the bridge again, for what follows if there are several jobs. Whatever
/// fails at this leader fails at the other one, too.
RootOutcome ask_remote_leader(const CommCall& call, const CommCore& local, const LeaderLink& link,
                              int tag, std::unique_ptr<Bridge>& kept) {
  Bridge bridge = bridge_over(call, link, tag);
  GroupWords mine;
  RootOutcome outcome = outcome_at_root([&]() -> RootOutcome {
    mine = words_of_leader(call, local, link);
    return {MPI_SUCCESS, bytes_of_words(mine)};
  });
  if (outcome.code != MPI_SUCCESS) {
    bridge.refuse();
    return outcome;
  }
  const Bytes message = std::move(outcome.bytes);
  return outcome_at_root([&]() -> RootOutcome {
    RootOutcome heard;
    const auto done = bridge.exchange(message, [&](const Bytes& bytes) -> Expected<> {
      GroupWords theirs = words_of_bytes(bytes);
      if (theirs.size() < 2) return fail(MPI_ERR_OTHER, "the other leader says nothing");
      heard.bytes = bytes_of_words(words_for_group(mine, std::move(theirs)));
      if (heard.bytes.empty()) kept = std::make_unique<Bridge>(bridge);
      return {};
    });
    return done ? std::move(heard) : RootOutcome{done.error().code, {}};
  });
}

}  // namespace

Expected<> refuse_intercomm(const CommCall& call, const ParentComm& local, int leader, int code) {
  RootOutcome outcome{code, {}};
  return tell_members(call, local, leader, outcome);
}

Expected<CommCore> create_intercomm_of_leaders(const CommCall& call, const ParentComm& local,
                                               int leader, int tag, const LeaderLink* link) {
  RootOutcome outcome;
  std::unique_ptr<Bridge> bridge;
  if (link != nullptr) outcome = ask_remote_leader(call, local.core, *link, tag, bridge);
  if (auto told = tell_members(call, local, leader, outcome); !told) {
    return tl::unexpected(told.error());
  }
  if (outcome.code != MPI_SUCCESS) {
    return fail(static_cast<int>(outcome.code), "rank {}, the leader, could not reach the other",
                leader);
  }
  GroupWords words = words_of_bytes(outcome.bytes);
  if (words.empty()) {
    return bridge_groups(call, local, leader, [&bridge]() -> Expected<std::unique_ptr<Bridge>> {
      return std::move(bridge);
    });
  }
  const std::string topic =
      fmt::format("inter {} {} {}", tag, words[words.size() - 2], words[words.size() - 1]);
  words.resize(words.size() - 2);
  GroupPtr remote = decode_group(call.engine(), words);
  if (auto disjoint = check_disjoint(call.engine(), *local.core.local, *remote); !disjoint) {
    return tl::unexpected(disjoint.error());
  }
  const auto context = agree_between(call, topic, *local.core.local, *remote);
  if (!context) return tl::unexpected(context.error());
  return make_core(*context, local.core.rank, local.core.local, std::move(remote));
}

// --- groups alone --------------------------------------------------------------------------------

Expected<MaybeComm> create_comm_of_group(const CommCall& call, const CommCore& parent,
                                         GroupPtr group, int tag) {
  const int rank = own_rank_in(call.process(), *group);
  if (rank == MPI_UNDEFINED) return MaybeComm();
  MailCall mail(call, fmt::format("group {} {}", parent.context, tag), members_of(*group), rank);
  const auto context = mail.agree_on_context();
  if (!context) return tl::unexpected(context.error());
  return make_core(*context, rank, std::move(group));
}

Expected<CommCore> create_comm_from_group(const CommCall& call, GroupPtr group, int rank,
                                          const std::string& string_tag) {
  MailCall mail(call, fmt::format("string {}", string_tag), members_of(*group), rank);
  const auto context = mail.agree_on_context();
  if (!context) return tl::unexpected(context.error());
  return make_core(*context, rank, std::move(group));
}

namespace {

/// The remote group, which only the local leader was told, at all of the local group.
Expected<GroupPtr> share_remote(const CommCall& call, const Group& local, int rank, int leader,
                                GroupPtr remote, const std::string& string_tag) {
  // The leader comes first.
  std::vector<ProcId> members = members_of(local);
  std::swap(members[0], members[static_cast<std::size_t>(leader)]);
  int place = rank;
  if (rank == leader) {
    place = 0;
  } else if (rank == 0) {
    place = leader;
  }
  Bytes message;
  if (rank == leader && remote != nullptr) {
    message = bytes_of_words(encode_group(call.engine(), *remote));
  }
  MailCall mail(call, "remote " + string_tag, std::move(members), place);
  if (auto told = mail.broadcast(message); !told) return tl::unexpected(told.error());
  if (rank == leader) return remote;
  return decode_group(call.engine(), words_of_bytes(message));
}

}  // namespace

Expected<MaybeComm> create_intercomm_from_groups(const CommCall& call, GroupPtr local, int rank,
                                                 int leader, GroupPtr remote,
                                                 const std::string& string_tag) {
  auto shared = share_remote(call, *local, rank, leader, std::move(remote), string_tag);
  if (!shared) return tl::unexpected(shared.error());
  if ((*shared)->size() == 0) return MaybeComm();
  if (auto disjoint = check_disjoint(call.engine(), *local, **shared); !disjoint) {
    return tl::unexpected(disjoint.error());
  }
  const auto context = agree_between(call, fmt::format("both {}", string_tag), *local, **shared);
  if (!context) return tl::unexpected(context.error());
  return make_core(*context, rank, std::move(local), std::move(*shared));
}

// --- merging -------------------------------------------------------------------------------------

Expected<MaybeComm> merge_intercomm(const CommCall& call, const ParentComm& comm, bool high) {
  const int mine = high ? 1 : 0;
  int theirs = 0;
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, &mine, &theirs, 1, MPI_INT);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (auto done = run_among_members(call, comm, args); !done) return tl::unexpected(done.error());
  const CommCore& core = comm.core;
  const bool remote_high = theirs != 0;
  const bool local_first =
      high != remote_high ? !high : comes_first(call.engine(), *core.local, *core.remote);
  std::vector<ProcId> members = members_of(local_first ? *core.local : *core.remote);
  const std::vector<ProcId> rest = members_of(local_first ? *core.remote : *core.local);
  members.insert(members.end(), rest.begin(), rest.end());
  return create_comm(call, comm, Group::of(std::move(members)));
}

}  // namespace remit
