// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/strip.hpp"

#include <algorithm>
#include <cmath>

namespace remit::profiles {

namespace {

// A column of the page, in seconds since its begin.
struct Columns {
  double begin;  // of the record
  double width;  // of a column of the page

  // Shares `amount`, which lies evenly in [from, to) of the record's seconds, out.
  void add(std::array<double, kStripColumns>& sums, double from, double to, double amount) const {
    if (to <= from || amount <= 0) return;
    const double left = (begin + from) / width;
    const double right = (begin + to) / width;
    const auto first = static_cast<std::size_t>(std::max(left, 0.0));
    for (std::size_t i = first; i < kStripColumns && static_cast<double>(i) < right; ++i) {
      const double part =
          std::min(right, static_cast<double>(i) + 1) - std::max(left, static_cast<double>(i));
      if (part > 0) sums[i] += amount * part / (right - left);
    }
  }
};

}  // namespace

void fill_strip(const Timeline& time, const profile::Record& record,
                const profile::ThreadTable& table, const Span& span, std::uint64_t end_ticks,
                Rank& rank) {
  const std::uint64_t start = time.first_ticks();
  const double total = static_cast<double>(span.end_ns - span.begin_ns) * 1e-9;
  const Columns columns{static_cast<double>(time.realtime_ns(start) - span.begin_ns) * 1e-9,
                        total / static_cast<double>(kStripColumns)};
  const double end = time.seconds(end_ticks - std::min(end_ticks, start));
  std::array<double, kStripColumns> runs{};
  columns.add(runs, time.seconds(table.first_ticks - std::min(table.first_ticks, start)), end, end);
  std::array<double, kStripColumns> mpi{};
  std::array<double, kStripColumns> waited{};
  std::array<double, kStripColumns> paused{};
  const std::uint64_t width = std::uint64_t{1} << table.column_shift;
  for (std::size_t i = 0; i < profile::kColumns; ++i) {
    const double from = time.seconds(i * width);
    const double to = std::min(time.seconds((i + 1) * width), end);
    columns.add(mpi, from, to, time.seconds(table.column_mpi[i]));
    columns.add(waited, from, to, time.seconds(table.column_waited[i]));
    columns.add(paused, from, to, time.seconds(table.column_paused[i]));
  }
  if (record.paused.since != 0) {  // until the end
    const double from = time.seconds(record.paused.since - std::min(record.paused.since, start));
    columns.add(paused, from, end, end - from);
  }
  if (table.current.site != 0) {  // in the call that did not come back
    const double from = time.seconds(table.current.since_ticks - start);
    columns.add(mpi, from, end, end - from);
  }
  for (std::size_t i = 0; i < kStripColumns; ++i) {
    const bool ran = runs[i] > 0 && paused[i] < columns.width / 2;
    rank.strip_paused[i] = paused[i] >= columns.width / 2;
    rank.strip_mpi[i] = ran ? std::clamp(mpi[i] / columns.width, 0.0, 1.0) : -1;
    rank.strip_waited[i] = ran ? std::clamp(waited[i] / columns.width, 0.0, 1.0) : -1;
  }
}

}  // namespace remit::profiles
