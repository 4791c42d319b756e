// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// System calls on real files, with faults by a seeded schedule.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "files/storage/file_calls.hpp"

namespace remit::testing {

/// The kernel's calls with faults in between, which depend on the seed and the order of calls
/// alone. Faults of transfers are those of files that were opened here, but for short transfers
/// and EINTR. Any thread.
class FaultyCalls : public FileCalls {
 public:
  /// How many calls of 1000 go wrong so.
  struct Rates {
    int cut = 0;          ///< moves fewer bytes
    int interrupted = 0;  ///< EINTR
    int again = 0;        ///< EAGAIN, transfers only
    int delayed = 0;      ///< takes some 50 us longer
  };
  enum class Call { open, close, unlink, truncate, allocate, sync, lock, seek };
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

  explicit FaultyCalls(std::uint64_t seed = 1) : random_(seed) {}
  FaultyCalls(std::uint64_t seed, Rates rates) : random_(seed), rates_(rates) {}

  /// From now on so many bytes can be written, then this error comes (ENOSPC, EDQUOT).
  void leave_room(std::int64_t bytes, int error_number) { room_ = {bytes, error_number}; }
  /// Transfers that touch this byte stop before it, and fail there.
  void break_byte(std::int64_t offset, int error_number) { broken_ = {offset, error_number}; }
  void mend() {
    room_ = {kNowhere, 0};
    broken_ = {kNowhere, 0};
    failing_.clear();
  }
  /// The next calls of a kind, `after` of them left out, fail, `times` of them.
  void fail(Call call, int error_number, int times = 1, int after = 0) {
    failing_[call] = {error_number, times, after};
  }

  /// Of all transfers so far.
  [[nodiscard]] std::size_t most_pieces() const { return most_pieces_; }
  [[nodiscard]] std::size_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] int writes() const { return writes_; }
  [[nodiscard]] int reads() const { return reads_; }

  int open(const char* path, int flags, mode_t mode) override {
    if (const int error = next_fault(Call::open)) return -error;
    const int fd = kernel_.open(path, flags, mode);
    const std::lock_guard guard(mutex_);
    if (fd >= 0) files_.push_back(fd);
    return fd;
  }
  int close(int fd) override {
    {
      const std::lock_guard guard(mutex_);
      std::erase(files_, fd);
    }
    const int result = kernel_.close(fd);  // it takes place, whatever it says
    const int error = next_fault(Call::close);
    return error != 0 ? -error : result;
  }
  int unlink(const char* path) override {
    const int error = next_fault(Call::unlink);
    return error != 0 ? -error : kernel_.unlink(path);
  }
  ssize_t preadv(int fd, std::span<const iovec> pieces, std::int64_t offset) override {
    return transfer(false, fd, pieces, offset);
  }
  ssize_t pwritev(int fd, std::span<const iovec> pieces, std::int64_t offset) override {
    return transfer(true, fd, pieces, offset);
  }
  int fstat(int fd, struct stat& out) override { return kernel_.fstat(fd, out); }
  int fstatfs(int fd, struct statfs& out) override { return kernel_.fstatfs(fd, out); }
  int ftruncate(int fd, std::int64_t bytes) override {
    const int error = next_fault(Call::truncate);
    return error != 0 ? -error : kernel_.ftruncate(fd, bytes);
  }
  int fallocate(int fd, std::int64_t offset, std::int64_t bytes) override {
    const int error = next_fault(Call::allocate);
    return error != 0 ? -error : kernel_.fallocate(fd, offset, bytes);
  }
  int sync(int fd, bool data_only) override {
    const int error = next_fault(Call::sync);
    return error != 0 ? -error : kernel_.sync(fd, data_only);
  }
  int lock(int fd, LockKind kind, std::int64_t offset, std::int64_t bytes) override {
    const int error = kind == LockKind::none ? 0 : next_fault(Call::lock);
    return error != 0 ? -error : kernel_.lock(fd, kind, offset, bytes);
  }
  std::int64_t seek(int fd, std::int64_t offset, int whence) override {
    const int error = next_fault(Call::seek);
    return error != 0 ? -error : kernel_.seek(fd, offset, whence);
  }
  int forget(int fd) override { return kernel_.forget(fd); }
  ssize_t attribute(int fd, const char* name, std::span<std::byte> out) override {
    return kernel_.attribute(fd, name, out);
  }

 private:
  struct Failing {
    int error_number = 0;
    int times = 0;
    int after = 0;
  };

  bool happens(int rate) { return static_cast<int>(random_() % 1000) < rate; }

  /// The errno of a call that fails now, or 0.
  int next_fault(Call call) {
    const std::lock_guard guard(mutex_);
    Failing& failing = failing_[call];
    if (failing.times > 0) {
      if (failing.after > 0) {
        --failing.after;
      } else {
        --failing.times;
        return failing.error_number;
      }
    }
    return call != Call::close && happens(rates_.interrupted) ? EINTR : 0;
  }

  /// How many bytes may go, or the errno, negated.
  std::int64_t allowed(bool writes, bool own, std::int64_t offset, std::int64_t bytes) {
    std::int64_t most = bytes;
    if (own) {
      if (offset == broken_.first) return -broken_.second;
      if (offset < broken_.first) most = std::min(most, broken_.first - offset);
      if (writes) {
        if (room_.first == 0) return -room_.second;
        most = std::min(most, room_.first);
      }
      if (happens(rates_.again)) return -EAGAIN;
    }
    if (happens(rates_.interrupted)) return -EINTR;
    if (most > 1 && happens(rates_.cut))
      most = 1 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - 1));
    return most;
  }

  ssize_t transfer(bool writes, int fd, std::span<const iovec> pieces, std::int64_t offset) {
    std::int64_t bytes = 0;
    for (const iovec& piece : pieces) bytes += static_cast<std::int64_t>(piece.iov_len);
    bool own = false;
    bool is_late = false;
    std::int64_t most = 0;
    {
      const std::lock_guard guard(mutex_);
      own = std::find(files_.begin(), files_.end(), fd) != files_.end();
      if (own) {
        most_pieces_ = std::max(most_pieces_, pieces.size());
        most_bytes_ = std::max(most_bytes_, static_cast<std::size_t>(bytes));
        ++(writes ? writes_ : reads_);
      }
      most = allowed(writes, own, offset, bytes);
      is_late = happens(rates_.delayed);
    }
    if (is_late) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (most < 0) return most;
    std::vector<iovec> shorter;
    for (std::int64_t rest = most; const iovec& piece : pieces) {
      if (rest == 0) break;
      const std::int64_t length = std::min(rest, static_cast<std::int64_t>(piece.iov_len));
      shorter.push_back({piece.iov_base, static_cast<std::size_t>(length)});
      rest -= length;
    }
    const ssize_t moved =
        writes ? kernel_.pwritev(fd, shorter, offset) : kernel_.preadv(fd, shorter, offset);
    if (writes && moved > 0 && room_.first != kNowhere) {
      const std::lock_guard guard(mutex_);
      room_.first -= moved;
    }
    return moved;
  }

  FileCalls& kernel_ = kernel_file_calls();
  std::mutex mutex_;
  std::mt19937_64 random_;
  Rates rates_;
  std::pair<std::int64_t, int> room_{kNowhere, 0};
  std::pair<std::int64_t, int> broken_{kNowhere, 0};
  std::map<Call, Failing> failing_;
  std::vector<int> files_;
  std::size_t most_pieces_ = 0;
  std::size_t most_bytes_ = 0;
  int writes_ = 0;
  int reads_ = 0;
};

}  // namespace remit::testing
