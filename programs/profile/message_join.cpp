// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages from one rank to another with one tag in one communicator are taken in the order in
// which they were sent: both ends number them.
#include "programs/profile/message_join.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace remit::profiles {
namespace {

struct End {
  int from = 0;
  int to = 0;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::uint32_t number = 0;
  bool is_received = false;
  std::uint8_t thread = 0;
  std::size_t source = 0;
  std::int64_t at = 0;
  std::uint64_t entry = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] auto key() const { return std::tie(from, to, context, tag, number); }
};

// A message whose ends are those of two sources.
struct Pair {
  const End* sent;
  const End* received;
};

using Clocks = std::map<int, std::int64_t>;  // something of each clock, by HostClock::number()

class Join {
 public:
  Join(std::vector<TraceSource>& sources, std::size_t most) : sources_(sources), most_(most) {}

  JoinedMessages run() {
    for (std::size_t i = 0; i < sources_.size(); ++i) collect(i);
    match();
    set_clocks();
    finish();
    return std::move(result_);
  }

 private:
  void collect(std::size_t source);
  void match();
  void set_clocks();
  [[nodiscard]] std::map<std::pair<int, int>, std::int64_t> least_times() const;
  void finish();
  [[nodiscard]] int clock_of(std::size_t source) const {
    return sources_[source].time.clock().number();
  }

  std::vector<TraceSource>& sources_;
  std::size_t most_;
  std::vector<End> ends_;
  std::vector<Pair> pairs_;
  Clocks shift_;
  JoinedMessages result_;
};

void Join::collect(std::size_t source) {
  const RankTrace trace = load_trace(sources_[source]);
  const std::size_t share = std::max<std::size_t>(most_ / sources_.size(), 1);
  const std::size_t first = trace.ends.size() - std::min(trace.ends.size(), share);
  result_.left_out += first;
  for (std::size_t i = 0; i < trace.ends.size(); ++i) {
    const MessageEnd& end = trace.ends[i];
    ++(end.is_sent ? result_.sent : result_.received);
    if (i < first) continue;
    if (end.number == 0 || end.peer < 0) {
      ++result_.alone;
      continue;
    }
    const int own = sources_[source].rank;
    ends_.push_back({end.is_sent ? own : end.peer, end.is_sent ? end.peer : own, end.context,
                     end.tag, end.number, !end.is_sent, static_cast<std::uint8_t>(end.thread),
                     source, end.at, end.entry, end.bytes});
  }
}

void Join::match() {
  std::ranges::sort(ends_, {}, [](const End& end) {
    return std::tuple_cat(end.key(), std::tie(end.is_received));
  });
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const bool has_other = i + 1 < ends_.size() && ends_[i].key() == ends_[i + 1].key() &&
                           !ends_[i].is_received && ends_[i + 1].is_received;
    if (has_other) {
      pairs_.push_back({&ends_[i], &ends_[i + 1]});
      ++i;
    } else {
      ++result_.alone;
    }
  }
}

// The shortest time that a message took from one clock to another one.
std::map<std::pair<int, int>, std::int64_t> Join::least_times() const {
  std::map<std::pair<int, int>, std::int64_t> least;
  for (const Pair& pair : pairs_) {
    const int from = clock_of(pair.sent->source);
    const int to = clock_of(pair.received->source);
    if (from == to) continue;
    const std::int64_t took = pair.received->at - pair.sent->at;
    const auto [place, is_new] = least.try_emplace({from, to}, took);
    if (!is_new) place->second = std::min(place->second, took);
  }
  return least;
}

// Each clock may be off by what is known of it. Where a message arrived too early, the receiver's
// is set forward as far as it may be, and then the sender's back; until nothing changes.
void Join::set_clocks() {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max() / 4;
  const auto least = least_times();
  if (least.empty()) return;
  Clocks bound;
  for (const TraceSource& source : sources_) {
    const HostClock& clock = source.time.clock();
    bound[clock.number()] = clock.within_ns() == HostClock::kUnknown ? kAny : clock.within_ns();
    shift_[clock.number()] = 0;
  }
  bool has_changed = true;
  for (std::size_t round = 0; has_changed && round < 2 * bound.size() + 2; ++round) {
    has_changed = false;
    for (const auto& [clocks, took] : least) {
      const auto [from, to] = clocks;
      std::int64_t lacks = shift_[from] - shift_[to] - took;
      if (lacks <= 0) continue;
      const std::int64_t forward = std::min(lacks, bound[to] - shift_[to]);
      shift_[to] += forward;
      lacks -= forward;
      const std::int64_t back = std::min(lacks, bound[from] + shift_[from]);
      shift_[from] -= back;
      has_changed = has_changed || forward > 0 || back > 0;
    }
  }
  for (TraceSource& source : sources_) source.shift_ns = shift_[source.time.clock().number()];
  for (const auto& [clock, shift] : shift_) {
    if (shift == 0) continue;
    ++result_.shifted;
    result_.largest_shift = std::max(result_.largest_shift, std::abs(shift));
  }
}

void Join::finish() {
  constexpr std::int64_t kSameHost = 1'000;  // readings of one clock by two processors
  for (const Pair& pair : pairs_) {
    const TraceSource& from = sources_[pair.sent->source];
    TraceSource& to = sources_[pair.received->source];
    const std::int64_t sent = pair.sent->at + from.shift_ns;
    std::int64_t received = pair.received->at + to.shift_ns;
    if (received < sent) {
      const std::int64_t by = sent - received;
      ++result_.moved;
      result_.largest_move = std::max(result_.largest_move, by);
      const HostClock& one = from.time.clock();
      const HostClock& other = to.time.clock();
      const bool is_one_clock = one.number() == other.number();
      const bool is_known = is_one_clock || (one.within_ns() != HostClock::kUnknown &&
                                             other.within_ns() != HostClock::kUnknown);
      const std::int64_t known =
          kSameHost + (is_one_clock ? 0 : one.within_ns() + other.within_ns());
      if (is_known && by > known) ++result_.moved_too_far;
      to.moved[pair.received->entry] = sent;
      received = sent;
    }
    result_.all.push_back({pair.sent->from, pair.sent->to, pair.sent->thread, pair.received->thread,
                           sent, received, pair.sent->bytes, pair.sent->tag});
  }
  std::ranges::stable_sort(result_.all, {}, &JoinedMessage::sent);
}

}  // namespace

JoinedMessages join_messages(std::vector<TraceSource>& sources, std::size_t most) {
  return Join(sources, most).run();
}

}  // namespace remit::profiles
