// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory monitors of one process, and the caches that they report to.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rdma_btl/registration/memory_monitor.hpp"
#include "runtime/error.hpp"
#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl memory_monitor_param{
    "memory_monitor",
    std::string("auto"),
    "",
    "how Remit learns that registered memory was unmapped; none: memory is registered for each "
    "message",
    {"auto", "userfaultfd", "preload", "none"}};

/// Who must hear of changed memory: a registration cache.
class MemoryWatcher {
 public:
  /// As MemoryEvents::memory_changed.
  virtual void forget(AddressRange range, MemoryEvent event) noexcept = 0;
  /// Calls visit for each part of `pages` in which this watcher holds nothing. Under the lock.
  virtual void unheld(AddressRange pages, void (*visit)(void*, AddressRange), void* argument) = 0;

 protected:
  ~MemoryWatcher() = default;
};

/// Tries its monitors in turn, and holds the one lock that they and the caches share: a page
/// can have one userfaultfd, but registrations with several devices. One thread, except where said
/// otherwise.
class MemoryWatch final : public MemoryEvents {
 public:
  /// Names the monitor that watches a range: its place in the list, from 1; 0: none.
  using Which = std::uint8_t;

  explicit MemoryWatch(std::vector<std::unique_ptr<MemoryMonitor>> monitors);
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  /// The monitors that the parameter memory_monitor asks for. One that is named and does not work
  /// is an error; auto takes what works, perhaps nothing.
  [[nodiscard]] static Expected<std::unique_ptr<MemoryWatch>> open(const Params& params);

  /// Before its first watch(), and after its last range was unwatched.
  void add(MemoryWatcher& watcher);
  void remove(MemoryWatcher& watcher);

  /// Watches `pages` by the first monitor that can. 0: none can, do not cache. Without the lock.
  [[nodiscard]] Which watch(AddressRange pages);
  /// Ends it, except where a watcher still holds pages. Under the lock.
  void unwatch(AddressRange pages, Which which) noexcept;
  /// MemoryMonitor::quiet() of all. Under the lock.
  [[nodiscard]] bool quiet() noexcept;
  /// True if there is a monitor at all.
  [[nodiscard]] bool active() const { return !monitors_.empty(); }
  /// The names of the monitors, for a person: "userfaultfd, preload"; "none".
  [[nodiscard]] std::string describe() const;

  // MemoryEvents: any thread
  [[nodiscard]] std::mutex& mutex() override { return mutex_; }
  void memory_changed(AddressRange range, MemoryEvent event) noexcept override;

 private:
  struct Gap;
  static void next_gap(void* argument, AddressRange part);

  std::mutex mutex_;
  std::vector<MemoryWatcher*> watchers_;
  std::vector<std::unique_ptr<MemoryMonitor>> monitors_;  // destroyed first: their threads report
};

}  // namespace remit
