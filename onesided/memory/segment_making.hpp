// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of one member of a host that the others of that host map: what windows and their counters
// are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "communicators/comm_process.hpp"
#include "links/links.hpp"
#include "links/process_id.hpp"

namespace remit {

/// Where the member that owns such memory has it.
struct SegmentPlace {
  std::uint64_t address = 0;  ///< in its own process; 0: there is none
  std::uint64_t bytes = 0;
};

/// Takes `bytes` of memory that others of the host can map, the first `zeroed` of which are zeros.
/// Null: there is not so much. It is given back when nobody has the pointer any more; who has it
/// mapped keeps it.
[[nodiscard]] std::shared_ptr<void> allocate_segment(Links& links, std::size_t bytes,
                                                     std::size_t zeroed);

/// Memory of this process alone, in the place of such memory where none can be shared: zeros.
[[nodiscard]] std::shared_ptr<void> allocate_private_segment(std::size_t bytes);

/// Where memory that `owner`, another process of this host, has taken is mapped here; null: it
/// cannot be. Connects, and waits where the owner has to be asked.
[[nodiscard]] std::byte* map_segment(const CommCall& call, Links& links, ProcId owner,
                                     const SegmentPlace& place);

}  // namespace remit
