// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Processes are put in order first, then each is read: its time, its strip, its call sites, whom it
// sent to; at last what only all together tell.
#include "programs/profile/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "programs/profile/advice.hpp"
#include "programs/profile/strip.hpp"
#include "programs/profile/wait_chains.hpp"
#include "tool/profile/functions.hpp"

namespace remit::profiles {
namespace {

using profile::Record;
using profile::SiteRecord;
using profile::ThreadTable;

constexpr double kNs = 1e-9;

template <std::size_t N>
std::string text_of(const std::array<char, N>& text) {
  return {text.data(), ::strnlen(text.data(), N)};
}

std::string hexadecimal(const profile::ModuleRecord& module) {
  std::string text;
  const auto bytes = std::min<std::size_t>(module.build_id_bytes, module.build_id.size());
  for (std::size_t i = 0; i < bytes; ++i) text += fmt::format("{:02x}", module.build_id[i]);
  return text;
}

// Adds seconds that `guilty` was waited for to those that were behind it, in these proportions.
void share_out(double seconds, int guilty, const std::map<int, double>& behind,
               std::map<int, double>& sums) {
  double known = 0;
  for (const auto& [rank, part] : behind) known += part;
  if (known <= 0) {
    sums[guilty] += seconds;
    return;
  }
  for (const auto& [rank, part] : behind) sums[rank] += seconds * part / known;
}

// Path and build id of a file, and where in it.
using Code = std::tuple<std::string, std::string, std::uint64_t>;
// Path of a program or library, source file, line, function.
using Line = std::tuple<std::string, std::string, int, std::string>;

// What is not known to be of a line is one of its own.
Line line_of(const Place& place) {
  if (!place.file.empty()) return {place.module, place.file, place.line, place.symbol};
  return {place.module, "", 0, fmt::format("{:#x}", place.offset)};
}

bool is_main(const Place& place) {
  return place.symbol == "main" || place.symbol.starts_with("main+");
}

// A process in the order of the report.
struct Process {
  RecordView record;
  int job = 0;
  Timeline time;
  std::string path;  // of the record; empty: it is no file
};

class Builder {
 public:
  Builder(const Records& records, Symbols& symbols, std::optional<std::uint64_t> ended_ns)
      : symbols_(symbols), ended_ns_(ended_ns) {
    profile_.notes = records.notes;
    order(records);
  }

  Profile build() {
    find_span();
    for (std::size_t i = 0; i < processes_.size(); ++i) add_process(static_cast<int>(i));
    follow_blame();
    const std::vector<int> places = sort_sites();
    add_traces(places);
    find_efficiency();
    find_missing();
    return std::move(profile_);
  }

 private:
  void order(const Records& records);
  void find_span();
  [[nodiscard]] std::uint64_t end_of(const Process& process) const;
  void add_process(int index);
  [[nodiscard]] Rank describe(const Process& process) const;
  void add_table(int index, const ThreadTable& table, bool is_first);
  int add_site(int index, const ThreadTable& table, const SiteRecord& row);
  [[nodiscard]] int site_of(const Record& record, const SiteRecord& row);
  [[nodiscard]] Code code_of(const Record& record, std::uint64_t address, std::uint32_t module);
  [[nodiscard]] Place place_of(const Code& code);
  void add_peers(int index);
  void add_phases(const Process& process);
  void add_general(const Record& record);
  [[nodiscard]] std::vector<std::vector<WaitSpan>> known_waits() const;
  [[nodiscard]] WaitSpan span_of(const Process& process, const profile::LongWait& wait) const;
  void follow_blame();
  void follow_blame(int index, std::size_t thread, WaitChains& chains);
  [[nodiscard]] std::vector<int> sort_sites();
  void add_traces(const std::vector<int>& places);
  void find_efficiency();
  void find_missing();
  [[nodiscard]] int rank_index(int job, int number) const;

