// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/copy_pieces.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "onesided/process_memory.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Bytes of a run from which it is copied for itself. Shorter ones are packed, and unpacked, by the
/// loops of layouts.
constexpr std::size_t kShortRun = 256;
/// Bytes that are packed meanwhile: in the nearest cache.
constexpr std::size_t kPackedStep = std::size_t{16} << 10;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

using PackedStep = std::array<std::byte, kPackedStep>;

bool has_short_runs(const View& view) {
  return !view.is_contiguous() && view.layout->mean_run() < kShortRun;
}

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

/// The next runs of a view, some at a time.
class RunList {
 public:
  static constexpr std::size_t kRuns = 64;

  explicit RunList(const View& view) : view_(view) {}

  /// False: there are none left.
  [[nodiscard]] bool at_run() {
    if (next_ != listed_) return true;
    const Layout::Gathered gathered = view_.pieces(offset_, kUnlimited, runs_);
    offset_ += gathered.bytes;
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
  std::size_t offset_ = 0;  ///< packed, of what is not listed yet
  std::size_t next_ = 0;
  std::size_t listed_ = 0;
  std::array<Layout::Piece, kRuns> runs_;
};

void copy_run_by_run(const View& from, const View& to) {
  RunList sources(from);
  RunList targets(to);
  while (sources.at_run() && targets.at_run()) {
    const std::size_t part = std::min(sources.length(), targets.length());
    copy_run(targets.address(), sources.address(), part);
    sources.skip(part);
    targets.skip(part);
  }
}

void copy_by_packing(const View& from, const View& to) {
  PackedStep packed;
  std::size_t offset = 0;
  while (const std::size_t bytes = from.pack(offset, packed)) {
    to.unpack(offset, std::span(packed).first(bytes));
    offset += bytes;
  }
}

/// The next runs of a view as the kernel takes them.
class KernelRuns {
 public:
  static constexpr std::size_t kRuns = 512;

  /// Packed bytes from `offset` on, at most `limit`.
  void list(const View& view, std::size_t offset, std::size_t limit) {
    if (view.is_contiguous()) {
      bytes_ = std::min(limit, view.size() - offset);
      count_ = 1;
      runs_[0] = {view.data() + offset, bytes_};
      return;
    }
    std::array<Layout::Piece, kRuns> pieces;
    const Layout::Gathered gathered = view.pieces(offset, limit, pieces);
    for (std::size_t i = 0; i < gathered.pieces; ++i) {
      runs_[i] = {pieces[i].address, pieces[i].length};
    }
    count_ = gathered.pieces;
    bytes_ = gathered.bytes;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::span<const iovec> all() const { return {runs_.data(), count_}; }
  /// Leaves out all but the first bytes.
  void cut(std::size_t bytes) {
    while (count_ != 0 && bytes_ - bytes >= runs_[count_ - 1].iov_len) {
      bytes_ -= runs_[--count_].iov_len;
    }
    if (count_ != 0) runs_[count_ - 1].iov_len -= bytes_ - bytes;
    bytes_ = bytes;
  }

 private:
  std::array<iovec, kRuns> runs_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// Lists runs of both sides that are as many bytes. The side with the shorter runs says how many:
/// of the other one no run is listed in vain.
void list_both(const View& own, KernelRuns& here, const View& peers, KernelRuns& there,
               std::size_t offset) {
  const auto run = [](const View& view) {
    return view.is_contiguous() ? kUnlimited : view.layout->mean_run();
  };
  const bool own_first = run(own) < run(peers);
  KernelRuns& first = own_first ? here : there;
  KernelRuns& second = own_first ? there : here;
  first.list(own_first ? own : peers, offset, kUnlimited);
  second.list(own_first ? peers : own, offset, first.bytes());
  first.cut(second.bytes());
}

/// `own` here, `peers` there: the kernel walks the runs of both.
Expected<> copy_by_kernel(ProcessMemory& process, bool to_peer, const View& own,
                          const View& peers) {
  const std::size_t total = own.size();
  KernelRuns here;
  KernelRuns there;
  for (std::size_t offset = 0; offset < total; offset += here.bytes()) {
    list_both(own, here, peers, there, offset);
    if (here.bytes() == 0) break;  // the views are not as many bytes
    auto copied =
        to_peer ? process.write(here.all(), there.all()) : process.read(here.all(), there.all());
    if (!copied) return copied;
  }
  return {};
}

/// The same where runs here are so short that the kernel would take longer for them than packing
/// does.
Expected<> copy_by_steps(ProcessMemory& process, bool to_peer, const View& own, const View& peers) {
  const std::size_t total = own.size();
  PackedStep packed;
  KernelRuns there;
  for (std::size_t offset = 0; offset < total; offset += there.bytes()) {
    there.list(peers, offset, std::min(packed.size(), total - offset));
    if (there.bytes() == 0) break;  // the views are not as many bytes
    const auto step = std::span(packed).first(there.bytes());
    const iovec here{step.data(), step.size()};
    if (to_peer) {
      own.pack(offset, step);
      auto copied = process.write({&here, 1}, there.all());
      if (!copied) return copied;
    } else {
      auto copied = process.read({&here, 1}, there.all());
      if (!copied) return copied;
      own.unpack(offset, step);
    }
  }
  return {};
}

Expected<> copy_views(ProcessMemory& process, bool to_peer, const View& own, const View& peers) {
  return has_short_runs(own) ? copy_by_steps(process, to_peer, own, peers)
                             : copy_by_kernel(process, to_peer, own, peers);
}

}  // namespace

void copy_view_to_view(const View& from, const View& to) {
  const std::size_t bytes = to.size();
  if (bytes == 0) return;
  if (from.is_contiguous()) {
    if (to.is_contiguous()) {
      copy_run(to.data(), from.data(), bytes);
    } else {
      to.unpack(0, {from.data(), bytes});
    }
  } else if (to.is_contiguous()) {
    from.pack(0, {to.data(), bytes});
  } else if (has_short_runs(from) || has_short_runs(to)) {
    copy_by_packing(from, to);
  } else {
    copy_run_by_run(from, to);
  }
}

Expected<> read_view(ProcessMemory& process, const View& from, const View& to) {
  return copy_views(process, false, to, from);
}

Expected<> write_view(ProcessMemory& process, const View& from, const View& to) {
  return copy_views(process, true, from, to);
}

}  // namespace remit
