// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/trace.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "programs/profile/mapped_file.hpp"

namespace remit::profiles {
namespace {

using profile::TraceEntry;
using profile::TraceFile;
using profile::TraceKind;

// What lies further outside of the time that the record tells of was not written by its process.
// Of one that runs there may be newer entries than the record knew.
constexpr double kSlackSeconds = 10;
constexpr double kLongestSeconds = 1e9;  // times stay far from the ends of their type

// Turns the entries of a trace into times and indices.
class Loader {
 public:
  explicit Loader(const TraceSource& source) : source_(source) {
    std::uint64_t last = std::max(source.end_ticks, source.record->last.ticks);
    for (const profile::ThreadTable& table : source.record->threads) {
      if (table.threads != 0) last = std::max(last, table.last_ticks);
    }
    end_seconds_ = std::min(seconds_at(last), kLongestSeconds) + kSlackSeconds;
  }

  RankTrace load();

 private:
  [[nodiscard]] double seconds_at(std::uint64_t ticks) const {
    const std::uint64_t first = source_.time.first_ticks();
    return ticks < first ? -source_.time.seconds(first - ticks)
                         : source_.time.seconds(ticks - first);
  }
  [[nodiscard]] bool is_within(std::uint64_t ticks) const {
    const double at = seconds_at(ticks);
    return at >= -kSlackSeconds && at <= end_seconds_;
  }
  [[nodiscard]] std::int64_t time_of(std::uint64_t ticks) const {
    return static_cast<std::int64_t>(source_.time.realtime_ns(ticks)) -
           static_cast<std::int64_t>(source_.begin_ns) + source_.shift_ns;
  }
  [[nodiscard]] int site_of(const TraceEntry& entry) const;
  [[nodiscard]] int rank_of(std::int32_t number) const;
  [[nodiscard]] std::optional<TraceEntry> read(std::uint64_t number) const;
  [[nodiscard]] bool is_sound(const TraceEntry& entry) const;
  void take(const TraceEntry& entry, std::uint64_t number);
  void add_open_calls();

