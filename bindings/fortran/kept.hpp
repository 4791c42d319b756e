// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// kept.hpp: what has to live as long as a request, and be done when it completes.
#pragma once

#include <mpi_remit.h>

#include <atomic>
#include <memory>

namespace remit::fortran {

/// Something that a nonblocking or persistent operation needs until it is done: buffers that are
/// copied back, an operation that was freed meanwhile. Derive from it.
class Kept {
 public:
  Kept() = default;
  virtual ~Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  /// Before MPI_Start of a persistent request.
  virtual void on_start() {}
  /// When the operation is complete: once for each MPI_Start, once for a nonblocking one.
  virtual void on_completion() {}
};

/// Keeps `what` until `request` has completed, or until a persistent one is freed. To be called at
/// once after the operation was started or made. Any thread.
void keep(MPI_Request request, bool persistent, std::unique_ptr<Kept> what);

namespace detail {
extern std::atomic<int> kept_count;
/// `event` is one of MPIX_REQUEST_STARTS and its kin.
void tell_kept(MPI_Request request, int event);
}  // namespace detail

/// Whether anything is kept: one load, so that programs without such operations pay no more.
inline bool any_kept() {
  return detail::kept_count.load(std::memory_order_relaxed) != 0;
}

/// Each Fortran routine that completes, starts or frees requests tells it here, with the handles
/// from before the call (the call itself makes some null). All cost one load if nothing is kept.
/// They do nothing for a request for which nothing is kept, and a second completion is harmless.
///
/// Remit's library says itself what happens to the requests of collective operations, whoever calls
/// it (MPIX_Request_set_watcher), so C may complete what Fortran has started. Over another library
/// a nonblocking collective over an array section has to be completed by Fortran.

/// Before MPI_Start, and for each request before MPI_Startall.
inline void request_starts(MPI_Request request) {
  if (any_kept()) [[unlikely]]
    detail::tell_kept(request, MPIX_REQUEST_STARTS);
}
/// After a call said that the operation is complete: MPI_Wait; MPI_Test and MPI_Request_get_status
/// if flag is true; each that MPI_Waitall, MPI_Testall, MPI_Waitany and the others report as done.
inline void request_completed(MPI_Request request) {
  if (any_kept()) [[unlikely]]
    detail::tell_kept(request, MPIX_REQUEST_COMPLETE);
}
/// After MPI_Request_free.
inline void request_freed(MPI_Request request) {
  if (any_kept()) [[unlikely]]
    detail::tell_kept(request, MPIX_REQUEST_FREED);
}

}  // namespace remit::fortran
