// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/device_memory.hpp"

#include <algorithm>
#include <limits>

namespace remit {

namespace {

const ParamDecl pin_piece_param{
    "pin_piece", std::int64_t{512} << 10, "bytes",
    "a message in memory that is not registered yet registers pieces of this size while others "
    "travel; 0: as a whole, first",
    ParamRange{0, std::int64_t{1} << 40}};
const ParamDecl pin_deferred_param{
    "pin_deferred", true, "",
    "the first piece of such a message travels through a bounce buffer, so that nothing waits for "
    "a registration"};
const ParamDecl on_demand_paging_param{
    "on_demand_paging", true, "",
    "nothing is registered for messages where the device pages on demand"};

constexpr std::size_t kMinStaging = std::size_t{256} << 10;
constexpr std::size_t kMinPiece = 4096;
constexpr std::size_t kKeptStaging = 16;  // one where it costs only an allocation

}  // namespace

void MemoryLease::reset() {
  if (registered_with_ != nullptr) registered_with_->deregister(region_);
  registered_with_ = nullptr;
  cached_.reset();
  held_ = false;
}

DeviceMemory::DeviceMemory(Device& device, const Params& params, MemoryWatch* watch,
                           std::size_t chunk)
    : device_(device), staging_bytes_(std::min(chunk, kMinStaging)) {
  if (watch == nullptr) return;
  cache_ =
      std::make_unique<RegistrationCache>(device, *watch, RegistrationCache::Limits::from(params));
  pages_on_demand_ = device.caps().pages_on_demand && params.flag(on_demand_paging_param);
  pin_deferred_ = params.flag(pin_deferred_param);
  if (const std::int64_t piece = params.integer(pin_piece_param); piece > 0) {
    pin_piece_ = std::min(chunk, std::max(kMinPiece, static_cast<std::size_t>(piece)));
    staging_bytes_ = std::max(staging_bytes_, pin_piece_);
  }
}

DeviceMemory::~DeviceMemory() {
  for (const Staging& staging : free_staging_) device_.deregister(staging.region);
  if (everything_) device_.deregister(*everything_);
}

Expected<MemoryLease> DeviceMemory::acquire(void* address, std::size_t length, Access access) {
  if (pages_on_demand_ && !everything_) {
    const Expected<Region> all =
        device_.register_memory(nullptr, std::numeric_limits<std::size_t>::max(), Access::all);
    pages_on_demand_ = all.has_value();
    if (all) everything_ = *all;
  }
  if (pages_on_demand_) return MemoryLease(*everything_);
  if (cache_) {
    Expected<Lease> cached = cache_->acquire(address, length, access);
    if (!cached) return tl::unexpected(std::move(cached.error()));
    return MemoryLease(std::move(*cached));
  }
  const Expected<Region> region = device_.register_memory(address, length, access);
  if (!region) return tl::unexpected(region.error());
  return MemoryLease(*region, device_);
}

Expected<Staging> DeviceMemory::take_staging() {
  const std::size_t kept = cache_ ? kKeptStaging : 1;
  free_staging_.reserve(kept);  // return_staging() takes no memory
  Staging out;
  if (!free_staging_.empty()) {
    out = std::move(free_staging_.back());
    free_staging_.pop_back();
  } else {
    out.memory = std::make_unique_for_overwrite<std::byte[]>(staging_bytes_);
    const Expected<Region> region =
        device_.register_memory(out.memory.get(), staging_bytes_, Access::local);
    if (!region) return tl::unexpected(region.error());
    out.region = *region;
  }
  ++staging_used_;
  return out;
}

void DeviceMemory::return_staging(Staging& staging) {
  --staging_used_;
  if (free_staging_.size() < (cache_ ? kKeptStaging : 1)) {
    free_staging_.push_back(std::move(staging));
  } else {
    device_.deregister(staging.region);
  }
  staging = {};
}

}  // namespace remit
