// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/spread_access.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "files/file_core.hpp"
#include "files/views/view_runs.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

// Messages of one member to another follow each other, so a number for each slice and direction
// tells them apart.
int tag_to_owner(int slice) {
  return 2 * slice;
}
int tag_from_owner(int slice) {
  return 2 * slice + 1;
}

/// What a step could not do for want of memory fails the access; the others are not kept waiting.
template <class Work>
bool has_memory_for(Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

/// Where there is none for words either.
Error no_memory_left() {
  return {MPI_ERR_NO_MEM, {}};
}

}  // namespace

SpreadAccess::SpreadAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
                           const CollectivePlan& plan)
    : SharedAccess(staging, file, access, plan), lists_(staging.letters()) {
  lists_.clear();
  const HostOwners& owners = staging.owners();
  const int me = file.comm.rank;
  const int host = owners.host_of(me);
  for (int slice = 0; slice < plan.owners; ++slice) {
    const HostOwners::Owner& owner = owners.in_turn(slice);
    if (owner.rank == me) own_ = slice;
    if (owner.host == host || owners.sender(host, slice) != me) continue;
    lists_.away.push_back({slice, owner.rank, {}, {}});
  }
  for (int other = 0; own_ >= 0 && other < owners.hosts(); ++other) {
    if (other != host) lists_.guests.push_back({owners.sender(other, own_), {}, {}});
  }
}

FileRun SpreadAccess::own_slice(std::int64_t cycle) const {
  return own_ < 0 ? FileRun() : plan_.slice_of(cycle, own_);
}

void SpreadAccess::mark(std::int64_t cycle, Share share) {
  ByteMarks marks = this->marks(cycle);
  const std::int64_t begin = plan_.window_begin(cycle);
  for_each_run(access_.seen->view, access_.from + share.at, share.bytes, [&](const FileRun& run) {
    marks.mark({run.offset - begin, run.length});
  });
}

void SpreadAccess::break_off(const Error& error) {
  tell_error(error);
  is_broken_ = true;
}

void SpreadAccess::lose(int rank) {
  try {
    break_off(
        {MPI_ERR_OTHER, fmt::format("{}: nothing of use came from rank {}", kLostTouch, rank)});
  } catch (const std::bad_alloc&) {  // then without words: the others are still to be answered
    break_off({MPI_ERR_OTHER, {}});
  }
}

void SpreadAccess::end_here() {
  next_ = Next::end;
  if (is_broken()) stopped_ = plan_.begin;
}

void SpreadAccess::take_cycles() {
  staging_.take_cycles((static_cast<std::uint64_t>(cycles_) + StagingMemory::kWordSets - 1) /
                       StagingMemory::kWordSets * StagingMemory::kWordSets);
}

void SpreadAccess::send(LetterMemory& parcel, int rank, int tag) {
  lists_.letters.add(rank, tag, true, parcel.content());
}

void SpreadAccess::expect(LetterMemory& parcel, std::size_t bytes, int rank, int tag) {
  const std::span<std::byte> room = parcel.make_room(bytes);
  if (room.empty()) break_off(no_memory_left());
  lists_.letters.add(rank, tag, false, room);
  lists_.expected.push_back(&parcel);
}

void SpreadAccess::take_lengths() {
  std::size_t next = 0;
  for (const FileLetter& letter : lists_.letters.all()) {
    if (!letter.is_sent) lists_.expected[next++]->set_length(letter.received);
  }
  lists_.letters.clear();
  lists_.expected.clear();
}

void SpreadAccess::write_to_owners(std::int64_t cycle, bool with_bytes) {
  ByteMarks marks = this->marks(cycle);
  for (AwaySlice& away : lists_.away) {
    const FileRun slice = place_of(cycle, plan_.slice_of(cycle, away.slice));
    if (slice.length == 0) continue;
    const std::size_t most = SliceMessage::most_bytes(slice.length, with_bytes);
    const std::span<std::byte> room = away.to_owner.make_room(most);
    if (room.empty()) break_off(no_memory_left());
    if (!is_broken()) {
      const std::byte* const bytes = with_bytes ? window(cycle) : nullptr;
      away.to_owner.set_length(SliceMessage::make(marks, slice, bytes, room));
    }
    marks.clear(slice);
    send(away.to_owner, away.owner, tag_to_owner(away.slice));
  }
  const std::int64_t own = own_slice(cycle).length;
  if (own == 0) return;
  const std::size_t most = SliceMessage::most_bytes(own, with_bytes);
  for (Guest& guest : lists_.guests)
    expect(guest.from_host, most, guest.sender, tag_to_owner(own_));
}

