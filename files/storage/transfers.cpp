// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which way the bytes of an independent transfer go.
#include "files/storage/transfers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>

#include "datatype/view_copy.hpp"
#include "files/storage/mapped_writes.hpp"
#include "files/storage/storage.hpp"
#include "files/views/file_view.hpp"
#include "runtime/os/kernel_copy.hpp"

namespace remit {
namespace {

/// Bytes that are packed before they are written, or read before they are unpacked: they stay in a
/// near cache.
constexpr std::int64_t kStage = std::int64_t{256} << 10;
/// Mean runs of memory from which the kernel gathers and scatters them as quickly as this process
/// packs them.
constexpr std::size_t kGatherFrom = 4096;
/// Runs by which it is decided how the next part goes, and that go by themselves before it is
/// decided again.
constexpr std::size_t kSampledRuns = 16;
constexpr std::size_t kDirectRuns = 64;
/// A run and the hole behind it that go along with others must take less time than a system call of
/// its own (some 0.6 us). Bytes of a run are then copied once more, those of a hole as well, and
/// the kernel copies them.
constexpr std::int64_t kSievedBytes = 8192;
/// A run and its hole that go through a mapping: one a page or more. A page faults once and is
/// kept, while each write of a run is a system call; and as many of them as a mapping costs at
/// first.
constexpr std::int64_t kMappedBytes = 4096;
constexpr std::int64_t kMappedRuns = 64;

/// Fewer bytes than this are not worth the faults of a mapping: they are read together with what
/// lies between them.
constexpr std::int64_t kLeastMapped = 4096;

/// Whether short pieces may go through a mapping: to write them it has to be readable as well.
bool may_map(const Storage& storage, const FileView& view, const TransferHints& hints) {
  return hints.map && storage.traits().maps && storage.is_readable() && view.is_ordered();
}

/// Memory for a part of a file, at the same place in its page: the kernel's copies are never slow
/// then (in_copy_trap()).
class FileScratch {
 public:
  /// What it had is lost. Throws std::bad_alloc.
  std::span<std::byte> take(std::int64_t offset, std::int64_t bytes) {
    const auto shift = static_cast<std::size_t>(offset % kFilePage);
    const auto needed = shift + static_cast<std::size_t>(bytes);
    if (size_ < needed) {
      size_ = (needed + kFilePage - 1) / kFilePage * kFilePage;
      memory_.reset();
      memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kFilePage, size_)));
      if (memory_ == nullptr) throw std::bad_alloc();
    }
    return {memory_.get() + shift, static_cast<std::size_t>(bytes)};
  }

 private:
  std::unique_ptr<std::byte, FreeMemory> memory_;
  std::size_t size_ = 0;
};

/// What one step of a transfer was to move, and what it did.
struct TransferStep {
  Transferred moved;
  std::int64_t asked = 0;
};

/// How the runs at the beginning of a part are.
struct RunSample {
  std::size_t runs = 0;
  std::int64_t run = 0;   ///< mean length
  std::int64_t hole = 0;  ///< mean length between them
};

/// Bytes of an ordered view that lie in [first, end) of the file, both ends included.
struct FileWindow {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t bytes = 0;  ///< of the view
};

/// One call of write_view() or read_view().
class ViewTransfer {
 public:
  ViewTransfer(Storage& storage, const FileView& view, std::int64_t from, const View& memory,
               const TransferHints& hints)
      : ViewTransfer(storage, view, from, memory, {0, static_cast<std::int64_t>(memory.size())},
                     hints) {}
  ViewTransfer(Storage& storage, const FileView& view, std::int64_t from, const View& memory,
               const TransferPart& part, const TransferHints& hints)
      : storage_(storage),
        view_(view),
        from_(from),
        memory_(memory),
        hints_(hints),
        begin_(part.at),
        total_(part.at + part.bytes),
        memory_is_short_(!memory.is_contiguous() && memory.layout->mean_run() < kGatherFrom),
        mapped_(storage),
        may_map_(may_map(storage, view, hints)) {}

