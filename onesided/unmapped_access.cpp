// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/unmapped_access.hpp"

#include <algorithm>
#include <cstddef>

#include "onesided/copy_pieces.hpp"
#include "onesided/granule.hpp"

namespace remit {

namespace {

/// An accumulate of arrays, of which one part after the other is done.
class ArrayParts {
 public:
  ArrayParts(const Accumulation& what, const View* origin, const View& target, const View* result)
      : element_(what.element().layout()),
        unit_(static_cast<std::size_t>(element_.size())),
        origin_(origin),
        target_(target),
        result_(result),
        size_(target.size()) {}

  [[nodiscard]] static bool are_arrays(const Accumulation& what, const View* origin,
                                       const View& target, const View* result) {
    return what.element().layout().is_contiguous() && target.is_contiguous() &&
           (origin == nullptr || origin->is_contiguous()) &&
           (result == nullptr || result->is_contiguous());
  }

  [[nodiscard]] bool done() const { return offset_ == size_; }
  /// The next part is of at most so many bytes.
  void cut(std::size_t most) { bytes_ = std::min(size_ - offset_, most / unit_ * unit_); }
  /// The next part is of whole elements in the granule where it begins. False: there are none.
  [[nodiscard]] bool cut_at_granule() {
    const std::uint64_t first = reinterpret_cast<std::uintptr_t>(target_.data()) + offset_;
    cut(kGranuleBytes - first % kGranuleBytes);
    return bytes_ != 0;
  }
  /// What change(origin, target, result) makes of it.
  template <class Change>
  auto with_part(Change&& change) const {
    const View from = origin_ != nullptr ? part_of(*origin_) : View{};
    const View to = result_ != nullptr ? part_of(*result_) : View{};
    return change(origin_ != nullptr ? &from : nullptr, part_of(target_),
                  result_ != nullptr ? &to : nullptr);
  }
  void advance() { offset_ += bytes_; }

 private:
  [[nodiscard]] View part_of(const View& whole) const {
    return {whole.data() + offset_, static_cast<MPI_Count>(bytes_ / unit_), &element_};
  }

  const Layout& element_;
  std::size_t unit_;
  const View* origin_;
  const View& target_;
  const View* result_;
  std::size_t size_;
  std::size_t offset_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Expected<> UnmappedAccess::put(int rank, const View& origin, const View& target) {
  if (delegation_.put(rank, origin, target)) return {};
  return write_view(*members_.memory(rank).process, origin, target);
}

Expected<> UnmappedAccess::get(int rank, const View& origin, const View& target) {
  if (delegation_.get(rank, origin, target)) return {};
  return read_view(*members_.memory(rank).process, target, origin);
}

/// Arrays are done by parts, for the member may poll again after a part that it has not taken.
Expected<> UnmappedAccess::accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result) {
  constexpr std::size_t kKernelBytes = std::size_t{32} << 10;
  const auto hand_over = [&](const View* from, const View& at, const View* to) {
    return delegation_.accumulate(rank, what, from, at, to);
  };
  const auto copy = [&](const View* from, const View& at, const View* to) {
    return remit::accumulate(members_.memory(rank), what, from, at, to);
  };
  if (hand_over(origin, target, result)) return {};
  if (!ArrayParts::are_arrays(what, origin, target, result)) return copy(origin, target, result);
  for (ArrayParts parts(what, origin, target, result); !parts.done(); parts.advance()) {
    if (parts.cut_at_granule() && parts.with_part(hand_over)) continue;
    parts.cut(kKernelBytes);
    if (auto copied = parts.with_part(copy); !copied) return copied;
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
