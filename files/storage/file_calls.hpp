// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The system calls on files, all of them in one place.
#pragma once

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace remit {

/// The system calls on files, each as the kernel does it: once, with short transfers and EINTR. A
/// result below 0 is the errno, negated. Any thread. Storage is what the rest of the library uses;
/// tests put faults in between.
class FileCalls {
 public:
  /// What lock() does to a range.
  enum class LockKind { shared, exclusive, none };

  FileCalls() = default;
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;
  virtual ~FileCalls() = default;

  /// A descriptor that no child inherits. O_NONBLOCK is for the opening alone.
  [[nodiscard]] virtual int open(const char* path, int flags, mode_t mode) = 0;
  [[nodiscard]] virtual int close(int fd) = 0;
  [[nodiscard]] virtual int unlink(const char* path) = 0;
  /// Bytes moved; for preadv 0 at the end of the file.
  [[nodiscard]] virtual ssize_t preadv(int fd, std::span<const iovec> pieces,
                                       std::int64_t offset) = 0;
  [[nodiscard]] virtual ssize_t pwritev(int fd, std::span<const iovec> pieces,
                                        std::int64_t offset) = 0;
  [[nodiscard]] virtual int fstat(int fd, struct stat& out) = 0;
  [[nodiscard]] virtual int fstatfs(int fd, struct statfs& out) = 0;
  [[nodiscard]] virtual int ftruncate(int fd, std::int64_t bytes) = 0;
  /// Blocks for all bytes of the range; the file ends behind it at least.
  [[nodiscard]] virtual int fallocate(int fd, std::int64_t offset, std::int64_t bytes) = 0;
  [[nodiscard]] virtual int sync(int fd, bool data_only) = 0;
  /// A lock of the open file description (F_OFD_SETLKW), which waits; `bytes` 0: to infinity.
  [[nodiscard]] virtual int lock(int fd, LockKind kind, std::int64_t offset,
                                 std::int64_t bytes) = 0;
  /// lseek with SEEK_DATA or SEEK_HOLE.
  [[nodiscard]] virtual std::int64_t seek(int fd, std::int64_t offset, int whence) = 0;
  /// Forgets what is cached of the file and is on storage (POSIX_FADV_DONTNEED), and asks its
  /// server how long it is.
  [[nodiscard]] virtual int forget(int fd) = 0;
  /// An extended attribute; its length.
  [[nodiscard]] virtual ssize_t attribute(int fd, const char* name, std::span<std::byte> out) = 0;
};

/// The kernel's. Where this process may write no further (RLIMIT_FSIZE), a call says EFBIG and no
/// signal comes.
[[nodiscard]] FileCalls& kernel_file_calls();

}  // namespace remit
