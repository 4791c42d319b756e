// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What one process exposes in a window: its memory, and what is done there for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "links/offered_memory.hpp"
#include "onesided/handover/delegate.hpp"
#include "onesided/memory/regions.hpp"
#include "onesided/notified/notified_access.hpp"
#include "onesided/remote/served_window.hpp"
#include "onesided/synchronization/active_target.hpp"
#include "onesided/synchronization/lock_watch.hpp"
#include "onesided/window_core.hpp"

namespace remit {

/// From its creation to close() members that send messages are served with this memory, and told
/// that it is gone behind that; those of this host may hand operations over. The thread that drives
/// the links.
class ExposedMemory {
 public:
  /// `keeps`: memory of members that is Remit's, and not in the segment. `name`: of a window that
  /// the program gives no name. The others, which are told what members say, must outlive it.
  ExposedMemory(WindowCore& window, void* base, std::shared_ptr<void> keeps, std::string name,
                ActiveTarget& active_target, NotifiedAccess& notified_access);
  ~ExposedMemory();
  ExposedMemory(const ExposedMemory&) = delete;
  ExposedMemory& operator=(const ExposedMemory&) = delete;

  [[nodiscard]] void* base() const { return base_; }
  /// Null: the window is no dynamic one.
  [[nodiscard]] const Regions* regions() const { return regions_.get(); }
  /// MPI_Win_attach and MPI_Win_detach, of dynamic windows. Local. MPI_ERR_RMA_ATTACH.
  [[nodiscard]] Expected<> attach(void* base, MPI_Aint bytes);
  [[nodiscard]] Expected<> detach(const void* base);

  /// The program's name of the window, by which members hear what is wrong with their operations.
  /// May be empty.
  void set_name(const std::string& name);
  /// From now on nobody hands over operations to this process. Before the members meet for the last
  /// time: behind that, their host's first one may use the memory for something else.
  void leave_slot();
  /// Takes part no longer: nothing of it is served any more. A second time it does nothing.
  void close();

 private:
  [[nodiscard]] ServedWindow::Member served_member(ActiveTarget& active_target,
                                                   NotifiedAccess& notified_access);
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const;
  /// Of this memory; offered to the devices when they are asked for. Empty: it is reached by
  /// messages alone.
  [[nodiscard]] std::span<const std::byte> keys();

  WindowCore& window_;
  std::shared_ptr<void> keeps_;
  void* base_;
  std::string unnamed_;                   ///< what the window is called without a name
  std::unique_ptr<Regions> regions_;      ///< null: the window is no dynamic one
  std::optional<OfferedMemory> offered_;  ///< once keys were asked for
  LockWatch lock_watch_;                  ///< for those who wait by messages for this member's lock
  ServedWindow served_;
  std::optional<Delegate> delegate_;  ///< of windows whose members have memory of their own
  bool open_ = true;
};

}  // namespace remit
