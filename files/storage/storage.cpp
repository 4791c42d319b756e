// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whole transfers out of the kernel's short ones.
#include "files/storage/storage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "files/storage/range_queue.hpp"

namespace remit {
namespace {

/// So often a call may say "not now", with longer and longer pauses: some 20 seconds in all.
constexpr int kMostPauses = 2000;

void pause_before_again(int pauses) {
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::min(10 << std::min(pauses, 10), 10000)));
}

/// Repeats a call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result == -EINTR) result = call();
  return result;
}

/// Where a transfer stands in its list of pieces.
class PieceCursor {
 public:
  explicit PieceCursor(std::span<const Layout::Piece> pieces) : rest_(pieces) { skip_empty(); }

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

  /// What one call may take, from here on.
  [[nodiscard]] std::size_t fill(std::span<iovec> out, std::size_t most_bytes) const {
    std::size_t count = 0;
    std::size_t skipped = done_;
    for (const Layout::Piece& piece : rest_) {
      if (count == out.size() || most_bytes == 0) break;
      const std::size_t bytes = std::min(piece.length - skipped, most_bytes);
      if (bytes != 0) out[count++] = {static_cast<std::byte*>(piece.address) + skipped, bytes};
      most_bytes -= bytes;
      skipped = 0;
    }
    return count;
  }

  void advance(std::size_t bytes) {
    while (bytes != 0) {
      const std::size_t step = std::min(bytes, rest_.front().length - done_);
      done_ += step;
      bytes -= step;
      skip_empty();
    }
  }

 private:
  void skip_empty() {
    while (!rest_.empty() && done_ == rest_.front().length) {
      rest_ = rest_.subspan(1);
      done_ = 0;
    }
  }

  std::span<const Layout::Piece> rest_;
  std::size_t done_ = 0;  ///< of the first
};

Expected<> outcome_of_call(int result, std::string_view path, std::string_view attempt) {
  if (result >= 0) return {};
  return tl::unexpected(error_of_call(-result, path, attempt));
}

/// What to do about an error of open(), for its words.
std::string_view open_advice(int error_number, int flags) {
  switch (error_number) {
    case ENOENT:
      return (flags & O_CREAT) != 0 ? " (the folder must be there)"
                                    : " (MPI_MODE_CREATE makes a file that is missing)";
    case EEXIST:
      return " (MPI_MODE_EXCL asks for a file that is not there yet)";
    case ENXIO:
    case ESPIPE:
      return " (a FIFO, a socket or a device without a driver has no places to read and write at)";
    case EMFILE:
      return " (\"ulimit -n\" says how many this process may have)";
    default:
      return "";
  }
}

Error refused_open(int error_number, const std::string& path, int flags) {
  Error error = error_of_call(error_number, path, "open");
  error.message += open_advice(error_number, flags);
  return error;
}

std::int64_t end_of_range(std::int64_t from, std::int64_t bytes) {
  constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
  return bytes == 0 || from > kInfinity - bytes ? kInfinity : from + bytes;
}

}  // namespace

FileSystemTraits traits_of_open(FileCalls& calls, int fd) {
  FileSystemTraits traits;
  struct statfs system = {};
  // Without an answer it is the most careful of all.
  if (calls.fstatfs(fd, system) == 0) traits = traits_of(system);
  if (traits.name != "lustre") return traits;
  std::array<std::byte, 4096> attribute;
  const ssize_t length = calls.attribute(fd, "lustre.lov", attribute);
  const std::span<const std::byte> said =
      std::span(attribute).first(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  if (const auto striping = lustre_striping(said)) take_striping(traits, *striping);
  return traits;
}

Expected<std::unique_ptr<Storage>> Storage::open(FileCalls& calls, std::string path, int flags,
                                                 mode_t mode, Limits limits) {
  // Else a FIFO would wait for its other end. "Not now" says who has to give a lease back first,
  // for which the kernel gives it 45 seconds.
  int fd = -EAGAIN;
  for (int pauses = 0; fd == -EAGAIN && pauses < 3 * kMostPauses; ++pauses) {
    if (pauses != 0) pause_before_again(pauses);
    fd = uninterrupted([&] { return calls.open(path.c_str(), flags | O_NONBLOCK, mode); });
  }
  if (fd < 0) {
    return tl::unexpected(refused_open(-fd, path, flags));
  }
  std::unique_ptr<Storage> storage(new Storage(calls, std::move(path), fd, flags, limits));
  if (Expected<> learned = storage->learn(); !learned) return tl::unexpected(learned.error());
  return storage;
}

Storage::Storage(FileCalls& calls, std::string path, int fd, int flags, Limits limits)
    : calls_(calls),
      path_(std::move(path)),
      fd_(fd),
      flags_(flags),
      limits_(limits),
      locks_(std::make_unique<RangeQueue>()) {}

Storage::~Storage() {
  if (fd_ >= 0) static_cast<void>(calls_.close(fd_));
}

Expected<> Storage::learn() {
  struct stat what = {};
  if (const int result = calls_.fstat(fd_, what); result < 0)
    return tl::unexpected(error_of_call(-result, path_, "look at it"));
  // A folder can be opened, if only for reading.
  if (S_ISDIR(what.st_mode)) return tl::unexpected(error_of_call(EISDIR, path_, "open"));
  if (S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode))
    return tl::unexpected(refused_open(ESPIPE, path_, flags_));
  identity_ = {what.st_dev, what.st_ino};
  traits_ = traits_of_open(calls_, fd_);
  // Its file system says nothing of what a device does.
  if (!S_ISREG(what.st_mode)) traits_.maps = traits_.in_memory = false;
  return {};
}

