// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory that the members of a window on one host share: their control words, the table of all
// members, and, of windows that Remit allocates, the memory itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "onesided/handover/delegation_slot.hpp"
#include "onesided/memory/control.hpp"

namespace remit {

/// A member's view of it. Its first member has allocated it on its shared heap; a process that has
/// it mapped keeps that when the owner ends. Where no memory can be shared each member has a
/// segment of its own, with one member.
class HostSegment {
 public:
  /// Gives the memory back; the owner's. Null: this process does not own it.
  using Owner = std::shared_ptr<void>;

  /// `has_slots`: there are slots behind the head.
  HostSegment(std::byte* begin, Owner owner, std::uint32_t members, std::uint32_t index,
              std::size_t table_entries, bool has_slots = false)
      : begin_(begin),
        owner_(std::move(owner)),
        members_(members),
        index_(index),
        table_entries_(table_entries),
        has_slots_(has_slots) {}

  /// Bytes of control words and table. The members' memory begins at the next page, or slots behind
  /// the head.
  [[nodiscard]] static std::size_t head_bytes(std::uint32_t members, std::size_t table_entries) {
    const std::size_t bytes = members * sizeof(MemberControl) + table_entries * sizeof(MemberEntry);
    return (bytes + kControlLine - 1) / kControlLine * kControlLine;
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
  /// Whether members can hand operations to each other: where each has memory of its own.
  [[nodiscard]] bool has_slots() const { return has_slots_; }
  [[nodiscard]] DelegationSlot& slot(std::uint32_t index) const {
    return reinterpret_cast<DelegationSlot*>(begin_ + head_bytes(members_, table_entries_))[index];
  }
  [[nodiscard]] std::byte* memory(std::uint64_t offset) const { return begin_ + offset; }

 private:
  std::byte* begin_;
  Owner owner_;
  std::uint32_t members_;
  std::uint32_t index_;
  std::size_t table_entries_;
  bool has_slots_;
};

}  // namespace remit
