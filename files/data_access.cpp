// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/data_access.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>
#include <vector>

#include "files/storage/out_of_mpi.hpp"
#include "runtime/clock.hpp"

namespace remit {

namespace {

/// Converted data are written and read in parts of so many bytes at most.
constexpr std::int64_t kConvertedBytes = std::int64_t{1} << 20;

/// The lock of an access in atomic mode: between the first and the last byte that it can touch.
Expected<RangeLock> lock_for(Storage& storage, const DataAccess& access) {
  const FileRun span = access.seen->view.span(access.from, access.bytes());
  return storage.lock(span.offset, span.length, access.kind == FileMove::write);
}

AccessResult failed_with(const FileCore& file, std::int64_t bytes, const Error& error) {
  return {bytes, fail(error.code, "rank {}, {}", file.comm.rank, error.message)};
}

AccessResult result_of(const FileCore& file, const DataAccess& access, const Transferred& moved,
                       std::int64_t bytes) {
  if (moved.error_number == 0) return {bytes, {}};
  return failed_with(file, bytes, error_of(moved, access.kind, file.path, access.bytes()));
}

AccessResult move_bytes(FileCore& file, const DataAccess& access) {
  Storage& storage = *file.storage;
  const FileView& view = access.seen->view;
  const Transferred moved =
      access.kind == FileMove::write
          ? write_view(storage, view, access.from, access.memory, file.transfer_hints)
          : read_view(storage, view, access.from, access.memory, file.transfer_hints);
  return result_of(file, access, moved, moved.bytes);
}

/// Moves data whose elements are represented otherwise in the file, part by part. Functions of the
/// program may convert them, as part of its call: the MPI lock is given up around the rest alone.
class ConvertedMove {
 public:
  ConvertedMove(FileCore& file, const DataAccess& access)
      : file_(file),
        access_(access),
        part_(static_cast<std::size_t>(std::min(access.bytes(), kConvertedBytes))) {}

  [[nodiscard]] AccessResult run() {
    while (done_ < access_.bytes() && !is_at_end_) {
      const Expected<> moved = access_.kind == FileMove::write ? write_part() : read_part();
      const std::int64_t bytes = access_.conversion->memory_bytes(done_);
      if (!moved) return failed_with(file_, bytes, moved.error());
      if (moved_.error_number != 0) return result_of(file_, access_, moved_, bytes);
    }
    return {access_.conversion->memory_bytes(done_), {}};
  }

 private:
  [[nodiscard]] View view_of_part(std::size_t bytes) { return bytes_view(part_.data(), bytes); }

  [[nodiscard]] Expected<> write_part() {
    const auto made = access_.conversion->to_file(done_, part_);
    if (!made) return tl::unexpected(made.error());
    {
      const OutOfMpi out(file_.process.progress());
      moved_ = write_view(*file_.storage, access_.seen->view, access_.from + done_,
                          view_of_part(*made), file_.transfer_hints);
    }
    take(*made);
    return {};
  }

  /// The end of a part may lie inside of an element, which the next part has again.
  [[nodiscard]] Expected<> read_part() {
    const auto rest = static_cast<std::size_t>(access_.bytes() - done_);
    const std::size_t asked = std::min(part_.size(), rest);
    {
      const OutOfMpi out(file_.process.progress());
      moved_ = read_view(*file_.storage, access_.seen->view, access_.from + done_,
                         view_of_part(asked), file_.transfer_hints);
    }
    const auto read = static_cast<std::size_t>(moved_.bytes);
    const auto taken = access_.conversion->from_file(done_, std::span(part_).first(read));
    if (!taken) return tl::unexpected(taken.error());
    moved_.bytes = static_cast<std::int64_t>(*taken);
    take(*taken);
    is_at_end_ = is_at_end_ || read < asked;
    return {};
  }

  /// A part without an element is the last one.
  void take(std::size_t part) {
    done_ += moved_.bytes;
    is_at_end_ = part == 0;
    moved_.bytes = done_;  // for the words of an error
  }

  FileCore& file_;
  const DataAccess& access_;
  std::vector<std::byte> part_;
  std::int64_t done_ = 0;  ///< bytes in the file
  Transferred moved_;
  bool is_at_end_ = false;
};

AccessResult move_converted(FileCore& file, const DataAccess& access) {
  if (!access.is_atomic) return ConvertedMove(file, access).run();
  const auto lock = [&] {
    const OutOfMpi out(file.process.progress());
    return lock_for(*file.storage, access);
  }();
  if (!lock) return failed_with(file, 0, lock.error());
  return ConvertedMove(file, access).run();
}

/// Where there is no memory for an error's words either.
AccessResult out_of_memory() {
  return {0, tl::unexpected(Error{MPI_ERR_NO_MEM, {}})};
}

}  // namespace

std::int64_t TransferClock::now() const {
  const Events& events = file_.process.comms.process().events();
  return events.wanted(EventKind::file_transfer_done) ? monotonic_ns() : 0;
}

void TransferClock::tell(const DataAccess& access, const AccessResult& result) const {
  if (began_ns_ == 0) return;
  const bool writes = access.kind == FileMove::write;
  file_.process.comms.process().events().raise(EventKind::file_transfer_done, file_.comm.context,
                                               access.from, result.bytes,
                                               monotonic_ns() - began_ns_, writes ? 1 : 0);
}

AccessResult transfer(FileCore& file, const DataAccess& access) noexcept {
  if (access.bytes() == 0) return {};
  try {
    if (!access.is_atomic) return move_bytes(file, access);
    const auto lock = lock_for(*file.storage, access);
    if (!lock) return failed_with(file, 0, lock.error());
    return move_bytes(file, access);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

AccessResult access_alone(FileCore& file, const DataAccess& access) {
  if (access.conversion == nullptr) {
    const OutOfMpi out(file.process.progress());
    return transfer(file, access);
  }
  if (access.bytes() == 0) return {};
  try {
    return move_converted(file, access);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace remit
