// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// For terminals and spreadsheets.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "programs/profile/advice.hpp"
#include "programs/profile/formats.hpp"

namespace remit::profiles {
namespace {

constexpr std::size_t kShown = 12;  // call sites

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text)
    result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return result + '"';
}

/// What the time of all ranks went into, as far as the library tells.
std::string shares_of_mpi(const Profile& profile) {
  if (!profile.tells_moving) return {};
  double waiting = 0;
  double moving = 0;
  double overhead = 0;
  for (const Rank& rank : profile.ranks) {
    waiting += rank.waited_in_mpi();
    moving += rank.moving();
    overhead += rank.overhead();
  }
  return fmt::format("In MPI, all ranks: {} waiting, {} moving data, {} overhead.\n\n",
                     duration(waiting), duration(moving), duration(overhead));
}

}  // namespace

std::string to_csv(const Profile& profile) {
  std::string text = "function,file,line,symbol,module,offset,calls,seconds,longest,bytes,ranks";
  for (std::size_t i = 0; i < profile::kCauses; ++i) {
    text += fmt::format(",{}",
                        quoted(fmt::format("waited: {}", name_of(static_cast<profile::Cause>(i)))));
  }
  text += ",callers\n";
  for (const Site& site : profile.sites) {
    text += fmt::format("{},{},{},{},{},{:#x},{},{:.9f},{:.9f},{},{}", site.place.function,
                        quoted(site.place.file), site.place.line, quoted(site.place.symbol),
                        quoted(site.place.module), site.place.offset, site.calls, site.seconds,
                        site.longest, site.bytes, site.per_rank.size());
    for (const double waited : site.waited) text += fmt::format(",{:.9f}", waited);
    text += ',' + quoted(text_of(site.callers)) + '\n';
  }
  return text;
}

std::string to_text(const Profile& profile) {
  std::string text = summary_of(profile) + '\n';
  text += fmt::format(
      "Efficiency: {} % parallel = {} % load balance x {} % communication. {} rank{}, {}.\n\n",
      percent(profile.efficiency.parallel), percent(profile.efficiency.load_balance),
      percent(profile.efficiency.communication), profile.ranks.size(),
      profile.ranks.size() == 1 ? "" : "s", duration(profile.run));
  text += shares_of_mpi(profile);
  text += fmt::format("{:>10} {:>10} {:>12} {:>10}  {}\n", "seconds", "waiting", "calls", "bytes",
                      "call site");
  for (std::size_t i = 0; i < std::min(profile.sites.size(), kShown); ++i) {
    const Site& site = profile.sites[i];
    text += fmt::format("{:>10.4f} {:>10.4f} {:>12} {:>10.3g}  {} at {}\n", site.seconds,
                        sum_of(site.waited), site.calls, static_cast<double>(site.bytes),
                        site.place.function, site.place.text());
    for (const Place& caller : site.callers) {
      text += fmt::format("{:>47}from {}\n", "", caller.text_with_symbol());
    }
  }
  for (const std::string& sentence : profile.advice) text += "\n- " + sentence;
  for (const std::string& sentence : profile.notes) text += "\nNote: " + sentence;
  if (!profile.advice.empty() || !profile.notes.empty()) text += '\n';
  return text;
}

}  // namespace remit::profiles
