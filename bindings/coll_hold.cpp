// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies of a collective's arrays of counts and displacements.
#include "bindings/coll_hold.hpp"

namespace remit {

CopiedCounts::CopiedCounts(CollectiveArgs& args, int sends, int receives) {
  struct Array {
    Counts& counts;
    int values;
  };
  const std::array<Array, 4> arrays{{{args.send_counts, sends},
                                     {args.send_displs, sends},
                                     {args.recv_counts, receives},
                                     {args.recv_displs, receives}}};
  // An odd number of ints would leave the next array's values misaligned.
  const auto room = [](const Array& array) {
    constexpr std::size_t kAlign = alignof(MPI_Count);
    return (array.counts.bytes(array.values) + kAlign - 1) & ~(kAlign - 1);
  };
  std::size_t total = 0;
  for (const Array& array : arrays) total += room(array);
  std::byte* next = inline_.data();
  if (total > inline_.size()) [[unlikely]] {
    large_ = std::make_unique_for_overwrite<std::byte[]>(total);
    next = large_.get();
  }
  for (const Array& array : arrays) {
    array.counts.move_to(next, array.values);
    next += room(array);
  }
}

}  // namespace remit
