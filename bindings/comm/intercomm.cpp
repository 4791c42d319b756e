// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Inter-communicators: making and merging them (MPI-5.0, section 7.6).
#include <algorithm>
#include <array>
#include <cstring>

#include "bindings/comm/bridge.hpp"
#include "bindings/comm/group_words.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "bindings/weak.hpp"
#include "collectives/algorithms/buffers.hpp"

namespace remit {

Words words_of(const Engine& engine, const Group& group) {
  if (group.size() == 0) return {};
  Words words{group.size()};
  const auto name = [&](int rank) {
    return static_cast<std::int64_t>(engine.links().name_of(group.proc(rank)));
  };
  const bool is_regular =
      group.is_regular() && group.stride() != 0 && !spans_jobs(group, engine.process().size());
  words.push_back(is_regular ? group.stride() : 0);
  const int listed = is_regular ? 1 : group.size();
  for (int i = 0; i < listed; ++i) words.push_back(name(i));
  return words;
}

GroupPtr group_of(Engine& engine, const Words& words) {
  if (words.size() < 3) return Group::regular(0, 1, 0);
  const auto proc = [&](std::int64_t name) {
    return engine.links().proc_of(static_cast<PeerName>(name));
  };
  const std::int64_t stride = words[1];
  const ProcId first = proc(words[2]);
  if (stride != 0 && !engine.links().is_foreign(first)) {
    return Group::regular(first, stride, static_cast<int>(words[0]));
  }
  std::vector<ProcId> members;
  for (std::int64_t i = 0; i < words[0]; ++i) {
    const std::int64_t name =
        stride != 0 ? words[2] + i * stride : words[static_cast<std::size_t>(i) + 2];
    members.push_back(proc(name));
  }
  return Group::of(std::move(members));
}

GroupMail::Letter to_bytes(const Words& words) {
  GroupMail::Letter letter(words.size() * sizeof(Words::value_type));
  if (!letter.empty()) std::memcpy(letter.data(), words.data(), letter.size());
  return letter;
}

Words words_from(const GroupMail::Letter& letter) {
  Words words(letter.size() / sizeof(Words::value_type));
  if (!words.empty()) {
    std::memcpy(words.data(), letter.data(), words.size() * sizeof(Words::value_type));
  }
  return words;
}

int check_disjoint(Entry& entry, const Group& local, const Group& remote) {
  const Group& small = local.size() < remote.size() ? local : remote;
  const Group& large = local.size() < remote.size() ? remote : local;
  for (int i = 0; i < small.size(); ++i) {
    if (large.rank_of(small.proc(i)) == MPI_UNDEFINED) continue;
    return entry.fail(MPI_ERR_COMM, "{} of MPI_COMM_WORLD is in both groups; they must be disjoint",
                      entry.engine().links().words_of(small.proc(i)));
  }
  return MPI_SUCCESS;
}

bool comes_first(const Engine& engine, const Group& a, const Group& b) {
  return engine.links().name_of(a.proc(0)) < engine.links().name_of(b.proc(0));
}

int agree_between(Entry& entry, std::string about, const Group& local, const Group& remote,
                  ContextId& out) {
  // Both sides list the members in the same order.
  const bool first = comes_first(entry.engine(), local, remote);
  std::vector<ProcId> members = members_of(first ? local : remote);
  const std::vector<ProcId> others = members_of(first ? remote : local);
  const int rank = my_rank_in(entry.instance(), local) + (first ? 0 : remote.size());
  members.insert(members.end(), others.begin(), others.end());
  MailCall call(entry, std::move(about), std::move(members), rank);
  return call.agree_on_context(out);
}

namespace {

/// The arguments of MPI_Intercomm_create that matter at the leader.
struct BridgeArguments {
  CommObject* peer = nullptr;
  int remote_leader = 0;
  int tag = 0;
};

int check_bridge(Entry& entry, MPI_Comm peer_comm, BridgeArguments& bridge) {
  if (int err = entry.comm(peer_comm, bridge.peer)) return err;
  const Group& peers = bridge.peer->core.peers();
  if (bridge.remote_leader < 0 || bridge.remote_leader >= peers.size()) {
    return entry.fail(MPI_ERR_RANK, "remote_leader is {}; it must be 0 to {}", bridge.remote_leader,
                      peers.size() - 1);
  }
  if (peers.proc(bridge.remote_leader) == static_cast<ProcId>(entry.instance().process->rank())) {
    return entry.fail(MPI_ERR_RANK, "remote_leader is {}, which is this process itself",
                      bridge.remote_leader);
  }
  return entry.send_tag(bridge.tag);
}

/// The way to the other leader: on a context of the peer communicator that the program's own
/// messages do not use.
std::unique_ptr<Bridge> bridge_of(Entry& entry, const BridgeArguments& args) {
  CommCore side = args.peer->core;
  side.context += kContextsEach / 2;
  return std::make_unique<Bridge>(entry, std::move(side), args.remote_leader, args.tag, args.tag);
}

/// What the leader finds out and its group is told. Of the words that follow, the last two name the
/// call: the same at both sides.
struct Found {
  std::int64_t code = MPI_SUCCESS;
  std::int64_t words = 0;
  std::int64_t spans_jobs = 0;  ///< not all are of one job: there are no words
};

/// Whether some of those whom this leader sees are of another job.
bool sees_other_job(Entry& entry, const CommObject& local, const BridgeArguments& args) {
  const ProcId other = args.peer->core.peers().proc(args.remote_leader);
  return spans_jobs(*local.core.local, entry.engine().process().size()) ||
         entry.engine().links().is_foreign(other);
}

int ask_remote_leader(Entry& entry, const CommObject& local, const BridgeArguments& args,
                      Found& found, Words& words) {
  const auto bridge = bridge_of(entry, args);
  const bool sees = sees_other_job(entry, local, args);
  Words mine{sees ? 1 : 0};
  const Words group = words_of(entry.engine(), *local.core.local);
  mine.insert(mine.end(), group.begin(), group.end());
  mine.push_back(entry.instance().process->rank());
  Bytes theirs;
  if (int err = bridge->swap(to_bytes(mine), theirs)) return err;
  words = words_from(theirs);
  if (words.size() < 2) return MPI_ERR_OTHER;
  found.spans_jobs = sees || words[0] != 0 ? 1 : 0;
  words.erase(words.begin());
  // The leaders' processes, the lower one first, tell this call from all others.
  const std::int64_t low = std::min(mine.back(), words.back());
  const std::int64_t high = std::max(mine.back(), words.back());
  words.back() = low;
  words.push_back(high);
  if (found.spans_jobs != 0) words.clear();
  found.words = static_cast<std::int64_t>(words.size());
  return MPI_SUCCESS;
}

/// From the leader to its group.
int tell_group(Entry& entry, CommObject& local, int leader, Found& found, Words& words) {
  CollectiveArgs args = plain_args(CollectiveKind::bcast, nullptr, &found, 3, MPI_INT64_T);
  args.root = leader;
  if (int err = run_inner(entry, local, args)) return err;
  words.resize(static_cast<std::size_t>(found.words));
  if (words.empty()) return MPI_SUCCESS;
  args = plain_args(CollectiveKind::bcast, nullptr, words.data(), found.words, MPI_INT64_T);
  args.root = leader;
  return run_inner(entry, local, args);
}

/// The group that is to come first after a merge: the one with high false, or if both say the same
/// the one whose rank 0 comes first.
bool local_is_first(const Engine& engine, const CommCore& core, bool high, bool remote_high) {
  if (high != remote_high) return !high;
  return comes_first(engine, *core.local, *core.remote);
}

GroupPtr joined(const Group& first, const Group& second) {
  std::vector<ProcId> members = members_of(first);
  const std::vector<ProcId> rest = members_of(second);
  members.insert(members.end(), rest.begin(), rest.end());
  return Group::of(std::move(members));
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                          int remote_leader, int tag, MPI_Comm* newintercomm) try {
  Entry entry("MPI_Intercomm_create");
  CommObject* local = nullptr;
  if (int err = entry.intra_comm(local_comm, local)) return err;
  if (local_leader < 0 || local_leader >= local->core.size()) {
    return entry.fail(MPI_ERR_RANK, "local_leader is {}; it must be 0 to {}", local_leader,
                      local->core.size() - 1);
  }
  if (int err = entry.not_null(newintercomm, "newintercomm")) return err;
  const bool leads = local->core.rank == local_leader;
  Found found;
  Words words;
  BridgeArguments bridge{nullptr, remote_leader, tag};
  if (leads) {
    int code = check_bridge(entry, peer_comm, bridge);
    const bool told = code != MPI_SUCCESS;
    if (!told) code = ask_remote_leader(entry, *local, bridge, found, words);
    found.code = code;
    if (code != MPI_SUCCESS) found.words = 0;
    if (int err = tell_group(entry, *local, local_leader, found, words)) return err;
    if (told) return code;
  } else if (int err = tell_group(entry, *local, local_leader, found, words)) {
    return err;
  }
  if (found.code != MPI_SUCCESS) {
    return entry.fail(static_cast<int>(found.code),
                      "rank {}, the leader, could not reach the other", local_leader);
  }
  if (found.spans_jobs != 0) {
    const auto open = [&] { return bridge_of(entry, bridge); };
    return bridge_groups(entry, *local, local_leader, open, newintercomm);
  }
  const std::string about =
      fmt::format("inter {} {} {}", tag, words[words.size() - 2], words[words.size() - 1]);
  words.resize(words.size() - 2);
  GroupPtr remote = group_of(entry.engine(), words);
  if (int err = check_disjoint(entry, *local->core.local, *remote)) return err;
  ContextId context = 0;
  if (int err = agree_between(entry, about, *local->core.local, *remote, context)) return err;
  *newintercomm = make_comm(heritage_of(*local), context, local->core.rank, local->core.local,
                            std::move(remote))
                      ->handle;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Intercomm_create", local_comm);
}
REMIT_WEAK(Intercomm_create);

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) try {
  Entry entry("MPI_Intercomm_merge");
  CommObject* c = nullptr;
  if (int err = entry.inter_comm(intercomm, c)) return err;
  if (int err = entry.not_null(newintracomm, "newintracomm")) return err;
  const int mine = high != 0 ? 1 : 0;
  int theirs = 0;
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, &mine, &theirs, 1, MPI_INT);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (int err = run_inner(entry, *c, args)) return err;
  const CommCore& core = c->core;
  const bool first = local_is_first(entry.engine(), core, mine != 0, theirs != 0);
  GroupPtr group = joined(first ? *core.local : *core.remote, first ? *core.remote : *core.local);
  return create_comm(entry, *c, std::move(group), nullptr, newintracomm);
} catch (...) {
  return caught("MPI_Intercomm_merge", intercomm);
}
REMIT_WEAK(Intercomm_merge);
