// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Views of parts of collective buffers; copies and reductions between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "collectives/collectives.hpp"

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
inline void copy_local(const View& from, const View& to) {
  const std::size_t bytes = std::min(from.size(), to.size());
  if (bytes == 0) return;
  if (from.is_contiguous() && to.is_contiguous()) {
    if (from.data() != to.data()) std::memmove(to.data(), from.data(), bytes);
  } else if (from.is_contiguous()) {
    to.unpack(0, {from.data(), bytes});
  } else if (to.is_contiguous()) {
    from.pack(0, {to.data(), bytes});
  } else {
    std::array<std::byte, 4096> part;
    for (std::size_t at = 0; at < bytes; at += part.size()) {
      const std::size_t length = std::min(part.size(), bytes - at);
      from.pack(at, {part.data(), length});
      to.unpack(at, {part.data(), length});
    }
  }
}

/// inout = in op inout. After an error the operands may not be values of their type, which no
/// user's function should see.
inline void combine(const CollCtx& c, const CollectiveArgs& a, const void* in, void* inout,
                    MPI_Count count) {
  if (c.error() == MPI_SUCCESS) reduce_local(*a.op, in, inout, count, *a.recv_type);
}

}  // namespace remit
