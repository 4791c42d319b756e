// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/handover/delegation.hpp"

#include <algorithm>
#include <cstring>

#include "onesided/memory/granule.hpp"
#include "onesided/memory/process_memory.hpp"
#include "runtime/claim_lines.hpp"

namespace remit {

namespace {

/// A shorter put or get is one piece: handing over the second takes longer than copying it.
constexpr std::size_t kLeastPiece = 1024;

[[nodiscard]] std::uint64_t address_of(const View& view) {
  return reinterpret_cast<std::uintptr_t>(view.data());
}

/// Bytes of the pieces of a move: at least as many pieces as there are lanes, for then both sides
/// copy at the same time.
[[nodiscard]] std::size_t piece_of(std::size_t bytes) {
  const std::size_t share =
      (bytes / DelegationSlot::kLanes + kCacheLine - 1) / kCacheLine * kCacheLine;
  return std::clamp(share, kLeastPiece, DelegationSlot::kBytes);
}

}  // namespace

std::optional<ElementCode> Delegation::element_to_hand_over(const Accumulation& what,
                                                            const View& target) {
  if (!target.is_contiguous() || !what.element().layout().is_contiguous()) return std::nullopt;
  return code_of(what.element());
}

Handover Delegation::open(int rank) {
  const HostSegment& segment = members_.segment();
  const std::uint32_t index = members_.entry(rank).local_index;
  const bool reaches =
      segment.has_slots() && manager_.progress().spins_now() && index < segment.members();
  if (!reaches) return {manager_, members_, rank, nullptr, nullptr};
  if (patience_.empty()) patience_.resize(segment.members());
  return {manager_, members_, rank, claim(index), &patience_[index]};
}

DelegationSlot* Delegation::claim(std::uint32_t index) {
  if (Patience& patience = patience_[index]; patience.pause != 0) {
    --patience.pause;
    return nullptr;
  }
  const HostSegment& segment = members_.segment();
  DelegationSlot& slot = segment.slot(index);
  return slot.claim(segment.index() + 1) || take_over(slot) ? &slot : nullptr;
}

bool Delegation::take_over(DelegationSlot& slot) {
  constexpr std::uint32_t kTimesPerLook = 16;
  if (++in_use_ % kTimesPerLook != 0) return false;
  const HostSegment& segment = members_.segment();
  const std::uint32_t owner = slot.claimant();
  if (owner == 0 || owner > segment.members()) return false;
  if (!has_ended(segment.control(owner - 1).identity.sign)) return false;
  return slot.claim_from(owner, segment.index() + 1);
}

std::byte* Delegation::settle(Handover& handover) {
  std::byte* const data = handover.settle();
  if (data != nullptr) ++handed_over_;
  return data;
}

bool Delegation::move(DelegatedKind kind, int rank, const View& origin, const View& target) {
  if (!target.is_contiguous()) return false;
  const std::size_t bytes = target.size();
  const std::size_t piece = piece_of(bytes);
  Handover handover = open(rank);
  std::size_t posted = 0;
  std::size_t settled = 0;
  while (settled < bytes) {
    if (posted < bytes && handover.is_open()) {
      const std::size_t some = std::min(bytes - posted, piece);
      if (kind == DelegatedKind::put) origin.pack(posted, {handover.data(), some});
      DelegatedOperation operation;
      operation.kind = kind;
      operation.address = address_of(target) + posted;
      operation.bytes = static_cast<std::uint32_t>(some);
      handover.post(operation);
      posted += some;
      continue;
    }
    if (handover.on_their_way() == 0) return false;
    std::byte* const data = settle(handover);
    if (data == nullptr) return false;
    const std::size_t some = std::min(bytes - settled, piece);
    if (kind == DelegatedKind::get) take_out(origin, settled, {data, some});
    settled += some;
  }
  return true;
}

void Delegation::take_out(const View& to, std::size_t offset, std::span<std::byte> data) {
  const std::size_t claimed_to = claimed_of_lane(manager_.links().devices().host_memory());
  if (to.is_contiguous()) {
    copy_out(to.data() + offset, data.data(), data.size(), claimed_to);
    return;
  }
  to.unpack(offset, data);
  if (data.size() <= claimed_to) claim_lines(data.data(), data.size());
}

bool Delegation::post(Handover& handover, const Accumulation& what, ElementCode code,
                      const View* origin, const View& target, bool fetches) {
  const std::size_t bytes = target.size();
  if (bytes > DelegationSlot::kBytes || !is_in_one_granule(address_of(target), bytes)) return false;
  if (what.kind() != Reduction::no_op) origin->pack(0, {handover.data(), bytes});
  DelegatedOperation operation;
  operation.kind = DelegatedKind::accumulate;
  operation.op = static_cast<std::uint8_t>(what.kind());
  operation.element = code.element;
  operation.index = code.index;
  operation.fetches = fetches ? 1 : 0;
  operation.address = address_of(target);
  operation.bytes = static_cast<std::uint32_t>(bytes);
  handover.post(operation);
  return true;
}

bool Delegation::compare_and_swap(int rank, const Datatype& element, std::uint64_t address,
                                  const void* replacement, const void* compare, void* result) {
  const std::optional<ElementCode> code = code_of(element);
  const auto size = static_cast<std::size_t>(element.layout().size());
  if (!code || !element.layout().is_contiguous() || 2 * size > DelegationSlot::kBytes) return false;
  Handover handover = open(rank);
  if (!handover.is_open()) return false;
  std::memcpy(handover.data(), replacement, size);
  std::memcpy(handover.data() + size, compare, size);
  DelegatedOperation operation;
  operation.kind = DelegatedKind::compare_swap;
  operation.element = code->element;
  operation.index = code->index;
  operation.address = address;
  operation.bytes = static_cast<std::uint32_t>(size);
  handover.post(operation);
  const std::byte* const data = settle(handover);
  if (data == nullptr) return false;
  std::memcpy(result, data, size);
  return true;
}

}  // namespace remit
