// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The analysis of a job that does not move. A rank is stuck if none of those that it waits for can
// ever move; what is stuck contains a circle, or leads to a rank that is gone.
#include "launcher/report/wait_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "mpi.h"

namespace remit::launcher {
namespace {

/// The members' calls of one collective operation.
struct Operation {
  const CallRecord* first = nullptr;
  std::set<int> inside;
  std::map<std::string, std::set<int>> by_name;  ///< more than one: the calls do not match
  std::set<int> awaited;                         ///< outside of it, whose messages are missing
  bool needs_members = false;                    ///< all that are outside were added to these
};

/// Communicators with the same context are told apart by their members.
using OperationKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

OperationKey key_of(const CallRecord& call) {
  const std::uint32_t first = call.members.size() == 0 ? 0 : call.members.at(0);
  return {call.context, call.members.count, first, call.sequence};
}

std::string name_of(const CallRecord& call) {
  return call.operation[0] != '\0' ? call.operation : call.function;
}

/// Nobody leaves one of these before everybody has entered it.
bool needs_everybody(const CallRecord& call) {
  static constexpr std::string_view kOthers[] = {"bcast",    "gather", "gatherv", "scatter",
                                                 "scatterv", "reduce", "scan",    "exscan"};
  return std::ranges::find(kOthers, std::string_view(call.operation)) == std::end(kOthers);
}

std::string comm_of(const CallRecord& call) {
  return call.comm[0] != '\0' ? call.comm : fmt::format("communicator {}", call.context);
}

class WaitGraph {
 public:
  explicit WaitGraph(const std::vector<RankWait>& ranks) : ranks_(ranks), edges_(ranks.size()) {
    collect_operations();
    find_awaited();
    for (std::size_t i = 0; i < ranks_.size(); ++i) collect_edges(static_cast<int>(i));
    find_stuck();
  }

  std::vector<std::string> findings() {
    report_operations();
    report_circles();
    report_awaited();
    return std::move(lines_);
  }

 private:
  struct Need {
    std::set<int> from;
    bool any = false;
  };

