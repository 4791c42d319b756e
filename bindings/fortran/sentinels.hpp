// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// sentinels.hpp: Fortran's MPI_BOTTOM, MPI_IN_PLACE and their kin, which are recognized by address.
#pragma once

#include <mpi.h>

#include <cstdint>

// mpif.h has each as a COMMON block, the modules have variables of the same names for the linker. A
// program may hold the one that counts (a COMMON block of its own, or a copy that its linker made),
// so their addresses are taken anew each time, the way the dynamic linker has resolved them. Their
// sizes are exactly those that Fortran has, else linkers warn.
extern "C" {
extern const int remit_bottom_;
extern const int remit_in_place_;
extern const int remit_buffer_automatic_;
extern const int remit_status_ignore_[8];
extern const int remit_statuses_ignore_[8];
extern const int remit_errcodes_ignore_[1];
extern const int remit_unweighted_[1];
extern const int remit_weights_empty_[1];
extern const char remit_argv_null_[1];
extern const char remit_argvs_null_[1];
}

namespace remit::fortran {

/// The buffer that C takes for one of Fortran.
[[gnu::always_inline]] inline void* buffer_at(const void* buffer) {
  if (buffer == &remit_bottom_) [[unlikely]]
    return MPI_BOTTOM;
  if (buffer == &remit_in_place_) [[unlikely]]
    return MPI_IN_PLACE;
  return const_cast<void*>(buffer);
}
/// The same where MPI_BUFFER_AUTOMATIC may stand.
[[gnu::always_inline]] inline void* memory_at(const void* buffer) {
  return buffer == &remit_buffer_automatic_ ? MPI_BUFFER_AUTOMATIC : buffer_at(buffer);
}

inline bool in_place(const void* buffer) {
  return buffer == &remit_in_place_;
}

/// The status or statuses that C takes: TYPE(MPI_Status), INTEGER(MPI_STATUS_SIZE) and C's are the
/// same eight integers. C has one value for both sentinels.
[[gnu::always_inline]] inline MPI_Status* status_at(int* status) {
  if (status == remit_status_ignore_ || status == remit_statuses_ignore_) return MPI_STATUS_IGNORE;
  return reinterpret_cast<MPI_Status*>(status);
}
inline const MPI_Status* status_at(const int* status) {
  return status_at(const_cast<int*>(status));
}

/// The weights of a graph's edges that C takes.
inline int* weights_at(int* weights) {
  if (weights == remit_unweighted_) return MPI_UNWEIGHTED;
  if (weights == remit_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return weights;
}
inline const int* weights_at(const int* weights) {
  return weights_at(const_cast<int*>(weights));
}

/// The error codes of spawned processes that C takes.
inline int* errcodes_at(int* codes) {
  return codes == remit_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes;
}

}  // namespace remit::fortran