  Symbols& symbols_;
  std::optional<std::uint64_t> ended_ns_;
  std::vector<Process> processes_;
  std::vector<std::map<std::uint32_t, int>> sites_of_;  // by process: TraceSource::sites
  std::map<std::pair<int, int>, int> index_;            // of a rank of a job
  std::map<std::pair<std::uint32_t, std::vector<Code>>, int> site_index_;  // function, stack
  // Function, then files, lines and functions of the stack: a compiler may have made several calls
  // of one in the source.
  std::map<std::pair<std::uint32_t, std::vector<Line>>, int> line_index_;
  std::map<std::pair<int, int>, Pair> pairs_;
  std::map<int, Phase> phases_;
  Span span_;
  std::uint64_t last_seen_ns_ = 0;  // the last call of any process, since the epoch
  Profile profile_;
};

// Jobs in the order in which they began, ranks by number.
void Builder::order(const Records& records) {
  std::map<std::string, std::uint64_t> begins;
  for (const RecordView& each : records.all) {
    const auto [place, is_new] = begins.emplace(text_of(each->job), each->realtime_ns);
    if (!is_new) place->second = std::min(place->second, each->realtime_ns);
  }
  for (const auto& [name, begin] : begins) profile_.jobs.push_back(name);
  std::ranges::stable_sort(profile_.jobs, {}, [&](const std::string& job) { return begins[job]; });
  const std::vector<HostClock> clocks = clocks_of(records);
  for (std::size_t i = 0; i < records.all.size(); ++i) {
    const RecordView& each = records.all[i];
    const auto job = std::ranges::find(profile_.jobs, text_of(each->job));
    processes_.push_back({each, static_cast<int>(job - profile_.jobs.begin()),
                          Timeline(*each, clocks[i]),
                          i < records.paths.size() ? records.paths[i] : ""});
  }
  std::ranges::stable_sort(processes_, {}, [](const Process& process) {
    return std::tuple(process.job, process.record->rank, process.record->realtime_ns);
  });
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    index_.emplace(std::pair(processes_[i].job, processes_[i].record->rank), static_cast<int>(i));
  }
}

// When the process left MPI for good. One that never did is seen for as long as the job.
std::uint64_t Builder::end_of(const Process& process) const {
  const Record& record = *process.record;
  if (record.finalize_ticks != 0) return record.finalize_ticks;
  std::uint64_t last = record.init_ticks;
  for (const ThreadTable& table : record.threads) last = std::max(last, table.last_ticks);
  const std::uint64_t ended = ended_ns_.value_or(last_seen_ns_);
  return std::max(last, process.time.ticks_at(ended));
}

void Builder::find_span() {
  std::uint64_t begin = ~std::uint64_t{0};
  for (const Process& each : processes_) {
    begin = std::min(begin, each.time.realtime_ns(each.time.first_ticks()));
    for (const ThreadTable& table : each.record->threads) {
      std::uint64_t last = table.last_ticks;
      if (table.current.site != 0) last = std::max(last, table.current.since_ticks);
      if (last != 0) last_seen_ns_ = std::max(last_seen_ns_, each.time.realtime_ns(last));
    }
  }
  profile_.begin = static_cast<double>(begin) * kNs;
  span_.begin_ns = begin;
  span_.end_ns = begin + 1;
  for (const Process& each : processes_) {
    span_.end_ns = std::max(span_.end_ns, each.time.realtime_ns(end_of(each)));
  }
}

Rank Builder::describe(const Process& process) const {
  const Record& record = *process.record;
  Rank rank;
  rank.job = process.job;
  rank.number = record.rank;
  rank.label = process.job == 0 ? std::to_string(record.rank)
                                : fmt::format("{}.{}", process.job, record.rank);
  rank.host = text_of(record.host);
  rank.program = text_of(record.program);
  rank.pid = record.pid;
  rank.stage = record.stage;
  rank.is_finalized = record.finalize_ticks != 0;
  rank.aborted = record.aborted != 0;
  rank.abort_code = record.abort_code;
  const std::uint64_t end = end_of(process);
  // One that was ended before its first call has none.
  rank.run = process.time.seconds(end - std::max(record.init_ticks, record.first.ticks));
  std::uint64_t paused = record.paused.ticks;
  if (record.paused.since != 0 && end > record.paused.since) paused += end - record.paused.since;
  rank.paused = process.time.seconds(paused);
  rank.peak_mb = static_cast<double>(record.use.peak_memory_kb) / 1024;
  rank.user = static_cast<double>(record.use.user_ns) * kNs;
  rank.system = static_cast<double>(record.use.system_ns) * kNs;
  rank.preempted = record.use.preempted;
  rank.first_processor = static_cast<int>(record.use.processors >> 32U);
  rank.processors = static_cast<int>(record.use.processors & 0xFFFFFFFFU);
  return rank;
}

Code Builder::code_of(const Record& record, std::uint64_t address, std::uint32_t module) {
  if (address == 0 || module >= record.module_count) return {"", "", address};
  const profile::ModuleRecord& file = record.modules[module];
  return {text_of(file.path), hexadecimal(file), address - file.bias};
}

Place Builder::place_of(const Code& code) {
  Place place;
  std::string build_id;
  std::tie(place.module, build_id, place.offset) = code;
  if (place.module.empty()) return place;
  const SourceLine line = symbols_.find(place.module, build_id, place.offset);
  place.file = line.file;
  place.line = line.line;
  place.symbol = line.symbol;
  if (line.file.empty() && !line.symbol.empty()) {
    place.symbol += fmt::format("+{:#x}", line.symbol_offset);
  }
  return place;
}

int Builder::site_of(const Record& record, const SiteRecord& row) {
  const std::uint32_t function = row.address == 0 ? 0 : row.function;
  std::vector<Code> stack{code_of(record, row.address, row.module)};
  // A frame's caller is an earlier one; a damaged record may say otherwise.
  for (std::size_t at = row.caller, before = profile::kFrames + 1; at != 0 && at < before;) {
    const profile::FrameRecord& frame = record.frames[at - 1];
    stack.push_back(code_of(record, frame.address, frame.module));
    before = at;
    at = frame.caller;
  }
  const auto [place, is_new] =
      site_index_.try_emplace({function, stack}, static_cast<int>(profile_.sites.size()));
  if (!is_new) return place->second;
  Site site;
  site.place = place_of(stack.front());
  site.place.function = row.address == 0 ? "others" : profile::kFunctionRows[function].name;
  site.chapter = row.address == 0 ? "" : profile::kFunctionRows[function].chapter;
  // What calls main() is the same in all programs.
  bool is_outermost = is_main(site.place);
  for (std::size_t i = 1; i < stack.size() && !is_outermost; ++i) {
    site.callers.push_back(place_of(stack[i]));
    is_outermost = is_main(site.callers.back());
  }
  std::vector<Line> lines{line_of(site.place)};
  for (const Place& caller : site.callers) lines.push_back(line_of(caller));
  if (row.address != 0 && !site.place.file.empty()) {
    place->second =
        line_index_.try_emplace({function, std::move(lines)}, place->second).first->second;
    if (place->second < static_cast<int>(profile_.sites.size())) return place->second;
  }
  profile_.sites.push_back(std::move(site));
  return place->second;
}

int Builder::add_site(int index, const ThreadTable& table, const SiteRecord& row) {
  const Process& process = processes_[static_cast<std::size_t>(index)];
  const int number = site_of(*process.record, row);
  Site& site = profile_.sites[static_cast<std::size_t>(number)];
  double seconds = process.time.seconds(row.ticks);
  double longest = process.time.seconds(row.max_ticks);
  const std::size_t own = static_cast<std::size_t>(&row - table.sites.data());
  if (table.current.site == own + 1) {  // it is in this call still
    const std::uint64_t end = end_of(process);
    const double open = process.time.seconds(end - std::min(end, table.current.since_ticks));
    seconds += open;
    longest = std::max(longest, open);
  }
  site.calls += row.calls;
  site.bytes += row.bytes;
  site.seconds += seconds;
  site.longest = std::max(site.longest, longest);
  site.per_rank[index] += seconds;
  for (std::size_t cause = 0; cause < profile::kCauses; ++cause) {
    site.waited[cause] += static_cast<double>(row.waited_ns[cause]) * kNs;
  }
  for (const profile::Blame& each : row.blamed) {
    if (each.peer == 0) continue;
    const int guilty = rank_index(process.job, each.peer - 1);
    if (guilty >= 0) site.blamed[guilty] += static_cast<double>(each.ns) * kNs;
  }
  return number;
}

int Builder::rank_index(int job, int number) const {
  const auto found = index_.find({job, number});
  return found == index_.end() ? -1 : found->second;
}

void Builder::add_table(int index, const ThreadTable& table, bool is_first) {
  const Process& process = processes_[static_cast<std::size_t>(index)];
  Rank& rank = profile_.ranks[static_cast<std::size_t>(index)];
  double mpi = process.time.seconds(table.mpi_ticks);
  int open_site = -1;
  for (std::size_t i = 0; i < table.site_count; ++i) {
    const SiteRecord& row = table.sites[i];
    if (row.calls == 0) continue;
    rank.calls += row.calls;
    const int site = add_site(index, table, row);
    const auto thread = static_cast<std::size_t>(&table - process.record->threads.data());
    sites_of_.back()[TraceSource::site_key(thread, i)] = site;
    if (table.current.site == i + 1) open_site = site;
  }
  if (open_site >= 0) {
    const std::uint64_t end = end_of(process);
    const double since = process.time.seconds(end - std::min(end, table.current.since_ticks));
    mpi += since;
    if (rank.open.site < 0) rank.open = {open_site, since, table.current.peer};
  }
  rank.threads += table.threads;
  for (std::size_t i = 0; i < profile::kTraffics; ++i) {
    for (std::size_t bucket = 0; bucket < profile::kBuckets; ++bucket) {
      profile_.sizes.rows[i][bucket].count += table.sizes[i][bucket].count;
      profile_.sizes.rows[i][bucket].bytes += table.sizes[i][bucket].bytes;
    }
  }
  if (!is_first) {
    rank.other_threads_mpi += mpi;
    return;
  }
  rank.mpi = std::min(mpi, rank.run);
  for (std::size_t cause = 0; cause < profile::kCauses; ++cause) {
    rank.waited[cause] = static_cast<double>(table.waited_ns[cause]) * kNs;
  }
  fill_strip(process.time, *process.record, table, span_, end_of(process), rank);
}

void Builder::add_peers(int index) {
  const Process& process = processes_[static_cast<std::size_t>(index)];
  const Record& record = *process.record;
  for (std::size_t i = 0; i < record.peer_count; ++i) {
    const profile::PeerRecord& row = record.peers[i];
    const int to = row.rank == 0 ? -1 : rank_index(process.job, row.rank - 1);
    Pair& pair = pairs_[{index, to}];
    pair.from = index;
    pair.to = to;
    pair.messages += row.messages;
    pair.bytes += row.bytes;
    pair.waited += static_cast<double>(row.waited_ns) * kNs;
  }
}

void Builder::add_phases(const Process& process) {
  const Record& record = *process.record;
  for (std::size_t i = 0; i < record.phase_count; ++i) {
    const profile::PhaseRecord& row = record.phases[i];
    Phase& phase = phases_[row.level];
    phase.level = row.level;
    phase.times += row.times;
    phase.seconds += process.time.seconds(row.ticks);
    if (row.since_ticks != 0) continue;  // its other numbers are differences until it ends
    phase.mpi += process.time.seconds(row.mpi_ticks);
    phase.waited += static_cast<double>(row.waited_ns) * kNs;
  }
}

void Builder::add_general(const Record& record) {
  if (profile_.library.empty()) profile_.library = text_of(record.library);
  if (record.uses_tsc == 0) profile_.slow_clock = true;
  profile_.without_names += record.without_names;
  profile_.taken += record.taken;
  profile_.unexpected += record.unexpected;
  if (record.tool.functions > profile_.tool_functions) {
    profile_.tool_functions = record.tool.functions;
    profile_.tool_function = text_of(record.tool.first);
  }
  constexpr std::uint32_t kWaits = profile::kTellsWaits | profile::kTellsCollectives;
  profile_.has_inside = profile_.has_inside || (record.tells & kWaits) != 0;
  for (std::size_t i = 0; i < record.counter_count; ++i) {
    const profile::CounterRecord& one = record.counters[i];
    std::uint64_t& sum = profile_.counters[text_of(one.name)];
    sum = one.is_peak != 0 ? std::max(sum, one.value) : sum + one.value;
    if (text_of(one.name) == profile::kCopiedCounter)
      profile_.ranks.back().copying = static_cast<double>(one.value) * kNs;
  }
  profile_.tells_moving = profile_.tells_moving || (record.tells & profile::kTellsCopies) != 0;
  for (std::size_t i = 0; i < record.setting_count; ++i) {
    std::pair setting(text_of(record.settings[i].name), text_of(record.settings[i].value));
    if (std::ranges::find(profile_.settings, setting) == profile_.settings.end()) {
      profile_.settings.push_back(std::move(setting));
    }
  }
}

void Builder::add_process(int index) {
  const Process& process = processes_[static_cast<std::size_t>(index)];
  const Record& record = *process.record;
  profile_.ranks.push_back(describe(process));
  sites_of_.emplace_back();
  for (std::size_t i = 0; i < profile::kThreads; ++i) {
    if (record.threads[i].threads != 0) add_table(index, record.threads[i], i == 0);
  }
  Rank& rank = profile_.ranks.back();
  rank.cost = process.time.seconds(record.cost_ticks) / 16 * static_cast<double>(rank.calls);
  profile_.run = std::max(profile_.run, rank.run);
  add_peers(index);
  add_phases(process);
  add_general(record);
}

WaitSpan Builder::span_of(const Process& process, const profile::LongWait& wait) const {
  const auto end = static_cast<std::int64_t>(process.time.realtime_ns(wait.end_ticks) -
                                             std::uint64_t{span_.begin_ns});
  return {end - static_cast<std::int64_t>(wait.ns), end, rank_index(process.job, wait.peer)};
}

// Whether a rank waited while it was waited for is that of the thread that started MPI.
std::vector<std::vector<WaitSpan>> Builder::known_waits() const {
  std::vector<std::vector<WaitSpan>> all(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const ThreadTable& table = processes_[i].record->threads[0];
    for (std::size_t at = 0; at < table.long_wait_count; ++at) {
      const WaitSpan span = span_of(processes_[i], table.long_waits[at]);
      if (span.peer >= 0) all[i].push_back(span);
    }
  }
  return all;
}

// What the longest waits of a call site for a rank tell of who was behind it is taken for true of
// its others, too.
void Builder::follow_blame(int index, std::size_t thread, WaitChains& chains) {
  const Process& process = processes_[static_cast<std::size_t>(index)];
  const ThreadTable& table = process.record->threads[thread];
  std::map<std::pair<std::size_t, int>, std::map<int, double>> behind;  // by row and who was blamed
  for (std::size_t at = 0; at < table.long_wait_count; ++at) {
    const WaitSpan span = span_of(process, table.long_waits[at]);
    if (span.peer < 0) continue;
    chains.follow(index, span, behind[{table.long_waits[at].site, span.peer}]);
  }
  const std::map<std::uint32_t, int>& places = sites_of_[static_cast<std::size_t>(index)];
  for (std::size_t i = 0; i < table.site_count; ++i) {
    const auto place = places.find(TraceSource::site_key(thread, i));
    if (place == places.end()) continue;
    Site& site = profile_.sites[static_cast<std::size_t>(place->second)];
    for (const profile::Blame& each : table.sites[i].blamed) {
      const int guilty = each.peer == 0 ? -1 : rank_index(process.job, each.peer - 1);
      if (guilty < 0) continue;
      share_out(static_cast<double>(each.ns) * kNs, guilty, behind[{i, guilty}], site.behind);
    }
  }
}

void Builder::follow_blame() {
  WaitChains chains(known_waits());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    for (std::size_t thread = 0; thread < profile::kThreads; ++thread) {
      if (processes_[i].record->threads[thread].threads == 0) continue;
      follow_blame(static_cast<int>(i), thread, chains);
    }
  }
}

