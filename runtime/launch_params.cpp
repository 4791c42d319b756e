// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Makes mpirun's parameters known to the MPI library and to remit_info.
#include "runtime/launch_params.hpp"
