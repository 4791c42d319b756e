// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Communication on a window: where an operation goes, and how. (MPI-5.0, section 12.3.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"
#include "onesided/handover/unmapped_access.hpp"
#include "onesided/memory/regions.hpp"
#include "onesided/window_core.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// Where an operation goes: elements of a type in a member's memory.
struct WindowTarget {
  int rank = 0;               ///< of the window's group; not MPI_PROC_NULL
  MPI_Aint displacement = 0;  ///< in the member's displacement units
  MPI_Count count = 0;        ///< elements of `type`
  const Datatype* type = nullptr;
};

/// The operations of one process. Each asks the epochs (MPI_ERR_RMA_SYNC), finds the memory
/// (MPI_ERR_RMA_RANGE) and goes by the target's MemoryWay. It never waits for a call of the target,
/// but where memory is out of its reach for credits. `done`, of the forms with a request, completes
/// when the origin's memory is free (put, accumulate) or the result is there; null: nobody asks. It
/// may be complete on return. The thread that holds the process.
class WindowOperations {
 public:
  /// Both must outlive it. `own_regions`: what this process has attached; null: the window is no
  /// dynamic one.
  WindowOperations(WindowCore& window, const Regions* own_regions)
      : window_(window), own_regions_(own_regions), unmapped_(window.manager, window.members) {}

  [[nodiscard]] Expected<> put(const View& origin, const WindowTarget& target,
                               Request* done = nullptr);
  [[nodiscard]] Expected<> get(const View& origin, const WindowTarget& target,
                               Request* done = nullptr);
  /// A put, and its notification by a counter of the target, if one operation of a device does
  /// both: true. False: nobody has been notified yet.
  [[nodiscard]] Expected<bool> put_notified(const View& origin, const WindowTarget& target,
                                            std::uint32_t index);
  /// A put or a get of plain bytes by a device, where nothing is out of the ordinary and nobody
  /// waits: then a put's memory is free on return, and a get's result there after a flush. False:
  /// nothing was done, the functions above do it or say what is wrong.
  [[nodiscard]] bool try_move(OpKind kind, void* local, std::size_t bytes, int rank,
                              MPI_Aint displacement);
  /// The same of a put, with its notification.
  [[nodiscard]] bool try_put_notified(void* local, std::size_t bytes, int rank,
                                      MPI_Aint displacement, std::uint32_t index);
  /// The same of a fetch of one element by an adapter's atomic: a sum with what `operand` points
  /// to, or, where that is null, nothing but the fetch. The result is there after a flush. It may
  /// wait for room, which needs no target.
  [[nodiscard]] bool try_fetch(const Datatype& element, const void* operand, void* result, int rank,
                               MPI_Aint displacement);
  /// The same of a comparison and swap, of elements that may be compared.
  [[nodiscard]] bool try_swap(const Datatype& element, const void* replacement, const void* compare,
                              void* result, int rank, MPI_Aint displacement);
  /// Also MPI_Get_accumulate and MPI_Fetch_and_op, where `result` is not null. `origin` is null for
  /// MPI_NO_OP.
  [[nodiscard]] Expected<> accumulate(const View* origin, const Op& op, const WindowTarget& target,
                                      const View* result = nullptr, Request* done = nullptr);
  /// One element of a predefined type.
  [[nodiscard]] Expected<> compare_and_swap(const void* replacement, const void* compare,
                                            void* result, const WindowTarget& target);

  /// Where a member has the 64-bit word of a signal, as addresses of its process. Epochs are not
  /// asked. MPI_ERR_RMA_RANGE, and MPI_ERR_DISP for a word that is not aligned.
  [[nodiscard]] Expected<View> signal_word(int rank, MPI_Aint displacement) const;
  /// For reports.
  [[nodiscard]] const UnmappedAccess& unmapped() const { return unmapped_; }
  /// Ends the sleep of a member that waits for a signal, which this process has just stored.
  [[nodiscard]] Expected<> tell_signalled(int rank);
  /// An accumulate that is started behind it on that member does not overtake puts before it.
  [[nodiscard]] Expected<> order_behind(int rank);

 private:
  /// An operation's target, as addresses of the member's process.
  struct Reached {
    MemoryWay way = MemoryWay::message;
    View view;
  };
  [[nodiscard]] Expected<Reached> reach(const WindowTarget& target);
  /// A put to a member of this host, or of nothing.
  [[nodiscard]] Expected<> put_on_host(const View& origin, int rank, const Reached& reached);
  [[nodiscard]] Expected<> admit(int rank);
  /// Where so many bytes begin in the member's memory, for functions that do not say what is wrong;
  /// none: something is out of the ordinary.
  [[nodiscard]] std::optional<std::uint64_t> plain_offset(int rank, MPI_Aint displacement,
                                                          std::size_t bytes);
  [[nodiscard]] Expected<View> locate(const WindowTarget& target) const;
  [[nodiscard]] Expected<> check_regions(int rank, const View& view, MemoryWay way);
  /// The same bytes where they are mapped here.
  [[nodiscard]] View mapped_view(int rank, const View& view) const;

  WindowCore& window_;
  const Regions* own_regions_;
  UnmappedAccess unmapped_;
  /// Of members of a dynamic window that have been reached.
  std::map<int, std::unique_ptr<PeerRegions>> peers_;
};

}  // namespace remit
