// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The short way of accumulates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/rma/operation_args.hpp"
#include "onesided/elements/plain_change.hpp"

namespace remit {

/// The arguments of an accumulate whose elements are of one type and lie in arrays on all sides.
struct PlainAccumulate {
  const void* origin;
  void* result;  ///< null: nobody wants what was there before
  MPI_Count count;
  MPI_Datatype type;
  int rank;
  MPI_Aint displacement;
  MPI_Op op;
  MPI_Win win;
};

/// What is to be done to elements. False: the operation is out of the ordinary on this type, or not
/// defined.
[[nodiscard, gnu::always_inline]] inline bool find_change(Instance* instance,
                                                          const PlainAccumulate& a,
                                                          PlainChange& out) {
  out = {instance->plain.kernel(a.op, a.type), static_cast<const std::byte*>(a.origin),
         static_cast<std::byte*>(a.result)};
  if (out.kernel != nullptr || a.op == MPI_REPLACE) [[likely]]
    return !Entry::is_special(a.origin);
  out.origin = nullptr;
  return a.op == MPI_NO_OP && a.result != nullptr;
}

/// Does it, if nothing is out of the ordinary: true if it is done. Where no other call can come
/// between.
[[nodiscard, gnu::always_inline]] inline bool accumulate_plain(Instance* instance,
                                                               const PlainAccumulate& a) {
  const WinObject* object = object_of<WinObject>(a.win, ObjectKind::win);
  const std::size_t element_bytes = instance->plain.bytes(a.count, a.type);
  const auto count = static_cast<std::size_t>(a.count);
  const std::size_t bytes = count * element_bytes;
  PlainChange change;
  if (object == nullptr || bytes == 0 || !find_change(instance, a, change)) [[unlikely]]
    return false;
  const PlainElements elements =
      object->window->short_ways().plain_elements(bytes, a.rank, a.displacement);
  return elements.is_here() && change_plain(elements, element_bytes, count, change);
}

/// A fetch of one element by an adapter, if nothing is out of the ordinary: true if it is under
/// way. Where no other call can come between.
[[nodiscard]] inline bool fetch_by_adapter(Instance* instance, const PlainAccumulate& a) {
  const WinObject* object = object_of<WinObject>(a.win, ObjectKind::win);
  const bool adds = a.op == MPI_SUM;
  if (object == nullptr || object->window == nullptr || (!adds && a.op != MPI_NO_OP) ||
      instance->plain.bytes(1, a.type) != sizeof(std::uint64_t) || Entry::is_special(a.result) ||
      (adds && Entry::is_special(a.origin))) {
    return false;
  }
  return object->window->operations().try_fetch(predefined(a.type), adds ? a.origin : nullptr,
                                                a.result, a.rank, a.displacement);
}

/// The arguments of MPI_Compare_and_swap.
struct PlainSwap {
  const void* replacement;
  const void* compare;
  void* result;
  MPI_Datatype type;
  int rank;
  MPI_Aint displacement;
  MPI_Win win;
};

/// The same of a swap.
[[nodiscard, gnu::always_inline]] inline bool swap_plain(Instance* instance, const PlainSwap& a) {
  const WinObject* object = object_of<WinObject>(a.win, ObjectKind::win);
  const std::size_t bytes = instance->plain.comparable_bytes(a.type);
  if (object == nullptr || (bytes != sizeof(std::uint64_t) && bytes != sizeof(std::uint32_t)) ||
      Entry::is_special(a.replacement) || Entry::is_special(a.compare) ||
      Entry::is_special(a.result)) [[unlikely]]
    return false;
  const PlainElements elements =
      object->window->short_ways().plain_elements(bytes, a.rank, a.displacement);
  if (!elements.is_here()) [[unlikely]]
    return false;
  return bytes == sizeof(std::uint64_t)
             ? swap_at_once<std::uint64_t>(elements, a.replacement, a.compare, a.result)
             : swap_at_once<std::uint32_t>(elements, a.replacement, a.compare, a.result);
}

/// A swap of one element by an adapter, if nothing is out of the ordinary: true if it is under way.
/// Where no other call can come between.
[[nodiscard]] inline bool swap_by_adapter(Instance* instance, const PlainSwap& a) {
  const WinObject* object = object_of<WinObject>(a.win, ObjectKind::win);
  if (object == nullptr || object->window == nullptr ||
      instance->plain.comparable_bytes(a.type) != sizeof(std::uint64_t) ||
      Entry::is_special(a.replacement) || Entry::is_special(a.compare) ||
      Entry::is_special(a.result)) {
    return false;
  }
  return object->window->operations().try_swap(predefined(a.type), a.replacement, a.compare,
                                               a.result, a.rank, a.displacement);
}

/// Where calls are not guarded: short(instance, arguments).
template <class Arguments, class Short>
[[nodiscard, gnu::always_inline]] inline bool change_at_once(const Arguments& arguments,
                                                             Short&& shortly) {
  Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded()) [[unlikely]]
    return false;
  return shortly(instance, arguments);
}

/// Where they are. No other thread sleeps for what elements of a window become: to wake the
/// progress thread each time would let a program that looks in a loop, on one core with it, get on
/// slowly.
template <class Arguments, class Short>
[[nodiscard, gnu::always_inline]] inline bool guarded(const Arguments& arguments, Short&& shortly) {
  Instance* instance = library().instance;
  if (instance == nullptr || !instance->guarded()) return false;
  GuardedCall call(*instance);
  const bool done = shortly(instance, arguments);
  if (done) call.changed_nothing();
  return done;
}

}  // namespace remit
