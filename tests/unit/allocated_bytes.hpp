// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Counts what a test program allocates: linked into it, all forms of operator new add up. And lets
// memory run out. Not for threads.
#pragma once

#include <cstddef>
#include <limits>

namespace remit::testing {

/// Bytes that operator new has been asked for in this process since it began; none are taken off.
[[nodiscard]] std::size_t allocated_bytes();

/// While it lives, allocation `number` from now on fails, which is 1 or more, and so do those
/// behind it, `times` in all. One at a time.
class FailingAllocations {
 public:
  static constexpr int kAll = std::numeric_limits<int>::max();

  explicit FailingAllocations(int number, int times = 1);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// Whether that many were asked for.
  [[nodiscard]] static bool have_failed();
  /// How many more would have to be asked for until then; of the one that lives.
  [[nodiscard]] static int left();
};

}  // namespace remit::testing
