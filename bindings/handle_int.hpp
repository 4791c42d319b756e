// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// handle_int.hpp: the integers that stand for user handles in languages without pointers.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace remit {

/// A number for each handle that was ever asked for, from 4096 on (lower ones are the predefined
/// handles themselves). A handle keeps its number while the program runs, also when its object was
/// freed and another one took its place. Any thread.
class HandleInts {
 public:
  /// The same number for the same handle, always.
  [[nodiscard]] int to_int(std::uintptr_t handle);
  /// The handle with that number; 0 if to_int() never returned it.
  [[nodiscard]] std::uintptr_t from_int(int number) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, int> numbers_;
  std::vector<std::uintptr_t> handles_;
};

}  // namespace remit
