// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of copy methods, and its file.
#include "rdma_btl/shm/copies/copy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <locale>
#include <sstream>

#include "runtime/cache_file.hpp"

namespace remit::shm {

namespace {

constexpr std::string_view kTitle = "remit copy table 3";
constexpr std::string_view kTrap = "trap";
constexpr std::string_view kFree = "free";
constexpr std::array kMethods = {CopyMethod::alone, CopyMethod::together, CopyMethod::ring};

/// Other work on the host disturbs measurements, and the ring keeps the target busy, which they do
/// not see: only a clear gain counts against the usual method; less, if that keeps it busy as well.
constexpr double kGain = 0.75;
constexpr double kGainTogether = 0.9;

/// What no copy takes, in nanoseconds for a KiB: a file that says so is damaged.
constexpr double kLeastCost = 1e-3;
constexpr double kMostCost = 1e7;

}  // namespace

std::size_t CopyTable::row_of(Transfer transfer) {
  const auto log = static_cast<std::size_t>(std::bit_width(std::max(transfer.bytes, kSmallest)));
  constexpr auto kFirst = static_cast<std::size_t>(std::bit_width(kSmallest));
  return std::min(log - kFirst, kClasses - 1) + (transfer.trapped ? kClasses : 0);
}

Transfer CopyTable::smallest_of(std::size_t row) {
  return {kSmallest << row % kClasses, row >= kClasses};
}

bool CopyTable::candidate(std::size_t row, CopyMethod method) const {
  return method != CopyMethod::together || smallest_of(row).bytes >= together_from_;
}

std::optional<CopyMethod> CopyTable::missing(std::size_t row, unsigned Cost::*samples) const {
  for (const CopyMethod method : kMethods) {
    if (candidate(row, method) && cost(row, method).*samples < kSamples) return method;
  }
  return {};
}

CopyMethod CopyTable::usual(std::size_t row) const {
  return candidate(row, CopyMethod::together) ? CopyMethod::together : CopyMethod::alone;
}

CopyMethod CopyTable::best(Transfer transfer) const {
  const std::size_t row = row_of(transfer);
  CopyMethod best = usual(row);
  if (!complete(row)) return best;
  const double gain = best == CopyMethod::together ? kGainTogether : kGain;
  double limit = gain * cost(row, best).ns_per_kib;
  for (const CopyMethod method : kMethods) {
    const double takes = cost(row, method).ns_per_kib;
    if (!candidate(row, method) || !(takes < limit)) continue;
    limit = takes;
    best = method;
  }
  return best;
}

/// One that is not the best, each in turn; one that takes far longer only now and then, for that is
/// what a trial costs.
CopyMethod CopyTable::to_try(std::size_t row, unsigned round) const {
  constexpr double kFar = 2;
  constexpr unsigned kSeldom = 8;
  const CopyMethod used = best(smallest_of(row));
  std::array<CopyMethod, kCopyMethods> others = {};
  unsigned count = 0;
  for (const CopyMethod method : kMethods) {
    if (method != used && candidate(row, method)) others[count++] = method;
  }
  const CopyMethod method = others[round % count];
  const bool far = cost(row, method).ns_per_kib > kFar * cost(row, used).ns_per_kib;
  return far && round / count % kSeldom != kSeldom - 1 ? used : method;
}

CopyTable::Choice CopyTable::next(Transfer transfer) {
  const std::size_t row = row_of(transfer);
  if (const auto method = missing(row, &Cost::samples)) return {*method, true};
  // Not the first transfers of a program, which are slow for other reasons.
  constexpr unsigned kTurn = 8;
  const unsigned number = rows_[row].transfers++;
  const unsigned at = number % kRound;
  if (at < kTurn || at >= kTurn + kTrial) return {best(transfer), at % kLook == kTurn};
  if (at == kTurn) rows_[row].tried = to_try(row, number / kRound);
  return {rows_[row].tried, at >= kTurn + kTrial / 2};
}

/// The lowest of the first ones. Then it goes towards each sample, no farther than a step: what
/// disturbs one transfer counts little, and what lasts is followed with steps that grow.
void CopyTable::Cost::take(double sample) {
  constexpr double kLeast = 1.0 / 16;
  constexpr double kMost = 1.0 / 2;
  own = std::min(own + 1, kSamples);
  if (samples < kSamples) {
    ns_per_kib = samples == 0 ? sample : std::min(ns_per_kib, sample);
    ++samples;
    return;
  }
  const double way = sample - ns_per_kib;
  const bool goes_on = (way < 0) == (step < 0);
  const double size = goes_on ? std::min(2 * std::abs(step), kMost) : 0;
  step = std::copysign(std::max(size, kLeast), way);
  ns_per_kib += std::copysign(std::min(std::abs(way), std::abs(step) * ns_per_kib), way);
}

/// What changes for the best method, because the program uses its data otherwise or the host is
/// busy, is taken to change for the others as much, until they are tried again.
bool CopyTable::record(Transfer transfer, CopyMethod method, std::uint64_t ns) {
  const std::size_t row = row_of(transfer);
  Cost& taken = rows_[row].costs[static_cast<std::size_t>(method)];
  const double before = taken.ns_per_kib;
  const bool counts = taken.samples < kSamples;
  const bool is_best = complete(row) && method == best(transfer);
  const bool was_missing = missing(row, &Cost::own).has_value();
  taken.take(std::max(1.0, static_cast<double>(ns)) * 1024 / static_cast<double>(transfer.bytes));
  for (Cost& other : rows_[row].costs) {
    if (is_best && &other != &taken) other.ns_per_kib *= taken.ns_per_kib / before;
  }
  return counts || (was_missing && !missing(row, &Cost::own));
}

std::size_t CopyTable::measured() const {
  std::size_t count = 0;
  for (std::size_t row = 0; row != kRows; ++row) count += complete(row) ? 1 : 0;
  return count;
}

std::vector<CopyTable::Line> CopyTable::lines() const {
  std::vector<Line> lines;
  for (std::size_t i = 0; i != kRows; ++i) {
    const Transfer least = smallest_of(i);
    if (!complete(i)) continue;
    Line line{least.bytes, least.trapped, {}, best(least)};
    for (std::size_t m = 0; m != kCopyMethods; ++m) {
      line.ns_per_kib[m] = rows_[i].costs[m].ns_per_kib;
    }
    lines.push_back(line);
  }
  return lines;
}

std::string CopyTable::text(std::string_view host) const {
  std::string out = fmt::format("{}\n{}\n", kTitle, host);
  for (std::size_t i = 0; i != kRows; ++i) {
    const auto& costs = rows_[i].costs;
    if (std::ranges::all_of(costs, [](const Cost& cost) { return cost.samples == 0; })) continue;
    out += fmt::format("{} {}", smallest_of(i).bytes, i < kClasses ? kFree : kTrap);
    for (const Cost& cost : costs) out += fmt::format(" {:.3f} {}", cost.ns_per_kib, cost.samples);
    out += '\n';
  }
  return out;
}

Expected<> CopyTable::merge(std::string_view text, std::string_view host) {
  std::istringstream lines{std::string(text)};
  lines.imbue(std::locale::classic());
  std::string title;
  std::string of_host;
  if (!std::getline(lines, title) || title != kTitle || !std::getline(lines, of_host)) {
    return fail(MPI_ERR_ARG, "its first line is not '{}'", kTitle);
  }
  if (of_host != host) return {};
  std::array<Row, kRows> merged = rows_;
  std::size_t bytes = 0;
  std::string distance;
  while (lines >> bytes) {
    distance.clear();
    lines >> distance;
    const std::size_t index = row_of({bytes, distance == kTrap});
    if (smallest_of(index).bytes != bytes || (distance != kTrap && distance != kFree)) {
      return fail(MPI_ERR_ARG, "{} bytes, {}, are no class", bytes, distance);
    }
    const bool measured_here = !missing(index, &Cost::own);
    for (Cost& cost : merged[index].costs) {
      double ns_per_kib = 0;
      unsigned samples = 0;
      const bool read = static_cast<bool>(lines >> ns_per_kib >> samples);
      const bool believable = samples == 0 || (ns_per_kib > kLeastCost && ns_per_kib < kMostCost);
      if (!read || ns_per_kib < 0 || samples > kSamples || !believable) {
        return fail(MPI_ERR_ARG,
                    "the line of {} bytes has no number of ns and samples for each "
                    "of {} methods",
                    bytes, kCopyMethods);
      }
      if (measured_here || samples == 0 || samples < cost.own) continue;
      cost.ns_per_kib = ns_per_kib;
      cost.samples = std::max(samples, cost.samples);
    }
  }
  if (!lines.eof()) return fail(MPI_ERR_ARG, "a line does not begin with a number of bytes");
  rows_ = merged;
  return {};
}

std::string copy_table_path(const std::string& path) {
  return cache_file(path, "copies");
}

void load_copy_table(const std::string& path, CopyTable& table) {
  const std::string text = read_cache_file(path);
  // A file that is damaged is measured again, and replaced.
  if (!text.empty()) static_cast<void>(table.merge(text, measured_host()));
}

Expected<> save_copy_table(const std::string& path, CopyTable& table) {
  load_copy_table(path, table);
  return replace_cache_file(path, table.text(measured_host()));
}

}  // namespace remit::shm
