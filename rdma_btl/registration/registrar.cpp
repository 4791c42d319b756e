// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Registers and deregisters with a device, and keeps the books.
#include "rdma_btl/registration/registrar.hpp"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace remit {
namespace {

bool may_lock_all() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
}

std::string in_words(std::size_t bytes) {
  return bytes == Registrar::kUnlimited ? "unlimited" : fmt::format("{} kB", bytes >> 10);
}

}  // namespace

std::size_t lockable_bytes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      may_lock_all()) {
    return Registrar::kUnlimited;
  }
  return limit.rlim_cur;
}

Expected<Registrar::Pinned> Registrar::pin(AddressRange pages, Access wanted) {
  auto* address = reinterpret_cast<void*>(pages.begin);
  Access access = Access::all;
  Expected<Region> region = device_.register_memory(address, pages.size(), access);
  if (!region && wanted != access) {
    access = wanted;  // memory that cannot be written can be read from
    region = device_.register_memory(address, pages.size(), access);
  }
  if (!region) {
    return fail(region.error().code,
                "{} bytes at {} cannot be registered with device {}: {}. RLIMIT_MEMLOCK is {}, {} "
                "are registered already: if memory is short, raise it with 'ulimit -l'",
                pages.size(), address, device_.caps().name, region.error().message,
                in_words(lockable_bytes()), in_words(pinned_));
  }
  pinned_ += pages.size();
  peak_.reach(pinned_);
  ++pins_;
  return Pinned{*region, access};
}

void Registrar::unpin(const Region& region, std::size_t bytes) {
  device_.deregister(region);
  pinned_ -= bytes;
  ++unpins_;
}

}  // namespace remit
