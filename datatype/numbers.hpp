// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Numbers that C++ has no portable name for, and access to unaligned ones. For datatype/ alone.
#pragma once

#include <cstddef>
#include <cstring>

namespace remit {

__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;
/// IEEE 754 binary128.
#ifdef __SIZEOF_FLOAT128__
__extension__ using Float128 = __float128;
#else
using Float128 = long double;
#endif

template <class T>
[[nodiscard, gnu::always_inline]] inline T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
[[gnu::always_inline]] inline void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// The x87 unit reads memory as it is; by way of memcpy each number would wait for its own copy.
struct [[gnu::packed, gnu::may_alias]] UnalignedLongDouble {
  long double value;
};
template <>
[[nodiscard, gnu::always_inline]] inline long double load(const std::byte* from) {
  return reinterpret_cast<const UnalignedLongDouble*>(from)->value;
}
template <>
[[gnu::always_inline]] inline void store(std::byte* to, long double value) {
  reinterpret_cast<UnalignedLongDouble*>(to)->value = value;
}

}  // namespace remit
