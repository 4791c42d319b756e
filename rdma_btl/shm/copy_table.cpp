// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of copy methods, and its file.
#include "rdma_btl/shm/copy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <locale>
#include <sstream>

#include "runtime/cache_file.hpp"

namespace remit::shm {

namespace {

constexpr std::string_view kTitle = "remit copy table 2";
constexpr std::string_view kTrap = "trap";
constexpr std::string_view kFree = "free";
constexpr std::array kMethods = {CopyMethod::alone, CopyMethod::together, CopyMethod::ring};

/// Other work on the host disturbs measurements, and the ring keeps the target busy, which they do
/// not see: only a clear gain counts against the usual method; less, if that keeps it busy as well.
constexpr double kAge = 1.05;  ///< what a kept time grows by when a job has not reached it
constexpr double kGain = 0.75;
constexpr double kGainTogether = 0.9;

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

bool CopyTable::complete(std::size_t row) const {
  return std::all_of(kMethods.begin(), kMethods.end(), [&](CopyMethod method) {
    return !candidate(row, method) ||
           rows_[row].samples[static_cast<std::size_t>(method)] >= kSamples;
  });
}

CopyMethod CopyTable::usual(std::size_t row) const {
  return candidate(row, CopyMethod::together) ? CopyMethod::together : CopyMethod::alone;
}

CopyMethod CopyTable::best(Transfer transfer) const {
  const std::size_t row = row_of(transfer);
  CopyMethod best = usual(row);
  if (!complete(row)) return best;
  const double gain = best == CopyMethod::together ? kGainTogether : kGain;
  double limit = gain * rows_[row].recent[static_cast<std::size_t>(best)];
  for (const CopyMethod method : kMethods) {
    const double recent = rows_[row].recent[static_cast<std::size_t>(method)];
    if (!candidate(row, method) || recent >= limit) continue;
    limit = recent;
    best = method;
  }
  return best;
}

/// One that is not the best, each in turn.
CopyMethod CopyTable::another(std::size_t row, unsigned turn) const {
  const CopyMethod used = best(smallest_of(row));
  std::array<CopyMethod, kCopyMethods> others = {};
  unsigned count = 0;
  for (const CopyMethod method : kMethods) {
    if (method != used && candidate(row, method)) others[count++] = method;
  }
  return others[turn % count];
}

std::optional<CopyMethod> CopyTable::to_measure(Transfer transfer) {
  if (transfer.bytes < kSmallest) return {};
  const std::size_t row = row_of(transfer);
  if (complete(row)) {
    // Not the first transfer of a program, which is slow for other reasons.
    constexpr unsigned kTurn = 8;
    const unsigned number = rows_[row].transfers++;
    if (number % kLook != kTurn) return {};
    const unsigned look = number / kLook;
    return look % kOthers == 0 ? another(row, look / kOthers) : best(transfer);
  }
  CopyMethod least = CopyMethod::alone;
  for (const CopyMethod method : kMethods) {
    const auto samples = [&](CopyMethod m) {
      return rows_[row].samples[static_cast<std::size_t>(m)];
    };
    if (candidate(row, method) && samples(method) < samples(least)) least = method;
  }
  return least;
}

/// What is kept: the lowest, but for what this process has measured often enough and not reached.
double CopyTable::Row::of_all(std::size_t method) const {
  const double here = lowest[method];
  const double before = kept[method];
  if (here == 0 || before == 0) return here + before;
  return std::min(here, own[method] >= kSamples ? kAge * before : before);
}

std::array<double, kCopyMethods> CopyTable::Row::of_all() const {
  std::array<double, kCopyMethods> all = {};
  for (std::size_t m = 0; m != kCopyMethods; ++m) all[m] = of_all(m);
  return all;
}

/// True if that is news.
bool CopyTable::Row::take(std::size_t method, double cost) {
  const double before = of_all(method);
  lowest[method] = own[method] == 0 ? cost : std::min(lowest[method], cost);
  ++own[method];
  const bool counts = samples[method] < kSamples;
  if (counts) ++samples[method];
  return counts || own[method] == kSamples || of_all(method) < before;
}

/// Quick to take what is better, for other work on the host only makes a transfer slower; slow to
/// believe what is worse.
void CopyTable::Row::follow(std::size_t method, double cost) {
  constexpr double kWorst = 2;
  constexpr double kWeight = 1.0 / 16;
  double& now = recent[method];
  now = now == 0 || cost < now ? cost : now + kWeight * (std::min(cost, kWorst * now) - now);
}

bool CopyTable::record(Transfer transfer, CopyMethod method, std::uint64_t ns) {
  Row& row = rows_[row_of(transfer)];
  const auto i = static_cast<std::size_t>(method);
  const double cost = static_cast<double>(ns) * 1024 / static_cast<double>(transfer.bytes);
  row.follow(i, cost);
  return row.take(i, cost);
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
    if (complete(i)) lines.push_back({least.bytes, least.trapped, rows_[i].of_all(), best(least)});
  }
  return lines;
}

std::string CopyTable::text(std::string_view host) const {
  std::string out = fmt::format("{}\n{}\n", kTitle, host);
  for (std::size_t i = 0; i != kRows; ++i) {
    const std::array<double, kCopyMethods> lowest = rows_[i].of_all();
    const std::array<unsigned, kCopyMethods>& samples = rows_[i].samples;
    if (std::all_of(samples.begin(), samples.end(), [](unsigned n) { return n == 0; })) continue;
    out += fmt::format("{} {}", smallest_of(i).bytes, i < kClasses ? kFree : kTrap);
    for (std::size_t m = 0; m != kCopyMethods; ++m) {
      out += fmt::format(" {:.3f} {}", lowest[m], samples[m]);
    }
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
    for (std::size_t m = 0; m != kCopyMethods; ++m) {
      double lowest = 0;
      unsigned samples = 0;
      if (!(lines >> lowest >> samples) || lowest < 0 || samples > kSamples) {
        return fail(MPI_ERR_ARG,
                    "the line of {} bytes has no number of ns and samples for each "
                    "of {} methods",
                    bytes, kCopyMethods);
      }
      if (samples == 0) continue;
      double& kept = merged[index].kept[m];
      kept = kept == 0 ? lowest : std::min(kept, lowest);
      if (merged[index].recent[m] == 0) merged[index].recent[m] = lowest;
      merged[index].samples[m] = std::max(samples, merged[index].samples[m]);
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
