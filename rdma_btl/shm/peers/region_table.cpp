// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/region_table.hpp"

#include <atomic>

namespace remit::shm {

Region RegionTable::add(void* address, std::size_t length, Access access) {
  std::uint32_t index = 0;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  }
  Slot& slot = slots_[index];
  if (++slot.generation == 0) ++slot.generation;
  slot.access = access;
  slot.live = true;
  slot.address = reinterpret_cast<std::uint64_t>(address);
  slot.length = length;
  if (home_ != nullptr && index < kSharedRegions) {
    RegionEntry& entry = home_->regions[index];
    entry.address.store(slot.address, std::memory_order_relaxed);
    entry.length.store(length, std::memory_order_relaxed);
    entry.stamp.store(std::uint64_t{slot.generation} << 8 | static_cast<std::uint8_t>(access),
                      std::memory_order_release);
  }
  const std::uint64_t key = std::uint64_t{slot.generation} << 32 | index;
  return Region{address, length, key, key, key};
}

void RegionTable::remove(const Region& region) {
  const auto index = static_cast<std::uint32_t>(region.handle);
  if (index >= slots_.size() || !slots_[index].live ||
      slots_[index].generation != region.handle >> 32) {
    return;
  }
  slots_[index].live = false;
  if (home_ != nullptr && index < kSharedRegions) {
    home_->regions[index].stamp.store(0, std::memory_order_release);
  }
  free_.push_back(index);
}

bool RegionTable::allowed(std::uint64_t key, std::uint64_t address, std::uint64_t length,
                          Access access) const {
  const auto index = static_cast<std::uint32_t>(key);
  if (length == 0) return true;
  if (index >= slots_.size()) return false;
  const Slot& slot = slots_[index];
  return slot.live && slot.generation == key >> 32 &&
         (static_cast<unsigned>(slot.access) & static_cast<unsigned>(access)) != 0 &&
         address >= slot.address && address - slot.address <= slot.length &&
         length <= slot.length - (address - slot.address);
}

bool published(const Home& home, const RemoteAddress& remote, std::size_t length, Access needed) {
  const auto index = static_cast<std::uint32_t>(remote.key);
  if (!checked_here(remote)) return true;
  const RegionEntry& entry = home.regions[index];
  const std::uint64_t stamp = entry.stamp.load(std::memory_order_acquire);
  const std::uint64_t address = entry.address.load(std::memory_order_acquire);
  const std::uint64_t bytes = entry.length.load(std::memory_order_acquire);
  return stamp >> 8 == remote.key >> 32 && stamp >> 8 != 0 &&
         (stamp & static_cast<std::uint64_t>(needed)) != 0 && remote.address >= address &&
         remote.address - address <= bytes && length <= bytes - (remote.address - address) &&
         entry.stamp.load(std::memory_order_acquire) == stamp;
}

}  // namespace remit::shm
