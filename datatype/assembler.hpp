// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the constructors of derived datatypes share: bounds, signature, envelope, common checks. For
// datatype/ alone.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/layout_node.hpp"

namespace remit {

// Products of two 64-bit numbers are exact in it; results are checked once, at the end.
__extension__ using Wide = __int128;

[[nodiscard]] constexpr bool fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

[[nodiscard]] inline tl::unexpected<Error> too_large() {
  return fail(MPI_ERR_ARG, "the datatype's bounds or size exceed 63 bits");
}

/// Adds up what a type map of copies of old types has: bounds, size, signature.
class Assembler {
 public:
  /// `copies` of `old` whose origins lie at `first`, `first + stride`, ...
  void place(const Datatype& old, Wide first, Wide copies, Wide stride) {
    if (copies <= 0) return;
    const Wide last = first + (copies - 1) * stride;
    const Wide low = std::min(first, last);
    const Wide high = std::max(first, last);
    const Bounds& bounds = old.bounds();
    if (bounds.has_entries) {
      true_lb_ = has_entries_ ? std::min(true_lb_, low + bounds.true_lb) : low + bounds.true_lb;
      true_ub_ = has_entries_ ? std::max(true_ub_, high + bounds.true_ub) : high + bounds.true_ub;
      has_entries_ = true;
      alignment_ = std::max(alignment_, bounds.alignment);
    }
    if (bounds.lb_marker) {
      const Wide marker = low + *bounds.lb_marker;
      lb_marker_ = lb_marker_ ? std::min(*lb_marker_, marker) : marker;
    }
    if (bounds.ub_marker) {
      const Wide marker = high + *bounds.ub_marker;
      ub_marker_ = ub_marker_ ? std::max(*ub_marker_, marker) : marker;
    }
  }

  /// The signature goes on with `copies` of `old`, which the envelope lists.
  void sign(const Datatype& old, Wide copies) {
    if (copies > 0 && old.size() > 0) {
      const TypeSignature& signature = old.signature();
      const bool first = size_ == 0;
      uniform_ = first || uniform_ == signature.uniform_size ? signature.uniform_size : 0;
      element_ = first || element_ == signature.element ? signature.element : nullptr;
      size_ += copies * old.size();
      elements_ += copies * signature.elements;
    } else if (size_ == 0) {
      element_ = old.signature().element;
    }
    copies_.push_back(static_cast<MPI_Count>(copies));
    datatypes_.emplace_back(&old);
  }

  /// Explicit bounds instead of those of the entries.
  void mark(Wide lb, Wide ub) {
    lb_marker_ = lb;
    ub_marker_ = ub;
  }

  /// Whether everything so far can be represented; to be asked before a layout is built.
  [[nodiscard]] bool representable() const {
    return fits(true_lb_) && fits(true_ub_) && fits(lb()) && fits(ub()) && fits(size_) &&
           fits(elements_) && fits(true_ub_ - true_lb_) && fits(ub() - lb());
  }

  [[nodiscard]] Expected<Ref<Datatype>> finish(PlacedLayout root, Contents contents) && {
    if (!representable()) return too_large();
    Datatype::Parts parts;
    parts.layout = Layout(std::move(root), static_cast<std::int64_t>(ub() - lb()));
    parts.bounds.has_entries = has_entries_;
    parts.bounds.true_lb = static_cast<std::int64_t>(true_lb_);
    parts.bounds.true_ub = static_cast<std::int64_t>(true_ub_);
    if (lb_marker_) parts.bounds.lb_marker = static_cast<std::int64_t>(*lb_marker_);
    if (ub_marker_) parts.bounds.ub_marker = static_cast<std::int64_t>(*ub_marker_);
    parts.bounds.alignment = alignment_;
    parts.signature.elements = static_cast<MPI_Count>(elements_);
    parts.signature.uniform_size = uniform_;
    parts.signature.element = element_;
    parts.contents = std::move(contents);
    parts.contents.datatypes = std::move(datatypes_);
    parts.signature.copies = std::move(copies_);
    return Ref<Datatype>::adopt(new Datatype(std::move(parts)));
  }

 private:
  // MPI-5.0 section 5.1.6. The padding makes the extent a multiple of the strictest alignment,
  // unless the user marked the upper bound.
  [[nodiscard]] Wide lb() const { return lb_marker_.value_or(true_lb_); }
  [[nodiscard]] Wide ub() const {
    if (ub_marker_) return *ub_marker_;
    const Wide length = true_ub_ - lb();
    const Wide beyond = length % alignment_;
    return lb() + length + (beyond > 0 ? alignment_ - beyond : -beyond);
  }

  bool has_entries_ = false;
  Wide true_lb_ = 0;
  Wide true_ub_ = 0;
  std::optional<Wide> lb_marker_;
  std::optional<Wide> ub_marker_;
  std::int64_t alignment_ = 1;
  Wide size_ = 0;
  Wide elements_ = 0;
  std::int64_t uniform_ = 0;
  const Datatype* element_ = nullptr;
  std::vector<MPI_Count> copies_;
  std::vector<Ref<const Datatype>> datatypes_;
};

/// The envelope's numbers: where each goes depends on the binding that was called.
class Envelope {
 public:
  /// For so many counts and addresses, where there may be many.
  Envelope(int combiner, CountForm form, std::size_t counts = 0, std::size_t addresses = 0)
      : form_(form) {
    contents_.combiner = combiner;
    if (form_ == CountForm::large) {
      contents_.large_counts.reserve(counts + addresses);
    } else {
      contents_.integers.reserve(counts);
      contents_.addresses.reserve(addresses);
    }
  }
  Envelope& plain(int value) {
    contents_.integers.push_back(value);
    return *this;
  }
  Envelope& plains(std::span<const int> values) {
    for (const int value : values) plain(value);
    return *this;
  }
  Envelope& count(MPI_Count value) {
    if (form_ == CountForm::large) {
      contents_.large_counts.push_back(value);
    } else {
      contents_.integers.push_back(static_cast<int>(value));
    }
    return *this;
  }
  Envelope& counts(std::span<const MPI_Count> values) {
    for (const MPI_Count value : values) count(value);
    return *this;
  }
  Envelope& address(MPI_Count value) {
    if (form_ == CountForm::large) {
      contents_.large_counts.push_back(value);
    } else {
      contents_.addresses.push_back(static_cast<MPI_Aint>(value));
    }
    return *this;
  }
  Envelope& addresses(std::span<const MPI_Count> values) {
    for (const MPI_Count value : values) address(value);
    return *this;
  }
  [[nodiscard]] Contents take() { return std::move(contents_); }

 private:
  CountForm form_;
  Contents contents_;
};

[[nodiscard]] inline Expected<> require_available(const Datatype& old) {
  if (old.is_available()) return {};
  return fail(MPI_ERR_TYPE, "{} cannot be used: it is null or this platform has no such type",
              old.name());
}

[[nodiscard]] inline Expected<> require_length(std::size_t i, MPI_Count value) {
  if (value >= 0) return {};
  return fail(MPI_ERR_ARG, "array_of_blocklengths[{}] is {}, must not be negative", i, value);
}

[[nodiscard]] inline Expected<> require_count(const char* what, int code, MPI_Count value) {
  if (value >= 0) return {};
  return fail(code, "{} is {}, must not be negative", what, value);
}

}  // namespace remit
