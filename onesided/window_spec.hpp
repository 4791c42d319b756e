// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a program wants of a window.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi.h"

namespace remit {

/// Arguments of the functions that make windows, and their info (MPI-5.0, section 12.2). Sizes and
/// displacement units are the member's own; info keys have to be the same at all members, and only
/// what is the same everywhere is made use of.
struct WindowSpec {
  int flavor = MPI_WIN_FLAVOR_CREATE;
  void* base = nullptr;       ///< MPI_WIN_FLAVOR_CREATE: the member's memory
  MPI_Aint bytes = 0;         ///< of the member's memory; 0 for dynamic windows
  int displacement_unit = 1;  ///< bytes, positive

  bool no_locks = false;  ///< no passive target
  bool same_size = false;
  bool same_displacement_unit = false;
  bool noncontiguous = false;  ///< alloc_shared_noncontig: each member's part on its pages
  std::size_t alignment = 0;   ///< mpi_minimum_memory_alignment, bytes; 0: none wanted
  std::size_t accumulate_granularity = 0;  ///< mpi_accumulate_granularity, bytes; 0: none wanted
};

}  // namespace remit
