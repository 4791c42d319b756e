// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// version.cpp: which MPI and which library this is. Callable at any time, by any thread.

#include <algorithm>
#include <string_view>

#include "bindings/env/errors.hpp"
#include "bindings/weak.hpp"
#include "config.h"

namespace {

constexpr std::string_view kLibraryVersion = "Remit " PACKAGE_VERSION " (MPI 5.0 standard ABI)";
static_assert(kLibraryVersion.size() < MPI_MAX_LIBRARY_VERSION_STRING);

}  // namespace

int PMPI_Get_version(int* version, int* subversion) try {
  if (int err = remit::check_pointer(version, "MPI_Get_version", "version")) return err;
  if (int err = remit::check_pointer(subversion, "MPI_Get_version", "subversion")) return err;
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Get_version");
}
REMIT_WEAK(Get_version);

int PMPI_Get_library_version(char* version, int* resultlen) try {
  if (int err = remit::check_pointer(version, "MPI_Get_library_version", "version")) return err;
  if (int err = remit::check_pointer(resultlen, "MPI_Get_library_version", "resultlen")) return err;
  *std::copy(kLibraryVersion.begin(), kLibraryVersion.end(), version) = '\0';
  *resultlen = static_cast<int>(kLibraryVersion.size());
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Get_library_version");
}
REMIT_WEAK(Get_library_version);
