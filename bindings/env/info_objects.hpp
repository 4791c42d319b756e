// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the library itself does with info objects: reading hints, answering with new ones.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "bindings/handles.hpp"

namespace remit {

class Entry;

[[nodiscard]] inline MPI_Info handle_of(InfoObject* info) {
  return reinterpret_cast<MPI_Info>(info);
}

/// The object behind a handle; null if there is none.
[[nodiscard]] InfoObject* info_of(MPI_Info handle);

/// Checks an info argument for which no hint is defined: MPI_INFO_NULL, or an info object.
[[nodiscard]] int optional_info(Entry& entry, MPI_Info info);

/// Makes what MPI_INFO_ENV stands for, from MPI_Init on, until the program ends.
void make_info_env(const Instance& instance);

/// The value of a key, or null.
[[nodiscard]] inline const std::string* value_of(const InfoObject& info, std::string_view key) {
  const auto found = std::find_if(info.entries.begin(), info.entries.end(),
                                  [=](const auto& entry) { return entry.first == key; });
  return found == info.entries.end() ? nullptr : &found->second;
}

/// As much of `text` as fits `size` > 0 characters with the terminator, as the standard cuts
/// strings.
inline void copy_cut(const std::string& text, char* out, int size) {
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(size) - 1);
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

}  // namespace remit
