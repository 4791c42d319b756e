// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Attribute caching (MPI-5.0, section 7.7).
#pragma once

#include "bindings/process/instance.hpp"

namespace remit {

/// The object whose attributes are meant, as its callbacks see it.
union AttributeHandle {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Win win;
  AttributeHandle(MPI_Comm c) : comm(c) {}
  AttributeHandle(MPI_Datatype t) : type(t) {}
  AttributeHandle(MPI_Win w) : win(w) {}
};

/// Calls the copy callbacks of `from` in order of setting and stores what they return in `to`.
/// Returns the first error of a callback; what was copied until then stays in `to`.
[[nodiscard]] int copy_attributes(const AttributeList& from, Owner owner, AttributeHandle old,
                                  AttributeList& to);

/// Calls the delete callbacks in reverse order of setting and removes the attributes. Stops at the
/// first error, which it returns; the attribute whose callback failed stays.
int delete_all_attributes(AttributeList& list, Owner owner, AttributeHandle handle);

}  // namespace remit
