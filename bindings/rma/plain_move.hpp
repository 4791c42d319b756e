// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The short way of puts and gets.
#pragma once

#include <cstddef>

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/rma/operation_args.hpp"

namespace remit {

/// The window of a plain transfer of bytes, of which it says how many; null: something is out of
/// the ordinary. `passive`: a target must be locked.
template <bool passive>
[[gnu::always_inline]] inline Window* window_of_plain(Instance* instance, const void* origin,
                                                      MPI_Count count, MPI_Datatype type,
                                                      MPI_Count target_count,
                                                      MPI_Datatype target_type, MPI_Win win,
                                                      std::size_t& bytes) {
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  bytes = static_cast<std::size_t>(count) * instance->plain.bytes(count, type);
  if (object == nullptr || count != target_count || type != target_type || bytes == 0 ||
      Entry::is_special(origin)) [[unlikely]]
    return nullptr;
  Window* const window = object->window;
  if (passive && (window == nullptr || !window->epochs().is_passive())) [[unlikely]]
    return nullptr;
  return window;
}

/// Does it, if the target's memory is mapped here and nothing is out of the ordinary: true if it is
/// done. Where no other call can come between.
template <Move move>
[[gnu::always_inline]] inline bool move_mapped(Window& window, void* origin, std::size_t bytes,
                                               int rank, MPI_Aint displacement) {
  if constexpr (move == Move::put) {
    return window.short_ways().try_put(origin, bytes, rank, displacement);
  } else {
    return window.short_ways().try_get(origin, bytes, rank, displacement);
  }
}

/// The same by the arguments of the call.
template <Move move, bool passive>
[[gnu::always_inline]] inline bool move_plain(Instance* instance, void* origin, MPI_Count count,
                                              MPI_Datatype type, int rank, MPI_Aint displacement,
                                              MPI_Count target_count, MPI_Datatype target_type,
                                              MPI_Win win) {
  std::size_t bytes = 0;
  Window* const window = window_of_plain<passive>(instance, origin, count, type, target_count,
                                                  target_type, win, bytes);
  if (window == nullptr) [[unlikely]]
    return false;
  return move_mapped<move>(*window, origin, bytes, rank, displacement);
}

}  // namespace remit
