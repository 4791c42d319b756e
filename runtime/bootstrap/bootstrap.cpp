// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a bootstrap says that has no launcher behind it.
#include "runtime/bootstrap/bootstrap.hpp"

#include <algorithm>

namespace remit {

// FNV-1a.
std::uint32_t job_key_of(std::string_view job) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : job) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(hash ^ (hash >> 32)));
}

Expected<> Bootstrap::spawn(const SpawnRequest& /*request*/) {
  return fail(MPI_ERR_SPAWN,
              "this process runs without a launcher that could start others: start it with Remit's "
              "mpirun ('mpirun -n 1 PROGRAM')");
}

namespace {
constexpr const char* kNoNames =
    "this process runs without a launcher that could keep names for others: start it with Remit's "
    "mpirun ('mpirun -n 1 PROGRAM')";
}

Expected<> Bootstrap::publish_name(const std::string& /*name*/, const std::string& /*value*/) {
  return fail(MPI_ERR_UNSUPPORTED_OPERATION, "{}", kNoNames);
}

Expected<std::string> Bootstrap::lookup_name(const std::string& /*name*/) {
  return fail(MPI_ERR_NAME, "{}", kNoNames);
}

Expected<> Bootstrap::unpublish_name(const std::string& /*name*/) {
  return fail(MPI_ERR_SERVICE, "{}", kNoNames);
}

}  // namespace remit
