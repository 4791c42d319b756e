// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What only the MPI library knows: for whom a call has waited, how messages went. It is asked
// through MPI_T, by the names of events and variables, and whatever a library does not have stays
// unknown.
#pragma once

namespace remit::profile {

/// Before MPI is started, in the first thread that does so. Once.
void attach_inside();

/// Reads what the library has counted so far, while MPI is up.
void read_inside();
/// The same where nobody has read them: a program whose own tool ended MPI exits.
void read_inside_at_exit();

}  // namespace remit::profile
