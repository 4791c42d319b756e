// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The choice of memory monitors, and what they share.
#include "rdma_btl/registration/memory_watch.hpp"

#include <unistd.h>

#include <algorithm>

#include "rdma_btl/registration/preload_monitor.hpp"
#include "rdma_btl/registration/userfaultfd_monitor.hpp"

namespace remit {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

AddressRange pages_of(const void* address, std::size_t length) {
  const std::uintptr_t mask = page_bytes() - 1;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin & ~mask, (begin + std::max<std::size_t>(length, 1) + mask) & ~mask};
}

MemoryWatch::MemoryWatch(std::vector<std::unique_ptr<MemoryMonitor>> monitors)
    : monitors_(std::move(monitors)) {
  for (const auto& monitor : monitors_) monitor->attach(*this);
}

Expected<std::unique_ptr<MemoryWatch>> MemoryWatch::open(const Params& params) {
  const std::string& wanted = params.text(memory_monitor_param);
  std::vector<std::unique_ptr<MemoryMonitor>> monitors;
  if (wanted == "auto" || wanted == "userfaultfd") {
    auto monitor = UserfaultfdMonitor::open();
    if (monitor) {
      monitors.push_back(std::move(*monitor));
    } else if (wanted != "auto") {
      return tl::unexpected(monitor.error());
    }
  }
  if (wanted == "auto" || wanted == "preload") {
    auto monitor = PreloadMonitor::open();
    if (monitor) {
      monitors.push_back(std::move(*monitor));
    } else if (wanted != "auto") {
      return tl::unexpected(monitor.error());
    }
  }
  return std::make_unique<MemoryWatch>(std::move(monitors));
}

void MemoryWatch::add(MemoryWatcher& watcher) {
  std::vector<MemoryWatcher*> grown = watchers_;  // only this thread changes it
  grown.push_back(&watcher);
  const std::lock_guard lock(mutex_);
  watchers_.swap(grown);  // the old one is freed after the lock: it was declared before
}

void MemoryWatch::remove(MemoryWatcher& watcher) {
  const std::lock_guard lock(mutex_);
  std::erase(watchers_, &watcher);
}

MemoryWatch::Which MemoryWatch::watch(AddressRange pages) {
  for (std::size_t i = 0; i < monitors_.size(); ++i) {
    if (monitors_[i]->watch(pages)) return static_cast<Which>(i + 1);
  }
  return 0;
}

struct MemoryWatch::Gap {
  MemoryWatch* watch;
  MemoryMonitor* monitor;
  std::size_t watcher;
};

/// Hands on what the watchers up to now do not hold: to the next watcher, at last to the monitor.
void MemoryWatch::next_gap(void* argument, AddressRange part) {
  const Gap& gap = *static_cast<Gap*>(argument);
  if (gap.watcher == gap.watch->watchers_.size()) return gap.monitor->unwatch(part);
  Gap next = gap;
  ++next.watcher;
  gap.watch->watchers_[gap.watcher]->unheld(part, next_gap, &next);
}

void MemoryWatch::unwatch(AddressRange pages, Which which) noexcept {
  if (which == 0 || pages.empty()) return;
  Gap all{this, monitors_[which - 1U].get(), 0};
  next_gap(&all, pages);
}

bool MemoryWatch::quiet() noexcept {
  for (const auto& monitor : monitors_) {
    if (!monitor->quiet()) return false;
  }
  return true;
}

std::string MemoryWatch::describe() const {
  std::string names;
  for (const auto& monitor : monitors_) {
    if (!names.empty()) names += ", ";
    names += monitor->name();
  }
  return names.empty() ? "none" : names;
}

void MemoryWatch::memory_changed(AddressRange range, MemoryEvent event) noexcept {
  for (MemoryWatcher* watcher : watchers_) watcher->forget(range, event);
}

}  // namespace remit
