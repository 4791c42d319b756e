// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies of a collective's arrays of counts and displacements.
#include "bindings/coll/hold.hpp"

namespace remit {

namespace {

/// Where the next array's values begin: an odd number of ints would leave them misaligned.
std::byte* behind(std::byte* at, std::size_t bytes) {
  constexpr std::size_t kAlign = alignof(MPI_Count);
  return at + ((bytes + kAlign - 1) & ~(kAlign - 1));
}

}  // namespace

CopiedCounts::CopiedCounts(CollectiveArgs& args, int sends, int receives) {
  std::byte* next = inline_.data();
  const std::size_t most = 2 *
                           (static_cast<std::size_t>(sends) + static_cast<std::size_t>(receives)) *
                           sizeof(MPI_Count);
  if (most > inline_.size()) [[unlikely]] {
    large_ = std::make_unique_for_overwrite<std::byte[]>(most);
    next = large_.get();
  }
  next = behind(next, args.send_counts.move_to(next, sends));
  next = behind(next, args.send_displs.move_to(next, sends));
  next = behind(next, args.recv_counts.move_to(next, receives));
  args.recv_displs.move_to(next, receives);
}

}  // namespace remit
