// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "datatype/view_copy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/copy.hpp"

namespace remit {
namespace {

/// Bytes of a run from which it is copied for itself. Shorter ones are packed, and unpacked, by the
/// loops of layouts.
constexpr std::size_t kShortRun = 256;
/// Bytes that are packed meanwhile: in the nearest cache.
constexpr std::size_t kPackedStep = std::size_t{16} << 10;

bool overlap(const std::byte* a, const std::byte* b, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second ? second - first < bytes : first - second < bytes;
}

void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (overlap(to, from, bytes)) [[unlikely]] {
    move_bytes(to, from, bytes);
  } else {
    copy_bytes(to, from, bytes);
  }
}

/// The runs of a part of a view, some at a time.
class RunList {
 public:
  static constexpr std::size_t kRuns = 64;

  RunList(const View& view, std::size_t offset, std::size_t bytes)
      : view_(view), offset_(offset), left_(bytes) {}

  /// False: there are none left.
  [[nodiscard]] bool at_run() {
    if (next_ != listed_) return true;
    const Layout::Gathered gathered = view_.pieces(offset_, left_, runs_);
    offset_ += gathered.bytes;
    left_ -= gathered.bytes;
    listed_ = gathered.pieces;
    next_ = 0;
    return listed_ != 0;
  }
  // Of the run where it is.
  [[nodiscard]] std::byte* address() const { return static_cast<std::byte*>(runs_[next_].address); }
  [[nodiscard]] std::size_t length() const { return runs_[next_].length; }
  void skip(std::size_t bytes) {
    Layout::Piece& run = runs_[next_];
    run.address = address() + bytes;
    run.length -= bytes;
    if (run.length == 0) ++next_;
  }

 private:
  const View& view_;
  std::size_t offset_;  ///< packed, of what is not listed yet
  std::size_t left_;    ///< bytes that are not listed yet
  std::size_t next_ = 0;
  std::size_t listed_ = 0;
  std::array<Layout::Piece, kRuns> runs_;
};

void copy_run_by_run(const View& from, std::size_t from_offset, const View& to,
                     std::size_t to_offset, std::size_t bytes) {
  RunList sources(from, from_offset, bytes);
  RunList targets(to, to_offset, bytes);
  while (sources.at_run() && targets.at_run()) {
    const std::size_t part = std::min(sources.length(), targets.length());
    copy_run(targets.address(), sources.address(), part);
    sources.skip(part);
    targets.skip(part);
  }
}

void copy_by_packing(const View& from, std::size_t from_offset, const View& to,
                     std::size_t to_offset, std::size_t bytes) {
  std::array<std::byte, kPackedStep> packed;
  for (std::size_t done = 0; done < bytes;) {
    const auto step = std::span(packed).first(std::min(packed.size(), bytes - done));
    const std::size_t taken = from.pack(from_offset + done, step);
    if (taken == 0) break;  // the view has fewer bytes
    to.unpack(to_offset + done, step.first(taken));
    done += taken;
  }
}

}  // namespace

bool has_short_runs(const View& view) {
  return !view.is_contiguous() && view.layout->mean_run() < kShortRun;
}

void copy_between(const View& from, std::size_t from_offset, const View& to, std::size_t to_offset,
                  std::size_t bytes) {
  if (bytes == 0) return;
  if (from.is_contiguous()) {
    if (to.is_contiguous()) {
      copy_run(to.data() + to_offset, from.data() + from_offset, bytes);
    } else {
      to.unpack(to_offset, {from.data() + from_offset, bytes});
    }
  } else if (to.is_contiguous()) {
    from.pack(from_offset, {to.data() + to_offset, bytes});
  } else if (has_short_runs(from) || has_short_runs(to)) {
    copy_by_packing(from, from_offset, to, to_offset, bytes);
  } else {
    copy_run_by_run(from, from_offset, to, to_offset, bytes);
  }
}

}  // namespace remit
