// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages of one member in accesses whose data interleave between hosts.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "pt2pt/request.hpp"

namespace remit {

/// A message between two members of a file, in the course of an access. Whoever has the access
/// sends and receives.
struct FileLetter {
  int rank = 0;  ///< of the other one
  int tag = 0;
  bool is_sent = false;
  std::span<std::byte> memory;     ///< what is sent, or room for what comes
  std::size_t received = 0;        ///< bytes; 0 if they did not come
  bool is_posted = false;          ///< or given up; else there has been no memory for it yet
  std::optional<Request> request;  ///< while it is under way
};

/// Letters that are under way at once. Nothing moves in memory.
class LetterList {
 public:
  /// Room for so many, once. Throws std::bad_alloc.
  void reserve(std::size_t most) { room_ = std::vector<FileLetter>(most); }
  [[nodiscard]] std::span<FileLetter> all() { return std::span(room_).first(count_); }
  void add(int rank, int tag, bool is_sent, std::span<std::byte> memory) {
    assert(count_ < room_.size());
    FileLetter& letter = room_[count_++];
    letter.rank = rank;
    letter.tag = tag;
    letter.is_sent = is_sent;
    letter.memory = memory;
  }
  void clear() { count_ = 0; }

 private:
  std::vector<FileLetter> room_;
  std::size_t count_ = 0;
};

/// Memory for a message, which is made once.
class LetterMemory {
 public:
  /// What it has is lost. Empty: there is no memory.
  [[nodiscard]] std::span<std::byte> make_room(std::size_t bytes) {
    length_ = 0;
    if (room_ < bytes) {
      memory_.reset();
      memory_.reset(new (std::nothrow) std::byte[bytes]);
      room_ = memory_ == nullptr ? 0 : bytes;
    }
    return {memory_.get(), std::min(room_, bytes)};
  }
  void set_length(std::size_t bytes) { length_ = bytes; }
  [[nodiscard]] std::span<std::byte> content() { return {memory_.get(), length_}; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t room_ = 0;
  std::size_t length_ = 0;
};

/// With whom a member exchanges what, in the access that is under way. Where the lists are is made
/// before any access: a member that had no memory for them would leave the others waiting.
struct SpreadLetters {
  /// A slice of another host's owner, to whom this member sends what its own host has of it.
  struct AwaySlice {
    int slice;
    int owner;  ///< rank
    LetterMemory to_owner;
    LetterMemory from_owner;
  };
  /// Another host, a member of which sends what that has of the slice that this member owns.
  struct Guest {
    int sender;  ///< rank
    LetterMemory from_host;
    LetterMemory to_host;
  };

  /// Throws std::bad_alloc.
  void reserve(int slices, int hosts) {
    away.reserve(static_cast<std::size_t>(slices));
    guests.reserve(static_cast<std::size_t>(hosts));
    const auto most = static_cast<std::size_t>(slices) + static_cast<std::size_t>(hosts);
    letters.reserve(most);
    expected.reserve(most);
  }
  /// Of the next access.
  void clear() {
    away.clear();
    guests.clear();
    letters.clear();
    expected.clear();
  }

  std::vector<AwaySlice> away;
  std::vector<Guest> guests;
  LetterList letters;
  std::vector<LetterMemory*> expected;  ///< where those come that are received
};

}  // namespace remit