  Transferred write() {
    Transferred sum = steps([this](std::int64_t done) { return write_step(done); });
    if (sum.error_number != 0) return sum;
    const Transferred told = mapped_.end();
    if (told.error_number != 0) sum = {sum.bytes - 1, told.error_number, told.offset};
    return sum;
  }
  Transferred read() {
    return steps([this](std::int64_t done) { return read_step(done); });
  }

 private:
  template <class Next>
  Transferred steps(Next next) {
    Transferred sum{begin_};
    // The caller has asked whether the view has so many bytes.
    while (sum.bytes < total_ && !view_.is_empty()) {
      try {
        const TransferStep step = next(sum.bytes);
        sum = {sum.bytes + step.moved.bytes, step.moved.error_number, step.moved.offset};
        if (sum.error_number != 0 || step.moved.bytes < step.asked) break;
      } catch (const std::bad_alloc&) {
        if (saves_memory_) {
          sum = {sum.bytes, ENOMEM, view_.file_offset(from_ + sum.bytes)};
          break;
        }
        // Again, in ways that are slower and need none.
        saves_memory_ = true;
        may_map_ = false;
      }
    }
    sum.bytes -= begin_;
    return sum;
  }

  // Parts that are one run of the file.
  Transferred move_run(bool writes, FileRun run, std::int64_t done);
  Transferred move_staged(bool writes, FileRun run, std::int64_t done);
  Transferred move_gathered(bool writes, FileRun run, std::int64_t done);
  TransferStep move_runs(bool writes, std::int64_t done);

  // What is decided.
  [[nodiscard]] RunSample sample(std::int64_t done) const;
  [[nodiscard]] FileWindow window(std::int64_t done, std::int64_t reach) const;
  /// How many of the window's bytes lie below an offset.
  [[nodiscard]] std::int64_t bytes_below(std::int64_t offset, std::int64_t done) const {
    return view_.bytes_below(offset) - (from_ + done);
  }

  TransferStep read_step(std::int64_t done);
  TransferStep sieve(std::int64_t done);
  [[nodiscard]] bool can_load_to(std::int64_t end) const;
  std::int64_t read_from_mapping(std::int64_t done);
  TransferStep write_step(std::int64_t done);
  TransferStep write_mapped(std::int64_t done, const FileWindow& part);
  /// What one lock is for, where bytes may be written back.
  struct LockedPart {
    FileWindow part;
    bool modifies = false;  ///< what lies between is read and written back
  };
  [[nodiscard]] LockedPart next_locked(std::int64_t done) const;
  TransferStep write_locked(std::int64_t done);
  TransferStep read_modify_write(std::int64_t done, const FileWindow& part);

  /// The window as the view's memory, `bytes` being what the file has from `first` on.
  [[nodiscard]] View as_memory(std::span<std::byte> bytes, std::int64_t first) const {
    return view_.in_memory(reinterpret_cast<std::uintptr_t>(bytes.data()) -
                           static_cast<std::uintptr_t>(first));
  }
  void count(FileCounters::Counter FileCounters::*which, std::int64_t amount) const {
    if (hints_.counters != nullptr) (hints_.counters->*which).add(amount);
  }

  Storage& storage_;
  const FileView& view_;
  std::int64_t from_;
  const View& memory_;
  const TransferHints& hints_;
  std::int64_t begin_;  ///< of the memory
  std::int64_t total_;  ///< its end
  bool memory_is_short_;
  FileScratch scratch_;
  MappedWrites mapped_;
  bool may_map_;
  bool has_mapped_ = false;
  bool saves_memory_ = false;  ///< there was none for what is quickest
};

Transferred ViewTransfer::move_run(bool writes, FileRun run, std::int64_t done) {
  if (!memory_.is_contiguous()) {
    return memory_is_short_ && !saves_memory_ ? move_staged(writes, run, done)
                                              : move_gathered(writes, run, done);
  }
  const std::span<std::byte> bytes(memory_.data() + done, static_cast<std::size_t>(run.length));
  const Transferred moved =
      writes ? storage_.write(run.offset, bytes) : storage_.read(run.offset, bytes);
  count(writes ? &FileCounters::direct_written : &FileCounters::direct_read, moved.bytes);
  return moved;
}

