// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/memory/regions.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "onesided/memory/process_memory.hpp"
#include "runtime/waiting/core_yield.hpp"

namespace remit {

namespace {

/// The first region that ends behind this address.
template <class SomeRegions>
auto first_ending_behind(SomeRegions& regions, std::uint64_t address) {
  return std::upper_bound(
      regions.begin(), regions.end(), address,
      [](std::uint64_t wanted, const AttachedMemory& region) { return wanted < region.end(); });
}

bool covers(std::span<const AttachedMemory> regions, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return true;
  if (address + bytes < address) return false;
  for (auto region = first_ending_behind(regions, address); region != regions.end(); ++region) {
    if (region->address > address) return false;
    const std::uint64_t part = region->end() - address;
    if (part >= bytes) return true;
    address += part;
    bytes -= part;
  }
  return false;
}

std::string name_of_nearest(std::span<const AttachedMemory> regions, std::uint64_t address) {
  if (regions.empty()) return "nothing is attached there (MPI_Win_attach)";
  auto nearest = first_ending_behind(regions, address);
  const auto distance = [&](const AttachedMemory& region) {
    return address < region.address ? region.address - address : address - region.end() + 1;
  };
  // One that holds the address is the first here, and the nearest.
  if (nearest == regions.end() || (nearest != regions.begin() && nearest->address > address &&
                                   distance(*std::prev(nearest)) < distance(*nearest))) {
    --nearest;
  }
  return fmt::format("the nearest region is {:#x} to {:#x} ({} bytes) of {}", nearest->address,
                     nearest->end(), nearest->bytes, regions.size());
}

tl::unexpected<Error> out_of_regions(std::span<const AttachedMemory> regions, std::uint64_t address,
                                     std::uint64_t bytes) {
  return fail(MPI_ERR_RMA_RANGE,
              "{} bytes at {:#x} are not in memory that the target has attached: {}", bytes,
              address, name_of_nearest(regions, address));
}

}  // namespace

Regions::Regions(MemberControl::Identity& identity) : identity_(identity) {
  identity_.regions_address = reinterpret_cast<std::uint64_t>(&table_);
  publish();
}

/// The regions in `next_` become those that others read. A reader that is at it reads once more:
/// what it reads may be changed from here on.
void Regions::publish() {
  const std::uint64_t version = identity_.regions_version.load(std::memory_order_relaxed);
  identity_.regions_version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  current_.swap(next_);
  table_.count = current_.size();
  table_.array = reinterpret_cast<std::uint64_t>(current_.data());
  identity_.regions_version.store(version + 2, std::memory_order_release);
  // `next_` is written next, and no reader may see that before the new version.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

Expected<> Regions::attach(const void* base, std::size_t bytes) {
  const AttachedMemory added{reinterpret_cast<std::uint64_t>(base), bytes};
  if (bytes == 0) {
    without_.push_back(added.address);
    return {};
  }
  if (added.end() < added.address) {
    return fail(MPI_ERR_RMA_ATTACH, "{} bytes at {:#x} are more than there are addresses", bytes,
                added.address);
  }
  const auto place = first_ending_behind(current_, added.address);
  if (place != current_.end() && place->address < added.end()) {
    return fail(MPI_ERR_RMA_ATTACH,
                "{} bytes at {:#x} overlap the region {:#x} to {:#x} ({} bytes), which is attached "
                "to the window: detach that first",
                bytes, added.address, place->address, place->end(), place->bytes);
  }
  next_.assign(current_.begin(), place);
  next_.push_back(added);
  next_.insert(next_.end(), place, current_.end());
  publish();
  return {};
}

Expected<> Regions::detach(const void* base) {
  const auto address = reinterpret_cast<std::uint64_t>(base);
  if (const auto without = std::find(without_.begin(), without_.end(), address);
      without != without_.end()) {
    without_.erase(without);
    return {};
  }
  const auto place = first_ending_behind(current_, address);
  if (place == current_.end() || place->address != address) {
    return fail(MPI_ERR_RMA_ATTACH, "no region that is attached to the window begins at {:#x}: {}",
                address, name_of_nearest(current_, address));
  }
  next_.assign(current_.begin(), place);
  next_.insert(next_.end(), std::next(place), current_.end());
  publish();
  return {};
}

bool Regions::contains(std::uint64_t address, std::uint64_t bytes) const {
  return covers(current_, address, bytes);
}

Expected<> Regions::check(std::uint64_t address, std::uint64_t bytes) const {
  if (covers(current_, address, bytes)) return {};
  return out_of_regions(current_, address, bytes);
}

Expected<> PeerRegions::check(std::uint64_t address, std::uint64_t bytes) {
  if (identity_.regions_version.load(std::memory_order_acquire) != version_) [[unlikely]] {
    auto refreshed = refresh();
    if (!refreshed) return refreshed;
  }
  if (covers(regions_, address, bytes)) [[likely]]
    return {};
  return out_of_regions(regions_, address, bytes);
}

/// Reads until it has read a table that did not change meanwhile.
Expected<> PeerRegions::refresh() {
  version_ = kNothingRead;
  for (;; yield_core()) {
    const std::uint64_t before = identity_.regions_version.load(std::memory_order_acquire);
    auto read = read_regions(before);
    if (before % 2 == 0 && is_still(before)) {
      if (read) version_ = before;
      return read;
    }
    // The other is in the middle of a change, and what was read may be anything; unless it has
    // ended there.
    if (!read && read.error().code != MPI_ERR_RMA_RANGE) return read;
  }
}

/// Whether what was read since the version was `before` belongs to it.
bool PeerRegions::is_still(std::uint64_t before) const {
  std::atomic_thread_fence(std::memory_order_acquire);
  return identity_.regions_version.load(std::memory_order_relaxed) == before;
}

/// Its caller finds out whether the table has changed meanwhile. An array that is no longer the
/// other's may be gone.
Expected<> PeerRegions::read_regions(std::uint64_t before) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  regions_.clear();
  if (identity_.regions_address == 0) return {};
  RegionTable table;
  auto read = process_.read(&table, identity_.regions_address, sizeof table);
  if (!read || table.count == 0 || before % 2 != 0 || !is_still(before)) return read;
  if (table.count > kMost)
    return fail(MPI_ERR_INTERN, "a process says that it has attached {} regions", table.count);
  regions_.resize(table.count);
  return process_.read(regions_.data(), table.array, table.count * sizeof(AttachedMemory));
}

}  // namespace remit
