// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One member's part of a collective access whose data interleave between hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "files/staged/byte_marks.hpp"
#include "files/staged/shared_access.hpp"
#include "files/staged/slice_message.hpp"
#include "files/staged/spread_letters.hpp"

namespace remit {

/// The windows of all hosts lie over the same part of the file in each cycle, and each slice of it
/// has one owner, on one of the hosts. What the other hosts have of a slice, or want of it, they
/// mark in their windows, and a member of each sends the owner one message. So the owner knows of
/// each byte whether it was given: nothing is written that nobody gave.
///
/// Who loses touch with a member plays its part to the end, with empty messages: the others have
/// lost nobody but that one.
class SpreadAccess : public SharedAccess {
 public:
  [[nodiscard]] std::span<FileLetter> letters() override { return lists_.letters.all(); }
  void break_off(const Error& error) override;
  /// Who has written a slice, or has lost touch, alone knows what became of it.
  [[nodiscard]] bool tells_all() const override { return true; }

 protected:
  SpreadAccess(FileStaging& staging, FileCore& file, const DataAccess& access,
               const CollectivePlan& plan);

  using AwaySlice = SpreadLetters::AwaySlice;
  using Guest = SpreadLetters::Guest;
  /// A slice of a cycle as a place of the window.
  [[nodiscard]] FileRun place_of(std::int64_t cycle, FileRun slice) const {
    return {slice.offset - plan_.window_begin(cycle), slice.length};
  }
  [[nodiscard]] ByteMarks marks(std::int64_t cycle) const {
    return staging_.memory().marks(number(cycle));
  }
  [[nodiscard]] std::byte* window(std::int64_t cycle) const {
    return staging_.memory().window(number(cycle));
  }
  /// What this member owns of a cycle; nothing, perhaps.
  [[nodiscard]] FileRun own_slice(std::int64_t cycle) const;
  /// Marks the bytes that this member has in a part of the file.
  void mark(std::int64_t cycle, Share share);

  /// Messages to the owners of other hosts' slices, with the bytes or without, and room for those
  /// of the other hosts; the marks go.
  void write_to_owners(std::int64_t cycle, bool with_bytes);
  void send(LetterMemory& parcel, int rank, int tag);
  void expect(LetterMemory& parcel, std::size_t bytes, int rank, int tag);
  /// When letters have come, in the order in which they were expected.
  void take_lengths();
  /// What did not come, or makes no sense.
  void lose(int rank);
  /// Of what a member that has lost touch had, nothing is sure to have been moved.
  void end_here();
  /// As many cycles as keep the order of words (see StagedAccess).
  void take_cycles();

  /// A member who loses touch moves nothing any more.
  [[nodiscard]] bool is_broken() const { return is_broken_; }
  SpreadLetters& lists_;
  int own_ = -1;  ///< the slice that this member owns; -1: none
  std::int64_t cycle_ = 0;

 private:
  bool is_broken_ = false;
};

class SpreadWrite final : public SpreadAccess {
 public:
  SpreadWrite(FileStaging& staging, FileCore& file, const DataAccess& access,
              const CollectivePlan& plan)
      : SpreadAccess(staging, file, access, plan) {}

  void step() noexcept override;
  [[nodiscard]] std::int64_t finish(bool all_well) override;

 private:
  void put(std::int64_t cycle);
  void gather(std::int64_t cycle, FileRun slice);
  void write_out(std::int64_t cycle);
  void write_runs(std::int64_t cycle, FileRun slice);
};

class SpreadRead final : public SpreadAccess {
 public:
  SpreadRead(FileStaging& staging, FileCore& file, const DataAccess& access,
             const CollectivePlan& plan)
      : SpreadAccess(staging, file, access, plan) {}

  void step() noexcept override;
  [[nodiscard]] std::int64_t finish(bool all_well) override;

 private:
  enum class Phase : std::uint8_t { want, ask, fill, spread };
  /// How a reply begins, with what came of the slice. The bytes that were asked for follow, as many
  /// of them as there are.
  struct ReplyHead {
    std::int64_t stopped;
    std::int64_t failed;
  };

  void advance();
  void want(std::int64_t cycle);
  void fill(std::int64_t cycle);
  void answer(std::int64_t cycle, Guest& guest, const Transferred& moved);
  void spread(std::int64_t cycle);
  void take_answer(std::int64_t cycle, AwaySlice& away, FileRun slice);

  Phase phase_ = Phase::want;
};

}  // namespace remit
