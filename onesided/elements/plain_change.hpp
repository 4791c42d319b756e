// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The short ways of accumulates: elements that are one block, one after the other, in memory that
// is mapped here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "datatype/reductions.hpp"
#include "onesided/memory/control.hpp"
#include "onesided/memory/granule.hpp"

namespace remit {

/// Where they are. A value, good as long as the window is.
struct PlainElements {
  std::byte* at = nullptr;             ///< in this process; null: they are not so simple
  std::uint64_t address = 0;           ///< in the member's process, by which granules are numbered
  MemberControl* member = nullptr;     ///< whose they are; null: a member of another host
  std::uint32_t self = 0;              ///< 1 + the index of this process among those of the host
  const HolderWatch* watch = nullptr;  ///< of those who hold a granule

  [[nodiscard]] bool is_here() const { return at != nullptr && member != nullptr; }
};

/// Calls change(at) under the granule's lock, if all the bytes are in one that nobody is in. False:
/// nothing was done.
template <class Change>
[[nodiscard, gnu::always_inline]] inline bool change_at_once(const PlainElements& elements,
                                                             std::size_t bytes, Change&& change) {
  if (elements.address % kGranuleBytes + bytes > kGranuleBytes) [[unlikely]]
    return false;
  GranuleLock& lock = elements.member->granules[granule_lock_of(elements.address)];
  if (!try_lock(lock, elements.self)) [[unlikely]]
    return false;
  change(elements.at);
  unlock(lock);
  return true;
}

/// What is done to elements.
struct PlainChange {
  ReductionKernel kernel = nullptr;   ///< null: MPI_REPLACE, or MPI_NO_OP, which has no origin
  const std::byte* origin = nullptr;  ///< null: they stay as they are
  std::byte* result = nullptr;        ///< what they were before; null: nobody wants that
};

/// Changes `count` elements of so many bytes, granule by granule. False: somebody is in the first
/// one, or elements lie across two, and nothing was done; or the holder of one has ended with it,
/// and the elements are what they are. Then accumulate() does it or says what is wrong.
[[nodiscard]] bool change_plain(const PlainElements& elements, std::size_t element_bytes,
                                std::size_t count, const PlainChange& change);

/// The swap of MPI_Compare_and_swap, of one word.
template <class Word>
[[nodiscard, gnu::always_inline]] inline bool swap_at_once(const PlainElements& elements,
                                                           const void* replacement,
                                                           const void* compare, void* result) {
  Word before{};
  const bool done = change_at_once(elements, sizeof(Word), [&](std::byte* at) {
    Word wanted;
    std::memcpy(&before, at, sizeof(Word));
    std::memcpy(&wanted, compare, sizeof(Word));
    if (before == wanted) std::memcpy(at, replacement, sizeof(Word));
  });
  if (done) [[likely]]
    std::memcpy(result, &before, sizeof(Word));
  return done;
}

}  // namespace remit
