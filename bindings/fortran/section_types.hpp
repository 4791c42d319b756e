// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// section_types.hpp: datatypes over array sections, and those that were made before.
#pragma once

#include <atomic>
#include <memory>

#include "bindings/fortran/kept.hpp"
#include "bindings/fortran/raise.hpp"
#include "bindings/fortran/section.hpp"
#include "mpi.h"

namespace remit::fortran {

/// What ChoiceBuffer has beside its three values, if its buffer is a section.
struct BufferState {
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< committed; to be freed, unless it is of the cache
  Problem problem{MPI_SUCCESS, {}};
  std::unique_ptr<Kept> row;  ///< the copy that the call works on
  bool cached = false;
  std::atomic<int> pins = 0;  ///< of the cache: calls that use it now
};

/// What datatype is wanted: the first `items` elements of `base` in a section whose runs hold
/// `items_per_run` whole ones. Its extent is `extent`, unless that is 0.
struct SectionTypeRequest {
  MPI_Datatype base;
  MPI_Count items;
  MPI_Count items_per_run;
  MPI_Count extent;
};

/// The committed datatype for this: of the cache, for predefined types over sections of at most
/// three levels; else made. From the cache it is pinned and taken without waiting for a lock and
/// without an allocation; otherwise it is the caller's to delete. Null, with `problem` filled in:
/// it failed.
///
/// Types of the cache are freed when MPI_COMM_SELF is, at the beginning of MPI_Finalize, or when
/// others need their place. Operations that use one go on then (MPI-5.0, section 5.1.9).
[[nodiscard]] BufferState* section_type(const Section& section, const SectionTypeRequest& request,
                                        Problem& problem);

/// The committed datatype of any elements: `count` of `type` one behind the other in the section,
/// told apart by their type map. MPI_DATATYPE_NULL, with `problem` filled in: it cannot be said.
[[nodiscard]] MPI_Datatype mapped_type(const Section& section, MPI_Datatype type, MPI_Count count,
                                       Problem& problem);

}  // namespace remit::fortran
