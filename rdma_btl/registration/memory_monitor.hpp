// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A source of the events that make a registration stale: memory that is unmapped, moved or emptied.
#pragma once

#include <mutex>
#include <string_view>

#include "rdma_btl/registration/address_range.hpp"

namespace remit {

/// What became of memory.
enum class MemoryEvent : bool {
  unmapped,  ///< the range has other pages, or none
  emptied,   ///< the mapping is still there, its pages are not
};

/// Where a monitor reports. The mutex is the lock of every cache of the process: what holds it
/// neither allocates, nor frees, nor unmaps, for whoever does may wait for the monitor.
class MemoryEvents {
 public:
  [[nodiscard]] virtual std::mutex& mutex() = 0;
  /// Registrations that touch `range` must not be found any more. The caller holds mutex(). Any
  /// thread; does not allocate.
  virtual void memory_changed(AddressRange range, MemoryEvent event) noexcept = 0;

 protected:
  ~MemoryEvents() = default;
};

/// Watches ranges of whole pages of this process.
///
/// The promise to a cache: when a thread has unmapped, moved or emptied watched memory and its
/// system call has returned, or another thread has been given the same addresses, then either
/// memory_changed() has been called or quiet() is false until it has been.
class MemoryMonitor {
 public:
  MemoryMonitor() = default;
  MemoryMonitor(const MemoryMonitor&) = delete;
  MemoryMonitor& operator=(const MemoryMonitor&) = delete;
  virtual ~MemoryMonitor() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Reports to `events` from now on; called once, before anything else.
  virtual void attach(MemoryEvents& events) = 0;

  /// Starts to watch `pages`; what is watched already stays so. False: this memory cannot be
  /// watched. Called without the lock, by the thread that holds the MPI process.
  [[nodiscard]] virtual bool watch(AddressRange pages) = 0;

  /// Stops; events of it may still come. The caller holds the lock.
  virtual void unwatch(AddressRange pages) noexcept = 0;

  /// False while an event has happened that is not reported yet. The caller holds the lock, and
  /// gives it up before it asks again.
  [[nodiscard]] virtual bool quiet() noexcept = 0;
};

}  // namespace remit
