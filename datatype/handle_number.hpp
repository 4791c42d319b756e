// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The integer that stands for an object's handle in languages without pointers.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace remit {

/// A number of the table of such integers (bindings/env/handle_int.hpp), and the handle that has it
/// now. Slots live until the program ends.
struct HandleSlot {
  std::atomic<std::uintptr_t> handle = 0;         ///< 0: none
  int number = 0;                                 ///< never changes once somebody knows the slot
  HandleSlot* next = nullptr;                     ///< the table's, while no handle has the number
  void (*give_back)(HandleSlot& slot) = nullptr;  ///< to the table. Any thread
};

/// Part of every object that has a handle: the number that the handle was given, if anybody asked
/// for one. The number is the object's for as long as the object lives.
class HandleNumber {
 public:
  constexpr HandleNumber() = default;
  HandleNumber(const HandleNumber&) = delete;
  HandleNumber& operator=(const HandleNumber&) = delete;
  /// Constant for predefined objects, which have no number but their handle.
  constexpr ~HandleNumber() {
    if (std::is_constant_evaluated()) return;
    if (HandleSlot* mine = slot()) [[unlikely]]
      mine->give_back(*mine);
  }

  /// Null: there is none yet. Any thread.
  [[nodiscard]] HandleSlot* slot() const { return slot_.load(std::memory_order_acquire); }
  /// The table's mutex is held.
  void set(HandleSlot& slot) const { slot_.store(&slot, std::memory_order_release); }

 private:
  mutable std::atomic<HandleSlot*> slot_ = nullptr;
};

}  // namespace remit
