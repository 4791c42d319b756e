// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the members of a window come to share its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "communicators/comm_process.hpp"
#include "onesided/adapter/adapter_memory.hpp"
#include "onesided/memory/host_segment.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/window_spec.hpp"
#include "runtime/error.hpp"

namespace remit {

/// What came of it at one member.
struct MadeMemory {
  HostSegment segment;
  void* base = nullptr;         ///< of this member
  std::shared_ptr<void> keeps;  ///< memory of members that is not in the segment, but Remit's
  bool is_served = false;       ///< some members reach others by messages alone
  /// What this member has offered to the others' adapters, if all have; null: some have not.
  std::unique_ptr<AdapterMemory> offered;
  std::vector<int> unshared;  ///< ranks of this host with which no memory is shared, ascending
};

/// Makes the memory of a window of the members of `comm`, who all call this; `color` is the same
/// number for members of one host. The first member of each host allocates what they share. Waits.
/// Every member returns an error or none does: MPI_ERR_RMA_SHARED if memory that all have to share
/// cannot be shared, MPI_ERR_NO_MEM.
[[nodiscard]] Expected<MadeMemory> make_window_memory(const CommCall& call, const ParentComm& comm,
                                                      OneSided& manager, const WindowSpec& spec,
                                                      std::int64_t color);

}  // namespace remit
