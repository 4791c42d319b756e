// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/trace_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "programs/profile/advice.hpp"

namespace remit::profiles {
namespace {

constexpr double kNs = 1e-9;

// A duration such that at most `most` of these are longer.
std::int64_t threshold_of(std::vector<std::int64_t> durations, std::size_t most) {
  if (durations.size() <= most) return -1;
  const auto place = durations.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(durations, place, std::greater());
  return *place;
}

// Makes one block of short calls that follow each other, at most `longest` long.
class Blocks {
 public:
  Blocks(std::vector<DrawnCall>& drawn, std::int64_t longest) : drawn_(drawn), longest_(longest) {}

  void add(const TracedCall& call) {
    if (count_ > 0 && call.end - block_.begin > longest_) close();
    if (count_ == 0) block_ = {call.begin, call.end, call.site, call.peer, 0, 0, 0};
    ++count_;
    block_.end = std::max(block_.end, call.end);
    block_.bytes += call.bytes;
    block_.inside += call.end - call.begin;
    time_of_site_[call.site] += call.end - call.begin;
  }
  void close() {
    if (count_ == 0) return;
    block_.calls = count_;
    block_.site = std::ranges::max_element(time_of_site_, {}, [](const auto& each) {
                    return each.second;
                  })->first;
    if (count_ > 1) block_.peer = profile::kUnknownPeer;
    drawn_.push_back(block_);
    count_ = 0;
    time_of_site_.clear();
  }

 private:
  std::vector<DrawnCall>& drawn_;
  std::int64_t longest_;
  DrawnCall block_;
  std::uint64_t count_ = 0;
  std::map<int, std::int64_t> time_of_site_;
};

// The calls of a thread, in their order. False: some are drawn together.
bool draw_calls(const std::vector<TracedCall>& calls, std::size_t most, std::int64_t span,
                std::vector<DrawnCall>& drawn) {
  std::vector<std::int64_t> durations;
  durations.reserve(calls.size());
  for (const TracedCall& call : calls) durations.push_back(call.end - call.begin);
  const bool fits = calls.size() <= most;
  // A third are the longest; between these, and by time, blocks may end.
  const std::int64_t threshold = fits ? -1 : threshold_of(std::move(durations), most / 3);
  Blocks blocks(drawn, std::max<std::int64_t>(span / static_cast<std::int64_t>(most / 3 + 1), 1));
  for (const TracedCall& call : calls) {
    if (call.end - call.begin <= threshold) {
      blocks.add(call);
      continue;
    }
    blocks.close();
    drawn.push_back(
        {call.begin, call.end, call.site, call.peer, call.bytes, 1, call.end - call.begin});
  }
  blocks.close();
  return fits;
}

bool draw_waits(const std::vector<TracedWait>& waits, std::size_t most,
                std::vector<DrawnWait>& drawn) {
  std::vector<std::int64_t> durations;
  durations.reserve(waits.size());
  for (const TracedWait& wait : waits) durations.push_back(wait.end - wait.begin);
  const std::int64_t threshold = threshold_of(std::move(durations), most);
  for (const TracedWait& wait : waits) {
    if (wait.end - wait.begin > threshold) {
      drawn.push_back({wait.begin, wait.end, wait.peer, wait.cause});
    }
  }
  return threshold < 0;
}

class Digest {
 public:
  Digest(std::vector<TraceSource>& sources, const DrawnLimits& limits)
      : sources_(sources), limits_(limits) {}

  TraceDigest make();

 private:
  void draw(const TraceSource& source);
  void draw_thread(int rank, int thread, const RankTrace& trace, std::size_t rows);
  void draw_arrows(const JoinedMessages& messages);
  void say_of_clocks(const JoinedMessages& messages);
  void say_of_gaps(const JoinedMessages& messages);

