// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a number or an address, and what to do.
#include "bindings/value_checks.hpp"

#include <array>
#include <string>
#include <utility>

#include "bindings/checks.hpp"
#include "bindings/handles.hpp"

namespace remit {

bool ValueChecks::unchecked() const {
  return !instance_->process->params().flag(check_arguments_param);
}

int ValueChecks::bad_pointer(const char* argument) {
  return fail(MPI_ERR_ARG, "argument {} is a null pointer", argument);
}

int ValueChecks::bad_count(MPI_Count count, const char* argument) {
  if (unchecked()) return MPI_SUCCESS;
  return fail(MPI_ERR_COUNT, "{} is {}; it must not be negative", argument, count);
}

int ValueChecks::bad_rank(const CommObject& comm, int rank, bool receive) {
  if (unchecked()) return MPI_SUCCESS;
  if (receive) {
    return fail(MPI_ERR_RANK, "source is {}; it must be 0 to {}, MPI_ANY_SOURCE or MPI_PROC_NULL",
                rank, peers(comm) - 1);
  }
  return fail(MPI_ERR_RANK, "dest is {}; it must be 0 to {} or MPI_PROC_NULL", rank,
              peers(comm) - 1);
}

int ValueChecks::bad_tag(int tag) {
  if (unchecked()) return MPI_SUCCESS;
  return fail(MPI_ERR_TAG, "tag is {}; it must be 0 to {} (MPI_ANY_TAG in receives only)", tag,
              kTagUpperBound);
}

int ValueChecks::root(const CommObject& comm, int root) {
  const bool is_rank = static_cast<unsigned>(root) < static_cast<unsigned>(peers(comm));
  if (is_rank || unchecked()) return MPI_SUCCESS;
  if (comm.core.is_inter()) {
    if (root == MPI_ROOT || root == MPI_PROC_NULL) return MPI_SUCCESS;
    return fail(MPI_ERR_ROOT,
                "root is {}; on an inter-communicator it must be 0 to {}, MPI_ROOT or "
                "MPI_PROC_NULL",
                root, peers(comm) - 1);
  }
  return fail(MPI_ERR_ROOT, "root is {}; it must be 0 to {}", root, peers(comm) - 1);
}

int ValueChecks::bad_target(int members, int rank, const char* argument) {
  if (unchecked()) return MPI_SUCCESS;
  return fail(MPI_ERR_RANK, "{} is {}; it must be 0 to {} or MPI_PROC_NULL", argument, rank,
              members - 1);
}

int ValueChecks::bad_assertion(int assertion, int known) {
  if (unchecked()) return MPI_SUCCESS;
  constexpr std::array<std::pair<int, const char*>, 5> kNames = {{
      {MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK"},
      {MPI_MODE_NOPRECEDE, "MPI_MODE_NOPRECEDE"},
      {MPI_MODE_NOPUT, "MPI_MODE_NOPUT"},
      {MPI_MODE_NOSTORE, "MPI_MODE_NOSTORE"},
      {MPI_MODE_NOSUCCEED, "MPI_MODE_NOSUCCEED"},
  }};
  std::string list = "0";
  for (const auto& [bit, name] : kNames) {
    if ((known & bit) != 0) list.append(", ").append(name);
  }
  return fail(MPI_ERR_ASSERT, "assert is {}; it must be made of {}", assertion, list);
}

int ValueChecks::window_bytes(MPI_Aint bytes) {
  if (bytes >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_SIZE, "size is {}; it must not be negative", bytes);
}

}  // namespace remit
