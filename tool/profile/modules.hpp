// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The files that the program's code was loaded from, so that an address can be found in them after
// the run, wherever they were loaded.
#pragma once

#include "tool/profile/record.hpp"
#include "tool/profile/recorder.hpp"

namespace remit::profile {

/// The number in record.modules of the file with this address; adds it. kModules: there is none,
/// or no room. Any thread.
[[nodiscard]] std::uint32_t find_module(Record& record, std::uint64_t address);

/// The code of libmpifort_abi, if the program has it.
[[nodiscard]] CodeRange find_fortran();

/// A handle (dlopen) of the MPI library; null: no library of that name is loaded.
[[nodiscard]] void* open_mpi_library();

}  // namespace remit::profile
