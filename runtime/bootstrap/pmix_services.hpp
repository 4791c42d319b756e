// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What MPI asks of the launcher besides addresses: names that any process may look up, and
// processes. Each is one call of PMIx, which blocks until the server has answered.
#pragma once

#include <string>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Publishes a name. MPI_ERR_SERVICE: there is one like it.
[[nodiscard]] Expected<> publish_in_pmix(const std::string& name, const std::string& value);
/// MPI_ERR_NAME: nobody has published it.
[[nodiscard]] Expected<std::string> lookup_in_pmix(const std::string& name);
/// MPI_ERR_SERVICE: this process has not published it.
[[nodiscard]] Expected<> unpublish_in_pmix(const std::string& name);

/// Starts processes, at the request of rank `rank` of `job`. MPI_ERR_SPAWN, with the words that our
/// mpirun has published for that process: PMIx has none for a failure.
[[nodiscard]] Expected<> spawn_in_pmix(const SpawnRequest& request, const std::string& job,
                                       int rank);

}  // namespace remit
