// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/slice_message.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Words of marks that a slice has a part of.
std::size_t words_about(FileRun slice) {
  if (slice.length == 0) return 0;
  const std::int64_t first = slice.offset / ByteMarks::kBits;
  return static_cast<std::size_t>(ByteMarks::words_of(slice.offset + slice.length) - first);
}

/// What is behind a run in what it was found in.
FileRun behind(FileRun within, FileRun run) {
  const std::int64_t at = run.offset + run.length;
  return {at, within.offset + within.length - at};
}

}  // namespace

std::size_t SliceMessage::most_bytes(std::int64_t slice, bool with_content) {
  const auto words = static_cast<std::size_t>(ByteMarks::words_of(slice)) + 1;
  const auto content = static_cast<std::size_t>(with_content ? slice : 0);
  return kHead + words * sizeof(std::uint64_t) + content;
}

std::size_t SliceMessage::make(const ByteMarks& marks, FileRun slice, const std::byte* window,
                               std::span<std::byte> out) {
  static_assert(sizeof(Place) == sizeof(std::uint64_t));
  const std::size_t most = words_about(slice);
  std::byte* const places = out.data() + kHead;
  Head head{0, 0};
  for (FileRun rest = slice; rest.length > 0;) {
    const FileRun run = marks.next(rest);
    if (run.length == 0) break;
    const auto number = static_cast<std::size_t>(head.places);
    if (number < most) {
      const Place place{static_cast<std::uint32_t>(run.offset - slice.offset),
                        static_cast<std::uint32_t>(run.length)};
      std::memcpy(places + number * sizeof place, &place, sizeof place);
    }
    ++head.places;
    head.bytes += run.length;
    rest = behind(rest, run);
  }
  std::size_t length = kHead + static_cast<std::size_t>(head.places) * sizeof(Place);
  if (static_cast<std::size_t>(head.places) > most) {
    const std::size_t first = static_cast<std::size_t>(slice.offset / ByteMarks::kBits);
    std::memcpy(places, marks.words().data() + first, most * sizeof(std::uint64_t));
    head.places = kAsBits;
    length = kHead + most * sizeof(std::uint64_t);
  }
  std::memcpy(out.data(), &head, sizeof head);
  for (FileRun rest = slice; window != nullptr && rest.length > 0;) {
    const FileRun run = marks.next(rest);
    if (run.length == 0) break;
    copy_bytes(out.data() + length, window + run.offset, static_cast<std::size_t>(run.length));
    length += static_cast<std::size_t>(run.length);
    rest = behind(rest, run);
  }
  return length;
}

/// The places are in the slice, in order, and as many bytes as the message says.
bool SliceMessage::is_right() const {
  std::int64_t bytes = 0;
  std::int64_t end = slice_.offset;
  bool ascends = true;
  for_each_run([&](FileRun run) {
    ascends = ascends && run.offset >= end;
    end = run.offset + run.length;
    bytes += run.length;
  });
  return ascends && end <= slice_.offset + slice_.length && bytes == bytes_;
}

std::optional<SliceMessage> SliceMessage::read(std::span<std::byte> message, FileRun slice) {
  Head head{};
  if (message.size() < kHead) return std::nullopt;
  std::memcpy(&head, message.data(), sizeof head);
  const bool as_bits = head.places == kAsBits;
  const std::size_t words = words_about(slice);
  const auto places = as_bits ? words : static_cast<std::size_t>(head.places);
  if (places > words || message.size() < kHead + places * sizeof(Place)) return std::nullopt;
  SliceMessage read;
  read.slice_ = slice;
  read.bytes_ = head.bytes;
  std::byte* const begin = message.data() + kHead;
  if (as_bits) {
    read.bits_ = ByteMarks({reinterpret_cast<std::uint64_t*>(begin), words});
  } else {
    read.list_ = {reinterpret_cast<const Place*>(begin), places};
  }
  read.content_ = message.subspan(kHead + places * sizeof(Place));
  if (!read.is_right()) return std::nullopt;
  if (!read.content_.empty() && static_cast<std::int64_t>(read.content_.size()) != head.bytes) {
    return std::nullopt;
  }
  return read;
}

}  // namespace remit
