// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// peers.hpp: with whom a collective call exchanges data, and what of its buffers counts on this
// process. Where the call itself will refuse a communicator the answer is nobody, and rank 0. Any
// thread.
#pragma once

#include <mpi.h>

namespace remit::fortran {

/// For how many processes a buffer, or an array of datatypes, has a part.
struct Peers {
  enum class Kind {
    members,       ///< of the remote group, or of the communicator that has none
    sources,       ///< of a neighborhood collective: what it receives
    destinations,  ///< what it sends
    dimensions,    ///< no peers: those of a grid
  };
  MPI_Comm comm;
  Kind kind = Kind::members;

  [[nodiscard]] int count() const;
};

/// Whether this process is the root of a collective operation.
bool is_root(MPI_Comm comm, int root);
/// The rank of this process.
int rank_in(MPI_Comm comm);

}  // namespace remit::fortran
