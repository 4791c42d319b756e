// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory monitor that the kernel itself informs.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <memory>

#include "rdma_btl/registration/memory_monitor.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Registers what it watches with a userfaultfd, in write-protect mode without ever protecting, so
/// that no access faults; asks for the events UNMAP, REMAP and REMOVE (not FORK, which ordinary
/// users may not have: a child's memory then is simply not registered). Refuses private mappings
/// of files, memory of another userfaultfd, and parts of huge pages.
///
/// The kernel holds the thread that unmaps until the event was read; the addresses may be handed
/// out before that. One thread reads, started by the first watch(): all signals blocked, no
/// allocation, no unmapping, and the lock held across read and report.
class UserfaultfdMonitor final : public MemoryMonitor {
 public:
  /// An error if this kernel, or a security policy, does not have it.
  [[nodiscard]] static Expected<std::unique_ptr<UserfaultfdMonitor>> open();
  ~UserfaultfdMonitor() override;

  [[nodiscard]] std::string_view name() const override { return "userfaultfd"; }
  void attach(MemoryEvents& events) override { events_ = &events; }
  [[nodiscard]] bool watch(AddressRange pages) override;
  void unwatch(AddressRange pages) noexcept override;
  [[nodiscard]] bool quiet() noexcept override;

 private:
  UserfaultfdMonitor(int fd, int stop);
  [[nodiscard]] bool start();
  [[nodiscard]] bool forked() const;
  static void* run(void* self);
  void read_events() noexcept;
  [[nodiscard]] bool end_part(AddressRange pages) noexcept;
  void end_everywhere() noexcept;

  int fd_;
  int stop_;  // an eventfd that ends the thread
  pid_t owner_;
  bool started_ = false;
  std::atomic<bool> broken_{false};  // no events can be read any more
  bool moved_ = false;               // the thread's, until it has ended
  pthread_t thread_{};
  MemoryEvents* events_ = nullptr;
};

}  // namespace remit
