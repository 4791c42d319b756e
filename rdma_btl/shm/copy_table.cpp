// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of copy methods, and its file.
#include "rdma_btl/shm/copy_table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <system_error>

#include "runtime/cache_file.hpp"

namespace remit::shm {

namespace {

constexpr std::string_view kTitle = "remit copy table 1";
constexpr std::size_t kLongestFile = 4096;
constexpr std::array kMethods = {CopyMethod::alone, CopyMethod::together, CopyMethod::ring};

/// Other work on the host disturbs measurements, and the ring keeps the target busy, which they do
/// not see: only a clear gain counts against the usual method; less, if that keeps it busy as well.
constexpr double kGain = 0.75;
constexpr double kGainTogether = 0.9;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

}  // namespace

std::size_t CopyTable::class_of(std::size_t bytes) {
  const auto log = static_cast<std::size_t>(std::bit_width(std::max(bytes, kSmallest)));
  constexpr auto kFirst = static_cast<std::size_t>(std::bit_width(kSmallest));
  return std::min(log - kFirst, kClasses - 1);
}

bool CopyTable::candidate(std::size_t row, CopyMethod method) const {
  return method != CopyMethod::together || (kSmallest << row) >= together_from_;
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

CopyMethod CopyTable::best(std::size_t bytes) const {
  const std::size_t row = class_of(bytes);
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
  const CopyMethod used = best(kSmallest << row);
  std::array<CopyMethod, kCopyMethods> others = {};
  unsigned count = 0;
  for (const CopyMethod method : kMethods) {
    if (method != used && candidate(row, method)) others[count++] = method;
  }
  return others[turn % count];
}

std::optional<CopyMethod> CopyTable::to_measure(std::size_t bytes) {
  if (bytes < kSmallest) return {};
  const std::size_t row = class_of(bytes);
  if (complete(row)) {
    // Not the first transfer of a program, which is slow for other reasons.
    constexpr unsigned kTurn = 8;
    const unsigned number = rows_[row].transfers++;
    if (number % kLook != kTurn) return {};
    const unsigned look = number / kLook;
    return look % kOthers == 0 ? another(row, look / kOthers) : best(bytes);
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

void CopyTable::Row::take(std::size_t method, double cost) {
  lowest[method] = samples[method] == 0 ? cost : std::min(lowest[method], cost);
}

/// Quick to take what is better, for other work on the host only makes a transfer slower; slow to
/// believe what is worse.
void CopyTable::Row::follow(std::size_t method, double cost) {
  constexpr double kWorst = 2;
  constexpr double kWeight = 1.0 / 16;
  double& now = recent[method];
  now = now == 0 || cost < now ? cost : now + kWeight * (std::min(cost, kWorst * now) - now);
}

bool CopyTable::record(std::size_t bytes, CopyMethod method, std::uint64_t ns) {
  Row& row = rows_[class_of(bytes)];
  const auto i = static_cast<std::size_t>(method);
  const double before = row.lowest[i];
  const double cost = static_cast<double>(ns) * 1024 / static_cast<double>(bytes);
  row.take(i, cost);
  row.follow(i, cost);
  const bool counts = row.samples[i] < kSamples;
  if (counts) ++row.samples[i];
  return counts || row.lowest[i] < before;
}

std::size_t CopyTable::measured() const {
  std::size_t count = 0;
  for (std::size_t row = 0; row != kClasses; ++row) count += complete(row) ? 1 : 0;
  return count;
}

std::vector<CopyTable::Line> CopyTable::lines() const {
  std::vector<Line> lines;
  for (std::size_t i = 0; i != kClasses; ++i) {
    const std::size_t bytes = kSmallest << i;
    if (complete(i)) lines.push_back({bytes, rows_[i].lowest, best(bytes)});
  }
  return lines;
}

std::string CopyTable::text(std::string_view host) const {
  std::string out = fmt::format("{}\n{}\n", kTitle, host);
  for (std::size_t i = 0; i != kClasses; ++i) {
    const std::array<double, kCopyMethods>& lowest = rows_[i].lowest;
    const std::array<unsigned, kCopyMethods>& samples = rows_[i].samples;
    if (std::all_of(samples.begin(), samples.end(), [](unsigned n) { return n == 0; })) continue;
    out += fmt::format("{}", kSmallest << i);
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
  std::array<Row, kClasses> merged = rows_;
  std::size_t bytes = 0;
  while (lines >> bytes) {
    const std::size_t index = class_of(bytes);
    if (kSmallest << index != bytes) return fail(MPI_ERR_ARG, "{} bytes are no class", bytes);
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
      merged[index].take(m, lowest);
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
  const std::string text = read_file(path);
  // A file that is damaged is measured again, and replaced.
  if (!text.empty()) static_cast<void>(table.merge(text, measured_host()));
}

Expected<> save_copy_table(const std::string& path, CopyTable& table) {
  load_copy_table(path, table);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return fail_errno(MPI_ERR_OTHER, error.value(), "making the folder of " + path);
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return fail_errno(MPI_ERR_OTHER, errno, "writing " + path);
  const std::string text = table.text(measured_host());
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int failed = written == static_cast<ssize_t>(text.size()) ? 0 : errno;
  ::close(fd);
  if (failed != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int number = failed != 0 ? failed : errno;
    ::unlink(temporary.c_str());
    return fail_errno(MPI_ERR_OTHER, number, "writing " + path);
  }
  return {};
}

}  // namespace remit::shm
