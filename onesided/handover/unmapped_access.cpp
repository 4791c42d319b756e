// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/handover/unmapped_access.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "onesided/elements/copy_pieces.hpp"
#include "onesided/memory/granule.hpp"

namespace remit {

namespace {

/// The operands of an accumulate, or of a part of one.
struct Operands {
  View origin;
  View target;
  View result;
};

/// An accumulate of which one part after the other is done. The parts of arrays are of whole
/// elements; what is no array is one part.
class AccumulateParts {
 public:
  AccumulateParts(const Accumulation& what, const View* origin, const View& target,
                  const View* result)
      : element_(what.element().layout()),
        has_origin_(origin != nullptr),
        has_result_(result != nullptr),
        is_array_(element_.is_contiguous() && target.is_contiguous() &&
                  (!has_origin_ || origin->is_contiguous()) &&
                  (!has_result_ || result->is_contiguous())),
        unit_(static_cast<std::size_t>(element_.size())),
        all_{has_origin_ ? *origin : View{}, target, has_result_ ? *result : View{}},
        size_(target.size()) {}

  [[nodiscard]] bool done() const { return offset_ == size_; }
  /// Takes the next part, of at most so many bytes.
  [[nodiscard]] Operands take(std::size_t most) {
    if (!is_array_) {
      offset_ = size_;
      return all_;
    }
    const std::size_t bytes =
        std::min(size_ - offset_, std::max(most / unit_, std::size_t{1}) * unit_);
    const Operands part{has_origin_ ? part_of(all_.origin, bytes) : View{},
                        part_of(all_.target, bytes),
                        has_result_ ? part_of(all_.result, bytes) : View{}};
    offset_ += bytes;
    return part;
  }
  /// At most so many bytes of the next part are handed over: they lie in one granule, and there are
  /// two parts at least of what is not short, for then both sides are at work at the same time.
  [[nodiscard]] std::size_t bytes_to_hand_over() const {
    constexpr std::size_t kShort = 1024;
    const std::uint64_t first = reinterpret_cast<std::uintptr_t>(all_.target.data()) + offset_;
    return std::min<std::size_t>(kGranuleBytes - first % kGranuleBytes,
                                 std::max(size_ / DelegationSlot::kLanes, kShort));
  }
  /// Null: the operation has none.
  [[nodiscard]] const View* origin_of(const Operands& part) const {
    return has_origin_ ? &part.origin : nullptr;
  }
  [[nodiscard]] const View* result_of(const Operands& part) const {
    return has_result_ ? &part.result : nullptr;
  }

 private:
  [[nodiscard]] View part_of(const View& whole, std::size_t bytes) const {
    return {whole.data() + offset_, static_cast<MPI_Count>(bytes / unit_), &element_};
  }

  const Layout& element_;
  bool has_origin_;
  bool has_result_;
  bool is_array_;
  std::size_t unit_;
  Operands all_;
  std::size_t size_;
  std::size_t offset_ = 0;
};

/// Hands parts over while the member takes them. What it has not taken, copy() does.
template <class Copy>
Expected<> hand_over(Delegation& delegation, int rank, const Accumulation& what, ElementCode code,
                     AccumulateParts& parts, Copy&& copy) {
  std::array<Operands, DelegationSlot::kLanes> sent;
  unsigned posted = 0;
  unsigned settled = 0;
  Handover handover = delegation.open(rank);
  while (true) {
    if (!parts.done() && handover.is_open()) {
      const Operands part = parts.take(parts.bytes_to_hand_over());
      const bool fetches = parts.result_of(part) != nullptr;
      if (Delegation::post(handover, what, code, parts.origin_of(part), part.target, fetches)) {
        sent[posted++ % sent.size()] = part;
      } else if (auto copied = copy(part); !copied) {
        return copied;
      }
      continue;
    }
    if (settled == posted) return {};
    const Operands& part = sent[settled++ % sent.size()];
    const std::byte* const data = delegation.settle(handover);
    if (data == nullptr) {
      if (auto copied = copy(part); !copied) return copied;
    } else if (const View* const result = parts.result_of(part); result != nullptr) {
      result->unpack(0, {data, part.target.size()});
    }
  }
}

}  // namespace

Expected<> UnmappedAccess::put(int rank, const View& origin, const View& target) {
  if (delegation_.put(rank, origin, target)) return {};
  return write_view(*members_.memory(rank).process, origin, target);
}

Expected<> UnmappedAccess::get(int rank, const View& origin, const View& target) {
  if (delegation_.get(rank, origin, target)) return {};
  return read_view(*members_.memory(rank).process, target, origin);
}

Expected<> UnmappedAccess::accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result) {
  constexpr std::size_t kKernelBytes = std::size_t{32} << 10;
  AccumulateParts parts(what, origin, target, result);
  const auto copy = [&](const Operands& part) {
    return remit::accumulate(members_.memory(rank), what, parts.origin_of(part), part.target,
                             parts.result_of(part));
  };
  const std::optional<ElementCode> code = Delegation::element_to_hand_over(what, target);
  while (!parts.done()) {
    if (code) {
      if (auto handed = hand_over(delegation_, rank, what, *code, parts, copy); !handed)
        return handed;
      if (parts.done()) break;
    }
    // The member may poll again after a part that it has not taken.
    if (auto copied = copy(parts.take(kKernelBytes)); !copied) return copied;
  }
  return {};
}

Expected<> UnmappedAccess::compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result) {
  if (delegation_.compare_and_swap(rank, element, address, replacement, compare, result)) return {};
  return remit::compare_and_swap(members_.memory(rank), element, address, replacement, compare,
                                 result);
}

}  // namespace remit
