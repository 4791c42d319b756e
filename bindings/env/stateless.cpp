// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// stateless.cpp: functions that need nothing of the library: time, addresses, fields of a status.

#include <ctime>

#include "bindings/env/errors.hpp"
#include "bindings/status.hpp"
#include "bindings/weak.hpp"

namespace {

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

// CLOCK_MONOTONIC: never set back, and one clock for all processes of a host.
double PMPI_Wtime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}
REMIT_WEAK(Wtime);

double PMPI_Wtick() {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return seconds(resolution);
}
REMIT_WEAK(Wtick);

// The level of profiling is a tool's business: a library without a tool ignores it
// (section 15.2.4).
int PMPI_Pcontrol(const int, ...) {
  return MPI_SUCCESS;
}
REMIT_WEAK(Pcontrol);

int PMPI_Get_address(const void* location, MPI_Aint* address) try {
  if (int err = remit::check_pointer(address, "MPI_Get_address", "address")) return err;
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Get_address");
}
REMIT_WEAK(Get_address);

// Addresses wrap instead of overflowing, as pointers converted to integers do.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<uintptr_t>(base) + static_cast<uintptr_t>(disp));
}
REMIT_WEAK(Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<uintptr_t>(addr1) - static_cast<uintptr_t>(addr2));
}
REMIT_WEAK(Aint_diff);

int PMPI_Status_get_source(const MPI_Status* status, int* source) try {
  if (int err = remit::check_pointer(status, "MPI_Status_get_source", "status")) return err;
  if (int err = remit::check_pointer(source, "MPI_Status_get_source", "source")) return err;
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_get_source");
}
REMIT_WEAK(Status_get_source);

int PMPI_Status_get_tag(const MPI_Status* status, int* tag) try {
  if (int err = remit::check_pointer(status, "MPI_Status_get_tag", "status")) return err;
  if (int err = remit::check_pointer(tag, "MPI_Status_get_tag", "tag")) return err;
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_get_tag");
}
REMIT_WEAK(Status_get_tag);

int PMPI_Status_get_error(const MPI_Status* status, int* error) try {
  if (int err = remit::check_pointer(status, "MPI_Status_get_error", "status")) return err;
  if (int err = remit::check_pointer(error, "MPI_Status_get_error", "error")) return err;
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_get_error");
}
REMIT_WEAK(Status_get_error);

int PMPI_Status_set_source(MPI_Status* status, int source) try {
  if (int err = remit::check_pointer(status, "MPI_Status_set_source", "status")) return err;
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_set_source");
}
REMIT_WEAK(Status_set_source);

int PMPI_Status_set_tag(MPI_Status* status, int tag) try {
  if (int err = remit::check_pointer(status, "MPI_Status_set_tag", "status")) return err;
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_set_tag");
}
REMIT_WEAK(Status_set_tag);

int PMPI_Status_set_error(MPI_Status* status, int error) try {
  if (int err = remit::check_pointer(status, "MPI_Status_set_error", "status")) return err;
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_set_error");
}
REMIT_WEAK(Status_set_error);

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) try {
  if (int err = remit::check_pointer(status, "MPI_Status_set_cancelled", "status")) return err;
  remit::set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
} catch (...) {
  return remit::caught("MPI_Status_set_cancelled");
}
REMIT_WEAK(Status_set_cancelled);
