// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/elements/copy_pieces.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "datatype/view_copy.hpp"
#include "onesided/memory/process_memory.hpp"

namespace remit {

namespace {

/// Bytes that are packed meanwhile: in the nearest cache.
constexpr std::size_t kPackedStep = std::size_t{16} << 10;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

using PackedStep = std::array<std::byte, kPackedStep>;

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

Expected<> read_view(ProcessMemory& process, const View& from, const View& to) {
  return copy_views(process, false, to, from);
}

Expected<> write_view(ProcessMemory& process, const View& from, const View& to) {
  return copy_views(process, true, from, to);
}

}  // namespace remit
