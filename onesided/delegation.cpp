// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/delegation.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "onesided/element_code.hpp"
#include "onesided/granule.hpp"
#include "onesided/process_memory.hpp"

namespace remit {

namespace {

[[nodiscard]] std::uint64_t address_of(const View& view) {
  return reinterpret_cast<std::uintptr_t>(view.data());
}

}  // namespace

DelegationSlot* Delegation::claim(int rank) {
  const HostSegment& segment = members_.segment();
  if (!segment.has_slots() || !manager_.progress().spins_now()) return nullptr;
  const std::uint32_t index = members_.entry(rank).local_index;
  if (index >= segment.members()) return nullptr;
  if (patience_.empty()) patience_.resize(segment.members());
  if (Patience& patience = patience_[index]; patience.pause != 0) {
    --patience.pause;
    return nullptr;
  }
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

bool Delegation::ask(int rank, DelegationSlot& slot, const DelegatedOperation& operation) {
  slot.post(operation);
  const ProcessSign& sign = members_.control(rank)->identity.sign;
  // Two members may hand operations to each other at the same time.
  const ProcId proc = members_.proc(rank);
  const auto outcome = slot.await([this] { manager_.serve_delegates(); },
                                  [&] { return has_ended(sign) || manager_.links().lost(proc); });
  Patience& patience = patience_[members_.entry(rank).local_index];
  switch (outcome) {
    case DelegationSlot::Outcome::done:
      patience.failures = 0;
      ++handed_over_;
      return true;
    case DelegationSlot::Outcome::declined:
      slot.leave();
      return false;
    case DelegationSlot::Outcome::unanswered:
    case DelegationSlot::Outcome::lost:
      break;
  }
  patience.failures = std::min<std::uint8_t>(patience.failures + 1, kMostFailures);
  if (patience.failures == kMostFailures && slot.member_sleeps()) {
    slot.call();
    manager_.nudge(proc);
    patience.failures = kFailuresOfWoken;
  }
  patience.pause = static_cast<std::uint8_t>((1U << patience.failures) - 1);
  return false;
}

bool Delegation::move(DelegatedKind kind, int rank, const View& origin, const View& target) {
  const std::size_t bytes = target.size();
  if (bytes > kLongestMove || !target.is_contiguous()) return false;
  for (std::size_t offset = 0; offset < bytes;) {
    DelegationSlot* const slot = claim(rank);
    if (slot == nullptr) return false;
    const std::size_t some = std::min(bytes - offset, DelegationSlot::kBytes);
    if (kind == DelegatedKind::put) origin.pack(offset, {slot->data(), some});
    DelegatedOperation operation;
    operation.kind = kind;
    operation.address = address_of(target) + offset;
    operation.bytes = static_cast<std::uint32_t>(some);
    if (!ask(rank, *slot, operation)) return false;
    if (kind == DelegatedKind::get) origin.unpack(offset, {slot->data(), some});
    slot->leave();
    offset += some;
  }
  return true;
}

bool Delegation::accumulate(int rank, const Accumulation& what, const View* origin,
                            const View& target, const View* result) {
  const std::size_t bytes = target.size();
  const Datatype& element = what.element();
  const std::optional<ElementCode> code = code_of(element);
  if (bytes > DelegationSlot::kBytes || !target.is_contiguous()) return false;
  if (!is_in_one_granule(address_of(target), bytes)) return false;
  if (!code || !element.layout().is_contiguous()) return false;
  DelegationSlot* const slot = claim(rank);
  if (slot == nullptr) return false;
  if (what.kind() != Reduction::no_op) origin->pack(0, {slot->data(), bytes});
  DelegatedOperation operation;
  operation.kind = DelegatedKind::accumulate;
  operation.op = static_cast<std::uint8_t>(what.kind());
  operation.element = code->element;
  operation.index = code->index;
  operation.fetches = result != nullptr ? 1 : 0;
  operation.address = address_of(target);
  operation.bytes = static_cast<std::uint32_t>(bytes);
  if (!ask(rank, *slot, operation)) return false;
  if (result != nullptr) result->unpack(0, {slot->data(), bytes});
  slot->leave();
  return true;
}

bool Delegation::compare_and_swap(int rank, const Datatype& element, std::uint64_t address,
                                  const void* replacement, const void* compare, void* result) {
  const std::optional<ElementCode> code = code_of(element);
  const auto size = static_cast<std::size_t>(element.layout().size());
  if (!code || !element.layout().is_contiguous() || 2 * size > DelegationSlot::kBytes) return false;
  DelegationSlot* const slot = claim(rank);
  if (slot == nullptr) return false;
  std::memcpy(slot->data(), replacement, size);
  std::memcpy(slot->data() + size, compare, size);
  DelegatedOperation operation;
  operation.kind = DelegatedKind::compare_swap;
  operation.element = code->element;
  operation.index = code->index;
  operation.address = address;
  operation.bytes = static_cast<std::uint32_t>(size);
  if (!ask(rank, *slot, operation)) return false;
  std::memcpy(result, slot->data(), size);
  slot->leave();
  return true;
}

}  // namespace remit