bool Storage::is_readable() const {
  return (flags_ & O_ACCMODE) != O_WRONLY;
}

bool Storage::is_writable() const {
  return (flags_ & O_ACCMODE) != O_RDONLY;
}

Transferred Storage::move(bool writes, std::int64_t offset, std::span<const Layout::Piece> memory) {
  std::array<iovec, 1024> vector;
  const std::span<iovec> room =
      std::span(vector).first(std::min(vector.size(), std::max<std::size_t>(limits_.pieces, 1)));
  Transferred done;
  int pauses = 0;
  PieceCursor cursor(memory);
  while (!cursor.is_at_end()) {
    const std::span<const iovec> pieces = room.first(cursor.fill(room, limits_.bytes));
    const std::int64_t at = offset + done.bytes;
    const ssize_t moved = writes ? calls_.pwritev(fd_, pieces, at) : calls_.preadv(fd_, pieces, at);
    if (moved > 0) {
      cursor.advance(static_cast<std::size_t>(moved));
      done.bytes += moved;
      pauses = 0;
      continue;
    }
    if (moved == 0 && !writes) break;  // the end of the file
    if (moved == -EINTR) continue;
    // A write of nothing has no reason that the kernel would tell.
    const int error_number = moved == 0 ? EIO : static_cast<int>(-moved);
    const int most_pauses = moved == 0               ? kMostPauses / 100
                            : error_number == EAGAIN ? kMostPauses
                                                     : 0;
    if (pauses < most_pauses) {
      pause_before_again(pauses++);
      continue;
    }
    done.error_number = error_number;
    done.offset = at;
    break;
  }
  return done;
}

Transferred Storage::write(std::int64_t offset, std::span<const Layout::Piece> memory) {
  return move(true, offset, memory);
}

Transferred Storage::write(std::int64_t offset, std::span<const std::byte> memory) {
  // It is only read.
  const Layout::Piece piece{const_cast<std::byte*>(memory.data()), memory.size()};
  return move(true, offset, {&piece, 1});
}

Transferred Storage::read(std::int64_t offset, std::span<const Layout::Piece> memory) {
  return move(false, offset, memory);
}

Transferred Storage::read(std::int64_t offset, std::span<std::byte> memory) {
  const Layout::Piece piece{memory.data(), memory.size()};
  return move(false, offset, {&piece, 1});
}

Expected<std::int64_t> Storage::size() {
  return extent().map([](const Extent& now) { return now.size; });
}

Expected<Storage::Extent> Storage::extent() {
  constexpr std::int64_t kBlock = 512;  // of st_blocks, on every file system
  struct stat now = {};
  const int result = uninterrupted([&] { return calls_.fstat(fd_, now); });
  if (result < 0) return tl::unexpected(error_of_call(-result, path_, "ask for its size"));
  return Extent{now.st_size, now.st_blocks * kBlock};
}

Expected<> Storage::truncate(std::int64_t bytes) {
  const int result = uninterrupted([&] { return calls_.ftruncate(fd_, bytes); });
  return outcome_of_call(result, path_, fmt::format("set its size to {} bytes", bytes));
}

bool Storage::lengthen(std::int64_t bytes) {
  return uninterrupted([&] { return calls_.fallocate(fd_, bytes - 1, 1); }) == 0;
}

Expected<> Storage::preallocate(std::int64_t bytes) {
  if (bytes <= 0) return {};
  const int result = uninterrupted([&] { return calls_.fallocate(fd_, 0, bytes); });
  if (result == -EOPNOTSUPP || result == -ENOSYS) return fill_holes(bytes);
  return outcome_of_call(result, path_, fmt::format("allocate {} bytes", bytes));
}

