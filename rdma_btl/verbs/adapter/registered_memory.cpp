// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Registering memory with an adapter.
#include "rdma_btl/verbs/adapter/registered_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace remit::verbs {

namespace {

constexpr std::size_t kAllMemory = SIZE_MAX;  // see Caps::pages_on_demand

}  // namespace

tl::unexpected<Error> registration_error(int error, std::size_t bytes, const char* what) {
  if (error != ENOMEM) {
    return fail(MPI_ERR_OTHER, "registering {} of {} bytes: {}{}", what, bytes,
                std::strerror(error),
                error == EFAULT ? " (is it mapped, and may it be written?)" : "");
  }
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) {
    return fail(MPI_ERR_NO_MEM, "registering {} of {} bytes: the adapter has no room left", what,
                bytes);
  }
  return fail(MPI_ERR_NO_MEM,
              "RLIMIT_MEMLOCK is {} kB, which does not leave {} kB for {}: raise it with "
              "'ulimit -l unlimited' (for users of a batch system in its own limits), or use "
              "REMIT_DEVICES=shm on one host",
              limit.rlim_cur / 1024, (bytes + 1023) / 1024, what);
}

RegisteredMemory::~RegisteredMemory() {
  for (const auto& [handle, mr] : regions_) adapter_.ibv().dereg_mr(mr);
  for (const Block& block : blocks_) {
    adapter_.ibv().dereg_mr(block.mr);
    ::munmap(block.base, block.bytes);
  }
}

Region RegisteredMemory::keep(void* address, std::size_t length, ibv_mr* mr) {
  const std::uint64_t handle = next_region_++;
  regions_.emplace(handle, mr);
  return Region{address, length, mr->lkey, mr->rkey, handle};
}

Expected<RegisteredMemory::Block> RegisteredMemory::make_block(std::size_t bytes, int access,
                                                               const char* what) {
  Block block;
  block.bytes = bytes;
  block.base =
      ::mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block.base == MAP_FAILED) return fail_errno(MPI_ERR_NO_MEM, errno, what);
  ::madvise(block.base, block.bytes, MADV_DONTFORK);
  block.mr = adapter_.ibv().reg_mr(adapter_.queues().domain(), block.base, block.bytes, access);
  if (block.mr == nullptr) {
    const int error = errno;
    ::munmap(block.base, block.bytes);
    return registration_error(error, block.bytes, what);
  }
  bytes_ += block.bytes;
  blocks_.push_back(block);
  return block;
}

Expected<Region> RegisteredMemory::add(void* address, std::size_t length, Access access) {
  if (length == 0) return Region{address, 0, 0, 0, 0};
  if (length == kAllMemory) return add_all_memory();
  int flags = 0;
  if (allows(access, Access::remote_read)) flags |= IBV_ACCESS_REMOTE_READ;
  if (allows(access, Access::remote_write)) flags |= IBV_ACCESS_REMOTE_WRITE;
  if (allows(access, Access::remote_atomic) && adapter_.caps().has_atomic)
    flags |= IBV_ACCESS_REMOTE_ATOMIC;
  // What is only read by peers may be constant; what is local is the sink of a get or the source
  // of a put. With iWARP the answer to a read is a write that comes from outside.
  const bool only_read = access == Access::remote_read;
  if (!only_read) flags |= IBV_ACCESS_LOCAL_WRITE;
  if (!only_read && config_.mask.iwarp) flags |= IBV_ACCESS_REMOTE_WRITE;
  ibv_mr* mr = adapter_.ibv().reg_mr(adapter_.queues().domain(), address, length, flags);
  if (mr == nullptr && errno == EFAULT && access == Access::local) {
    mr = adapter_.ibv().reg_mr(adapter_.queues().domain(), address, length,
                               0);  // the source of a put
  }
  if (mr == nullptr) return registration_error(errno, length, "memory of a message");
  bytes_ += length;
  return keep(address, length, mr);
}

/// Pages are looked up when the adapter meets them. Atomics are for registrations of their own
/// where it cannot.
Expected<Region> RegisteredMemory::add_all_memory() {
  int flags = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
              IBV_ACCESS_REMOTE_WRITE;
  if (adapter_.limits().paging.atomics && adapter_.caps().has_atomic)
    flags |= IBV_ACCESS_REMOTE_ATOMIC;
  ibv_mr* const mr = adapter_.ibv().reg_mr(adapter_.queues().domain(), nullptr, kAllMemory, flags);
  if (mr == nullptr) return fail_errno(MPI_ERR_OTHER, errno, "registering all memory on demand");
  return keep(nullptr, kAllMemory, mr);
}

void RegisteredMemory::remove(const Region& region) {
  const auto found = regions_.find(region.handle);
  if (found == regions_.end()) return;
  if (region.length != kAllMemory) bytes_ -= region.length;
  adapter_.ibv().dereg_mr(found->second);
  regions_.erase(found);
}

}  // namespace remit::verbs
