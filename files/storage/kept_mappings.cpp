// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/storage/kept_mappings.hpp"

#include <sys/mman.h>

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
  Extent given_up;  // without the mutex
  const std::lock_guard guard(mutex_);
  Extent& place = kept_[static_cast<std::size_t>(number) % kMost];
  if (place != nullptr && place->offset == number * MappedExtent::kBytes) return place;
  given_up = std::move(place);
  place = map_extent(fd, number, is_writable);
  return place;
}

void KeptMappings::clear() {
  const std::lock_guard guard(mutex_);
  for (Extent& extent : kept_) extent.reset();
}

}  // namespace remit