Expected<> Storage::fill_holes(std::int64_t bytes) {
  const Expected<std::int64_t> size = this->size();
  if (!size) return tl::unexpected(size.error());
  const std::vector<std::byte> zeros(std::size_t{1} << 20);
  const std::int64_t known = std::min(*size, bytes);
  std::int64_t at = 0;
  while (at < bytes) {
    // Whoever cannot tell has data all over. The part behind the end is the last hole.
    std::int64_t hole = known;
    if (at < known) {
      const std::int64_t found = calls_.seek(fd_, at, SEEK_HOLE);
      if (found >= 0) hole = std::min(found, known);
    }
    std::int64_t end = bytes;
    if (hole < known) {
      const std::int64_t found = calls_.seek(fd_, hole, SEEK_DATA);
      if (found >= 0) end = std::min(found, bytes);
    }
    for (at = hole; at < end;) {
      const std::int64_t step = std::min(end - at, std::ssize(zeros));
      const Transferred written = write(at, std::span(zeros).first(static_cast<std::size_t>(step)));
      if (written.error_number != 0)
        return tl::unexpected(error_of(written, FileMove::write, path_, step));
      at += step;
    }
  }
  return {};
}

Expected<> Storage::sync() {
  return sync_as(false);
}

Expected<> Storage::data_sync() {
  return sync_as(true);
}

Expected<> Storage::sync_as(bool data_only) {
  const int result = uninterrupted([&] { return calls_.sync(fd_, data_only); });
  // What has no storage behind it, as a pseudo-terminal, has nothing to write back.
  return outcome_of_call(result == -EINVAL ? 0 : result, path_, "write it back to storage");
}

Expected<> Storage::renew() {
  // Only pages that are clean are forgotten.
  if (is_writable()) {
    if (Expected<> synced = data_sync(); !synced) return synced;
  }
  static_cast<void>(calls_.forget(fd_));  // advice
  return {};
}

Expected<> Storage::close() {
  mappings_.clear();
  const int fd = std::exchange(fd_, -1);
  if (fd < 0) return {};
  const int result = calls_.close(fd);
  // A close that a signal interrupted has taken place.
  return outcome_of_call(result == -EINTR ? 0 : result, path_, "close");
}

tl::expected<RangeLock, int> Storage::lock_or_errno(std::int64_t from, std::int64_t bytes,
                                                    bool exclusive) {
  // The kernel takes all threads for one owner, and lets one of them unlock what others share.
  locks_->take(from, end_of_range(from, bytes));
  using Kind = FileCalls::LockKind;
  const int result = uninterrupted(
      [&] { return calls_.lock(fd_, exclusive ? Kind::exclusive : Kind::shared, from, bytes); });
  if (result < 0) {
    locks_->give_up(from, end_of_range(from, bytes));
    return tl::unexpected(-result);
  }
  return RangeLock(*this, from, bytes);
}

Expected<RangeLock> Storage::lock(std::int64_t from, std::int64_t bytes, bool exclusive) {
  tl::expected<RangeLock, int> locked = lock_or_errno(from, bytes, exclusive);
  if (!locked) {
    return tl::unexpected(
        error_of_call(locked.error(), path_, fmt::format("lock it from byte {} on", from)));
  }
  return std::move(*locked);
}

void Storage::unlock(std::int64_t from, std::int64_t bytes) {
  static_cast<void>(
      uninterrupted([&] { return calls_.lock(fd_, FileCalls::LockKind::none, from, bytes); }));
  locks_->give_up(from, end_of_range(from, bytes));
}

RangeLock::RangeLock(RangeLock&& other) noexcept
    : storage_(std::exchange(other.storage_, nullptr)), from_(other.from_), bytes_(other.bytes_) {}

RangeLock& RangeLock::operator=(RangeLock&& other) noexcept {
  if (this != &other) {
    give_up();
    storage_ = std::exchange(other.storage_, nullptr);
    from_ = other.from_;
    bytes_ = other.bytes_;
  }
  return *this;
}

RangeLock::~RangeLock() {
  give_up();
}

void RangeLock::give_up() {
  if (storage_ != nullptr) std::exchange(storage_, nullptr)->unlock(from_, bytes_);
}

Expected<> delete_file(FileCalls& calls, const std::string& path) {
  const int result = uninterrupted([&] { return calls.unlink(path.c_str()); });
  return outcome_of_call(result, path, "delete");
}

}  // namespace remit
