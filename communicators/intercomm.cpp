// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Inter-communicators, and communicators from groups alone.
#include "communicators/intercomm.hpp"

#include <algorithm>

#include "communicators/bridge.hpp"
#include "communicators/group_encoding.hpp"
#include "communicators/group_mail.hpp"
#include "communicators/inner_collectives.hpp"

namespace remit {

Expected<> check_disjoint(const Engine& engine, const Group& local, const Group& remote) {
  const Group& small = local.size() < remote.size() ? local : remote;
  const Group& large = local.size() < remote.size() ? remote : local;
  for (int i = 0; i < small.size(); ++i) {
    if (large.rank_of(small.proc(i)) == MPI_UNDEFINED) continue;
    return fail(MPI_ERR_COMM, "{} of MPI_COMM_WORLD is in both groups; they must be disjoint",
                engine.links().words_of(small.proc(i)));
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
std::unique_ptr<Bridge> bridge_over(const CommCall& call, const LeaderLink& link, int tag) {
  CommCore side = link.peer;
  side.context += kContextsEach / 2;
  return std::make_unique<Bridge>(call, std::move(side), link.remote_leader, tag, tag);
}

/// What the leader finds out and its group is told. Of the words that follow, the last two name the
/// call: the same at both sides.
struct LeaderReport {
  std::int64_t code = MPI_SUCCESS;
  std::int64_t words = 0;
  std::int64_t spans_jobs = 0;  ///< not all are of one job: there are no words
};

/// Whether some of those whom this leader sees are of another job.
bool sees_other_job(const Engine& engine, const CommCore& local, const LeaderLink& link) {
  return spans_jobs(*local.local, engine.process().size()) ||
         engine.links().is_foreign(link.peer.peers().proc(link.remote_leader));
}

LeaderReport ask_remote_leader(const CommCall& call, const CommCore& local, const LeaderLink& link,
                               int tag, GroupWords& words) {
  LeaderReport report;
  const bool sees = sees_other_job(call.engine(), local, link);
  GroupWords mine{sees ? 1 : 0};
  const GroupWords group = encode_group(call.engine(), *local.local);
  mine.insert(mine.end(), group.begin(), group.end());
  mine.push_back(call.process().rank());
  const auto theirs = bridge_over(call, link, tag)->exchange(bytes_of_words(mine));
  if (theirs) words = words_of_bytes(*theirs);
  if (!theirs || words.size() < 2) {
    report.code = theirs ? MPI_ERR_OTHER : theirs.error().code;
    words.clear();
    return report;
  }
  report.spans_jobs = sees || words[0] != 0 ? 1 : 0;
  words.erase(words.begin());
  // The leaders' processes, the lower one first, tell this call from all others.
  const std::int64_t low = std::min(mine.back(), words.back());
  const std::int64_t high = std::max(mine.back(), words.back());
  words.back() = low;
  words.push_back(high);
  if (report.spans_jobs != 0) words.clear();
  report.words = static_cast<std::int64_t>(words.size());
  return report;
}

/// From the leader to its group.
Expected<> tell_group(const CommCall& call, const ParentComm& local, int leader,
                      LeaderReport& report, GroupWords& words) {
  CollectiveArgs args = plain_args(CollectiveKind::bcast, nullptr, &report, 3, MPI_INT64_T);
  args.root = leader;
  if (auto told = run_among_members(call, local, args); !told) return told;
  words.resize(static_cast<std::size_t>(report.words));
  if (words.empty()) return {};
  args = plain_args(CollectiveKind::bcast, nullptr, words.data(), report.words, MPI_INT64_T);
  args.root = leader;
  return run_among_members(call, local, args);
}

}  // namespace

Expected<> refuse_intercomm(const CommCall& call, const ParentComm& local, int leader, int code) {
  LeaderReport report{.code = code};
  GroupWords none;
  return tell_group(call, local, leader, report, none);
}

Expected<CommCore> create_intercomm_of_leaders(const CommCall& call, const ParentComm& local,
                                               int leader, int tag, const LeaderLink* link) {
  LeaderReport report;
  GroupWords words;
  if (link != nullptr) report = ask_remote_leader(call, local.core, *link, tag, words);
  if (auto told = tell_group(call, local, leader, report, words); !told) {
    return tl::unexpected(told.error());
  }
  if (report.code != MPI_SUCCESS) {
    return fail(static_cast<int>(report.code), "rank {}, the leader, could not reach the other",
                leader);
  }
  if (report.spans_jobs != 0) {
    const auto open = [&] { return bridge_over(call, *link, tag); };
    return bridge_groups(call, local, leader, open);
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