// Writes.

void SpreadWrite::step() noexcept {
  if (next_ == Next::meeting) {  // all of the host have put what they have into the window
    write_to_owners(cycle_, true);
    next_ = Next::letters;
    return;
  }
  if (next_ == Next::letters) {
    take_lengths();
    if (!has_memory_for([this] { write_out(cycle_); })) break_off(no_memory_left());
    marks(cycle_).clear(place_of(cycle_, own_slice(cycle_)));
    ++cycle_;
  }
  if (cycle_ == cycles_) return end_here();
  next_ = Next::meeting;
  if (!is_broken()) put(cycle_);
}

/// What is not marked is not there.
void SpreadWrite::put(std::int64_t cycle) {
  if (!has_memory_for([&] { mark(cycle, put_share(cycle)); })) break_off(no_memory_left());
}

/// What the other hosts have of the own slice, into the window.
void SpreadWrite::gather(std::int64_t cycle, FileRun slice) {
  ByteMarks marks = this->marks(cycle);
  for (Guest& guest : lists_.guests) {
    const auto message = SliceMessage::read(guest.from_host.content(), slice);
    if (!message || static_cast<std::int64_t>(message->content().size()) != message->bytes()) {
      lose(guest.sender);
      continue;
    }
    const std::byte* bytes = message->content().data();
    message->for_each_run([&](FileRun run) {
      copy_bytes(window(cycle) + run.offset, bytes, static_cast<std::size_t>(run.length));
      bytes += run.length;
      marks.mark(run);
    });
    file_.counters.from_hosts.add(message->bytes());
  }
}

void SpreadWrite::write_out(std::int64_t cycle) {
  const FileRun slice = own_slice(cycle);
  if (slice.length == 0) return;
  gather(cycle, place_of(cycle, slice));
  if (is_broken() || stopped_ != SliceWord::kNowhere) return;
  const auto lock = lock_slice(slice);
  if (!lock) {
    stopped_ = slice.offset;
    return tell_error(lock.error(), slice.length);
  }
  write_runs(cycle, place_of(cycle, slice));
}

/// A slice without holes is one run.
void SpreadWrite::write_runs(std::int64_t cycle, FileRun slice) {
  const ByteMarks marks = this->marks(cycle);
  FileRun rest = slice;
  while (rest.length > 0) {
    const FileRun run = marks.next(rest);
    if (run.length == 0) return;
    const std::int64_t offset = plan_.window_begin(cycle) + run.offset;
    const Transferred moved = file_.storage->write(
        offset, std::span<const std::byte>(window(cycle) + run.offset,
                                           static_cast<std::size_t>(run.length)));
    file_.counters.owner_written.add(moved.bytes);
    if (moved.error_number != 0) {
      stopped_ = offset + moved.bytes;
      return tell_error(moved, run.length);
    }
    const std::int64_t behind = run.offset + run.length;
    rest = {behind, slice.offset + slice.length - behind};
  }
}

std::int64_t SpreadWrite::finish(bool all_well) {
  take_cycles();
  return all_well ? access_.bytes() : below(stopped_);
}

// Reads.

void SpreadRead::step() noexcept {
  if (next_ == Next::letters) take_lengths();
  if (!has_memory_for([this] { advance(); })) break_off(no_memory_left());
  switch (phase_) {
    case Phase::want:
      if (cycle_ == cycles_) return end_here();
      next_ = Next::meeting;
      phase_ = Phase::ask;
      break;
    case Phase::ask:
      next_ = Next::letters;
      phase_ = Phase::fill;
      break;
    case Phase::fill:
      next_ = Next::letters;
      phase_ = Phase::spread;
      break;
    case Phase::spread:
      ++cycle_;
      next_ = Next::meeting;
      phase_ = Phase::want;
  }
}

void SpreadRead::advance() {
  switch (phase_) {
    case Phase::want:
      // Who has lost touch cannot know where the others stop: only what was read says that.
      if (cycle_ > 0 && !is_broken()) {
        look_at_fills(cycle_ - 1);
        take_share(cycle_ - 1);
      }
      if (cycle_ < cycles_) want(cycle_);
      break;
    case Phase::ask:
      write_to_owners(cycle_, false);
      break;
    case Phase::fill:
      fill(cycle_);
      break;
    case Phase::spread:
      spread(cycle_);
  }
}

