// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory that the members of a window on one host share: their control words, the table of all
// members, and, of windows that Remit allocates, the memory itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "onesided/control.hpp"

namespace remit {

/// A member's view of it. Its first member has allocated it on its shared heap; a process that has
/// it mapped keeps that when the owner ends. Where no memory can be shared each member has a
/// segment of its own, with one member.
class HostSegment {
 public:
  /// Gives the memory back; the owner's. Null: this process does not own it.
  using Owner = std::shared_ptr<void>;

  HostSegment(std::byte* begin, Owner owner, std::uint32_t members, std::uint32_t index,
              std::size_t table_entries)
      : begin_(begin),
        owner_(std::move(owner)),
        members_(members),
        index_(index),
        table_entries_(table_entries) {}

  /// Bytes of control words and table: the members' memory begins at the next page.
  [[nodiscard]] static std::size_t head_bytes(std::uint32_t members, std::size_t table_entries) {
    return members * sizeof(MemberControl) + table_entries * sizeof(MemberEntry);
  }

  /// Members of the window on this host, and which of them this process is.
  [[nodiscard]] std::uint32_t members() const { return members_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] MemberControl& control(std::uint32_t index) const {
    return reinterpret_cast<MemberControl*>(begin_)[index];
  }
  /// One entry for each member of the window, by rank.
  [[nodiscard]] MemberEntry* table() const {
    return reinterpret_cast<MemberEntry*>(begin_ + members_ * sizeof(MemberControl));
  }
  [[nodiscard]] std::size_t table_entries() const { return table_entries_; }
  [[nodiscard]] std::byte* memory(std::uint64_t offset) const { return begin_ + offset; }

 private:
  std::byte* begin_;
  Owner owner_;
  std::uint32_t members_;
  std::uint32_t index_;
  std::size_t table_entries_;
};

}  // namespace remit
