// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/elements/element_walk.hpp"

#include "runtime/copy.hpp"

namespace remit {
namespace {

/// Bytes of packed pairs on their way between a view and an array.
constexpr std::size_t kPackedBytes = 2048;

}  // namespace

ElementArray::ElementArray(const Datatype& element)
    : layout_(&element.layout()),
      size_(static_cast<std::size_t>(element.size())),
      extent_(static_cast<std::size_t>(element.extent())),
      reach_(static_cast<std::size_t>(element.true_extent())) {}

bool ElementArray::is(const View& view) const {
  if (!has_gaps()) return view.is_contiguous();
  // One element a type, with the same gap inside: by its blocks, for packed bytes have none.
  return view.layout->size() == layout_->size() && view.layout->blocks() == layout_->blocks() &&
         (view.count == 1 || view.layout->extent() == layout_->extent());
}

void ElementArray::copy(std::byte* to, const std::byte* from, std::size_t elements) const {
  if (!has_gaps()) {
    copy_bytes(to, from, elements * size_);
    return;
  }
  std::array<std::byte, kPackedBytes> packed;
  while (elements != 0) {
    const std::size_t some = std::min(elements, kPackedBytes / size_);
    const auto bytes = std::span(packed).first(some * size_);
    layout_->pack(from, static_cast<MPI_Count>(some), 0, bytes);
    layout_->unpack(to, static_cast<MPI_Count>(some), 0, bytes);
    from += some * extent_;
    to += some * extent_;
    elements -= some;
  }
}

ElementReader::ElementReader(const View* view, const ElementArray& array)
    : view_(view), array_(array) {
  if (view == nullptr) return;
  direct_ = array.is(*view);
  if (direct_) at_ = view->data();
}

const std::byte* ElementReader::next(std::size_t elements) {
  if (view_ == nullptr) return nullptr;
  if (direct_) {
    const std::byte* const begin = at_;
    at_ += elements * array_.extent();
    return begin;
  }
  if (!array_.has_gaps()) {
    offset_ += view_->pack(offset_, std::span(buffer_).first(elements * array_.size()));
    return buffer_.data();
  }
  std::array<std::byte, kPackedBytes> packed;
  std::byte* to = buffer_.data();
  while (elements != 0) {
    const std::size_t some = std::min(elements, kPackedBytes / array_.size());
    const auto bytes = std::span(packed).first(some * array_.size());
    offset_ += view_->pack(offset_, bytes);
    array_.layout().unpack(to, static_cast<MPI_Count>(some), 0, bytes);
    to += some * array_.extent();
    elements -= some;
  }
  return buffer_.data();
}

ElementWriter::ElementWriter(const View* view, const ElementArray& array)
    : view_(view), array_(array) {
  if (view == nullptr) return;
  direct_ = array.is(*view);
  if (direct_) at_ = view->data();
}

std::byte* ElementWriter::room(std::size_t elements) {
  if (view_ == nullptr) return nullptr;
  if (!direct_) return buffer_.data();
  std::byte* const begin = at_;
  at_ += elements * array_.extent();
  return begin;
}

void ElementWriter::put_back(std::size_t elements) {
  if (direct_) return;
  if (!array_.has_gaps()) {
    offset_ += view_->unpack(offset_, std::span(buffer_).first(elements * array_.size()));
    return;
  }
  std::array<std::byte, kPackedBytes> packed;
  const std::byte* from = buffer_.data();
  while (elements != 0) {
    const std::size_t some = std::min(elements, kPackedBytes / array_.size());
    const auto bytes = std::span(packed).first(some * array_.size());
    array_.layout().pack(from, static_cast<MPI_Count>(some), 0, bytes);
    offset_ += view_->unpack(offset_, bytes);
    from += some * array_.extent();
    elements -= some;
  }
}

TargetWalk::TargetWalk(const View& target, const ElementArray& array)
    : target_(target),
      array_(array),
      is_array_(array.is(target)),
      total_(target.size() / array.size()) {}

std::span<const ElementRun> TargetWalk::next(std::size_t most) {
  most = std::min(most, total_ - done_);
  used_ = 0;
  if (most == 0) return {};
  if (is_array_) {
    add(reinterpret_cast<std::uintptr_t>(target_.data()) + done_ * array_.extent(), most);
  } else if (array_.has_gaps()) {
    add_one_by_one(most);
  } else {
    add_blocks(most);
  }
  return std::span(runs_).first(used_);
}

void TargetWalk::add(std::uint64_t address, std::size_t elements) {
  runs_[used_++] = {address, elements};
  done_ += elements;
}

void TargetWalk::add_blocks(std::size_t most) {
  std::array<Layout::Piece, kBatchRuns> blocks;
  const std::size_t size = array_.size();
  const auto found = target_.pieces(done_ * size, most * size, blocks);
  for (const Layout::Piece& block : std::span(blocks).first(found.pieces))
    add(reinterpret_cast<std::uintptr_t>(block.address), block.length / size);
}

// A pair's value lies at its beginning, and comes first. Neighbours may have merged blocks, so
// these say nothing.
void TargetWalk::add_one_by_one(std::size_t most) {
  for (; most != 0; --most) {
    Layout::Piece first;
    static_cast<void>(target_.pieces(done_ * array_.size(), 1, std::span(&first, 1)));
    const auto address = reinterpret_cast<std::uintptr_t>(first.address);
    if (used_ != 0) {
      ElementRun& last = runs_[used_ - 1];
      if (last.address + last.elements * array_.extent() == address) {
        ++last.elements;
        ++done_;
        continue;
      }
    }
    if (used_ == runs_.size()) return;
    add(address, 1);
  }
}

}  // namespace remit
