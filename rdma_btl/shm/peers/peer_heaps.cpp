// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/peer_heaps.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <span>
#include <utility>

#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/shared_heap.hpp"
#include "rdma_btl/shm/rings/sender.hpp"

namespace remit::shm {

// --- of this process ---------------------------------------------------------------------------

void* PeerHeaps::allocate(std::size_t bytes) {
  if (!config_.share_allocations) return nullptr;
  SharedHeap& heap = SharedHeap::of_process();
  void* memory = heap.allocate(bytes);
  Home::HeapPlace& place = home_.home().heap;
  if (memory != nullptr && place.bytes.load(std::memory_order_relaxed) == 0) {
    place.address.store(reinterpret_cast<std::uint64_t>(heap.begin()), std::memory_order_relaxed);
    place.inode.store(heap.inode(), std::memory_order_relaxed);
    place.fd.store(heap.fd(), std::memory_order_relaxed);
    place.bytes.store(heap.size(), std::memory_order_release);
  }
  return memory;
}

void PeerHeaps::answer(Endpoint& endpoint) {
  if (home_.home().heap.bytes.load(std::memory_order_relaxed) == 0) {
    return health_.violated(endpoint, "a question for memory that does not exist");
  }
  offer_to(endpoint);
}

void PeerHeaps::offer_to(Endpoint& endpoint) {
  HeapOffer offer;
  offer.job = config_.job;
  offer.from = config_.name;
  offer.to = endpoint.peer;
  const int fds[] = {SharedHeap::of_process().fd()};
  const int error = socket_.send(endpoint.socket, std::as_bytes(std::span(&offer, 1)), fds);
  if (!is_passing(error)) return;  // sent; or the peer has gone
  due_.push_back(endpoint.id);
  agenda_.add(Agenda::kWork);
}

void PeerHeaps::retry() {
  std::vector<EndpointId> due;
  due.swap(due_);
  for (const EndpointId id : due) {
    if (!peers_[id].shut) offer_to(peers_[id]);
  }
}

// --- of peers ----------------------------------------------------------------------------------

std::byte* PeerHeaps::mapped(Endpoint& endpoint, std::uint64_t address, std::size_t length) {
  if (endpoint.home == nullptr) return nullptr;
  if (!endpoint.heap.mapping) {
    const Home::HeapPlace& place = endpoint.home->heap;
    const std::uint64_t bytes = place.bytes.load(std::memory_order_acquire);
    const std::uint64_t first = place.address.load(std::memory_order_relaxed);
    if (bytes == 0 || address - first >= bytes || !find(endpoint)) return nullptr;
  }
  // The peer may write its page at any time, so what was found when it was mapped counts.
  const std::uint64_t offset = address - endpoint.heap.begin;
  const std::size_t bytes = endpoint.heap.mapping.size();
  if (offset > bytes || length > bytes - offset) return nullptr;
  return endpoint.heap.mapping.data() + offset;
}

/// Once for each peer. True if it is mapped now.
bool PeerHeaps::find(Endpoint& endpoint) {
  if (endpoint.heap.sought || endpoint.shut) return false;
  endpoint.heap.sought = true;
  if (config_.mapping == ShmMapping::automatic && open(endpoint)) return true;
  if (config_.mapping != ShmMapping::never) ask(endpoint);
  return false;
}

/// The kernel allows it to processes of the same user. The number of the file tells whether that is
/// still the peer, and its descriptor.
bool PeerHeaps::open(Endpoint& endpoint) {
  const Home::HeapPlace& place = endpoint.home->heap;
  const std::string path =
      fmt::format("/proc/{}/fd/{}", endpoint.pid, place.fd.load(std::memory_order_relaxed));
  // To open a device or a pipe would do something to it, so first it is only looked up.
  const Fd found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat about = {};
  if (!found || ::fstat(found.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_ino != place.inode.load(std::memory_order_relaxed)) {
    return false;
  }
  const std::string same = fmt::format("/proc/self/fd/{}", found.get());
  const Fd memory(::open(same.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return memory && map(endpoint, memory);
}

void PeerHeaps::ask(Endpoint& endpoint) {
  endpoint.heap.awaited = true;
  ++awaited_;
  sender_.send_cell(endpoint, CellKind::heap_wanted, nullptr, 0);
}

void PeerHeaps::take_offer(Endpoint& endpoint, const Fd& memory) {
  endpoint.heap.awaited = false;
  --awaited_;
  (void)map(endpoint, memory);
}

/// Without it transfers go on as they did.
bool PeerHeaps::map(Endpoint& endpoint, const Fd& memory) {
  const std::size_t bytes = endpoint.home->heap.bytes.load(std::memory_order_acquire);
  const std::uint64_t begin = endpoint.home->heap.address.load(std::memory_order_relaxed);
  constexpr std::uint64_t kSmallestPage = 4096;
  if (begin % kSmallestPage != 0) return false;  // words would not lie as they do in the peer
  Expected<Mapping> mapping = map_foreign(memory.get(), bytes);
  if (!mapping) return false;
  endpoint.heap.begin = begin;
  endpoint.heap.mapping = std::move(*mapping);
  ++counters_.heaps_mapped;
  return true;
}

void PeerHeaps::forget(Endpoint& endpoint) {
  if (endpoint.heap.awaited) --awaited_;
  endpoint.heap.awaited = false;
  std::erase(due_, endpoint.id);
}

}  // namespace remit::shm
