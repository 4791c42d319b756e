// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "programs/profile/advice.hpp"

namespace remit::profiles {
namespace {

constexpr double kLeastShare = 0.01;  // of the run

struct Cell {
  double seconds = 0;  // mean over the ranks
  std::uint64_t calls = 0;
  std::string at;
};

// Function of MPI, place in the program, and which of several there.
using Key = std::tuple<std::string, std::string, int>;

std::string where(const Place& place) {
  std::string name = place.module.substr(place.module.rfind('/') + 1);
  // Offsets move with each build; the function's name stays.
  const std::string symbol = place.symbol.substr(0, place.symbol.find("+0x"));
  if (!symbol.empty()) return name + ' ' + symbol;
  if (!place.file.empty()) return name + ' ' + place.file;
  return name;
}

std::map<Key, Cell> cells_of(const Profile& profile) {
  std::vector<const Site*> sites;
  sites.reserve(profile.sites.size());
  for (const Site& site : profile.sites) sites.push_back(&site);
  std::ranges::sort(sites, {}, [](const Site* site) { return site->place.offset; });
  std::map<std::pair<std::string, std::string>, int> seen;
  std::map<Key, Cell> cells;
  for (const Site* site : sites) {
    std::string place = where(site->place);
    for (const Place& caller : site->callers) place += " < " + where(caller);
    const int number = seen[{site->place.function, place}]++;
    cells[{site->place.function, place, number}] = {
        site->seconds / static_cast<double>(profile.ranks.size()), site->calls,
        site->callers.empty() ? site->place.text()
                              : fmt::format("{} < {}", site->place.text(), text_of(site->callers))};
  }
  return cells;
}

struct Change {
  std::string name;
  Cell before;
  Cell after;

  [[nodiscard]] double difference() const { return after.seconds - before.seconds; }
};

std::string percent_text(double before, double after) {
  if (before <= 0) return after > 0 ? "new" : "";
  return fmt::format("{:+d} %", percent(after / before - 1));
}

}  // namespace

Comparison compare(const Profile& before, const Profile& after, double threshold) {
  std::map<Key, Change> changes;
  for (const auto& [key, cell] : cells_of(before)) changes[key].before = cell;
  for (const auto& [key, cell] : cells_of(after)) changes[key].after = cell;
  std::vector<Change> sorted;
  for (auto& [key, change] : changes) {
    const std::string& at = change.after.at.empty() ? change.before.at : change.after.at;
    change.name = fmt::format("{} at {}", std::get<0>(key), at);
    sorted.push_back(std::move(change));
  }
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const Change& each) { return std::abs(each.difference()); });
  Comparison result;
  const double least = kLeastShare * std::max(before.run, 1e-9);
  const auto grew = [&](double was, double is) {
    return is - was > least && is > was * (1 + threshold);
  };
  result.is_slower = grew(before.run, after.run);
  result.text = fmt::format("{:>10} {:>10} {:>8} {:>12} {:>12}  {}\n", "before", "after", "change",
                            "calls", "calls", "seconds a rank");
  result.text += fmt::format("{:>10.4f} {:>10.4f} {:>8} {:>12} {:>12}  the whole run{}\n",
                             before.run, after.run, percent_text(before.run, after.run), "", "",
                             result.is_slower ? "  SLOWER" : "");
  for (const Change& each : sorted) {
    const bool slower = grew(each.before.seconds, each.after.seconds);
    result.is_slower = result.is_slower || slower;
    result.text +=
        fmt::format("{:>10.4f} {:>10.4f} {:>8} {:>12} {:>12}  {}{}\n", each.before.seconds,
                    each.after.seconds, percent_text(each.before.seconds, each.after.seconds),
                    each.before.calls, each.after.calls, each.name, slower ? "  SLOWER" : "");
  }
  return result;
}

}  // namespace remit::profiles
