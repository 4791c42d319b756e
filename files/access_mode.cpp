// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/access_mode.hpp"

#include <fcntl.h>

#include <bit>

namespace remit {

namespace {

constexpr int kDirections = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR;
constexpr int kKnown = kDirections | MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE |
                       MPI_MODE_UNIQUE_OPEN | MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND;

}  // namespace

Expected<AccessMode> AccessMode::make(int amode) {
  if ((amode & ~kKnown) != 0) {
    return fail(MPI_ERR_AMODE, "amode is {}, which has bits that are no MPI_MODE_ of files", amode);
  }
  if (std::popcount(static_cast<unsigned>(amode & kDirections)) != 1) {
    return fail(MPI_ERR_AMODE,
                "amode is {}; it must have exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and "
                "MPI_MODE_RDWR",
                amode);
  }
  const AccessMode mode(amode);
  if (mode.has(MPI_MODE_RDONLY) && mode.has(MPI_MODE_CREATE | MPI_MODE_EXCL)) {
    return fail(MPI_ERR_AMODE,
                "amode is {}; MPI_MODE_RDONLY goes neither with MPI_MODE_CREATE nor with "
                "MPI_MODE_EXCL",
                amode);
  }
  if (mode.has(MPI_MODE_RDWR) && mode.is_sequential()) {
    return fail(MPI_ERR_AMODE, "amode is {}; MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL",
                amode);
  }
  return mode;
}

int AccessMode::open_flags(bool first) const {
  int flags = O_RDONLY;
  if (has(MPI_MODE_WRONLY)) flags = O_WRONLY;
  if (has(MPI_MODE_RDWR)) flags = O_RDWR;
  if (first && has(MPI_MODE_CREATE)) {
    flags |= O_CREAT;
    if (has(MPI_MODE_EXCL)) flags |= O_EXCL;
  }
  return flags;
}

}  // namespace remit
