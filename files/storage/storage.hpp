// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A file as this process has it open: whole transfers, and errors with class and words.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "datatype/layout.hpp"
#include "files/storage/file_calls.hpp"
#include "files/storage/file_system.hpp"
#include "files/storage/kept_mappings.hpp"
#include "files/storage/transferred.hpp"
#include "runtime/error.hpp"

namespace remit {

class RangeLock;
class RangeQueue;

/// Which file it is, on this host.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// A file as this process has it open. Its functions wait for the kernel, so no lock may be held
/// around them; any thread may call any of them at any time, but for close().
class Storage {
 public:
  /// What one system call takes. Linux takes no more (see preadv(2)); tests take less.
  struct Limits {
    std::size_t bytes = 0x7ffff000;
    std::size_t pieces = 1024;
  };

  /// `flags` and `mode` as for open(2). An error has class and words. `calls` must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<Storage>> open(FileCalls& calls, std::string path,
                                                               int flags, mode_t mode,
                                                               Limits limits);
  [[nodiscard]] static Expected<std::unique_ptr<Storage>> open(FileCalls& calls, std::string path,
                                                               int flags, mode_t mode) {
    return open(calls, std::move(path), flags, mode, Limits{});
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  /// Closes it, if nobody did, and then tells nobody of an error.
  ~Storage();

  /// Writes the pieces, one behind the other, to the file from byte `offset` on. Stops at the first
  /// error only.
  [[nodiscard]] Transferred write(std::int64_t offset, std::span<const Layout::Piece> memory);
  [[nodiscard]] Transferred write(std::int64_t offset, std::span<const std::byte> memory);
  /// The reverse. Stops at the end of the file, too.
  [[nodiscard]] Transferred read(std::int64_t offset, std::span<const Layout::Piece> memory);
  [[nodiscard]] Transferred read(std::int64_t offset, std::span<std::byte> memory);

  [[nodiscard]] Expected<std::int64_t> size();
  /// How long the file is, and how many bytes of storage it has: less where it has holes.
  struct Extent {
    std::int64_t size = 0;
    std::int64_t allocated = 0;
  };
  [[nodiscard]] Expected<Extent> extent();
  [[nodiscard]] Expected<> truncate(std::int64_t bytes);
  /// Makes it so long at least, whoever else does. False: it cannot be done without writing.
  [[nodiscard]] bool lengthen(std::int64_t bytes);
  /// Storage for the first `bytes` bytes, which the file is then long at least. Where the file
  /// system cannot do it, zeros are written where it says that there are no data, and nowhere else.
  [[nodiscard]] Expected<> preallocate(std::int64_t bytes);
  [[nodiscard]] Expected<> sync();
  /// Without what only describes the file.
  [[nodiscard]] Expected<> data_sync();
  /// Writes back, and forgets what this host's cache has: what is read next, others may have
  /// written. For file systems that are not coherent.
  [[nodiscard]] Expected<> renew();
  /// Once. What the kernel told only now (as some file systems do when the disk is full).
  [[nodiscard]] Expected<> close();

  /// Waits until no other thread of this process and no other process has a lock of a byte of
  /// [from, from + bytes), or both only share it. `bytes` 0: to infinity. Locks bind only who
  /// locks.
  [[nodiscard]] Expected<RangeLock> lock(std::int64_t from, std::int64_t bytes, bool exclusive);
  /// The same; an error is errno.
  [[nodiscard]] tl::expected<RangeLock, int> lock_or_errno(std::int64_t from, std::int64_t bytes,
                                                           bool exclusive);

  [[nodiscard]] FileIdentity identity() const { return identity_; }
  [[nodiscard]] const FileSystemTraits& traits() const { return traits_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_readable() const;
  [[nodiscard]] bool is_writable() const;
  /// The part of it that has a byte, mapped. Null: it cannot be. Throws std::bad_alloc.
  [[nodiscard]] KeptMappings::Extent mapped_extent(std::int64_t offset) {
    return mappings_.get(fd_, offset, is_writable());
  }
  [[nodiscard]] FileCalls& calls() const { return calls_; }
  [[nodiscard]] Limits limits() const { return limits_; }

 private:
  friend class RangeLock;
  Storage(FileCalls& calls, std::string path, int fd, int flags, Limits limits);
  [[nodiscard]] Expected<> learn();
  [[nodiscard]] Expected<> sync_as(bool data_only);
  [[nodiscard]] Transferred move(bool writes, std::int64_t offset,
                                 std::span<const Layout::Piece> memory);
  [[nodiscard]] Expected<> fill_holes(std::int64_t bytes);
  void unlock(std::int64_t from, std::int64_t bytes);

  FileCalls& calls_;
  std::string path_;
  int fd_;
  int flags_;
  Limits limits_;
  FileIdentity identity_;
  FileSystemTraits traits_;
  std::unique_ptr<RangeQueue> locks_;
  KeptMappings mappings_;
};

/// Owns a lock of a range. Any thread may give it up.
class RangeLock {
 public:
  RangeLock(RangeLock&& other) noexcept;
  RangeLock& operator=(RangeLock&& other) noexcept;
  ~RangeLock();

 private:
  friend class Storage;
  RangeLock(Storage& storage, std::int64_t from, std::int64_t bytes)
      : storage_(&storage), from_(from), bytes_(bytes) {}
  void give_up();

  Storage* storage_;
  std::int64_t from_;
  std::int64_t bytes_;
};

/// What the kernel says of the file system that an open file, or folder, is on.
[[nodiscard]] FileSystemTraits traits_of_open(FileCalls& calls, int fd);

/// Removes a file's name. An error has class and words.
[[nodiscard]] Expected<> delete_file(FileCalls& calls, const std::string& path);

}  // namespace remit