  [[nodiscard]] const RankWait& at(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool is_blocked(int rank) const {
    return at(rank).life == RankLife::inside && !at(rank).calls.empty();
  }

  void collect_operations() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].life != RankLife::inside) continue;
      for (const CallRecord& call : ranks_[i].calls) {
        if (call.kind != CallKind::collective) continue;
        Operation& operation = operations_[key_of(call)];
        if (operation.first == nullptr) operation.first = &call;
        operation.inside.insert(static_cast<int>(i));
        operation.by_name[name_of(call)].insert(static_cast<int>(i));
      }
    }
  }

  // Those outside of an operation that hold it up. A chain of members that wait for each other
  // inside of it ends at one of them.
  void find_awaited() {
    for (auto& [key, operation] : operations_) {
      for (const int rank : operation.inside) {
        for (const CallRecord& call : at(rank).calls) {
          if (call.kind != CallKind::collective || key_of(call) != key) continue;
          add_outsiders(call.waits_for, operation);
          // Once: all calls of an operation have the same members, and these may be many.
          const bool all = needs_everybody(call) && call.members.is_whole();
          if (!all || std::exchange(operation.needs_members, true)) continue;
          add_outsiders(call.members, operation);
        }
      }
    }
  }

  void add_outsiders(const RankSet& set, Operation& operation) const {
    set.each_below(static_cast<std::uint32_t>(ranks_.size()), [&](std::uint32_t number) {
      const auto rank = static_cast<int>(number);
      const bool may_be_inside = at(rank).life == RankLife::unknown;
      if (!may_be_inside && !operation.inside.contains(rank)) operation.awaited.insert(rank);
    });
  }

  void collect_edges(int rank) {
    if (!is_blocked(rank)) return;
    for (const CallRecord& call : at(rank).calls) {
      Need need;
      need.any = call.any;
      if (call.kind == CallKind::collective) {
        const Operation& operation = operations_.at(key_of(call));
        need.from = operation.awaited;
        // Calls that do not match never complete: each side waits for the other.
        if (operation.by_name.size() > 1) {
          for (const auto& [name, members] : operation.by_name) {
            if (name != name_of(call)) need.from.insert(members.begin(), members.end());
          }
        }
      } else {
        // Anybody is anybody else.
        const bool self_counts = !call.any || call.waits_for.count == 1;
        std::uint32_t known = 0;  // processes of other jobs are not
        call.waits_for.each_below(static_cast<std::uint32_t>(ranks_.size()),
                                  [&](std::uint32_t number) {
                                    ++known;
                                    const auto peer = static_cast<int>(number);
                                    if (self_counts || peer != rank) need.from.insert(peer);
                                  });
        const bool all = known == call.waits_for.size() && call.waits_for.is_whole();
        if (call.any && !all) need.from.clear();
      }
      edges_[static_cast<std::size_t>(rank)].push_back(std::move(need));
    }
  }

  // All that may still move, by the messages of those that may; the rest is stuck.
  void find_stuck() {
    std::vector<bool> moves(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const RankLife life = ranks_[i].life;
      moves[i] = life == RankLife::before || life == RankLife::unknown ||
                 (life == RankLife::inside && ranks_[i].calls.empty());
    }
    const auto can = [&](int rank) { return bool(moves[static_cast<std::size_t>(rank)]); };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (moves[i] || !is_blocked(static_cast<int>(i))) continue;
        for (const Need& need : edges_[i]) {
          const bool met = need.from.empty() || (need.any ? std::ranges::any_of(need.from, can)
                                                          : std::ranges::all_of(need.from, can));
          if (!met) continue;
          moves[i] = changed = true;
          break;
        }
      }
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (!moves[i] && is_blocked(static_cast<int>(i))) stuck_.insert(static_cast<int>(i));
    }
  }

  [[nodiscard]] std::set<int> needs_of(int rank) const {
    std::set<int> all;
    for (const Need& need : edges_[static_cast<std::size_t>(rank)]) {
      all.insert(need.from.begin(), need.from.end());
    }
    return all;
  }

  // A shortest way from a rank back to itself among the stuck; empty if there is none.
  [[nodiscard]] std::vector<int> circle_of(int start) const {
    std::map<int, int> previous;
    std::deque<int> next{start};
    while (!next.empty()) {
      const int rank = next.front();
      next.pop_front();
      for (const int peer : needs_of(rank)) {
        if (peer == start) {
          std::vector<int> way{start};
          for (int at = rank; at != start; at = previous.at(at)) way.push_back(at);
          way.push_back(start);
          std::ranges::reverse(way);
          return way;
        }
        if (!stuck_.contains(peer) || !previous.emplace(peer, rank).second) continue;
        next.push_back(peer);
      }
    }
    return {};
  }

  void report_operations() {
    for (const auto& [key, operation] : operations_) {
      const CallRecord& call = *operation.first;
      if (operation.by_name.size() > 1) {
        std::string text = fmt::format("collective calls on {} do not match:", comm_of(call));
        const char* separator = " ";
        for (const auto& [name, members] : operation.by_name) {
          text += fmt::format("{}{} in {}", separator, subject(members), name);
          separator = ", ";
        }
        lines_.push_back(std::move(text));
      }
      if (operation.awaited.empty()) continue;
      const bool have = operation.awaited.size() > 1;
      // A member that has begun a nonblocking one may be elsewhere.
      lines_.push_back(fmt::format("{} on {}: {} {} not arrived{}",
                                   call.total > 0 ? name_of(call) : call.function, comm_of(call),
                                   subject(operation.awaited), have ? "have" : "has",
                                   call.total > 0 ? ", or not waited for it yet" : ""));
    }
  }

  void report_circles() {
    std::set<int> told;
    for (const int rank : stuck_) {
      if (told.contains(rank)) continue;
      const std::vector<int> circle = circle_of(rank);
      if (circle.empty()) continue;
      // One circle of several that share a rank is enough.
      const bool is_new = std::ranges::none_of(circle, [&](int r) { return told.contains(r); });
      told.insert(circle.begin(), circle.end());
      if (!is_new) continue;
      lines_.push_back(fmt::format("deadlock{}: {}", way_out(circle), fmt::join(circle, " -> ")));
    }
    std::set<int> behind;
    std::ranges::set_difference(stuck_, told, std::inserter(behind, behind.end()));
    if (!told.empty() && !behind.empty()) {
      lines_.push_back(fmt::format("{} {} behind it", subject(behind),
                                   behind.size() > 1 ? "are stuck" : "is stuck"));
    }
  }

  // What could still help the ranks of a circle.
  [[nodiscard]] const char* way_out(const std::vector<int>& circle) const {
    const auto any_call = [&](auto&& is) {
      return std::ranges::any_of(circle,
                                 [&](int rank) { return std::ranges::any_of(at(rank).calls, is); });
    };
    if (any_call(&CallRecord::threads)) return " (unless another thread helps)";
    return any_call(looks) ? " (unless the loops around these calls do more)" : "";
  }
  static bool looks(const CallRecord& call) { return call.polled_ns != 0; }

  // The last in each chain: those who wait for nobody.
  void report_awaited() {
    std::map<int, std::set<int>> waiters;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      for (const Need& need : edges_[i]) {
        // Of many that could send, none is to blame.
        if (need.any && need.from.size() > 1) continue;
        for (const int peer : need.from) {
          if (!is_blocked(peer)) waiters[peer].insert(static_cast<int>(i));
        }
      }
    }
    for (const auto& [rank, who] : waiters) {
      lines_.push_back(fmt::format("{} {} for rank {}, which {}", subject(who),
                                   who.size() > 1 ? "wait" : "waits", rank, state_of(rank)));
    }
  }

  [[nodiscard]] const char* state_of(int rank) const {
    switch (at(rank).life) {
      case RankLife::before:
        return "has not called MPI_Init yet";
      case RankLife::inside:
        return "waits in no MPI call";
      case RankLife::finalized:
        return "has called MPI_Finalize";
      case RankLife::ended:
        return "has ended";
      case RankLife::unknown:
        return "is on a host that does not answer";
    }
    return "?";
  }

  static std::string subject(const std::set<int>& ranks) {
    return (ranks.size() > 1 ? "ranks " : "rank ") +
           rank_list(std::vector<int>(ranks.begin(), ranks.end()));
  }

  const std::vector<RankWait>& ranks_;
  std::vector<std::vector<Need>> edges_;  // of each blocked thread of each rank
  std::map<OperationKey, Operation> operations_;
  std::set<int> stuck_;
  std::vector<std::string> lines_;
};

