// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/registrations.hpp"

namespace remit::sim {

Expected<Region> Registrations::add(void* address, std::size_t length, Access access,
                                    std::uint64_t local_key, std::uint64_t remote_key,
                                    std::size_t limit) {
  if (limit != 0 && (length > limit || bytes_ > limit - length)) {
    return fail(MPI_ERR_OTHER, "Cannot allocate memory");
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  by_key_[local_key] = {begin, length, Access::local};
  try {
    by_key_[remote_key] = {begin, length, access};
  } catch (...) {
    by_key_.erase(local_key);
    throw;
  }
  bytes_ += length;
  return Region{address, length, local_key, remote_key, local_key};
}

bool Registrations::remove(const Region& region) {
  if (by_key_.erase(region.local_key) == 0) return false;
  bytes_ -= region.length;
  by_key_.erase(region.remote_key);
  return true;
}

bool Registrations::allows_access(std::uint64_t key, std::uint64_t address, std::size_t length,
                                  Access access) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  const Registered& r = found->second;
  return address >= r.begin && length <= r.length && address - r.begin <= r.length - length &&
         allows(r.access, access);
}

}  // namespace remit::sim
