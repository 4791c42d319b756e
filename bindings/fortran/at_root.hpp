// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// at_root.hpp: what of a collective call's buffers counts on this process. All is asked for only if
// the buffer is an array section.
#pragma once

#include "bindings/fortran/descriptor.hpp"
#include "bindings/fortran/marshal.hpp"

namespace remit::fortran {

/// Whether this process is the root of a collective operation.
bool is_root(MPI_Comm comm, int root);
/// The rank of this process; 0 if the call itself will refuse the communicator.
int rank_in(MPI_Comm comm);

inline bool in_place(const Descriptor* buffer) {
  return in_place(buffer->first());
}

/// The address of a buffer that only the root has. Elsewhere nothing is read of a section.
inline void* address_at_root(const Descriptor& buffer, int root, MPI_Comm comm) {
  if (buffer.is_plainly_contiguous() || is_root(comm, root)) return buffer_at(buffer.first());
  return nullptr;
}

/// How many elements this process gets of those of all.
template <class Count>
inline MPI_Count own_count(const Descriptor& buffer, const Count* counts, int comm) {
  return buffer.is_plainly_contiguous() ? 0 : counts[rank_in(handle<MPI_Comm>(comm))];
}

}  // namespace remit::fortran