// Where each of them was put.
std::vector<int> Builder::sort_sites() {
  std::vector<int> order(profile_.sites.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int at) {
    return profile_.sites[static_cast<std::size_t>(at)].seconds;
  });
  std::vector<Site> sorted;
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(std::move(profile_.sites[static_cast<std::size_t>(order[i])]));
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  }
  profile_.sites = std::move(sorted);
  for (Rank& rank : profile_.ranks) {
    if (rank.open.site >= 0) rank.open.site = place[static_cast<std::size_t>(rank.open.site)];
  }
  for (auto& [key, pair] : pairs_) profile_.pairs.push_back(pair);
  for (auto& [level, phase] : phases_) profile_.phases.push_back(phase);
  return place;
}

// A rank without a trace has a row less on the timeline. One whose trace cannot be read is noted.
void Builder::add_traces(const std::vector<int>& places) {
  std::map<int, std::shared_ptr<std::vector<int>>> ranks;  // by job
  for (const auto& [key, index] : index_) {
    if (key.second < 0) continue;
    auto& list = ranks[key.first];
    if (list == nullptr) list = std::make_shared<std::vector<int>>();
    list->resize(std::max<std::size_t>(list->size(), static_cast<std::size_t>(key.second) + 1), -1);
    (*list)[static_cast<std::size_t>(key.second)] = index;
  }
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = processes_[i];
    const std::filesystem::path path =
        std::filesystem::path(process.path).replace_extension(profile::kTraceSuffix);
    std::error_code error;
    // Until the first call a trace has what was measured of its cost.
    if (process.record->stage == profile::Stage::loaded || process.path.empty() ||
        !std::filesystem::exists(path, error)) {
      continue;
    }
    Expected<TraceView> file = read_trace(path.string());
    if (!file) {
      profile_.notes.push_back(file.error().message);
      continue;
    }
    auto& list = ranks[process.job];
    if (list == nullptr) list = std::make_shared<std::vector<int>>();
    TraceSource source{static_cast<int>(i),
                       std::move(*file),
                       process.record,
                       process.time,
                       span_.begin_ns,
                       end_of(process),
                       {},
                       list,
                       0,
                       {}};
    for (const auto& [key, site] : sites_of_[i]) {
      source.sites[key] = places[static_cast<std::size_t>(site)];
    }
    profile_.traces.push_back(std::move(source));
  }
  if (profile_.traces.empty()) return;
  profile_.timeline = digest_traces(profile_.traces);
  for (const std::string& note : profile_.timeline.notes) profile_.notes.push_back(note);
}

