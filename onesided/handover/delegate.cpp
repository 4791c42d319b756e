// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/handover/delegate.hpp"

#include "onesided/elements/accumulate.hpp"
#include "onesided/elements/element_code.hpp"
#include "onesided/elements/plain_change.hpp"
#include "runtime/claim_lines.hpp"

namespace remit {

bool Delegate::carry_out(const DelegatedOperation& operation, std::byte* data) {
  const std::size_t bytes = operation.bytes;
  if (bytes == 0 || bytes > DelegationSlot::kBytes || !member_.contains(operation.address, bytes)) {
    return false;
  }
  switch (operation.kind) {
    case DelegatedKind::put:
      copy_out(member_.memory.mapped(operation.address), data, bytes,
               claimed_of_lane(member_.host_memory));
      return true;
    case DelegatedKind::get:
      copy_bytes(data, member_.memory.mapped(operation.address), bytes);
      return true;
    case DelegatedKind::accumulate:
      return accumulate(operation, data);
    case DelegatedKind::compare_swap:
      return swap(operation, data);
  }
  return false;
}

bool Delegate::accumulate(const DelegatedOperation& operation, std::byte* data) {
  const Datatype* const element = element_of({operation.element, operation.index}, unnamed_);
  const Op* const op = predefined_op(kFirstOp + operation.op);
  if (element == nullptr || op == nullptr || !element->layout().is_contiguous()) return false;
  const Expected<Accumulation> what = Accumulation::of_element(*op, *element);
  if (!what) return false;
  const auto size = static_cast<std::size_t>(element->layout().size());
  const std::size_t count = operation.bytes / size;
  if (count * size != operation.bytes) return false;
  // Of two locks the second one may be a dead process's, when something was done under the first.
  if (!is_in_one_granule(operation.address, operation.bytes)) return false;
  const bool reads_only = op->kind() == Reduction::no_op;
  const bool fetches = operation.fetches != 0;
  const PlainElements elements{member_.memory.mapped(operation.address), operation.address,
                               member_.control, member_.memory.self, member_.memory.watch};
  const PlainChange change{what->kernel(), reads_only ? nullptr : data,
                           fetches ? before_.data() : nullptr};
  if (!change_plain(elements, size, count, change)) {
    const View origin = bytes_view(data, operation.bytes);
    const View target{reinterpret_cast<void*>(static_cast<std::uintptr_t>(operation.address)),
                      static_cast<MPI_Count>(count), &element->layout()};
    const View result = bytes_view(before_.data(), operation.bytes);
    if (!remit::accumulate(member_.memory, *what, reads_only ? nullptr : &origin, target,
                           fetches ? &result : nullptr)) {
      return false;
    }
  }
  if (fetches) {
    copy_bytes(data, before_.data(), operation.bytes);
  } else if (!reads_only && operation.bytes <= claimed_of_lane(member_.host_memory)) {
    claim_lines(data, operation.bytes);
  }
  return true;
}

bool Delegate::swap(const DelegatedOperation& operation, std::byte* data) {
  const Datatype* const element = element_of({operation.element, operation.index}, unnamed_);
  if (element == nullptr || !element->layout().is_contiguous()) return false;
  const auto size = static_cast<std::size_t>(element->layout().size());
  if (operation.bytes != size || 2 * size > DelegationSlot::kBytes) return false;
  if (!compare_and_swap(member_.memory, *element, operation.address, data, data + size,
                        before_.data())) {
    return false;
  }
  copy_bytes(data, before_.data(), size);
  return true;
}

}  // namespace remit
