// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Ranges of addresses and of whole pages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace remit {

/// The bytes [begin, end).
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin >= end; }
  [[nodiscard]] constexpr bool contains(AddressRange other) const {
    return begin <= other.begin && other.end <= end;
  }
  [[nodiscard]] constexpr bool overlaps(AddressRange other) const {
    return begin < other.end && other.begin < end;
  }
  constexpr bool operator==(const AddressRange&) const = default;
};

/// Bytes of a page of this machine.
[[nodiscard]] std::size_t page_bytes();

/// The pages that [address, address + length) touches, and no other; at least one.
[[nodiscard]] AddressRange pages_of(const void* address, std::size_t length);

}  // namespace remit
