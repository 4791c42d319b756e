// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A window: memory of each member of a group that the others put to, get from and change.
// (MPI-5.0, chapter 12.)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "communicators/comm_process.hpp"
#include "onesided/exposed_memory.hpp"
#include "onesided/notified/notified_access.hpp"
#include "onesided/short_ways.hpp"
#include "onesided/synchronization/active_target.hpp"
#include "onesided/synchronization/passive_target.hpp"
#include "onesided/window_core.hpp"
#include "onesided/window_making.hpp"
#include "onesided/window_operations.hpp"
#include "onesided/window_report.hpp"

namespace remit {

/// One process's part of a window: what is made and freed by all members together, and has the
/// parts that do the rest. The caller has checked handles, counts, types and ranks; epochs and the
/// bounds of memory are checked here. All calls by the thread that holds the process.
class Window {
 public:
  /// Collective over `parent`, an intra-communicator; waits. Every member gets the window or each
  /// an error.
  [[nodiscard]] static Expected<std::unique_ptr<Window>> make(const CommCall& call,
                                                              const ParentComm& parent,
                                                              OneSided& manager,
                                                              const WindowSpec& spec);
  /// Collective; waits for all members, and for the operations of this one. MPI_ERR_RMA_SYNC: an
  /// epoch of this process is open, or requests wait for notifications; then nothing is done. The
  /// window ends behind it, or with the process.
  [[nodiscard]] Expected<> free(const CommCall& call);
  /// Of a window that is not freed, at the end of the process: waits until all members are there,
  /// or cannot be. Until then this one is a target.
  void meet_at_end(const CommCall& call);
  /// Whether free() may be called, as far as this process knows.
  [[nodiscard]] Expected<> check_free() const;

  [[nodiscard]] OneSided& manager() { return core_.manager; }
  [[nodiscard]] const CommCore& comm() const { return core_.comm; }
  [[nodiscard]] const WindowSpec& spec() const { return core_.spec; }
  [[nodiscard]] const WindowMembers& members() const { return core_.members; }
  [[nodiscard]] WindowMembers& members() { return core_.members; }
  [[nodiscard]] const Epochs& epochs() const { return core_.epochs; }
  /// Whether some member can reach another one by nothing but messages, which that has to serve.
  [[nodiscard]] bool is_served() const { return core_.is_served; }
  /// Whether that is so for more than first contact: adapters do not do the rest.
  [[nodiscard]] bool needs_answers() const { return is_served() && core_.adapter == nullptr; }
  /// Whether operations are under way that a flush would wait for.
  [[nodiscard]] bool is_busy() const { return core_.remote.targets().busy(); }
  /// What is known of its ways by now; in as many steps as there are members.
  /// (onesided/window_report.cpp)
  [[nodiscard]] WindowReport report(bool has_progress_thread) const;

  /// MPI_Win_shared_query: what this process can load from and store to. For MPI_PROC_NULL that of
  /// the lowest rank with memory, shared or not. Size 0 and null where nothing is shared.
  struct SharedPart {
    MPI_Aint bytes = 0;
    int displacement_unit = 1;
    void* base = nullptr;
  };
  [[nodiscard]] SharedPart shared_part(int rank) const;

  /// Tried before what the parts below do.
  [[nodiscard, gnu::always_inline]] ShortWays short_ways() { return ShortWays(core_); }
  [[nodiscard]] WindowOperations& operations() { return operations_; }
  [[nodiscard]] ActiveTarget& active_target() { return active_target_; }
  [[nodiscard]] PassiveTarget& passive_target() { return passive_target_; }
  [[nodiscard]] NotifiedAccess& notified_access() { return notified_access_; }
  [[nodiscard]] ExposedMemory& exposed_memory() { return exposed_memory_; }

 private:
  Window(CommCore comm, OneSided& manager, const WindowSpec& spec, MadeMemory memory,
         std::string name);

  WindowCore core_;
  std::vector<int> unshared_;  ///< as in MadeMemory
  ActiveTarget active_target_;
  PassiveTarget passive_target_;
  NotifiedAccess notified_access_;
  ExposedMemory exposed_memory_;
  WindowOperations operations_;
};

}  // namespace remit