// co-design.pop-coe.eu/metrics: time outside MPI is useful.
void Builder::find_efficiency() {
  double most = 0;
  double sum = 0;
  double measured = 0;
  for (const Rank& rank : profile_.ranks) {
    measured = std::max(measured, rank.measured());
    most = std::max(most, rank.outside());
    sum += rank.outside();
  }
  const double mean = sum / static_cast<double>(profile_.ranks.size());
  Efficiency& found = profile_.efficiency;
  found.load_balance = most > 0 ? mean / most : 1;
  found.communication = measured > 0 ? most / measured : 1;
  found.parallel = found.load_balance * found.communication;
  profile_.culprit = find_culprit(profile_);
  profile_.advice = give_advice(profile_);
}

void Builder::find_missing() {
  for (std::size_t job = 0; job < profile_.jobs.size(); ++job) {
    int size = 0;
    std::set<int> seen;
    for (const Process& each : processes_) {
      if (each.job != static_cast<int>(job)) continue;
      size = std::max(size, each.record->ranks);
      seen.insert(each.record->rank);
    }
    profile_.missing += std::max(0, size - static_cast<int>(seen.size()));
  }
}

}  // namespace

Profile make_profile(const Records& records, Symbols& symbols,
                     std::optional<std::uint64_t> ended_ns) {
  Profile profile = Builder(records, symbols, ended_ns).build();
  add_notes(profile, symbols.has_lines());
  return profile;
}