  std::vector<TraceSource>& sources_;
  DrawnLimits limits_;
  TraceDigest digest_;
  std::uint64_t without_room_ = 0;
  std::uint64_t damaged_ = 0;
  int full_ = 0;  // traces
  bool all_drawn_ = true;
};

// `rows`: of the rank, which share what it may draw.
void Digest::draw_thread(int rank, int thread, const RankTrace& trace, std::size_t rows) {
  const auto is_own = [thread](const auto& each) { return each.thread == thread; };
  std::vector<TracedCall> calls;
  std::vector<TracedWait> waits;
  std::ranges::copy_if(trace.calls, std::back_inserter(calls), is_own);
  std::ranges::copy_if(trace.waits, std::back_inserter(waits), is_own);
  DrawnRow& row = digest_.rows.emplace_back(DrawnRow{rank, thread, {}, {}});
  const std::size_t shares = sources_.size() * rows;
  const std::size_t share = std::max<std::size_t>(limits_.calls / shares, 12);
  std::int64_t end = 0;
  for (const TracedCall& call : calls) end = std::max(end, call.end);
  const std::int64_t span = calls.empty() ? 0 : end - calls.front().begin;
  all_drawn_ = draw_calls(calls, share, span, row.calls) && all_drawn_;
  const std::size_t waits_share = std::max<std::size_t>(limits_.waits / shares, 4);
  all_drawn_ = draw_waits(waits, waits_share, row.waits) && all_drawn_;
  digest_.end = std::max(digest_.end, end);
}

void Digest::draw(const TraceSource& source) {
  const RankTrace trace = load_trace(source);
  digest_.calls += trace.calls.size();
  digest_.waits += trace.waits.size();
  digest_.overwritten += trace.overwritten;
  without_room_ += trace.without_room;
  damaged_ += trace.damaged;
  if (trace.overwritten > 0) ++full_;
  std::set<int> threads{0};
  for (const TracedCall& call : trace.calls) threads.insert(call.thread);
  for (const int thread : threads) draw_thread(source.rank, thread, trace, threads.size());
}

// Of too many every so manyth, in the order in which they left: what is regular stays so.
void Digest::draw_arrows(const JoinedMessages& messages) {
  const std::size_t step = (messages.all.size() + limits_.arrows - 1) / limits_.arrows;
  for (std::size_t i = 0; i < messages.all.size(); i += std::max<std::size_t>(step, 1)) {
    digest_.arrows.push_back(messages.all[i]);
  }
  if (step > 1) {
    digest_.notes.push_back(
        fmt::format("The timeline shows one of {} messages as an arrow.", step));
  }
}

void Digest::say_of_clocks(const JoinedMessages& messages) {
  std::set<int> clocks;
  bool is_known = true;
  for (const TraceSource& source : sources_) {
    const HostClock& clock = source.time.clock();
    clocks.insert(clock.number());
    is_known = is_known && clock.within_ns() != HostClock::kUnknown;
    digest_.within_ns = std::max(digest_.within_ns, clock.within_ns());
  }
  if (!is_known) digest_.within_ns = HostClock::kUnknown;
  auto& notes = digest_.notes;
  if (clocks.size() > 1) {
    notes.push_back(
        is_known
            ? fmt::format("The clocks of {} hosts were compared with mpirun's: times of different "
                          "hosts are known within {}.",
                          clocks.size(), duration(static_cast<double>(digest_.within_ns) * kNs))
            : fmt::format(
                  "Nobody has compared the clocks of {} hosts: times of different hosts are "
                  "those of their clocks, and how far these differ is not known.",
                  clocks.size()));
  }
  if (messages.shifted > 0) {
    notes.push_back(fmt::format("By what messages say, {} clock{} set, by {} at most.",
                                messages.shifted, messages.shifted == 1 ? " was" : "s were",
                                duration(static_cast<double>(messages.largest_shift) * kNs)));
  }
  if (messages.moved == 0) return;
  notes.push_back(fmt::format(
      "{} message{} to arrive before it left, by {} at most{}: it is shown as if it took no time.",
      messages.moved, messages.moved == 1 ? " seems" : "s seem each",
      duration(static_cast<double>(messages.largest_move) * kNs),
      messages.moved_too_far == 0
          ? ""
          : fmt::format(" ({} by more than the clocks are known)", messages.moved_too_far)));
}

void Digest::say_of_gaps(const JoinedMessages& messages) {
  auto& notes = digest_.notes;
  if (full_ > 0) {
    notes.push_back(fmt::format(
        "The trace{} of {} rank{} full: the oldest {} entries of the timeline are gone. All other "
        "figures have them.",
        full_ == 1 ? "" : "s", full_, full_ == 1 ? " was" : "s were", digest_.overwritten));
  }
  if (without_room_ > 0) {
    notes.push_back(fmt::format(
        "There was no room on the file system for {} entries of the timeline.", without_room_));
  }
  if (damaged_ > 0) {
    notes.push_back(fmt::format(
        "Traces are damaged: {} entries of the timeline make no sense and are left out.",
        damaged_));
  }
  const std::uint64_t gone = messages.alone + messages.left_out;
  if (gone > 0) {
    notes.push_back(
        fmt::format("{} end{} of messages {} no arrow: the other end is not in the traces{}.", gone,
                    gone == 1 ? "" : "s", gone == 1 ? "has" : "have",
                    messages.left_out > 0 ? ", or there were too many to look at" : ""));
  }
  if (!all_drawn_) {
    notes.push_back(
        fmt::format("The timeline shows the longest of {} calls and waits one by one, and short "
                    "calls together.",
                    digest_.calls + digest_.waits));
  }
}

TraceDigest Digest::make() {
  const JoinedMessages messages = join_messages(sources_);
  for (const TraceSource& source : sources_) draw(source);
  digest_.messages = messages.all.size();
  digest_.sent = messages.sent;
  digest_.received = messages.received;
  digest_.moved = messages.moved;
  draw_arrows(messages);
  say_of_clocks(messages);
  say_of_gaps(messages);
  return std::move(digest_);
}

}  // namespace

TraceDigest digest_traces(std::vector<TraceSource>& sources, const DrawnLimits& limits) {
  return Digest(sources, limits).make();
}

}  // namespace remit::profiles
