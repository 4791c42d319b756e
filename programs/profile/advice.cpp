// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace remit::profiles {
namespace {

constexpr double kWorthSaying = 0.05;  // of the run
constexpr const char* kComputes = "computes longer";

const Rank& rank_at(const Profile& profile, int index) {
  return profile.ranks[static_cast<std::size_t>(index)];
}
const Site& site_at(const Profile& profile, int index) {
  return profile.sites[static_cast<std::size_t>(index)];
}

double total_run(const Profile& profile) {
  double sum = 0;
  for (const Rank& rank : profile.ranks) sum += rank.measured();
  return sum;
}

// The mean of the others' time outside MPI.
double mean_outside(const Profile& profile, int but) {
  double sum = 0;
  for (const Rank& rank : profile.ranks) sum += rank.outside();
  sum -= rank_at(profile, but).outside();
  return sum / std::max(1.0, static_cast<double>(profile.ranks.size()) - 1);
}

int longest_outside(const Profile& profile) {
  const auto found = std::ranges::max_element(profile.ranks, {}, &Rank::outside);
  return static_cast<int>(found - profile.ranks.begin());
}

// The call in which the others spend the most time, and more than `least`.
int longest_site_of_others(const Profile& profile, int rank, double least) {
  int best = -1;
  double most = least;
  for (std::size_t i = 0; i < profile.sites.size(); ++i) {
    const Site& site = profile.sites[i];
    if (site.chapter == "init") continue;  // starting and ending is nobody's wait
    double seconds = site.seconds;
    if (const auto own = site.per_rank.find(rank); own != site.per_rank.end()) {
      seconds -= own->second;
    }
    if (seconds <= most) continue;
    most = seconds;
    best = static_cast<int>(i);
  }
  return best;
}

Culprit blamed_most(const Profile& profile) {
  Culprit found;
  std::map<int, double> totals;  // of those behind all waits
  for (const Site& site : profile.sites) {
    for (const auto& [rank, seconds] : site.behind) totals[rank] += seconds;
  }
  const auto most =
      std::ranges::max_element(totals, {}, [](const auto& each) { return each.second; });
  for (std::size_t i = 0; i < profile.sites.size(); ++i) {
    const Site& site = profile.sites[i];
    for (const auto& [rank, seconds] : site.behind) {
      if (rank != most->first || seconds <= found.seconds) continue;
      const auto cause = std::ranges::max_element(site.waited) - site.waited.begin();
      found = {rank, static_cast<int>(i), name_of(static_cast<profile::Cause>(cause)), seconds, 0};
      const auto direct = site.blamed.find(rank);
      found.through = std::max(0.0, seconds - (direct == site.blamed.end() ? 0 : direct->second));
    }
  }
  return found;
}

}  // namespace

std::string duration(double seconds) {
  if (seconds >= 100) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 0.1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-4) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

int percent(double part) {
  return static_cast<int>(std::lround(part * 100));
}

Culprit find_culprit(const Profile& profile) {
  Culprit told = blamed_most(profile);
  if (told.rank >= 0 || profile.ranks.size() < 2) return told;
  const int rank = longest_outside(profile);
  const double excess = rank_at(profile, rank).outside() - mean_outside(profile, rank);
  if (excess < kWorthSaying * profile.run) return {};
  return {rank, longest_site_of_others(profile, rank, excess / 10), kComputes, excess, 0};
}