double sum_of(const Waits& waits) {
  return std::accumulate(waits.begin(), waits.end(), 0.0);
}

std::string Place::text() const {
  if (!file.empty()) {
    return fmt::format("{}:{}", std::string_view(file).substr(file.rfind('/') + 1), line);
  }
  if (!symbol.empty()) return symbol;
  if (module.empty()) return "an unknown place";
  return fmt::format("{}+{:#x}", std::string_view(module).substr(module.rfind('/') + 1), offset);
}

std::string Place::text_with_symbol() const {
  if (symbol.empty() || file.empty()) return text();
  return fmt::format("{} at {}", symbol, text());
}

std::string text_of(const std::vector<Place>& callers) {
  std::string text;
  for (const Place& each : callers) {
    text += (text.empty() ? "" : " < ") + each.text_with_symbol();
  }
  return text;
}

const char* name_of(profile::Cause cause) {
  constexpr std::array<const char*, profile::kCauses> kNames{
      "late sender", "late receiver", "others at a collective", "lock", "no room", "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

const char* name_of(profile::Traffic traffic) {
  constexpr std::array<const char*, profile::kTraffics> kNames{"none",       "send",      "receive",
                                                               "collective", "one-sided", "file"};
  return kNames[static_cast<std::size_t>(traffic)];
}

}  // namespace remit::profiles
