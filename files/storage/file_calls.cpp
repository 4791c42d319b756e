// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The kernel's calls on files.
#include "files/storage/file_calls.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace remit {
namespace {

/// A result as FileCalls has it.
template <class Result>
Result or_errno(Result result) {
  return result < 0 ? static_cast<Result>(-errno) : result;
}

class KernelFileCalls final : public FileCalls {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    learn_size_limit();
    const int fd = ::open(path, flags | O_CLOEXEC, mode);
    if (fd >= 0 && (flags & O_NONBLOCK) != 0) {
      const int status = ::fcntl(fd, F_GETFL);
      if (status >= 0) (void)::fcntl(fd, F_SETFL, status & ~O_NONBLOCK);
    }
    return or_errno(fd);
  }
  int close(int fd) override { return or_errno(::close(fd)); }
  int unlink(const char* path) override { return or_errno(::unlink(path)); }

  ssize_t preadv(int fd, std::span<const iovec> pieces, std::int64_t offset) override {
    if (pieces.size() == 1)
      return or_errno(::pread(fd, pieces[0].iov_base, pieces[0].iov_len, offset));
    return or_errno(::preadv(fd, pieces.data(), static_cast<int>(pieces.size()), offset));
  }

  ssize_t pwritev(int fd, std::span<const iovec> pieces, std::int64_t offset) override {
    // The kernel itself shortens a write that goes beyond.
    if (offset >= size_limit_.load(std::memory_order_relaxed)) return -EFBIG;
    if (pieces.size() == 1)
      return or_errno(::pwrite(fd, pieces[0].iov_base, pieces[0].iov_len, offset));
    return or_errno(::pwritev(fd, pieces.data(), static_cast<int>(pieces.size()), offset));
  }

  int fstat(int fd, struct stat& out) override { return or_errno(::fstat(fd, &out)); }
  int fstatfs(int fd, struct statfs& out) override { return or_errno(::fstatfs(fd, &out)); }

  int ftruncate(int fd, std::int64_t bytes) override {
    return may_grow_to(fd, bytes) ? or_errno(::ftruncate(fd, bytes)) : -EFBIG;
  }
  int fallocate(int fd, std::int64_t offset, std::int64_t bytes) override {
    return may_grow_to(fd, offset + bytes) ? or_errno(::fallocate(fd, 0, offset, bytes)) : -EFBIG;
  }
  int sync(int fd, bool data_only) override {
    return or_errno(data_only ? ::fdatasync(fd) : ::fsync(fd));
  }

  int lock(int fd, LockKind kind, std::int64_t offset, std::int64_t bytes) override {
    struct flock range = {};
    range.l_type = static_cast<short>(kind == LockKind::shared      ? F_RDLCK
                                      : kind == LockKind::exclusive ? F_WRLCK
                                                                    : F_UNLCK);
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = bytes;
    return or_errno(::fcntl(fd, F_OFD_SETLKW, &range));
  }

  std::int64_t seek(int fd, std::int64_t offset, int whence) override {
    return or_errno(::lseek(fd, offset, whence));
  }
  int forget(int fd) override {
    // Clients of network file systems keep the size of a file, too, for up to a minute, and a read
    // ends where they think that it ends.
    struct statx what = {};
    const bool asked =
        ::statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &what) == 0;
    const int error_number = asked ? 0 : errno;
    const int forgotten = ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return forgotten != 0 ? -forgotten : -error_number;
  }
  ssize_t attribute(int fd, const char* name, std::span<std::byte> out) override {
    return or_errno(::fgetxattr(fd, name, out.data(), out.size()));
  }

 private:
  /// Asked for when a file is opened: whoever sets a limit does so before that.
  void learn_size_limit() {
    rlimit limit = {};
    const bool is_limited =
        ::getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        limit.rlim_cur < static_cast<rlim_t>(std::numeric_limits<std::int64_t>::max());
    size_limit_.store(is_limited ? static_cast<std::int64_t>(limit.rlim_cur)
                                 : std::numeric_limits<std::int64_t>::max(),
                      std::memory_order_relaxed);
  }
  /// A file that is longer already may stay so.
  [[nodiscard]] bool may_grow_to(int fd, std::int64_t bytes) {
    if (bytes <= size_limit_.load(std::memory_order_relaxed)) return true;
    struct stat now = {};
    return ::fstat(fd, &now) == 0 && now.st_size >= bytes;
  }

  std::atomic<std::int64_t> size_limit_{std::numeric_limits<std::int64_t>::max()};
};

}  // namespace

FileCalls& kernel_file_calls() {
  static KernelFileCalls calls;
  return calls;
}

}  // namespace remit
