// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether long data cross a board, in two copies, or the kernel copies them.
#pragma once

#include <cstdint>

#include "collectives/choice/shape.hpp"
#include "runtime/host_facts.hpp"
#include "runtime/params.hpp"

namespace remit {

/// What long_board_of() goes by.
struct BoardDistance {
  bool reaches = false;       ///< the memory of all others
  bool spins = false;         ///< if not, every piece would be a change of processes
  std::uint32_t page_ns = 0;  ///< to write a page and read another's; 0: unknown
};

/// Nanoseconds that 64 KB take to cross a board of which a page takes so long.
[[nodiscard]] std::uint32_t board_ns_of_64k(std::uint32_t page_ns);
/// Whether it matters to long_board_of() how long a page takes.
[[nodiscard]] bool asks_for_page(const Params& params);
/// Which long data a process wants to cross the board, in two copies that take less time than one
/// by the `kernel`, or by messages where it does not reach its peers' memory.
[[nodiscard]] LongBoard long_board_of(const Params& params, const KernelCopies& kernel,
                                      const BoardDistance& distance);

}  // namespace remit
