// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/device_set.hpp"

#include <stdexcept>
#include <utility>

namespace remit {

namespace {

/// One get or put is at most this long, so that its length fits 32 bits and long transfers have
/// several under way.
constexpr std::size_t kMaxChunk = std::size_t{256} << 20;

}  // namespace

LinkDevice::LinkDevice(std::unique_ptr<Device> opened, const Params& params, MemoryWatch* watch)
    : device(std::move(opened)),
      eager(device->eager_path()),
      host_memory(device->host_memory()),
      ordered(device->caps().ordered),
      chunk(std::max<std::size_t>(1, std::min(device->caps().max_message, kMaxChunk))),
      memory(*device, params, watch, chunk) {
  if (eager != nullptr) return;
  posted = posted_sends(*device);
  eager = posted.get();
}

DeviceSet::DeviceSet(const Params& params, std::vector<std::unique_ptr<Device>> devices) {
  for (std::unique_ptr<Device>& device : devices) {
    const bool registers = device->caps().needs_registration;
    if (registers && !memory_watch_) {
      auto watch = MemoryWatch::open(params);
      if (!watch) throw std::runtime_error(watch.error().message);
      memory_watch_ = std::move(*watch);
    }
    devices_.push_back(std::make_unique<LinkDevice>(std::move(device), params,
                                                    registers ? memory_watch_.get() : nullptr));
  }
  std::stable_sort(devices_.begin(), devices_.end(), [](const auto& a, const auto& b) {
    return a->device->caps().latency_ns < b->device->caps().latency_ns;
  });
  for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i]->index = i;
}

AddressBlob DeviceSet::addresses(std::uint32_t word) const {
  AddressBlob blob;
  blob.first_window = word;
  for (const auto& slot : devices_) {
    blob.devices.push_back({std::string(slot->device->caps().name), slot->device->local_address()});
  }
  return blob;
}

bool DeviceSet::reach(std::span<const std::byte> blob) const {
  const Expected<AddressBlob> decoded = decode(blob);
  if (!decoded) return false;
  return std::any_of(begin(), end(), [&](const auto& slot) {
    return std::any_of(decoded->devices.begin(), decoded->devices.end(),
                       [&](const AddressBlob::Entry& entry) {
                         return entry.device == slot->device->caps().name &&
                                slot->device->reachable(entry.address);
                       });
  });
}

void DeviceSet::arm() {
  for (const auto& slot : devices_) slot->device->arm();
}

void DeviceSet::disarm() {
  for (const auto& slot : devices_) slot->device->disarm();
}

bool DeviceSet::departed() const {
  return std::all_of(begin(), end(), [](const auto& slot) {
    return slot->pending.empty() && slot->device->flushed();
  });
}

OwnNotices DeviceSet::take_notices() {
  for (const auto& slot : devices_) {
    if (slot->host_memory == nullptr) continue;
    if (const Notices taken = slot->host_memory->take_notices(); taken.memory != nullptr) {
      return {slot->host_memory, taken};
    }
  }
  return {};
}

void* DeviceSet::allocate(std::size_t bytes) {
  for (const auto& slot : devices_) {
    if (slot->host_memory == nullptr) continue;
    if (void* memory = slot->host_memory->allocate(bytes)) return memory;
  }
  return nullptr;
}

Released DeviceSet::release(void* memory) {
  for (const auto& slot : devices_) {
    if (slot->host_memory == nullptr) continue;
    const Released released = slot->host_memory->release(memory);
    if (released != Released::foreign) return released;
  }
  return Released::foreign;
}

RegistrationCounters DeviceSet::registrations() const {
  RegistrationCounters sum;
  for (const auto& slot : devices_) {
    if (slot->memory.cache() == nullptr) continue;
    const RegistrationCounters one = slot->memory.cache()->counters();
    sum.hits += one.hits;
    sum.misses += one.misses;
    sum.uncached += one.uncached;
    sum.invalidations += one.invalidations;
    sum.evictions += one.evictions;
    sum.waits += one.waits;
    sum.registrations += one.registrations;
    sum.deregistrations += one.deregistrations;
    sum.pinned_bytes += one.pinned_bytes;
    sum.pinned_peak += one.pinned_peak;
    sum.recent_peak += one.recent_peak;
    sum.entries += one.entries;
  }
  return sum;
}

void DeviceSet::set_events(Events& events) {
  for (const auto& slot : devices_) {
    if (slot->memory.cache() != nullptr) slot->memory.cache()->set_events(&events);
  }
}

void DeviceSet::restart_peaks() {
  for (const auto& slot : devices_) {
    if (slot->memory.cache() != nullptr) slot->memory.cache()->restart_peak();
  }
}

}  // namespace remit
