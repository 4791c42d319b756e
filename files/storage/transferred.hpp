// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What came of a transfer between memory and a file, and the kernel's errors in MPI's terms.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/error.hpp"

namespace remit {

/// What came of a transfer. Trivially copyable: members of a group tell each other, threads hand
/// it over.
struct Transferred {
  std::int64_t bytes = 0;   ///< moved, from its beginning on
  int error_number = 0;     ///< errno of what stopped it; 0: nothing (a short read met the end)
  std::int64_t offset = 0;  ///< byte of the file where it stopped, if error_number != 0

  friend bool operator==(const Transferred&, const Transferred&) = default;
};

/// The MPI error class of an errno that a call on a file gave (MPI-5.0, 14.7). Pure.
[[nodiscard]] int class_of_errno(int error_number);

/// Which way bytes were to go, for the words of an error.
enum class FileMove { read, write };

/// Class and words of a transfer that an error stopped, of `asked` bytes: "out.h5: No space left
/// on device at byte 67108864 (wrote 3 of 16 MiB)". Pure.
[[nodiscard]] Error error_of(const Transferred& transferred, FileMove kind, std::string_view path,
                             std::int64_t asked);

/// Class and words of another call on a file: "out.h5: cannot sync: Input/output error". Pure.
[[nodiscard]] Error error_of_call(int error_number, std::string_view path,
                                  std::string_view attempt);

}  // namespace remit