Transferred ViewTransfer::move_gathered(bool writes, FileRun run, std::int64_t done) {
  std::array<Layout::Piece, 256> pieces;
  Transferred sum;
  while (sum.bytes < run.length && sum.error_number == 0) {
    const Layout::Gathered gathered =
        memory_.pieces(static_cast<std::size_t>(done + sum.bytes),
                       static_cast<std::size_t>(run.length - sum.bytes), pieces);
    const auto list = std::span<const Layout::Piece>(pieces).first(gathered.pieces);
    const Transferred moved = writes ? storage_.write(run.offset + sum.bytes, list)
                                     : storage_.read(run.offset + sum.bytes, list);
    sum = {sum.bytes + moved.bytes, moved.error_number, moved.offset};
    if (moved.bytes < static_cast<std::int64_t>(gathered.bytes)) break;
  }
  count(writes ? &FileCounters::direct_written : &FileCounters::direct_read, sum.bytes);
  return sum;
}

Transferred ViewTransfer::move_staged(bool writes, FileRun run, std::int64_t done) {
  Transferred sum;
  while (sum.bytes < run.length && sum.error_number == 0) {
    const std::int64_t offset = run.offset + sum.bytes;
    const std::int64_t bytes = std::min(run.length - sum.bytes, kStage);
    const auto at = static_cast<std::size_t>(done + sum.bytes);
    const std::span<std::byte> stage = scratch_.take(offset, bytes);
    Transferred moved;
    if (writes) {
      memory_.pack(at, stage);
      moved = storage_.write(offset, stage);
    } else {
      moved = storage_.read(offset, stage);
      memory_.unpack(at, stage.first(static_cast<std::size_t>(moved.bytes)));
    }
    sum = {sum.bytes + moved.bytes, moved.error_number, moved.offset};
    if (moved.bytes < bytes) break;
  }
  count(writes ? &FileCounters::staged_written : &FileCounters::sieved_read, sum.bytes);
  return sum;
}

TransferStep ViewTransfer::move_runs(bool writes, std::int64_t done) {
  std::array<FileRun, kDirectRuns> runs;
  TransferStep step;
  const std::size_t count = view_.runs(from_ + done, total_ - done, runs, &step.asked);
  for (const FileRun& run : std::span(runs).first(count)) {
    const Transferred moved = move_run(writes, run, done + step.moved.bytes);
    step.moved = {step.moved.bytes + moved.bytes, moved.error_number, moved.offset};
    if (moved.bytes < run.length) break;
  }
  return step;
}

RunSample ViewTransfer::sample(std::int64_t done) const {
  std::array<FileRun, kSampledRuns> runs;
  std::int64_t taken = 0;
  const std::size_t count = view_.runs(from_ + done, total_ - done, runs, &taken);
  if (count < 2) return {count, taken, 0};
  const auto runs_count = static_cast<std::int64_t>(count);
  const FileRun& last = runs[count - 1];
  const std::int64_t holes = last.offset + last.length - runs[0].offset - taken;
  return {count, taken / runs_count, holes / (runs_count - 1)};
}

FileWindow ViewTransfer::window(std::int64_t done, std::int64_t reach) const {
  FileWindow part;
  part.first = view_.file_offset(from_ + done);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end = part.first > most - reach ? most : part.first + reach;
  part.bytes = std::min(total_ - done, bytes_below(end, done));
  part.end = view_.file_offset(from_ + done + part.bytes - 1) + 1;
  return part;
}

TransferStep ViewTransfer::read_step(std::int64_t done) {
  if (view_.is_contiguous()) {
    const FileRun rest{view_.file_offset(from_ + done), total_ - done};
    return {move_run(false, rest, done), rest.length};
  }
  if (hints_.sieve && view_.is_ordered() && !saves_memory_) {
    const RunSample next = sample(done);
    if (next.runs > 1 && next.run + 2 * next.hole < kSievedBytes) {
      const std::int64_t read = may_map_ ? read_from_mapping(done) : 0;
      return read != 0 ? TransferStep{{read, 0, 0}, read} : sieve(done);
    }
  }
  return move_runs(false, done);
}

