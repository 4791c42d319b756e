// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/storage/kept_mappings.hpp"

#include <sys/mman.h>

#include <utility>

namespace remit {
namespace {

KeptMappings::Extent map_extent(int fd, std::int64_t number, bool is_writable) {
  constexpr auto kLength = static_cast<std::size_t>(MappedExtent::kBytes);
  auto made = std::make_shared<MappedExtent>();
  made->offset = number * MappedExtent::kBytes;
  void* const address = ::mmap(nullptr, kLength, PROT_READ | (is_writable ? PROT_WRITE : 0),
                               MAP_SHARED, fd, made->offset);
  if (address == MAP_FAILED) return nullptr;
  made->memory = shm::Mapping(address, kLength);
  // A child of this process has no use for it. Advice.
  ::madvise(address, kLength, MADV_DONTFORK);
  return made;
}

}  // namespace

KeptMappings::Extent KeptMappings::get(int fd, std::int64_t offset, bool is_writable) {
  const std::int64_t number = offset / MappedExtent::kBytes;
  Extent& place = kept_[static_cast<std::size_t>(number) % kMost];
  const auto is_there = [&] {
    return place != nullptr && place->offset == number * MappedExtent::kBytes;
  };
  {
    const std::lock_guard guard(mutex_);
    if (is_there()) return place;
  }
  Extent made = map_extent(fd, number, is_writable);
  if (made == nullptr) return nullptr;
  Extent given_up = made;  // ends without the mutex
  const std::lock_guard guard(mutex_);
  // Another thread may have been quicker.
  if (!is_there()) std::swap(place, given_up);
  return place;
}

void KeptMappings::clear() {
  decltype(kept_) ended;  // without the mutex
  const std::lock_guard guard(mutex_);
  ended.swap(kept_);
}

}  // namespace remit
