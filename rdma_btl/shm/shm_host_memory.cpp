// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/shm_host_memory.hpp"

#include <utility>

#include "rdma_btl/shm/peers/shared_heap.hpp"

namespace remit::shm {

Notices ShmHostMemory::take_notices() {
  const std::optional<std::uint32_t> index = notices_.take();
  if (!index) return {};
  return {home_.notices(*index), *index};
}

void ShmHostMemory::return_notices(std::uint32_t index, std::function<bool()> in_use) {
  notices_.give_back(index, std::move(in_use));
}

std::byte* ShmHostMemory::notices_of(EndpointId id, std::uint32_t index) const {
  Endpoint& endpoint = peers_[id];
  if (!endpoint.attached || endpoint.shut || index >= kNoticeBoards) return nullptr;
  endpoint.stays_mapped = true;
  return endpoint.home_mapping.data() + notices_at(index);
}

void ShmHostMemory::nudge(EndpointId id) {
  Endpoint& endpoint = peers_[id];
  if (!endpoint.shut) [[likely]]
    sender_.wake(endpoint);
}

bool ShmHostMemory::reaches_memory(EndpointId id) const {
  const Endpoint& endpoint = peers_[id];
  return endpoint.attached && endpoint.cma && !endpoint.shut;
}

bool ShmHostMemory::read_memory(EndpointId id, std::uint64_t address, void* to, std::size_t bytes) {
  return copier_.copy_all(peers_[id], false, static_cast<std::byte*>(to), address, bytes);
}

bool ShmHostMemory::write_memory(EndpointId id, std::uint64_t address, const void* from,
                                 std::size_t bytes) {
  auto* const here = static_cast<std::byte*>(const_cast<void*>(from));
  return copier_.copy_all(peers_[id], true, here, address, bytes);
}

std::byte* ShmHostMemory::map_memory(EndpointId id, std::uint64_t address, std::size_t bytes) {
  Endpoint& endpoint = peers_[id];
  endpoint.stays_mapped = true;
  return heaps_.mapped(endpoint, address, bytes);
}

bool ShmHostMemory::may_map_later(EndpointId id) const {
  const Endpoint& endpoint = peers_[id];
  return !endpoint.shut && (!endpoint.attached || endpoint.heap.awaited);
}

Released ShmHostMemory::release(void* memory) {
  return SharedHeap::of_process().release(memory);
}

}  // namespace remit::shm
