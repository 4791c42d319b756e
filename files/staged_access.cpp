// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged_access.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "datatype/view_copy.hpp"
#include "files/file_core.hpp"

namespace remit {

namespace {

// Words are read in another interval between meetings than they are written in, and meetings order
// them; so no order is asked for here.
constexpr auto kUnordered = std::memory_order_relaxed;

}  // namespace

StagedAccess::StagedAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
                           const CollectivePlan& plan)
    : staging_(staging),
      file_(file),
      access_(access),
      plan_(plan),
      first_cycle_(staging.next_cycle()),
      cycles_(plan.cycles()),
      is_full_(static_cast<std::size_t>(plan.owners)),
      own_bytes_(access.bytes()) {}

void StagedAccess::step() noexcept {
  const std::int64_t now = steps_++;
  const std::int64_t before = now - 1;
  try {
    if (writes()) {
      if (before >= 0) look_at_puts(before);
      if (before >= 0) write_out(before);
      if (now < cycles_) put(now);
    } else {
      if (before >= 0) look_at_fills(before);
      if (now < cycles_) fill(now);
      if (before >= 0) take(before);
    }
  } catch (const std::bad_alloc&) {  // only words of an error need memory
    outcome_ = tl::unexpected(Error{MPI_ERR_NO_MEM, {}});
  }
  // Nobody looks at it any more, and the next to use it meet before that.
  if (before >= 0 && staging_.owned() >= 0) {
    staging_.word(number(before) + 2, staging_.owned()).given.store(0, kUnordered);
  }
}

std::int64_t StagedAccess::finish(bool all_well) {
  staging_.take_cycles(static_cast<std::uint64_t>(cycles_));
  if (writes() && !all_well) note_stops(cycles_ - 1, true);
  return std::min(own_bytes_, below(stopped_));
}

/// How many bytes of the access lie below an offset of the file.
std::int64_t StagedAccess::below(std::int64_t offset) const {
  const std::int64_t bytes = access_.bytes();
  if (bytes == 0 || offset == SliceWord::kNowhere) return bytes;
  const std::int64_t in_view = access_.seen->view.bytes_below(offset);
  return std::clamp<std::int64_t>(in_view - access_.from, 0, bytes);
}

StagedAccess::Share StagedAccess::share_of(FileRun run) const {
  const std::int64_t first = below(run.offset);
  return {first, below(run.offset + run.length) - first};
}

/// The window as the memory that the view sees.
View StagedAccess::window_view(std::int64_t cycle) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(staging_.window(number(cycle)));
  const auto offset = static_cast<std::uintptr_t>(plan_.window_begin(cycle));
  return access_.seen->view.in_memory(begin - offset);
}

std::span<std::byte> StagedAccess::slice_memory(std::int64_t cycle, FileRun slice) const {
  std::byte* const window = staging_.window(number(cycle));
  return {window + (slice.offset - plan_.window_begin(cycle)),
          static_cast<std::size_t>(slice.length)};
}

void StagedAccess::note_stops(std::int64_t cycle, bool failures_only) {
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const SliceWord& word = staging_.word(number(cycle), owner);
    if (failures_only && word.failed.load(kUnordered) == 0) continue;
    stopped_ = std::min(stopped_, word.stopped.load(kUnordered));
  }
}

/// What came of the slice that this member owns.
void StagedAccess::tell_stop(std::int64_t cycle, const Transferred& moved, FileRun slice) {
  SliceWord& word = staging_.word(number(cycle), staging_.owned());
  const bool is_whole = moved.bytes == slice.length && moved.error_number == 0;
  word.stopped.store(is_whole ? SliceWord::kNowhere : slice.offset + moved.bytes, kUnordered);
  word.failed.store(moved.error_number, kUnordered);
  if (moved.error_number != 0) tell_error(moved, slice.length);
}

/// The first one counts.
void StagedAccess::tell_error(const Transferred& moved, std::int64_t asked) {
  if (!outcome_) return;
  const Error error = error_of(moved, access_.kind, file_.path, asked);
  outcome_ = fail(error.code, "rank {}, {}", file_.comm.rank, error.message);
}

// Writes.

