// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device and arenas: memory of a peer that is mapped here is copied without the
// kernel. A peer's arena is asked for when a transfer could first have used it.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include "rdma_btl/shm/arena.hpp"
#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/copy.hpp"

namespace remit {

// --- the owner ---------------------------------------------------------------------------------

void* ShmDevice::allocate(std::size_t bytes) {
  if (!config_.share_allocations) return nullptr;
  shm::Arena& arena = shm::Arena::of_process();
  void* memory = arena.allocate(bytes);
  if (memory != nullptr && home_->arena.bytes.load(std::memory_order_relaxed) == 0) {
    home_->arena.address.store(reinterpret_cast<std::uint64_t>(arena.begin()),
                               std::memory_order_relaxed);
    home_->arena.bytes.store(arena.size(), std::memory_order_release);
  }
  return memory;
}

Released ShmDevice::release(void* memory) {
  return shm::Arena::of_process().release(memory);
}

void ShmDevice::on_arena_wanted(Endpoint& endpoint) {
  if (home_->arena.bytes.load(std::memory_order_relaxed) == 0) {
    bad_cell(endpoint, "a question for memory that does not exist");
    return;
  }
  send_arena(endpoint);
}

void ShmDevice::send_arena(Endpoint& endpoint) {
  shm::ArenaOffer offer;
  offer.job = config_.job;
  offer.from = config_.name;
  offer.to = endpoint.peer;
  const int fds[] = {shm::Arena::of_process().fd()};
  const int error = shm::send_descriptors(socket_.get(), endpoint.socket,
                                          std::as_bytes(std::span(&offer, 1)), fds);
  if (!shm::is_passing(error)) return;  // sent; or the peer has gone
  arenas_due_.push_back(endpoint.id);
  attention_ |= kWork;
}

void ShmDevice::retry_arenas() {
  std::vector<EndpointId> due;
  due.swap(arenas_due_);
  for (const EndpointId id : due) {
    if (!endpoints_[id]->shut) send_arena(*endpoints_[id]);
  }
}

// --- who maps it -------------------------------------------------------------------------------

/// Where the peer's memory is mapped here. Null: nowhere, or not yet.
std::byte* ShmDevice::mapped(Endpoint& endpoint, std::uint64_t address, std::size_t length) {
  if (endpoint.home == nullptr) return nullptr;
  const std::uint64_t bytes = endpoint.home->arena.bytes.load(std::memory_order_acquire);
  if (bytes == 0) return nullptr;
  const std::uint64_t offset =
      address - endpoint.home->arena.address.load(std::memory_order_relaxed);
  if (offset > bytes || length > bytes - offset) return nullptr;
  if (!endpoint.arena_mapping) {
    if (!endpoint.arena_asked) {
      endpoint.arena_asked = endpoint.arena_awaited = true;
      ++arenas_awaited_;
      send_cell(endpoint, shm::CellKind::arena_wanted, nullptr, 0);
    }
    return nullptr;
  }
  if (offset + length > endpoint.arena_mapping.size()) return nullptr;
  return endpoint.arena_mapping.data() + offset;
}

void ShmDevice::receive_arena(const shm::ArenaOffer& offer, const shm::Fd& fd, const ucred& from) {
  Endpoint* const sender = sender_of(offer, from);
  if (sender == nullptr || !sender->arena_awaited) {
    return reject_hello("it offers memory that nobody asked for");
  }
  Endpoint& endpoint = *sender;
  endpoint.arena_awaited = false;
  --arenas_awaited_;
  const std::size_t bytes = endpoint.home->arena.bytes.load(std::memory_order_acquire);
  Expected<shm::Mapping> mapping = shm::map_foreign(fd.get(), bytes);
  // Without it transfers go on as they did.
  if (!mapping) return;
  endpoint.arena_mapping = std::move(*mapping);
  ++counters_.arenas_mapped;
}

/// Copies between pieces of this process and of the peer's memory: in user space if there is one of
/// these and it is mapped here, else by the kernel. Returns the bytes copied, or -1 with errno.
ssize_t ShmDevice::copy_across(Endpoint& endpoint, bool to_peer, std::span<const iovec> local,
                               std::span<const iovec> remote) {
  const std::size_t bytes = remote[0].iov_len;
  const auto address = reinterpret_cast<std::uint64_t>(remote[0].iov_base);
  std::byte* peer = remote.size() == 1 ? mapped(endpoint, address, bytes) : nullptr;
  if (peer == nullptr) {
    ++counters_.cma_calls;
    return kernel_copy_.copy(endpoint.pid, to_peer, local, remote);
  }
  ++counters_.mapped_copies;
  for (const iovec& part : local) {
    if (to_peer) {
      copy_bytes(peer, part.iov_base, part.iov_len);
    } else {
      copy_bytes(part.iov_base, peer, part.iov_len);
    }
    peer += part.iov_len;
  }
  return static_cast<ssize_t>(bytes);
}

// --- at once -----------------------------------------------------------------------------------

bool ShmDevice::reaches_memory(EndpointId id) const {
  const Endpoint& endpoint = *endpoints_[id];
  return endpoint.attached && endpoint.cma && !endpoint.shut;
}

/// The kernel may copy less than it was asked for.
bool ShmDevice::copy_all(EndpointId id, bool to_peer, std::byte* here, std::uint64_t address,
                         std::size_t bytes) {
  Endpoint& endpoint = *endpoints_[id];
  while (bytes != 0) {
    const iovec local{here, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    const ssize_t copied =
        copy_across(endpoint, to_peer, std::span(&local, 1), std::span(&remote, 1));
    if (copied < 0 && errno == ESRCH) {
      fail_endpoint(endpoint, MPI_ERR_PROC_ABORTED, exit_words(endpoint));
      return false;
    }
    if (copied <= 0) {
      endpoint.words =
          fmt::format("{} bytes at {:#x} of process {:#x} cannot be {}: {}", bytes, address,
                      rank_of_name(endpoint.peer), to_peer ? "written" : "read",
                      copied == 0 ? "nothing is there" : std::strerror(errno));
      return false;
    }
    here += copied;
    address += static_cast<std::uint64_t>(copied);
    bytes -= static_cast<std::size_t>(copied);
  }
  return true;
}

bool ShmDevice::read_memory(EndpointId id, std::uint64_t address, void* to, std::size_t bytes) {
  return copy_all(id, false, static_cast<std::byte*>(to), address, bytes);
}

bool ShmDevice::write_memory(EndpointId id, std::uint64_t address, const void* from,
                             std::size_t bytes) {
  return copy_all(id, true, static_cast<std::byte*>(const_cast<void*>(from)), address, bytes);
}

std::byte* ShmDevice::map_memory(EndpointId id, std::uint64_t address, std::size_t bytes) {
  Endpoint& endpoint = *endpoints_[id];
  endpoint.stays_mapped = true;
  return mapped(endpoint, address, bytes);
}

}  // namespace remit