/// Whether the file reaches so far, and has all its blocks where a load would give it those that it
/// has not: in memory, until it is deleted.
bool ViewTransfer::can_load_to(std::int64_t end) const {
  const Expected<Storage::Extent> extent = storage_.extent();
  if (!extent || extent->size < end) return false;
  return !storage_.traits().in_memory || extent->allocated >= extent->size;
}

/// How many bytes could be read so, whole parts of them. The file may become shorter meanwhile:
/// then its last page ends in zeros that are not the file's, and sieve() tells how many bytes there
/// are.
std::int64_t ViewTransfer::read_from_mapping(std::int64_t done) {
  const std::int64_t first = view_.file_offset(from_ + done);
  const FileWindow part = window(done, MappedPart::most_from(first));
  // What lies behind the end of the file is in its last page as well.
  if (part.bytes < kLeastMapped || !can_load_to(part.end)) return 0;
  const bool is_direct = memory_.is_contiguous();
  std::byte* const to = is_direct ? memory_.data() + done : scratch_.take(0, part.bytes).data();
  const MappedPart where{from_ + done, done, part.bytes, part.first, part.end};
  may_map_ = read_mapped(storage_, view_, where, to) == part.bytes && can_load_to(part.end);
  if (!may_map_) return 0;
  if (!is_direct) {
    memory_.unpack(static_cast<std::size_t>(done),
                   std::span<const std::byte>(to, static_cast<std::size_t>(part.bytes)));
  }
  count(&FileCounters::direct_read, part.bytes);
  return part.bytes;
}

TransferStep ViewTransfer::sieve(std::int64_t done) {
  const FileWindow part = window(done, static_cast<std::int64_t>(hints_.read_buffer));
  const std::span<std::byte> bytes = scratch_.take(part.first, part.end - part.first);
  TransferStep step{storage_.read(part.first, bytes), part.bytes};
  count(&FileCounters::sieved_bytes, step.moved.bytes);
  if (step.moved.bytes == part.end - part.first) {
    step.moved.bytes = part.bytes;
  } else {
    // Of what lies behind the end of the file, or behind an error, the program gets nothing.
    step.moved.bytes = std::min(part.bytes, bytes_below(part.first + step.moved.bytes, done));
  }
  copy_between(as_memory(bytes, part.first), static_cast<std::size_t>(from_ + done), memory_,
               static_cast<std::size_t>(done), static_cast<std::size_t>(step.moved.bytes));
  count(&FileCounters::sieved_read, step.moved.bytes);
  return step;
}

TransferStep ViewTransfer::write_step(std::int64_t done) {
  if (hints_.read_modify_write) return write_locked(done);
  if (view_.is_contiguous()) {
    const FileRun rest{view_.file_offset(from_ + done), total_ - done};
    return {move_run(true, rest, done), rest.length};
  }
  if (may_map_ && storage_.is_writable()) {
    const RunSample next = sample(done);
    if (next.runs > 1 && next.run + next.hole <= kMappedBytes) {
      const std::int64_t first = view_.file_offset(from_ + done);
      const FileWindow part = window(done, MappedPart::most_from(first));
      if (part.bytes / next.run >= kMappedRuns) return write_mapped(done, part);
    }
  }
  return move_runs(true, done);
}

TransferStep ViewTransfer::write_mapped(std::int64_t done, const FileWindow& part) {
  if (!has_mapped_) {
    MappedWrites::Reach reach{part.first, view_.file_offset(from_ + total_ - 1) + 1, {}};
    memory_.pack(static_cast<std::size_t>(total_ - 1), std::span(&reach.last, 1));
    has_mapped_ = true;
    may_map_ = mapped_.begin(reach);
    if (!may_map_) return {};
  }
  const std::int64_t written =
      mapped_.write(view_, memory_, {from_ + done, done, part.bytes, part.first, part.end});
  count(&FileCounters::mapped_written, written);
  // The rest goes by itself, and tells why if it cannot either.
  if (written < part.bytes) may_map_ = false;
  return {{written, 0, 0}, written};
}