  const TraceSource& source_;
  double end_seconds_ = 0;  // since the record's first tick
  RankTrace trace_;
};

int Loader::site_of(const TraceEntry& entry) const {
  if (entry.place == 0 || entry.place > profile::kSites) return -1;
  const auto found = source_.sites.find(TraceSource::site_key(entry.thread, entry.place - 1));
  return found == source_.sites.end() ? -1 : found->second;
}

int Loader::rank_of(std::int32_t number) const {
  const auto& ranks = *source_.ranks;
  if (number < 0 || static_cast<std::size_t>(number) >= ranks.size()) return -1;
  return ranks[static_cast<std::size_t>(number)];
}

// A copy of an entry that is whole. One that its process was killed in the midst of has another
// number; one that the process writes now is told by what it counts first and last.
std::optional<TraceEntry> Loader::read(std::uint64_t number) const {
  TraceFile& file = const_cast<TraceFile&>(*source_.file);  // only read
  TraceEntry& place = file.entries[number % profile::kTraceEntries];
  const std::atomic_ref sequence(place.sequence);
  const auto wanted = static_cast<std::uint32_t>(number) + 1U;
  if (sequence.load(std::memory_order_acquire) != wanted) return std::nullopt;
  const TraceEntry copy = place;
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_whole = sequence.load(std::memory_order_relaxed) == wanted &&
                        std::atomic_ref(file.begun).load(std::memory_order_relaxed) - number <=
                            profile::kTraceEntries;
  return is_whole ? std::optional(copy) : std::nullopt;
}

// What the recorder can have written: the file may be damaged.
bool Loader::is_sound(const TraceEntry& entry) const {
  if (!is_within(entry.end)) return false;
  switch (entry.kind) {
    case TraceKind::call:
      return entry.thread < profile::kThreads && is_within(entry.begin) && entry.begin <= entry.end;
    case TraceKind::wait:
      return entry.thread < profile::kThreads &&
             static_cast<double>(entry.begin) * 1e-9 <= end_seconds_ + kSlackSeconds;
    case TraceKind::sent:
    case TraceKind::received:
      return entry.thread <= profile::kThreads;
    case TraceKind::none:
      break;
  }
  return false;
}

void Loader::take(const TraceEntry& entry, std::uint64_t number) {
  switch (entry.kind) {
    case TraceKind::call:
      trace_.calls.push_back({site_of(entry), entry.thread, time_of(entry.begin),
                              time_of(entry.end), entry.peer, entry.tag, entry.context, entry.bytes,
                              false});
      break;
    case TraceKind::wait: {
      const std::int64_t end = time_of(entry.end);
      trace_.waits.push_back(
          {site_of(entry), entry.thread, end - static_cast<std::int64_t>(entry.begin), end,
           rank_of(entry.peer),
           entry.cause < profile::kCauses ? static_cast<profile::Cause>(entry.cause)
                                          : profile::Cause::other});
      break;
    }
    case TraceKind::sent:
    case TraceKind::received: {
      const auto moved = source_.moved.find(number);
      trace_.ends.push_back({number, entry.kind == TraceKind::sent, entry.thread,
                             moved == source_.moved.end() ? time_of(entry.end) : moved->second,
                             rank_of(entry.peer), entry.context, entry.tag, entry.bytes,
                             entry.place});
      break;
    }
    case TraceKind::none:
      break;
  }
}

// Calls that have begun and not ended are in the record alone.
void Loader::add_open_calls() {
  for (std::size_t i = 0; i < profile::kThreads; ++i) {
    const profile::ThreadTable& table = source_.record->threads[i];
    const profile::CurrentCall current = table.current;
    if (table.threads == 0 || current.site == 0 || !is_within(current.since_ticks)) continue;
    const auto found = source_.sites.find(TraceSource::site_key(i, current.site - 1));
    const std::int64_t begin = time_of(current.since_ticks);
    const std::int64_t end = is_within(source_.end_ticks) ? time_of(source_.end_ticks) : begin;
    trace_.calls.push_back({found == source_.sites.end() ? -1 : found->second, static_cast<int>(i),
                            begin, std::max(begin, end), current.peer, profile::kNoTag, 0, 0,
                            true});
  }
}

RankTrace Loader::load() {
  const TraceFile& file = *source_.file;
  const std::uint64_t begun = file.begun;
  const std::uint64_t oldest = begun - std::min<std::uint64_t>(begun, profile::kTraceEntries);
  trace_.overwritten = oldest;
  trace_.without_room = file.without_room;
  for (std::uint64_t number = oldest; number < begun; ++number) {
    const std::optional<TraceEntry> entry = read(number);
    if (!entry) continue;
    if (is_sound(*entry)) {
      take(*entry, number);
    } else {
      ++trace_.damaged;
    }
  }
  add_open_calls();
  std::ranges::stable_sort(trace_.calls, {}, &TracedCall::begin);
  std::ranges::stable_sort(trace_.waits, {}, &TracedWait::begin);
  std::ranges::stable_sort(trace_.ends, {}, &MessageEnd::at);
  return std::move(trace_);
}

}  // namespace

Expected<TraceView> read_trace(const std::string& path) {
  Expected<TraceView> mapped = map_as<TraceFile>(path, "trace");
  if (!mapped) return mapped;
  const TraceFile* const view = mapped->get();
  if (view->magic != profile::kTraceMagic || view->version != profile::kTraceVersion ||
      view->bytes != sizeof(TraceFile)) {
    return fail(MPI_ERR_OTHER, "{} is no trace of this version of Remit", path);
  }
  return mapped;
}

RankTrace load_trace(const TraceSource& source) {
  return Loader(source).load();
}

}  // namespace remit::profiles
