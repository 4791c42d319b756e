// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The devices of one process, and what they have for all who use them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "links/address_blob.hpp"
#include "links/device_memory.hpp"
#include "links/link.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/eager_path.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/pending.hpp"
#include "runtime/params.hpp"

namespace remit {

/// A device and what Links keeps beside it.
struct LinkDevice {
  LinkDevice(std::unique_ptr<Device> opened, const Params& params, MemoryWatch* watch);

  std::unique_ptr<Device> device;
  EagerPath* eager;         ///< the device's, or `posted`
  HostMemory* host_memory;  ///< null: the device has none
  std::size_t index = 0;    ///< in the DeviceSet
  bool ordered;             ///< Caps::ordered
  std::size_t chunk;        ///< bytes of one get or put, so that its length fits 32 bits
  PendingQueue pending;
  std::vector<Link*> by_endpoint;
  DeviceMemory memory;
  std::unique_ptr<EagerPath> posted;  ///< null: the device has its own
};

/// Notices and whose they are: `memory` takes them back.
struct OwnNotices {
  HostMemory* memory = nullptr;
  Notices notices;
};

/// All devices, the lowest latency first: both sides of a link rank alike, so they choose the same,
/// the first that reaches the peer. Constant but for what the devices do. Called by the thread that
/// drives them.
class DeviceSet {
 public:
  /// Throws std::runtime_error if the memory monitor that the user wants does not work.
  DeviceSet(const Params& params, std::vector<std::unique_ptr<Device>> devices);

  [[nodiscard]] auto begin() const { return devices_.begin(); }
  [[nodiscard]] auto end() const { return devices_.end(); }

  /// What peers need to connect; `word` goes with it.
  [[nodiscard]] AddressBlob addresses(std::uint32_t word) const;
  /// Whether one of them reaches who has published the encoded addresses.
  [[nodiscard]] bool reach(std::span<const std::byte> blob) const;

  void arm();
  void disarm();
  /// Something waits to be offered again to a device.
  [[nodiscard]] bool queued() const {
    return std::any_of(begin(), end(), [](const auto& slot) { return !slot->pending.empty(); });
  }
  /// True if nothing that was posted is still in this process.
  [[nodiscard]] bool departed() const;

  /// Notices of the first device that has any left.
  [[nodiscard]] OwnNotices take_notices();
  /// Memory for messages from the first device that has some (HostMemory::allocate()), or null.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// Of the first device that has some; null: none has.
  [[nodiscard]] HostMemory* host_memory() const {
    const auto with =
        std::find_if(begin(), end(), [](const auto& slot) { return slot->host_memory != nullptr; });
    return with != end() ? (*with)->host_memory : nullptr;
  }
  /// Released::foreign: it is from none of them.
  [[nodiscard]] Released release(void* memory);

  /// The registration caches of all devices together.
  [[nodiscard]] RegistrationCounters registrations() const;
  /// RegistrationCounters::recent_peak is of what comes from now on.
  void restart_peaks();
  /// Raises the events of registrations, which outlive it.
  void set_events(Events& events);
  /// How changes of registered memory are noticed, for a person; empty if nothing is registered.
  [[nodiscard]] std::string memory_monitor() const {
    return memory_watch_ ? memory_watch_->describe() : "";
  }

 private:
  std::unique_ptr<MemoryWatch> memory_watch_;  // null: no device registers; outlives them
  std::vector<std::unique_ptr<LinkDevice>> devices_;
};

}  // namespace remit
