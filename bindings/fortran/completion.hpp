// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// completion.hpp: what waits for requests to complete (bindings/fortran/kept.hpp) is told by the
// entries of the calls that complete them. It costs a load where nothing waits.
#pragma once

#include "bindings/fortran/kept.hpp"
#include "bindings/fortran/marshal.hpp"

namespace remit::fortran {

/// Before MPI_Start and MPI_Startall.
inline void started(HandleInout<MPI_Request>& request) {
  request_starts(request.before());
}
inline void started(const HandlesInout<MPI_Request>& requests) {
  if (!any_kept()) return;
  for (int i = 0; i < requests.size(); ++i) request_starts(requests.before(i));
}

/// After MPI_Request_free.
inline void freed(const HandleInout<MPI_Request>& request) {
  request_freed(request.before());
}

/// After a call that completes one, or says in `flag` whether it is complete.
inline void completed(const HandleInout<MPI_Request>& request) {
  request_completed(request.before());
}
inline void completed(const HandleInout<MPI_Request>& request, const LogicalOut& flag) {
  if (flag.is_true()) request_completed(request.before());
}
inline void completed(MPI_Request request, const LogicalOut& flag) {
  if (flag.is_true()) request_completed(request);
}

/// After a call that completes all of these (HandlesIn or HandlesInout).
template <class Requests>
inline void completed(const Requests& requests) {
  if (!any_kept()) return;
  for (int i = 0; i < requests.size(); ++i) request_completed(requests.before(i));
}
template <class Requests>
inline void completed(const Requests& requests, const LogicalOut& flag) {
  if (flag.is_true()) completed(requests);
}

/// After a call that completes one of these.
template <class Requests>
inline void completed(const Requests& requests, const IndexOut& index) {
  if (any_kept() && index.index() >= 0) request_completed(requests.before(index.index()));
}

/// After a call that completes `count` of these, whose indices are C's.
template <class Requests>
inline void completed(const Requests& requests, const int* indices, int count) {
  if (!any_kept()) return;
  for (int i = 0; i < count; ++i) request_completed(requests.before(indices[i]));
}

}  // namespace remit::fortran
