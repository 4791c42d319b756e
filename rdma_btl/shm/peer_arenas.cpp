// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peer_arenas.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <span>
#include <utility>

#include "rdma_btl/shm/arena.hpp"
#include "rdma_btl/shm/peer_health.hpp"
#include "rdma_btl/shm/sender.hpp"

namespace remit::shm {

// --- of this process ---------------------------------------------------------------------------

void* PeerArenas::allocate(std::size_t bytes) {
  if (!config_.share_allocations) return nullptr;
  Arena& arena = Arena::of_process();
  void* memory = arena.allocate(bytes);
  Home::ArenaPlace& place = home_.home().arena;
  if (memory != nullptr && place.bytes.load(std::memory_order_relaxed) == 0) {
    place.address.store(reinterpret_cast<std::uint64_t>(arena.begin()), std::memory_order_relaxed);
    place.inode.store(arena.inode(), std::memory_order_relaxed);
    place.fd.store(arena.fd(), std::memory_order_relaxed);
    place.bytes.store(arena.size(), std::memory_order_release);
  }
  return memory;
}

void PeerArenas::answer(Endpoint& endpoint) {
  if (home_.home().arena.bytes.load(std::memory_order_relaxed) == 0) {
    return health_.violated(endpoint, "a question for memory that does not exist");
  }
  offer_to(endpoint);
}

void PeerArenas::offer_to(Endpoint& endpoint) {
  ArenaOffer offer;
  offer.job = config_.job;
  offer.from = config_.name;
  offer.to = endpoint.peer;
  const int fds[] = {Arena::of_process().fd()};
  const int error = socket_.send(endpoint.socket, std::as_bytes(std::span(&offer, 1)), fds);
  if (!is_passing(error)) return;  // sent; or the peer has gone
  due_.push_back(endpoint.id);
  agenda_.add(Agenda::kWork);
}

void PeerArenas::retry() {
  std::vector<EndpointId> due;
  due.swap(due_);
  for (const EndpointId id : due) {
    if (!peers_[id].shut) offer_to(peers_[id]);
  }
}

// --- of peers ----------------------------------------------------------------------------------

std::byte* PeerArenas::mapped(Endpoint& endpoint, std::uint64_t address, std::size_t length) {
  if (endpoint.home == nullptr) return nullptr;
  const Home::ArenaPlace& place = endpoint.home->arena;
  const std::uint64_t bytes = place.bytes.load(std::memory_order_acquire);
  if (bytes == 0) return nullptr;
  const std::uint64_t offset = address - place.address.load(std::memory_order_relaxed);
  if (offset > bytes || length > bytes - offset) return nullptr;
  if (!endpoint.arena_mapping && !find(endpoint)) return nullptr;
  if (offset + length > endpoint.arena_mapping.size()) return nullptr;
  return endpoint.arena_mapping.data() + offset;
}

/// Once for each peer. True if it is mapped now.
bool PeerArenas::find(Endpoint& endpoint) {
  if (endpoint.arena_sought || endpoint.shut) return false;
  endpoint.arena_sought = true;
  if (config_.mapping == ShmMapping::automatic && open(endpoint)) return true;
  if (config_.mapping != ShmMapping::never) ask(endpoint);
  return false;
}

/// The kernel allows it to processes of the same user. The number of the file tells whether that is
/// still the peer, and its descriptor.
bool PeerArenas::open(Endpoint& endpoint) {
  const Home::ArenaPlace& place = endpoint.home->arena;
  const std::string path =
      fmt::format("/proc/{}/fd/{}", endpoint.pid, place.fd.load(std::memory_order_relaxed));
  const Fd memory(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about = {};
  return memory && ::fstat(memory.get(), &about) == 0 &&
         about.st_ino == place.inode.load(std::memory_order_relaxed) && map(endpoint, memory);
}

void PeerArenas::ask(Endpoint& endpoint) {
  endpoint.arena_awaited = true;
  ++awaited_;
  sender_.send_cell(endpoint, CellKind::arena_wanted, nullptr, 0);
}

void PeerArenas::take_offer(Endpoint& endpoint, const Fd& memory) {
  endpoint.arena_awaited = false;
  --awaited_;
  (void)map(endpoint, memory);
}

/// Without it transfers go on as they did.
bool PeerArenas::map(Endpoint& endpoint, const Fd& memory) {
  const std::size_t bytes = endpoint.home->arena.bytes.load(std::memory_order_acquire);
  Expected<Mapping> mapping = map_foreign(memory.get(), bytes);
  if (!mapping) return false;
  endpoint.arena_mapping = std::move(*mapping);
  ++counters_.arenas_mapped;
  return true;
}

void PeerArenas::forget(Endpoint& endpoint) {
  if (endpoint.arena_awaited) --awaited_;
  endpoint.arena_awaited = false;
  std::erase(due_, endpoint.id);
}

}  // namespace remit::shm
