// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Scattering into a mapping of a file.
#include "files/storage/mapped_writes.hpp"

#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "files/storage/mapped_stores.hpp"
#include "files/storage/storage.hpp"
#include "files/views/file_view.hpp"

namespace remit {
namespace {

constexpr auto kPageFlags = std::memory_order_relaxed;
/// Pages that the kernel can give out as one.
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;

/// Asks for the pages that the targets lie in, if this process never did: pages of memory alone are
/// given out faster together. Not where one of them would lie in a hole, for which there might be
/// no room. It fails where there is no such call, or no room, and the stores find out.
void give_out_pages(MappedExtent& extent, std::span<const iovec> targets) {
  const auto offset_of = [&](const iovec& target) {
    return static_cast<std::byte*>(target.iov_base) - extent.memory.data();
  };
  const std::int64_t first = offset_of(targets.front()) / kFilePage;
  std::int64_t page = first;  // the last one that was looked at
  bool is_new = false;
  for (const iovec& target : targets) {
    const std::int64_t begin = offset_of(target);
    const std::int64_t end = begin + static_cast<std::int64_t>(target.iov_len);
    if (begin / kFilePage > page + 1) return;
    page = (end - 1) / kFilePage;
    is_new = is_new || !extent.given_out[static_cast<std::size_t>(page)].load(kPageFlags);
  }
  if (!is_new) return;
  const std::int64_t pages = page - first + 1;
  ::madvise(extent.memory.data() + first * kFilePage, static_cast<std::size_t>(pages * kFilePage),
            MADV_POPULATE_WRITE);
  for (std::int64_t i = first; i <= page; ++i) {
    extent.given_out[static_cast<std::size_t>(i)].store(true, kPageFlags);
  }
}

/// Asks for the pages between two bytes of the file as large ones, of which one fault takes as long
/// as that of a small one.
void ask_for_huge_pages(const MappedExtent& extent, std::int64_t first, std::int64_t end) {
  const std::int64_t from =
      std::max(first / kHugePage * kHugePage - extent.offset, std::int64_t{0});
  const std::int64_t to =
      std::min((end - 1) / kHugePage * kHugePage + kHugePage - extent.offset, MappedExtent::kBytes);
  // Advice.
  ::madvise(extent.memory.data() + from, static_cast<std::size_t>(to - from), MADV_HUGEPAGE);
}

std::span<std::byte> memory_of(const MappedExtent& extent) {
  return {extent.memory.data(), extent.memory.size()};
}

/// Calls `move` with the places of a part, some hundreds at a time, and how many bytes were before
/// them, until it returns false. How many bytes it was called well for.
template <class Move>
std::int64_t for_each_list(const FileView& view, const MappedPart& part, const MappedExtent& extent,
                           Move move) {
  constexpr std::size_t kMost = 512;
  std::array<FileRun, kMost> runs;
  std::array<iovec, kMost> list;
  std::int64_t done = 0;
  while (done < part.bytes) {
    std::int64_t taken = 0;
    const std::size_t count = view.runs(part.view_byte + done, part.bytes - done, runs, &taken);
    for (std::size_t i = 0; i != count; ++i) {
      list[i] = {extent.memory.data() + (runs[i].offset - extent.offset),
                 static_cast<std::size_t>(runs[i].length)};
    }
    if (!move(std::span<const iovec>(list).first(count), done)) break;
    done += taken;
  }
  return done;
}

}  // namespace

/// The part's bytes, one behind the other.
const std::byte* MappedWrites::packed(const View& memory, const MappedPart& part) {
  if (memory.is_contiguous()) return memory.data() + part.memory_byte;
  if (packed_ == nullptr) packed_.reset(new std::byte[MappedPart::kMostBytes]);
  memory.pack(static_cast<std::size_t>(part.memory_byte),
              std::span(packed_.get(), static_cast<std::size_t>(part.bytes)));
  return packed_.get();
}

Transferred MappedWrites::write_last() {
  return storage_.write(reach_->end - 1, std::span<const std::byte>(&reach_->last, 1));
}

bool MappedWrites::begin(const Reach& reach) {
  reach_ = reach;
  const Expected<std::int64_t> size = storage_.size();
  const bool reaches = size && *size >= reach.end;
  // The kernel keeps no large page where there is a small one already, as that of a last byte.
  if (reaches || (size && reach.end - *size >= kHugePage && storage_.lengthen(reach.end))) {
    return true;
  }
  if (size && write_last().error_number == 0) return true;
  reach_.reset();
  return false;
}

Transferred MappedWrites::end() {
  return reach_ ? write_last() : Transferred();
}

bool MappedWrites::take_extent(std::int64_t offset) {
  const bool has_it = extent_ != nullptr && offset >= extent_->offset &&
                      offset - extent_->offset < MappedExtent::kBytes;
  if (has_it) return true;
  extent_ = storage_.mapped_extent(offset);
  if (extent_ == nullptr) return false;
  const bool is_long = reach_->end - reach_->first >= kHugePage;
  if (is_long && !storage_.traits().in_memory) {
    ask_for_huge_pages(*extent_, reach_->first, reach_->end);
  }
  return true;
}

std::int64_t MappedWrites::store(const FileView& view, const MappedPart& part,
                                 const std::byte* bytes) {
  const MappedStores stores;
  return for_each_list(view, part, *extent_, [&](std::span<const iovec> list, std::int64_t done) {
    if (storage_.traits().in_memory) give_out_pages(*extent_, list);
    return stores.copy(memory_of(*extent_), list, bytes + done);
  });
}

std::int64_t MappedWrites::write(const FileView& view, const View& memory, const MappedPart& part) {
  if (part.bytes > MappedPart::kMostBytes || !take_extent(part.first)) return 0;
  return store(view, part, packed(memory, part));
}

std::int64_t read_mapped(Storage& storage, const FileView& view, const MappedPart& part,
                         std::byte* to) {
  const KeptMappings::Extent extent = storage.mapped_extent(part.first);
  if (extent == nullptr) return 0;
  const MappedStores loads;
  return for_each_list(view, part, *extent, [&](std::span<const iovec> list, std::int64_t done) {
    return loads.copy_back(memory_of(*extent), list, to + done);
  });
}

}  // namespace remit
