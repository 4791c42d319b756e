// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Views of parts of collective buffers, and local copies between them.
#pragma once

#include <cstring>

#include "collectives/context.hpp"

namespace remit {

/// The address `elements` elements of `type` behind `base`. In integers, for base may be
/// MPI_BOTTOM.
[[nodiscard]] inline void* element(const void* base, MPI_Count elements, const Datatype& type) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) +
                                 static_cast<std::uintptr_t>(elements * type.extent()));
}

/// `count` elements from index `first` of the buffer.
[[nodiscard]] inline View slice(const void* base, MPI_Count first, MPI_Count count,
                                const Datatype& type) {
  return view_of(element(base, first, type), count, type);
}

[[nodiscard]] inline View bytes_view(const void* memory, std::size_t bytes) {
  return view_of(memory, static_cast<MPI_Count>(bytes), predefined(MPI_BYTE));
}

/// Copies a message to itself as a send and receive would: the packed bytes of `from` to the places
/// of `to`, as many as both have.
inline void copy_local(CollCtx& c, const View& from, const View& to) {
  const std::size_t bytes = from.size() < to.size() ? from.size() : to.size();
  if (bytes == 0) return;
  if (from.is_contiguous()) {
    if (to.is_contiguous()) {
      if (from.data() != to.data()) std::memmove(to.data(), from.data(), bytes);
    } else {
      to.unpack(0, {from.data(), bytes});
    }
  } else if (to.is_contiguous()) {
    from.pack(0, {to.data(), bytes});
  } else {
    std::byte* packed = c.scratch(bytes);
    from.pack(0, {packed, bytes});
    to.unpack(0, {packed, bytes});
  }
}

}  // namespace remit