/// " (rank 4 of MPI_COMM_WORLD)" if the one that is waited for has another number there.
std::string number_in_world(const CallRecord& call, std::int32_t rank) {
  const bool known = rank >= 0 && call.waits_for.count == 1;
  if (!known || call.waits_for.at(0) == static_cast<std::uint32_t>(rank)) return "";
  return fmt::format(" (rank {} of MPI_COMM_WORLD)", call.waits_for.at(0));
}

std::string describe_lock(const CallRecord& call, std::int64_t seen_ns) {
  std::string text = fmt::format(" of rank {}", call.peer);
  if (call.holder < 0 && call.holder != kHeldByReaders) return text;
  if (call.holder == kHeldByReaders) {
    text += ", held by readers";
  } else {
    text += fmt::format(", held by rank {}", call.holder) + number_in_world(call, call.holder);
  }
  if (call.held_ns == 0 || seen_ns < call.held_ns) return text;
  const auto held_s = static_cast<double>(seen_ns - call.held_ns) / 1e9;
  return text + fmt::format(" since {:.1f} s or longer", held_s);
}

std::string describe_peer(const CallRecord& call, std::int64_t seen_ns) {
  if (call.kind == CallKind::lock) return describe_lock(call, seen_ns);
  const char* direction = call.kind == CallKind::send ? "to" : "from";
  std::string text = call.peer == MPI_ANY_SOURCE ? fmt::format(" {} anybody", direction)
                                                 : fmt::format(" {} {}", direction, call.peer);
  text += number_in_world(call, call.peer);
  text += call.tag == MPI_ANY_TAG ? ", any tag" : fmt::format(", tag {}", call.tag);
  if (call.count >= 0) text += fmt::format(", {} {}", call.count, call.type);
  return text;
}

}  // namespace

std::string rank_list(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string describe_call(const CallRecord& call, std::int64_t seen_ns) {
  std::string text = call.function;
  if (call.polled_ns != 0) text += " in a loop";
  if (call.total > 1) text += fmt::format(", {} of {} requests left", call.pending, call.total);
  const bool named = call.operation[0] != '\0' && call.kind != CallKind::other;
  // MPI_Barrier's operation is "barrier": that says nothing new.
  if (named && (call.total > 0 || call.kind != CallKind::collective)) {
    text += fmt::format(": {}", call.operation);
  } else if (call.kind == CallKind::other && call.operation[0] != '\0') {
    text += fmt::format(": a {}", call.operation);
  }
  if (call.has_peer) text += describe_peer(call, seen_ns);
  if (call.context != 0 || call.comm[0] != '\0') {
    text += (call.has_peer ? ", on " : " on ") + comm_of(call);
  }
  return text;
}

std::vector<std::string> describe_waits(const std::vector<RankWait>& ranks) {
  return WaitGraph(ranks).findings();
}

}  // namespace remit::launcher
