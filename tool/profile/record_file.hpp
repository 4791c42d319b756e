// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The file of a process's record: where it is, and the memory that it is mapped to.
#pragma once

#include "tool/profile/record.hpp"

namespace remit::profile {

/// Makes the file in the folder that REMIT_PROFILE names, or else REMIT_TRACE, and writes down what
/// is known of the process before MPI is up. Without the variable, or where there is no room (which
/// is said once on standard error), the record is in private memory, and goes with the process.
[[nodiscard]] Record* open_record_file();

/// Makes sure that the file system has room for one more table: a write to a page for which it has
/// none would kill the process. False: there is none.
[[nodiscard]] bool reserve_table(const ThreadTable& table);
/// The same for the frames of stacks.
[[nodiscard]] bool reserve_frames();

/// Where the file is; "": the record is in private memory.
[[nodiscard]] const char* record_path();

/// The process that opened the record; a child of fork() is another one.
[[nodiscard]] int own_pid();

}  // namespace remit::profile
