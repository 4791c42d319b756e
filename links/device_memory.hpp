// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How memory of this process becomes usable by one device: through the registration cache, by the
// one registration of all memory, by a registration for one use, or as a buffer of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/registration/registration_cache.hpp"
#include "runtime/params.hpp"

namespace remit {

/// Memory that a device can use as long as this lives. Movable. Ends by the thread that drives the
/// device, before the device does.
class MemoryLease {
 public:
  MemoryLease() = default;
  /// Of what stays registered longer than any lease.
  explicit MemoryLease(const Region& region) : held_(true), region_(region) {}
  /// Of what a cache holds.
  explicit MemoryLease(Lease cached)
      : held_(true), region_(cached.region()), cached_(std::move(cached)) {}
  /// Of what was registered with the device for this lease alone.
  MemoryLease(const Region& region, Device& device)
      : held_(true), region_(region), registered_with_(&device) {}
  MemoryLease(MemoryLease&& other) noexcept
      : held_(std::exchange(other.held_, false)),
        region_(other.region_),
        cached_(std::move(other.cached_)),
        registered_with_(std::exchange(other.registered_with_, nullptr)) {}
  MemoryLease& operator=(MemoryLease&& other) noexcept {
    if (this != &other) {
      reset();
      held_ = std::exchange(other.held_, false);
      region_ = other.region_;
      cached_ = std::move(other.cached_);
      registered_with_ = std::exchange(other.registered_with_, nullptr);
    }
    return *this;
  }
  ~MemoryLease() { reset(); }

  [[nodiscard]] explicit operator bool() const { return held_; }
  /// What contains the memory.
  [[nodiscard]] const Region& region() const { return region_; }
  void reset();

 private:
  bool held_ = false;
  Region region_;
  Lease cached_;                       // where there is a cache
  Device* registered_with_ = nullptr;  // where it was registered for this use
};

/// Registered memory of the library, to unpack from or to start through.
struct Staging {
  std::unique_ptr<std::byte[]> memory;
  Region region;
};

/// The memory of one device. All calls by the thread that drives the device.
class DeviceMemory {
 public:
  /// `watch` is null where the device needs no registration, and outlives this as `device` does.
  /// `chunk`: bytes of the longest get or put.
  DeviceMemory(Device& device, const Params& params, MemoryWatch* watch, std::size_t chunk);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Makes memory usable by the device; for `access` by peers too. The words of the device or of
  /// the limits if it refuses.
  [[nodiscard]] Expected<MemoryLease> acquire(void* address, std::size_t length, Access access);
  /// Whether acquire() would find a registration. Counts nothing. False where nothing is cached.
  [[nodiscard]] bool holds(const void* address, std::size_t length) const {
    return cache_ && cache_->holds(address, length);
  }
  /// Whether one registration, of all memory, now and to come, serves everything.
  [[nodiscard]] bool on_demand() const { return pages_on_demand_; }

  /// Bytes of the pieces by which long messages are registered while others of their pieces travel;
  /// 0: as a whole.
  [[nodiscard]] std::size_t pin_piece() const { return pin_piece_; }
  /// Whether messages are registered by such pieces.
  [[nodiscard]] bool by_pieces() const { return pin_piece_ != 0 && !pages_on_demand_; }
  /// Whether the first piece shall travel through a buffer before anything is registered.
  [[nodiscard]] bool may_defer() const { return pin_deferred_ && staging_used_ < kBounceBuffers; }

  [[nodiscard]] Expected<Staging> take_staging();
  void return_staging(Staging& staging);
  /// Bytes of each.
  [[nodiscard]] std::size_t staging_bytes() const { return staging_bytes_; }

  /// Deregisters what became stale; cheap if there is nothing.
  void reap() {
    if (cache_) cache_->reap();
  }
  /// Null: nothing is registered.
  [[nodiscard]] RegistrationCache* cache() const { return cache_.get(); }

 private:
  /// Beyond, messages of scattered data still get buffers, others do without.
  static constexpr std::uint32_t kBounceBuffers = 16;

  Device& device_;
  std::unique_ptr<RegistrationCache> cache_;
  std::size_t pin_piece_ = 0;
  bool pin_deferred_ = false;
  bool pages_on_demand_ = false;
  std::optional<Region> everything_;  // all memory, once it was needed
  std::vector<Staging> free_staging_;
  std::size_t staging_bytes_ = 0;
  std::uint32_t staging_used_ = 0;
};

}  // namespace remit