namespace {

using Sentences = std::vector<std::string>;

void advise_on_balance(const Profile& profile, Sentences& said) {
  if (profile.ranks.size() < 2) return;
  const int rank = longest_outside(profile);
  const double mean = mean_outside(profile, rank);
  const double excess = rank_at(profile, rank).outside() - mean;
  if (excess < kWorthSaying * profile.run) return;
  const Rank& slow = rank_at(profile, rank);
  std::string text =
      fmt::format("Rank {} is outside MPI for {}, {} longer than the mean of the others",
                  slow.label, duration(slow.outside()), duration(excess));
  std::vector<std::string> sharers;
  for (const Rank& each : profile.ranks) {
    if (&each != &slow && each.host == slow.host && each.processors == 1 && slow.processors == 1 &&
        each.first_processor == slow.first_processor) {
      sharers.push_back(each.label);
    }
  }
  if (!sharers.empty()) {
    text += fmt::format(", and shares processor {} with rank {}", slow.first_processor,
                        fmt::join(sharers, ", "));
  }
  said.push_back(text + ": give it less work, or more of a processor.");
}

void advise_on_culprit(const Profile& profile, Sentences& said) {
  const Culprit& culprit = profile.culprit;
  if (culprit.rank < 0 || culprit.site < 0 || culprit.cause == kComputes) return;
  if (culprit.seconds < kWorthSaying * profile.run) return;
  const Site& site = site_at(profile, culprit.site);
  const std::string through = culprit.through < culprit.seconds / 20
                                  ? ""
                                  : fmt::format(", {} of it by way of ranks that waited themselves",
                                                duration(culprit.through));
  said.push_back(fmt::format("Rank {} was waited for {} in {} at {} ({}){}.",
                             rank_at(profile, culprit.rank).label, duration(culprit.seconds),
                             site.place.function, site.place.text(), culprit.cause, through));
}

std::uint64_t counter(const Profile& profile, const char* name) {
  const auto found = profile.counters.find(name);
  return found == profile.counters.end() ? 0 : found->second;
}

void advise_on_starved(const Profile& profile, Sentences& said) {
  constexpr std::uint64_t kPart = 20;
  const std::uint64_t starved = counter(profile, "messages_starved");
  const std::uint64_t all =
      counter(profile, "messages_eager") + counter(profile, "messages_rendezvous");
  if (starved == 0 || starved * kPart < all) return;
  said.push_back(fmt::format(
      "{} small messages found no room at their receiver and had to ask first: it receives too "
      "slowly, or they are sent faster than they can be used.",
      starved));
}

void advise_on_unexpected(const Profile& profile, Sentences& said) {
  constexpr std::uint64_t kMany = 100;
  if (profile.taken < kMany || profile.unexpected * 2 < profile.taken) return;
  said.push_back(fmt::format(
      "{} % of the {} messages were unexpected: post receives earlier.",
      percent(static_cast<double>(profile.unexpected) / static_cast<double>(profile.taken)),
      profile.taken));
}

void advise_on_tests(const Profile& profile, Sentences& said) {
  constexpr double kOften = 10'000;  // calls a second and rank
  for (const Site& site : profile.sites) {
    const std::string& name = site.place.function;
    if (!name.starts_with("MPI_Test") && !name.starts_with("MPI_Iprobe")) continue;
    const double rate = static_cast<double>(site.calls) / std::max(total_run(profile), 1e-9);
    if (rate < kOften) continue;
    said.push_back(fmt::format(
        "{} at {} is called {:.0f} times a second by each rank: wait where there is nothing else "
        "to do.",
        name, site.place.text(), rate));
  }
}

void advise_on_cores(const Profile& profile, Sentences& said) {
  constexpr double kMany = 100;  // times a second
  for (const Rank& rank : profile.ranks) {
    if (rank.run < 0.5 || static_cast<double>(rank.preempted) / rank.run < kMany) continue;
    said.push_back(fmt::format(
        "Rank {} lost its processor {} times to another process or thread: there are more of them "
        "than processors it may use.",
        rank.label, rank.preempted));
    return;
  }
}

void advise_on_small(const Profile& profile, Sentences& said) {
  constexpr std::uint64_t kMany = 100'000;
  const auto& sends = profile.sizes.rows[static_cast<std::size_t>(profile::Traffic::send)];
  std::uint64_t small = 0;
  std::uint64_t all = 0;
  for (std::size_t bucket = 0; bucket < profile::kBuckets; ++bucket) {
    all += sends[bucket].count;
    if (bucket <= 6) small += sends[bucket].count;  // below 64 bytes
  }
  double mpi = 0;
  for (const Rank& rank : profile.ranks) mpi += rank.mpi;
  if (all < kMany || small * 10 < all * 8 || mpi < 0.2 * total_run(profile)) return;
  said.push_back(fmt::format(
      "{} % of the {} messages are shorter than 64 bytes: sending several at once is quicker.",
      percent(static_cast<double>(small) / static_cast<double>(all)), all));
}

}  // namespace