void StagedAccess::put(std::int64_t cycle) {
  const Share share = share_of(plan_.window(cycle));
  if (share.bytes == 0) return;
  copy_between(access_.memory, static_cast<std::size_t>(share.at), window_view(cycle),
               static_cast<std::size_t>(access_.from + share.at),
               static_cast<std::size_t>(share.bytes));
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const std::int64_t bytes = share_of(plan_.slice_of(cycle, owner)).bytes;
    if (bytes != 0) staging_.word(number(cycle), owner).given.fetch_add(bytes, kUnordered);
  }
  file_.counters.shared_given.add(share.bytes);
}

/// All have put what they have into the window, and the owners have written the one before it.
void StagedAccess::look_at_puts(std::int64_t cycle) {
  if (cycle > 0) note_stops(cycle - 1, true);
  is_stopped_ = stopped_ != SliceWord::kNowhere;
  bool any = false;
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const std::int64_t length = plan_.slice_of(cycle, owner).length;
    const bool full = staging_.word(number(cycle), owner).given.load(kUnordered) == length;
    is_full_[static_cast<std::size_t>(owner)] = full;
    any = any || (full && length != 0);
  }
  goes_on_alone_ = !any;
  if (is_stopped_ || goes_on_alone_) cycles_ = cycle + 1;
}

void StagedAccess::write_out(std::int64_t cycle) {
  const int owned = staging_.owned();
  const bool owns = owned >= 0 && owned < plan_.owners;
  if (owns) tell_stop(cycle, {}, {});
  if (is_stopped_) return;
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const FileRun slice = plan_.slice_of(cycle, owner);
    if (!is_full_[static_cast<std::size_t>(owner)]) {
      write_own(slice);
    } else if (owner == owned) {
      write_slice(cycle, slice);
    }
  }
  if (!goes_on_alone_) return;
  const FileRun window = plan_.window(cycle);
  const std::int64_t behind = window.offset + window.length;
  write_own({behind, plan_.end - behind});
}

/// Others who change what lies between their bytes lock that (romio_ds_write).
void StagedAccess::write_slice(std::int64_t cycle, FileRun slice) {
  Storage& storage = *file_.storage;
  const std::span<const std::byte> memory = slice_memory(cycle, slice);
  std::optional<RangeLock> lock;
  if (file_.transfer_hints.read_modify_write && slice.length != 0) {
    auto taken = storage.lock_or_errno(slice.offset, slice.length, true);
    if (!taken) return tell_stop(cycle, {0, taken.error(), slice.offset}, slice);
    lock = std::move(*taken);
  }
  const Transferred moved = storage.write(slice.offset, memory);
  tell_stop(cycle, moved, slice);
  file_.counters.owner_written.add(moved.bytes);
}

/// What this member has in a part of the file.
void StagedAccess::write_own(FileRun run) {
  const Share share = share_of(run);
  if (share.bytes == 0 || own_bytes_ < share.at) return;
  const Transferred moved =
      write_view_part(*file_.storage, access_.seen->view, access_.from, access_.memory,
                      {share.at, share.bytes}, file_.transfer_hints);
  if (moved.error_number == 0) return;
  own_bytes_ = share.at + moved.bytes;
  tell_error(moved, share.bytes);
}

// Reads.

void StagedAccess::fill(std::int64_t cycle) {
  const int owned = staging_.owned();
  if (owned < 0 || owned >= plan_.owners) return;
  const FileRun slice = plan_.slice_of(cycle, owned);
  const Transferred moved = file_.storage->read(slice.offset, slice_memory(cycle, slice));
  tell_stop(cycle, moved, slice);
  file_.counters.owner_read.add(moved.bytes);
}

void StagedAccess::look_at_fills(std::int64_t cycle) {
  note_stops(cycle, false);
  if (stopped_ != SliceWord::kNowhere) cycles_ = cycle + 1;
}

void StagedAccess::take(std::int64_t cycle) {
  const FileRun window = plan_.window(cycle);
  const std::int64_t end = std::min(window.offset + window.length, stopped_);
  if (end <= window.offset) return;
  const Share share = share_of({window.offset, end - window.offset});
  if (share.bytes == 0) return;
  copy_between(window_view(cycle), static_cast<std::size_t>(access_.from + share.at),
               access_.memory, static_cast<std::size_t>(share.at),
               static_cast<std::size_t>(share.bytes));
  file_.counters.shared_taken.add(share.bytes);
}

}  // namespace remit