/// Of slices of other hosts.
void SpreadRead::want(std::int64_t cycle) {
  const HostOwners& owners = staging_.owners();
  const int host = owners.host_of(file_.comm.rank);
  for (int slice = 0; slice < plan_.owners; ++slice) {
    if (owners.in_turn(slice).host == host) continue;
    mark(cycle, share_of(plan_.slice_of(cycle, slice)));
  }
}

void SpreadRead::fill(std::int64_t cycle) {
  const FileRun slice = own_slice(cycle);
  if (own_ >= 0) {
    const Transferred moved = file_.storage->read(slice.offset, slice_memory(cycle, slice));
    tell_stop(cycle, own_, moved, slice);
    file_.counters.owner_read.add(moved.bytes);
    for (Guest& guest : lists_.guests) {
      if (slice.length != 0) answer(cycle, guest, moved);
    }
  }
  for (AwaySlice& away : lists_.away) {
    const FileRun wanted = place_of(cycle, plan_.slice_of(cycle, away.slice));
    if (wanted.length == 0) continue;
    const auto asked = SliceMessage::read(away.to_owner.content(), wanted);
    const std::int64_t bytes = asked ? asked->bytes() : 0;
    expect(away.from_owner, sizeof(ReplyHead) + static_cast<std::size_t>(bytes), away.owner,
           tag_from_owner(away.slice));
  }
}

void SpreadRead::answer(std::int64_t cycle, Guest& guest, const Transferred& moved) {
  const FileRun slice = own_slice(cycle);
  const FileRun place = place_of(cycle, slice);
  const auto asked = SliceMessage::read(guest.from_host.content(), place);
  if (!asked) lose(guest.sender);
  const std::int64_t bytes = asked ? asked->bytes() : 0;
  const std::span<std::byte> room =
      guest.to_host.make_room(sizeof(ReplyHead) + static_cast<std::size_t>(bytes));
  if (room.empty()) break_off(no_memory_left());
  if (!room.empty() && asked) {
    const bool is_whole = moved.bytes == slice.length && moved.error_number == 0;
    const ReplyHead head{is_whole ? SliceWord::kNowhere : slice.offset + moved.bytes,
                         moved.error_number};
    std::memcpy(room.data(), &head, sizeof head);
    std::byte* out = room.data() + sizeof head;
    const std::int64_t end = place.offset + moved.bytes;
    asked->for_each_run([&](FileRun run) {
      const std::int64_t there = std::clamp<std::int64_t>(end - run.offset, 0, run.length);
      if (there == 0) return;
      copy_bytes(out, window(cycle) + run.offset, static_cast<std::size_t>(there));
      out += there;
    });
    guest.to_host.set_length(static_cast<std::size_t>(out - room.data()));
  }
  send(guest.to_host, guest.sender, tag_from_owner(own_));
}

void SpreadRead::spread(std::int64_t cycle) {
  for (AwaySlice& away : lists_.away) {
    const FileRun slice = plan_.slice_of(cycle, away.slice);
    if (slice.length != 0) {
      take_answer(cycle, away, slice);
    } else {
      tell_stop(cycle, away.slice, {}, {});
    }
  }
}

void SpreadRead::take_answer(std::int64_t cycle, AwaySlice& away, FileRun slice) {
  const std::span<const std::byte> answer = away.from_owner.content();
  const auto asked = SliceMessage::read(away.to_owner.content(), place_of(cycle, slice));
  ReplyHead head{SliceWord::kNowhere, 0};
  if (!asked || answer.size() < sizeof head) {
    lose(away.owner);
  } else {
    std::memcpy(&head, answer.data(), sizeof head);
    std::span<const std::byte> rest = answer.subspan(sizeof head);
    asked->for_each_run([&](FileRun run) {
      const std::size_t there = std::min(rest.size(), static_cast<std::size_t>(run.length));
      if (there == 0) return;
      copy_bytes(window(cycle) + run.offset, rest.data(), there);
      rest = rest.subspan(there);
    });
    file_.counters.from_hosts.add(static_cast<std::int64_t>(answer.size() - sizeof head));
  }
  SliceWord& word = staging_.memory().word(number(cycle), away.slice);
  word.stopped.store(head.stopped, std::memory_order_relaxed);
  word.failed.store(head.failed, std::memory_order_relaxed);
}

std::int64_t SpreadRead::finish(bool /*all_well*/) {
  take_cycles();
  return below(stopped_);
}

}  // namespace remit