ViewTransfer::LockedPart ViewTransfer::next_locked(std::int64_t done) const {
  LockedPart next;
  if (view_.is_contiguous()) {
    next.part.first = view_.file_offset(from_ + done);
    next.part.bytes = total_ - done;
    next.part.end = next.part.first + next.part.bytes;
    return next;
  }
  const RunSample runs = sample(done);
  if (view_.is_ordered() && storage_.is_readable() && !saves_memory_ && runs.runs > 1 &&
      runs.run + 2 * runs.hole < kSievedBytes) {
    next.part = window(done, static_cast<std::int64_t>(hints_.write_buffer));
    next.modifies = true;
    return next;
  }
  // As many as move_runs() writes.
  std::array<FileRun, kDirectRuns> list;
  static_cast<void>(view_.runs(from_ + done, total_ - done, list, &next.part.bytes));
  const FileRun reach = view_.span(from_ + done, next.part.bytes);
  next.part.first = reach.offset;
  next.part.end = reach.offset + reach.length;
  return next;
}

TransferStep ViewTransfer::write_locked(std::int64_t done) {
  const auto [part, modifies] = next_locked(done);
  // Who only writes what it was given may do so beside others, but not beside who writes back.
  const bool excludes = modifies || !storage_.is_readable();
  const tl::expected<RangeLock, int> lock =
      storage_.lock_or_errno(part.first, part.end - part.first, excludes);
  if (!lock) return {{0, lock.error(), part.first}, part.bytes};
  count(&FileCounters::locks, 1);
  if (modifies) return read_modify_write(done, part);
  if (view_.is_contiguous()) return {move_run(true, {part.first, part.bytes}, done), part.bytes};
  return move_runs(true, done);
}

TransferStep ViewTransfer::read_modify_write(std::int64_t done, const FileWindow& part) {
  const std::span<std::byte> bytes = scratch_.take(part.first, part.end - part.first);
  const Transferred before = storage_.read(part.first, bytes);
  if (before.error_number != 0) return {{0, before.error_number, before.offset}, part.bytes};
  // Holes behind the end of the file read as zeros once it is longer.
  const std::span<std::byte> behind = bytes.subspan(static_cast<std::size_t>(before.bytes));
  std::fill(behind.begin(), behind.end(), std::byte{0});
  copy_between(memory_, static_cast<std::size_t>(done), as_memory(bytes, part.first),
               static_cast<std::size_t>(from_ + done), static_cast<std::size_t>(part.bytes));
  TransferStep step{storage_.write(part.first, bytes), part.bytes};
  if (step.moved.error_number == 0) {
    step.moved.bytes = part.bytes;
  } else {
    step.moved.bytes = std::min(part.bytes, bytes_below(part.first + step.moved.bytes, done));
  }
  count(&FileCounters::rmw_written, step.moved.bytes);
  return step;
}

}  // namespace

bool goes_through_mapping(const Storage& storage, const FileView& view, FileMove kind,
                          std::int64_t runs, const TransferHints& hints) {
  if (!may_map(storage, view, hints) || view.is_contiguous() || view.is_empty()) return false;
  const Layout& tile = *view.in_memory(0).layout;
  const std::int64_t run_and_hole = tile.extent() / static_cast<std::int64_t>(tile.blocks());
  if (kind == FileMove::read) return hints.sieve && 2 * run_and_hole < kSievedBytes;
  return storage.is_writable() && !hints.read_modify_write && runs >= kMappedRuns &&
         run_and_hole <= kMappedBytes;
}

Transferred write_view(Storage& storage, const FileView& view, std::int64_t from,
                       const View& memory, const TransferHints& hints) {
  return ViewTransfer(storage, view, from, memory, hints).write();
}

Transferred write_view_part(Storage& storage, const FileView& view, std::int64_t from,
                            const View& memory, const TransferPart& part,
                            const TransferHints& hints) {
  return ViewTransfer(storage, view, from, memory, part, hints).write();
}

Transferred read_view(Storage& storage, const FileView& view, std::int64_t from, const View& memory,
                      const TransferHints& hints) {
  return ViewTransfer(storage, view, from, memory, hints).read();
}

}  // namespace remit
