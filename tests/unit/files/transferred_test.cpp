// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Errors of the kernel as classes and words.
#include "files/storage/transferred.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <utility>

namespace remit::testing {
namespace {

TEST(Transferred, ClassesOfErrno) {
  const std::pair<int, int> expected[] = {{0, MPI_SUCCESS},
                                          {EACCES, MPI_ERR_ACCESS},
                                          {EPERM, MPI_ERR_ACCESS},
                                          {ENOENT, MPI_ERR_NO_SUCH_FILE},
                                          {EEXIST, MPI_ERR_FILE_EXISTS},
                                          {ENAMETOOLONG, MPI_ERR_BAD_FILE},
                                          {EISDIR, MPI_ERR_BAD_FILE},
                                          {ENOTDIR, MPI_ERR_BAD_FILE},
                                          {ELOOP, MPI_ERR_BAD_FILE},
                                          {ENOSPC, MPI_ERR_NO_SPACE},
                                          {EDQUOT, MPI_ERR_QUOTA},
                                          {EROFS, MPI_ERR_READ_ONLY},
                                          {ETXTBSY, MPI_ERR_FILE_IN_USE},
                                          {EBUSY, MPI_ERR_FILE_IN_USE},
                                          {EFBIG, MPI_ERR_IO},
                                          {EIO, MPI_ERR_IO},
                                          {ESTALE, MPI_ERR_IO},
                                          {ENOMEM, MPI_ERR_NO_MEM},
                                          {ENXIO, MPI_ERR_UNSUPPORTED_OPERATION},
                                          {ESPIPE, MPI_ERR_UNSUPPORTED_OPERATION},
                                          {EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION}};
  for (const auto& [error_number, error_class] : expected)
    EXPECT_EQ(class_of_errno(error_number), error_class) << error_number;
}

TEST(Transferred, Words) {
  const std::int64_t mib = std::int64_t{1} << 20;
  const Error full = error_of({3 * mib, ENOSPC, 64 * mib}, FileMove::write, "out.h5", 16 * mib);
  EXPECT_EQ(full.code, MPI_ERR_NO_SPACE);
  EXPECT_EQ(full.message, "out.h5: No space left on device at byte 67108864 (wrote 3 of 16 MiB)");
  EXPECT_EQ(error_of({0, EIO, 5}, FileMove::read, "a", 2048).message,
            "a: Input/output error at byte 5 (read 0 of 2 KiB)");
  EXPECT_EQ(error_of({3 * mib + 1, EIO, 5}, FileMove::read, "a", 16 * mib).message,
            "a: Input/output error at byte 5 (read 3145729 of 16777216 bytes)");
  EXPECT_EQ(error_of_call(EIO, "a", "sync").message, "a: cannot sync: Input/output error");
}

}  // namespace
}  // namespace remit::testing
