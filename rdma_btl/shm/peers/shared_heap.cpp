// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory that others on the host can map: first fit in one large sparse mapping.
#include "rdma_btl/shm/peers/shared_heap.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace remit::shm {

namespace {

/// More than a process allocates; less than would fill the addresses of a host with many ranks.
constexpr std::size_t kMost = std::size_t{64} << 30;
constexpr std::size_t kLeast = std::size_t{1} << 20;

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  const bool known = ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return known ? limit.rlim_cur : std::numeric_limits<std::size_t>::max();
}

/// All memory of the host, as far as the process may have files and addresses of that size. (A
/// file beyond RLIMIT_FSIZE would end it by a signal.)
std::size_t heap_bytes() {
  const auto pages = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const std::size_t bytes =
      std::min({kMost, pages * page_bytes(), limit_of(RLIMIT_FSIZE), limit_of(RLIMIT_AS) / 4});
  return bytes / page_bytes() * page_bytes();
}

}  // namespace

SharedHeap& SharedHeap::of_process() {
  static SharedHeap& heap = *new SharedHeap;  // outlives every static object that frees memory late
  return heap;
}

bool SharedHeap::open() {
  owner_ = ::getpid();
  if (mapping_) inherited_.push_back(std::move(mapping_));
  fd_.reset();
  free_.clear();
  kept_.clear();
  used_.clear();
  const std::size_t bytes = heap_bytes();
  if (bytes < kLeast) return false;
  Expected<Fd> memory = make_memory("remit-heap", bytes);
  if (!memory) return false;
  struct stat about = {};
  if (::fstat(memory->get(), &about) != 0) return false;
  Expected<Mapping> mapping = map_memory(memory->get(), bytes);
  if (!mapping) return false;
  inode_ = about.st_ino;
  // Its holes would fill the disk with zeros.
  (void)::madvise(mapping->data(), bytes, MADV_DONTDUMP);
  fd_ = std::move(*memory);
  mapping_ = std::move(*mapping);
  free_.emplace(0, bytes);
  kept_.reserve(kMostKept);
  return true;
}

void* SharedHeap::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (owner_ != ::getpid() && !open()) return nullptr;
  if (!mapping_ || bytes == 0 || bytes > mapping_.size()) return nullptr;
  const std::size_t length = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
  const auto kept = std::find_if(kept_.rbegin(), kept_.rend(),
                                 [=](const Piece& piece) { return piece.length == length; });
  if (kept != kept_.rend()) {
    const Piece piece = *kept;
    kept_.erase(std::next(kept).base());
    return use(piece);
  }
  const auto find_hole = [&] {
    return std::find_if(free_.begin(), free_.end(),
                        [=](const auto& hole) { return hole.second >= length; });
  };
  auto hole = find_hole();
  if (hole == free_.end()) {
    while (!kept_.empty()) {
      give_back(kept_.back());
      kept_.pop_back();
    }
    hole = find_hole();
  }
  if (hole == free_.end()) return nullptr;
  const auto [offset, room] = *hole;
  free_.erase(hole);
  if (room != length) free_.emplace(offset + length, room - length);
  return use({offset, length});
}

void* SharedHeap::use(Piece piece) {
  used_.emplace(piece.offset, piece.length);
  return mapping_.data() + piece.offset;
}

Released SharedHeap::release(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto* address = static_cast<const std::byte*>(memory);
  if (!mapping_ || address < begin() || address >= begin() + size()) return Released::foreign;
  const auto known = used_.find(static_cast<std::size_t>(address - begin()));
  if (known == used_.end()) return Released::not_whole;
  const Piece piece{known->first, known->second};
  used_.erase(known);
  if (piece.length <= kLargestKept) {
    keep(piece);
  } else {
    give_back(piece);
  }
  return Released::done;
}

void SharedHeap::keep(Piece piece) {
  if (kept_.size() == kMostKept) {
    give_back(kept_.front());
    kept_.erase(kept_.begin());
  }
  kept_.push_back(piece);
}

void SharedHeap::give_back(Piece piece) {
  // Also how a memory monitor hears that registrations of these pages are void.
  (void)::madvise(mapping_.data() + piece.offset, piece.length, MADV_REMOVE);
  auto [offset, length] = piece;
  const auto after = free_.lower_bound(offset);
  if (after != free_.end() && after->first == offset + length) {
    length += after->second;
    free_.erase(after);
  }
  const auto behind = free_.lower_bound(offset);
  if (behind != free_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == offset) {
      before->second += length;
      return;
    }
  }
  free_.emplace(offset, length);
}

}  // namespace remit::shm
