// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/elements/plain_change.hpp"

#include <algorithm>

#include "runtime/copy.hpp"
#include "runtime/copy_time.hpp"

namespace remit {

namespace {

/// As copy_bytes(); most often it is one word.
[[gnu::always_inline]] inline void copy_elements(std::byte* to, const std::byte* from,
                                                 std::size_t bytes) {
  if (bytes != sizeof(std::uint64_t)) return copy_bytes(to, from, bytes);
  std::memcpy(to, from, sizeof(std::uint64_t));
}

[[gnu::always_inline]] inline void change_locked(std::byte* at, std::size_t bytes,
                                                 std::size_t count, const PlainChange& change) {
  if (change.result != nullptr) copy_elements(change.result, at, bytes);
  if (change.kernel != nullptr) {
    change.kernel(change.origin, at, count);
  } else if (change.origin != nullptr) {
    copy_elements(at, change.origin, bytes);
  }
}

/// Elements of many granules, none of which lies across two. False: the first one was not free.
[[gnu::noinline]] bool change_many(const PlainElements& elements, std::size_t element_bytes,
                                   std::size_t bytes, PlainChange change) {
  const TimedCopy time(bytes);
  std::uint64_t address = elements.address;
  std::byte* at = elements.at;
  while (bytes != 0) {
    GranuleLock& lock = elements.member->granules[granule_lock_of(address)];
    if (!try_lock(lock, elements.self)) {
      if (at == elements.at) return false;
      if (!wait_for_granule(lock, elements.self, elements.watch)) return false;
    }
    const std::size_t some = std::min<std::size_t>(bytes, kGranuleBytes - address % kGranuleBytes);
    change_locked(at, some, some / element_bytes, change);
    unlock(lock);
    if (change.origin != nullptr) change.origin += some;
    if (change.result != nullptr) change.result += some;
    at += some;
    address += some;
    bytes -= some;
  }
  return true;
}

}  // namespace

bool change_plain(const PlainElements& elements, std::size_t element_bytes, std::size_t count,
                  const PlainChange& change) {
  const std::size_t bytes = element_bytes * count;
  if (elements.address % kGranuleBytes + bytes <= kGranuleBytes) [[likely]] {
    return change_at_once(elements, bytes,
                          [&](std::byte* at) { change_locked(at, bytes, count, change); });
  }
  const bool is_aligned = (element_bytes & (element_bytes - 1)) == 0 &&
                          element_bytes <= kGranuleBytes && elements.address % element_bytes == 0;
  return is_aligned && change_many(elements, element_bytes, bytes, change);
}

}  // namespace remit
