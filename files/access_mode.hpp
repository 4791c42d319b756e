// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// With which rights and promises a file is open (MPI-5.0, section 14.2.1).
#pragma once

#include "mpi.h"
#include "runtime/error.hpp"

namespace remit {

/// A combination of MPI_MODE_ constants that the standard allows.
class AccessMode {
 public:
  /// MPI_ERR_AMODE, with the rule that is broken.
  [[nodiscard]] static Expected<AccessMode> make(int amode);

  /// As the program gave it.
  [[nodiscard]] int value() const { return amode_; }
  [[nodiscard]] bool reads() const { return !has(MPI_MODE_WRONLY); }
  [[nodiscard]] bool writes() const { return !has(MPI_MODE_RDONLY); }
  /// Data calls go by the shared pointer alone.
  [[nodiscard]] bool is_sequential() const { return has(MPI_MODE_SEQUENTIAL); }
  /// The pointers begin at the end of the file.
  [[nodiscard]] bool appends() const { return has(MPI_MODE_APPEND); }
  [[nodiscard]] bool deletes_on_close() const { return has(MPI_MODE_DELETE_ON_CLOSE); }

  /// For open(2). One member opens first and makes the file, if there is none; for the others it is
  /// there, also if it must not have been there before (MPI_MODE_EXCL).
  [[nodiscard]] int open_flags(bool first) const;

 private:
  explicit AccessMode(int amode) : amode_(amode) {}
  [[nodiscard]] bool has(int bit) const { return (amode_ & bit) != 0; }

  int amode_;
};

}  // namespace remit
