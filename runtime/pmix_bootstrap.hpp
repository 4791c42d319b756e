// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of a real job: a client of the PMIx server that started this process.
#pragma once

#include <memory>

#include "runtime/bootstrap.hpp"

namespace remit {

/// Connects to the PMIx server that the environment of this process announces. Works under any
/// server: it uses only what Slurm, Open MPI's mpirun and ours have in common. Sets PMIX_MCA_
/// variables that the user left unset, so that start-up loads no component it has no use for.
[[nodiscard]] Expected<std::unique_ptr<Bootstrap>> open_pmix_bootstrap();

}  // namespace remit
