// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/access_summary.hpp"

#include <algorithm>

#include "files/data_access.hpp"
#include "files/views/view_runs.hpp"

namespace remit {

namespace {

/// So many runs of a view are looked at for a sum that may serve many accesses. A run takes some
/// nanoseconds.
constexpr std::int64_t kMostPeriodRuns = 64 << 10;
/// Runs of an access, unless it is no more than one tile of its view: one that has many tiles has
/// few runs in each.
constexpr std::int64_t kMostAccessRuns = 1024;

const Layout& tile_of(const FileView& view) {
  return *view.in_memory(0).layout;
}

/// Of one tile of a view, as if the file were a circle: behind the last byte of a period the first
/// one follows.
std::uint64_t sum_of_period(const FileView& view) {
  const Layout& tile = tile_of(view);
  BoundarySum sum;
  for_each_run(view, 0, tile.size(), [&](const FileRun& run) {
    const std::int64_t begin = run.offset % tile.extent();
    const std::int64_t end = (run.offset + run.length) % tile.extent();
    sum.add({begin, end - begin});
  });
  return sum.value();
}

std::uint64_t sum_of_access(const DataAccess& access) {
  BoundarySum sum;
  for_each_run(access.seen->view, access.from, access.bytes(),
               [&](const FileRun& run) { sum.add(run); });
  return sum.value();
}

/// About.
std::int64_t runs_of(const FileView& view, std::int64_t bytes) {
  if (view.is_contiguous()) return 1;
  return std::max(bytes / std::max(view.mean_run(), std::int64_t{1}), std::int64_t{1});
}

}  // namespace

/// Once for each view that the member gets to see.
void AccessSummary::look_at_view(const DataAccess& access, std::int64_t runs) {
  if (seen_ == access.seen) return;
  seen_ = access.seen;
  views_are_proof_ = false;
  const FileView& view = seen_->view;
  // Extents of views that are ordered are positive, if they have bytes.
  knows_period_ = view.is_empty() || (view.is_ordered() && tile_of(view).blocks() <=
                                                               std::max(kMostPeriodRuns, 2 * runs));
  period_sum_ = knows_period_ && !view.is_empty() ? sum_of_period(view) : 0;
}

MemberAccess AccessSummary::of(const DataAccess& access, std::uint32_t host, bool shares_memory) {
  const FileView& view = access.seen->view;
  MemberAccess said;
  said.host = host;
  said.bytes = access.bytes();
  if (said.bytes != 0) {
    const FileRun span = view.span(access.from, said.bytes);
    said.first = span.offset;
    said.end = span.offset + span.length;
    said.runs = runs_of(view, said.bytes);
  }
  const bool goes = shares_memory && access.conversion == nullptr && !access.is_atomic &&
                    (said.bytes == 0 || view.is_ordered());
  said.may_stage = goes ? 1 : 0;
  if (!goes || access.kind == FileMove::read) return said;
  look_at_view(access, said.runs);
  said.knows_period = knows_period_ ? 1 : 0;
  if (!view.is_empty()) {
    said.period = tile_of(view).extent();
    said.period_bytes = tile_of(view).size();
    said.period_sum = period_sum_;
  }
  const bool is_cheap = said.runs <= kMostAccessRuns || said.bytes <= said.period_bytes;
  if (is_cheap && !views_are_proof_) {
    said.knows_sum = 1;
    said.sum = sum_of_access(access);
  }
  return said;
}

// Views of all members change together.
void AccessSummary::learn(const DataAccess& access, const CollectivePlan& plan) {
  if (seen_ == access.seen) views_are_proof_ = plan.views_are_proof;
}

}  // namespace remit
