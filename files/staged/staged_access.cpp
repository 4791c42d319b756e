// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/staged_access.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>

#include "files/file_core.hpp"

namespace remit {

namespace {

// Words are read in another interval between meetings than they are written in, and meetings order
// them; so no order is asked for here.
constexpr auto kUnordered = std::memory_order_relaxed;

}  // namespace

StagedAccess::StagedAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
                           const CollectivePlan& plan)
    : SharedAccess(staging, file, access, plan), own_bytes_(access.bytes()) {}

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
      if (before >= 0) take_share(before);
    }
  } catch (const std::bad_alloc&) {  // only words of an error need memory
    outcome_ = tl::unexpected(Error{MPI_ERR_NO_MEM, {}});
  }
  // Nobody looks at it any more, and the next to use it meet before that.
  if (before >= 0 && staging_.owned() >= 0) {
    staging_.memory().word(number(before) + 2, staging_.owned()).given.store(0, kUnordered);
  }
  next_ = steps_ <= cycles_ ? Next::meeting : Next::end;
}

void StagedAccess::break_off(const Error& error) {
  tell_error(error);
  next_ = Next::end;
}

std::int64_t StagedAccess::finish(bool all_well) {
  staging_.take_cycles(static_cast<std::uint64_t>(cycles_));
  if (writes() && !all_well) note_stops(cycles_ - 1, true);
  return std::min(own_bytes_, below(stopped_));
}

// Writes.

void StagedAccess::put(std::int64_t cycle) {
  if (put_share(cycle).bytes == 0) return;
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const std::int64_t bytes = share_of(plan_.slice_of(cycle, owner)).bytes;
    if (bytes != 0) staging_.memory().word(number(cycle), owner).given.fetch_add(bytes, kUnordered);
  }
}

/// All have put what they have into the window, and the owners have written the one before it.
void StagedAccess::look_at_puts(std::int64_t cycle) {
  if (cycle > 0) note_stops(cycle - 1, true);
  is_stopped_ = stopped_ != SliceWord::kNowhere;
  bool any = false;
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const std::int64_t length = plan_.slice_of(cycle, owner).length;
    const bool full = staging_.memory().word(number(cycle), owner).given.load(kUnordered) == length;
    is_full_[static_cast<std::size_t>(owner)] = full;
    any = any || (full && length != 0);
  }
  goes_on_alone_ = !any;
  if (is_stopped_ || goes_on_alone_) cycles_ = cycle + 1;
}

void StagedAccess::write_out(std::int64_t cycle) {
  const int owned = staging_.owned();
  const bool owns = owned >= 0 && owned < plan_.owners;
  if (owns) tell_stop(cycle, owned, {}, {});
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

void StagedAccess::write_slice(std::int64_t cycle, FileRun slice) {
  const auto lock = lock_slice(slice);
  if (!lock) return tell_stop(cycle, staging_.owned(), lock.error(), slice);
  const std::span<const std::byte> memory = slice_memory(cycle, slice);
  const Transferred moved = file_.storage->write(slice.offset, memory);
  tell_stop(cycle, staging_.owned(), moved, slice);
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
  tell_stop(cycle, owned, moved, slice);
  file_.counters.owner_read.add(moved.bytes);
}

}  // namespace remit
