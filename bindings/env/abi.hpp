// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a Fortran layer tells the library about its compiler (MPI-5.0, section 20.4.1).
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace remit {

/// The representation of .TRUE. and .FALSE., once set. Any thread.
class FortranBooleans {
 public:
  static constexpr int kMost = 16;  ///< bytes of the largest LOGICAL

  /// False if it was set before. `size` is 1 to kMost bytes.
  [[nodiscard]] bool set(int size, const void* true_value, const void* false_value);
  /// False, and nothing is written, if values of this size are not set.
  [[nodiscard]] bool get(int size, void* true_value, void* false_value) const;

 private:
  mutable std::mutex mutex_;
  int size_ = 0;
  std::array<std::byte, kMost> true_{};
  std::array<std::byte, kMost> false_{};
};

}  // namespace remit
