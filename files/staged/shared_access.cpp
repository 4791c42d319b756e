// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/shared_access.hpp"

#include <algorithm>
#include <atomic>

#include "datatype/view_copy.hpp"
#include "files/file_core.hpp"

namespace remit {

namespace {

// Words are read in another interval between meetings than they are written in, and meetings order
// them; so no order is asked for here.
constexpr auto kByMeetings = std::memory_order_relaxed;

}  // namespace

SharedAccess::SharedAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
                           const CollectivePlan& plan)
    : staging_(staging),
      file_(file),
      access_(access),
      plan_(plan),
      first_cycle_(staging.next_cycle()),
      cycles_(plan.cycles()) {}

/// How many bytes of the access lie below an offset of the file.
std::int64_t SharedAccess::below(std::int64_t offset) const {
  const std::int64_t bytes = access_.bytes();
  if (bytes == 0 || offset == SliceWord::kNowhere) return bytes;
  const std::int64_t in_view = access_.seen->view.bytes_below(offset);
  return std::clamp<std::int64_t>(in_view - access_.from, 0, bytes);
}

SharedAccess::Share SharedAccess::share_of(FileRun run) const {
  const std::int64_t first = below(run.offset);
  return {first, below(run.offset + run.length) - first};
}

/// The window as the memory that the view sees.
View SharedAccess::window_view(std::int64_t cycle) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(staging_.memory().window(number(cycle)));
  const auto offset = static_cast<std::uintptr_t>(plan_.window_begin(cycle));
  return access_.seen->view.in_memory(begin - offset);
}

std::span<std::byte> SharedAccess::slice_memory(std::int64_t cycle, FileRun slice) const {
  std::byte* const window = staging_.memory().window(number(cycle));
  return {window + (slice.offset - plan_.window_begin(cycle)),
          static_cast<std::size_t>(slice.length)};
}

void SharedAccess::note_stops(std::int64_t cycle, bool failures_only) {
  for (int owner = 0; owner < plan_.owners; ++owner) {
    const SliceWord& word = staging_.memory().word(number(cycle), owner);
    if (failures_only && word.failed.load(kByMeetings) == 0) continue;
    stopped_ = std::min(stopped_, word.stopped.load(kByMeetings));
  }
}

void SharedAccess::tell_stop(std::int64_t cycle, int owner, const Transferred& moved,
                             FileRun slice) {
  SliceWord& word = staging_.memory().word(number(cycle), owner);
  const bool is_whole = moved.bytes == slice.length && moved.error_number == 0;
  word.stopped.store(is_whole ? SliceWord::kNowhere : slice.offset + moved.bytes, kByMeetings);
  word.failed.store(moved.error_number, kByMeetings);
  if (moved.error_number != 0) tell_error(moved, slice.length);
}

void SharedAccess::tell_error(const Transferred& moved, std::int64_t asked) {
  if (outcome_) tell_error(error_of(moved, access_.kind, file_.path, asked));
}

/// The first one counts.
void SharedAccess::tell_error(const Error& error) {
  if (!outcome_) return;
  if (error.message.empty()) {  // there is no memory for words
    outcome_ = tl::unexpected(Error{error.code, {}});
    return;
  }
  outcome_ = fail(error.code, "rank {}, {}", file_.comm.rank, error.message);
}

tl::expected<std::optional<RangeLock>, Transferred> SharedAccess::lock_slice(FileRun slice) {
  if (!file_.transfer_hints.read_modify_write || slice.length == 0) return std::nullopt;
  auto taken = file_.storage->lock_or_errno(slice.offset, slice.length, true);
  if (!taken) return tl::unexpected(Transferred{0, taken.error(), slice.offset});
  return std::move(*taken);
}

SharedAccess::Share SharedAccess::put_share(std::int64_t cycle) {
  const Share share = share_of(plan_.window(cycle));
  if (share.bytes == 0) return share;
  copy_between(access_.memory, static_cast<std::size_t>(share.at), window_view(cycle),
               static_cast<std::size_t>(access_.from + share.at),
               static_cast<std::size_t>(share.bytes));
  file_.counters.shared_given.add(share.bytes);
  return share;
}

void SharedAccess::take_share(std::int64_t cycle) {
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

void SharedAccess::look_at_fills(std::int64_t cycle) {
  note_stops(cycle, false);
  if (stopped_ != SliceWord::kNowhere) cycles_ = cycle + 1;
}

}  // namespace remit