std::vector<std::string> give_advice(const Profile& profile) {
  Sentences said;
  advise_on_culprit(profile, said);
  advise_on_balance(profile, said);
  advise_on_starved(profile, said);
  advise_on_unexpected(profile, said);
  advise_on_tests(profile, said);
  advise_on_small(profile, said);
  advise_on_cores(profile, said);
  return said;
}

void add_notes(Profile& profile, bool has_lines) {
  std::vector<std::string>& notes = profile.notes;
  if (!profile.has_inside) {
    notes.emplace_back(
        "The MPI library tells nothing of waiting through MPI_T: for whom calls waited is not "
        "known.");
  }
  if (profile.missing > 0) {
    notes.push_back(fmt::format(
        "{} rank{} no record here: it is on a host that was lost, or it did not call MPI.",
        profile.missing, profile.missing == 1 ? " has" : "s have"));
  }
  if (!has_lines) {
    notes.emplace_back("libdw is not installed (Debian: libdw1): call sites have no lines.");
  }
  if (profile.slow_clock) {
    notes.emplace_back(
        "The processor's counter cannot be used as a clock here, so that each call costs more.");
  }
  if (profile.tool_functions > 0) {
    notes.push_back(fmt::format(
        "The program itself defines {} MPI function{} ({}{}): it holds a tool, whose calls have no "
        "call sites here.",
        profile.tool_functions, profile.tool_functions == 1 ? "" : "s", profile.tool_function,
        profile.tool_functions == 1 ? "" : ", ..."));
  }
  if (profile.without_names > 0) {
    notes.emplace_back(
        "There are more call sites than a record has places: 'others' has the rest.");
  }
  for (const Rank& rank : profile.ranks) {
    if (rank.aborted) {
      notes.push_back(fmt::format("Rank {} called MPI_Abort({}).", rank.label, rank.abort_code));
    }
  }
  int lost = 0;
  std::string last;
  for (const Rank& rank : profile.ranks) {
    if (rank.stage != profile::Stage::running) continue;
    ++lost;
    if (rank.open.site < 0 || !last.empty()) continue;
    const Place& place = site_at(profile, rank.open.site).place;
    last = fmt::format(" Rank {} was in {} at {} for the last {}.", rank.label, place.function,
                       place.text(), duration(rank.open.since));
  }
  if (lost > 0) {
    notes.push_back(fmt::format("{} rank{} did not come to the end of MPI_Finalize.{}", lost,
                                lost == 1 ? "" : "s", last));
  }
}

std::string summary_of(const Profile& profile) {
  double mpi = 0;
  double waiting = 0;
  for (const Rank& rank : profile.ranks) {
    mpi += rank.mpi;
    waiting += rank.waiting();
  }
  const double run = std::max(total_run(profile), 1e-9);
  const auto share = [](const Rank& rank) {
    return rank.measured() > 0 ? rank.mpi / rank.measured() : 0;
  };
  const Rank& most = *std::ranges::max_element(profile.ranks, {}, share);
  std::string text = fmt::format("MPI {} % of the time", percent(mpi / run));
  if (profile.ranks.size() > 1) {
    text += fmt::format(" ({} % on rank {})", percent(share(most)), most.label);
  }
  if (profile.has_inside) text += fmt::format(", {} of it waiting", percent(waiting / run));
  const Culprit& culprit = profile.culprit;
  if (culprit.rank >= 0 && culprit.site >= 0) {
    const Place& place = site_at(profile, culprit.site).place;
    const std::string& label = rank_at(profile, culprit.rank).label;
    if (culprit.cause != kComputes) {
      text += fmt::format(", most for rank {} in {} at {}", label, place.function, place.text());
    } else {
      text += fmt::format(", rank {} computes {} longer than the others in {} at {}", label,
                          duration(culprit.seconds), place.function, place.text());
    }
  } else if (!profile.sites.empty()) {
    const Place& place = profile.sites.front().place;
    text += fmt::format(", most in {} at {}", place.function, place.text());
  }
  const auto open = std::ranges::find_if(profile.ranks, [](const Rank& rank) {
    return rank.open.site >= 0 && rank.stage == profile::Stage::running;
  });
  if (open != profile.ranks.end()) {
    const Place& place = site_at(profile, open->open.site).place;
    text += fmt::format("; rank {} did not leave {} at {}, for {}", open->label, place.function,
                        place.text(), duration(open->open.since));
  }
  return text;
}

}  // namespace remit::profiles
