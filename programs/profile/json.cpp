// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What there is one of for each rank or pair is an array of numbers, whose names stand in front of
// it once: a page of 10,000 ranks stays small.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "programs/profile/advice.hpp"
#include "programs/profile/formats.hpp"
#include "programs/profile/trace_json.hpp"

namespace remit::profiles {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPairs = 60'000;  // of the matrix; the largest

// A millionth of a second is enough.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

Json waits_of(const Waits& waits) {
  Json all = Json::object();
  for (std::size_t i = 0; i < profile::kCauses; ++i) {
    if (waits[i] > 0) all[name_of(static_cast<profile::Cause>(i))] = rounded(waits[i]);
  }
  return all;
}

const char* name_of_stage(const Rank& rank) {
  if (rank.aborted) return "aborted";
  switch (rank.stage) {
    case profile::Stage::loaded:
    case profile::Stage::running:
      return "not finalized";
    case profile::Stage::finalized:
      break;
    case profile::Stage::exited:
      return rank.is_finalized ? "finalized" : "exited";
  }
  return "finalized";
}

// How many columns of the strip are one of the page.
std::size_t merged_columns(const Profile& profile) {
  constexpr std::size_t kManyRanks = 4096;
  return profile.ranks.size() > kManyRanks ? 2 : 1;
}

// A letter a column, '0' to 'o' for 0 to 63 sixty-thirds; '.': the rank did not run; '~': it was
// not counted.
std::string strip_of(const Rank& rank, const std::array<double, kStripColumns>& columns,
                     std::size_t merged) {
  std::string text;
  for (std::size_t i = 0; i < kStripColumns; i += merged) {
    double share = 0;
    for (std::size_t j = i; j < i + merged; ++j) share += columns[j] / static_cast<double>(merged);
    const char none = rank.strip_paused[i] ? '~' : '.';
    text += share < 0 ? none : static_cast<char>('0' + std::lround(share * 63));
  }
  return text;
}

Json place_of(const Place& place) {
  return {{"function", place.function}, {"at", place.text()},     {"file", place.file},
          {"line", place.line},         {"symbol", place.symbol}, {"module", place.module},
          {"offset", place.offset}};
}

Json ranks_of(const Profile& profile) {
  Json rows = Json::array();
  for (const Rank& rank : profile.ranks) {
    Json row{{"rank", rank.label},
             {"host", rank.host},
             {"pid", rank.pid},
             {"end", name_of_stage(rank)},
             {"run", rounded(rank.run)},
             {"outside", rounded(rank.outside())},
             {"mpi", rounded(rank.mpi)},
             {"waiting", rounded(rank.waiting())},
             {"moving", rounded(rank.moving())},
             {"overhead", rounded(rank.overhead())},
             {"calls", rank.calls},
             {"peak_mb", std::round(rank.peak_mb * 10) / 10},
             {"user", rounded(rank.user)},
             {"system", rounded(rank.system)},
             {"preempted", rank.preempted},
             {"threads", rank.threads},
             {"cost", rounded(rank.cost)}};
    if (rank.paused > 0) row["paused"] = rounded(rank.paused);
    if (rank.waiting() > 0) row["causes"] = waits_of(rank.waited);
    if (rank.other_threads_mpi > 0) row["other_threads_mpi"] = rounded(rank.other_threads_mpi);
    if (rank.open.site >= 0) {
      row["in"] = {
          {"site", rank.open.site}, {"for", rounded(rank.open.since)}, {"peer", rank.open.peer}};
    }
    row["strip"] = strip_of(rank, rank.strip_mpi, merged_columns(profile));
    if (profile.has_inside)
      row["waits"] = strip_of(rank, rank.strip_waited, merged_columns(profile));
    rows.push_back(std::move(row));
  }
  return rows;
}

// The worst of them.
Json guilty_of(const Profile& profile, const std::map<int, double>& by_rank) {
  constexpr std::size_t kWorst = 4;
  std::vector<std::pair<int, double>> guilty(by_rank.begin(), by_rank.end());
  std::ranges::sort(guilty, std::greater(), &std::pair<int, double>::second);
  guilty.resize(std::min(guilty.size(), kWorst));
  Json rows = Json::array();
  for (const auto& [rank, seconds] : guilty) {
    rows.push_back({{"rank", profile.ranks[static_cast<std::size_t>(rank)].label},
                    {"seconds", rounded(seconds)}});
  }
  return rows;
}

Json callers_of(const Site& site) {
  Json rows = Json::array();
  for (const Place& each : site.callers) {
    Json row = place_of(each);
    row.erase("function");  // that is MPI's
    rows.push_back(std::move(row));
  }
  return rows;
}

Json sites_of(const Profile& profile) {
  Json rows = Json::array();
  for (const Site& site : profile.sites) {
    Json row = place_of(site.place);
    if (!site.callers.empty()) row["callers"] = callers_of(site);
    row["class"] = site.chapter;
    row["calls"] = site.calls;
    row["seconds"] = rounded(site.seconds);
    row["longest"] = rounded(site.longest);
    row["bytes"] = site.bytes;
    row["ranks"] = site.per_rank.size();
    const auto most =
        std::ranges::max_element(site.per_rank, {}, [](const auto& each) { return each.second; });
    if (most != site.per_rank.end()) {
      row["worst_rank"] = profile.ranks[static_cast<std::size_t>(most->first)].label;
      row["worst_seconds"] = rounded(most->second);
    }
    row["waited"] = waits_of(site.waited);
    row["blamed"] = guilty_of(profile, site.blamed);
    row["behind"] = guilty_of(profile, site.behind);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json pairs_of(const Profile& profile) {
  std::vector<Pair> pairs = profile.pairs;
  if (pairs.size() > kMostPairs) {
    std::ranges::nth_element(pairs, pairs.begin() + kMostPairs, std::greater(), &Pair::bytes);
    pairs.resize(kMostPairs);
  }
  Json rows = Json::array();
  for (const Pair& pair : pairs) {
    rows.push_back({pair.from, pair.to, pair.messages, pair.bytes, rounded(pair.waited)});
  }
  return {{"columns", {"from", "to", "messages", "bytes", "waited"}}, {"rows", std::move(rows)}};
}

Json sizes_of(const Profile& profile) {
  Json all = Json::object();
  for (std::size_t i = 1; i < profile::kTraffics; ++i) {
    Json rows = Json::array();
    for (std::size_t bucket = 0; bucket < profile::kBuckets; ++bucket) {
      const profile::SizeRow& row = profile.sizes.rows[i][bucket];
      if (row.count == 0) continue;
      const std::uint64_t least = bucket == 0 ? 0 : std::uint64_t{1} << (bucket - 1);
      rows.push_back({{"from", least}, {"count", row.count}, {"bytes", row.bytes}});
    }
    if (!rows.empty()) all[name_of(static_cast<profile::Traffic>(i))] = std::move(rows);
  }
  return all;
}

Json counters_of(const Profile& profile) {
  Json all = Json::object();
  for (const auto& [name, value] : profile.counters) all[name] = value;
  return all;
}

Json culprit_of(const Profile& profile) {
  const Culprit& culprit = profile.culprit;
  if (culprit.rank < 0) return nullptr;
  Json found{{"rank", profile.ranks[static_cast<std::size_t>(culprit.rank)].label},
             {"seconds", rounded(culprit.seconds)},
             {"through", rounded(culprit.through)},
             {"cause", culprit.cause}};
  if (culprit.site >= 0) {
    found.update(place_of(profile.sites[static_cast<std::size_t>(culprit.site)].place));
  }
  return found;
}

Json phases_of(const Profile& profile) {
  Json rows = Json::array();
  for (const Phase& phase : profile.phases) {
    rows.push_back({{"level", phase.level},
                    {"times", phase.times},
                    {"seconds", rounded(phase.seconds)},
                    {"mpi", rounded(phase.mpi)},
                    {"waited", rounded(phase.waited)}});
  }
  return rows;
}

}  // namespace

std::string to_json(const Profile& profile) {
  Json settings = Json::object();
  for (const auto& [name, value] : profile.settings) settings[name] = value;
  const Json all{
      {"format", "remit-profile"},
      {"version", 1},
      {"summary", summary_of(profile)},
      {"program", profile.ranks.front().program},
      {"library", profile.library},
      {"jobs", profile.jobs},
      {"begin", profile.begin},
      {"run", rounded(profile.run)},
      {"efficiency",
       {{"load_balance", rounded(profile.efficiency.load_balance)},
        {"communication", rounded(profile.efficiency.communication)},
        {"parallel", rounded(profile.efficiency.parallel)}}},
      {"largest", culprit_of(profile)},
      {"advice", profile.advice},
      {"notes", profile.notes},
      {"tells_waits", profile.has_inside},
      {"tells_moving", profile.tells_moving},
      {"counters", counters_of(profile)},
      {"taken", {{"messages", profile.taken}, {"unexpected", profile.unexpected}}},
      {"settings", std::move(settings)},
      {"sites", sites_of(profile)},
      {"sizes", sizes_of(profile)},
      {"phases", phases_of(profile)},
      {"pairs", pairs_of(profile)},
      {"strip_columns", kStripColumns / merged_columns(profile)},
      {"ranks", ranks_of(profile)},
      {"trace", trace_of(profile.timeline)},
  };
  // Paths may be in any encoding.
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace remit::profiles
