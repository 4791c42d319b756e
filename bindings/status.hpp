// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the private part of an MPI_Status holds: bytes received (64 bits in two ints, since a status
// is only 4-byte aligned) and the cancelled flag.
#pragma once

#include <cstring>

#include "pt2pt/request.hpp"

namespace remit {

inline void set_status_bytes(MPI_Status& status, MPI_Count bytes) {
  std::memcpy(status.MPI_internal, &bytes, sizeof bytes);
}

[[nodiscard]] inline MPI_Count status_bytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}

inline void set_status_cancelled(MPI_Status& status, bool cancelled) {
  status.MPI_internal[2] = cancelled ? 1 : 0;
}

[[nodiscard]] inline bool status_cancelled(const MPI_Status& status) {
  return status.MPI_internal[2] != 0;
}

/// Fills all but MPI_ERROR, which only the multiple-completion functions touch
/// (MPI-5.0, section 3.2.5).
inline void set_status(MPI_Status* status, const OpStatus& result) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = result.source;
  status->MPI_TAG = result.tag;
  set_status_bytes(*status, result.bytes);
  set_status_cancelled(*status, result.cancelled);
}

/// The status of what has no message: null and inactive requests (section 3.7.3).
[[nodiscard]] inline OpStatus empty_status() {
  return {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, false, 0};
}

/// Makes it the empty status as a whole: MPI_ERROR, too.
inline void set_empty(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  set_status(status, empty_status());
  status->MPI_ERROR = MPI_SUCCESS;
}

/// The status of a receive from MPI_PROC_NULL (section 3.10).
[[nodiscard]] inline OpStatus proc_null_status() {
  return {MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, false, 0};
}

}  // namespace remit
