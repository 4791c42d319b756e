// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What each rank says about its messages and devices at the end.
#pragma once

#include "bindings/process/instance.hpp"

namespace remit {

inline const ParamDecl statistics_param{
    "statistics", false, "",
    "each rank prints at MPI_Finalize what its messages, registrations and devices counted, and "
    "which ways its windows had"};

/// If statistics_param is set: a line to the process's log for each group of counters, of the form
/// "statistics: verbs: sends 12, receives 12", and for each window (onesided/window_report.hpp). On
/// the thread that holds the process.
void report_statistics(Instance& instance);

}  // namespace remit
