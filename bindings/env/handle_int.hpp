// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// handle_int.hpp: the integers that stand for user handles in languages without pointers.
#pragma once

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <mutex>

#include "bindings/objects.hpp"
#include "datatype/handle_number.hpp"

namespace remit {

/// The numbers of user handles, from 4096 on (lower ones are the predefined handles themselves). An
/// object gets one when somebody asks, keeps it for life, and gives it back with its end; then the
/// number is nobody's until kRest others were given back after it, and may be another object's. So
/// there are as many numbers as objects that have one at a time, and kRest more. Reading takes no
/// lock. Any thread.
class HandleInts {
 public:
  /// A stale integer is found out, most often, rather than taken for another object's.
  static constexpr int kRest = 1024;

  /// The number of the object whose handle is `handle`. 0: out of memory.
  [[nodiscard]] int number_of(std::uintptr_t handle, const HandleNumber& object);
  /// The handle that has this number now; 0: none has.
  [[nodiscard]] std::uintptr_t handle_of(int number) const;
  /// HandleSlot::give_back.
  void give_back(HandleSlot& slot);

 private:
  // Chunk k has kFirstChunk << k slots: those whose index, which counts from kFirstChunk, has its
  // highest bit there. So slots never move, and what finds one needs no lock.
  static constexpr int kFirstNumber = static_cast<int>(kLastPredefinedHandle) + 1;
  static constexpr unsigned kFirstChunk = 64;
  static constexpr std::size_t kChunks = 25;

  struct Place {
    std::size_t chunk;
    std::size_t at;
  };
  static Place place_of(int number);

  HandleSlot* take();
  HandleSlot* take_new();
  HandleSlot* take_rested();

  std::array<std::atomic<HandleSlot*>, kChunks> chunks_ = {};
  std::mutex mutex_;              ///< for all below, and each slot's `next`
  int next_ = kFirstNumber;       ///< that nobody ever had; INT_MAX: all were had
  HandleSlot* oldest_ = nullptr;  ///< of those given back, in order of time
  HandleSlot* newest_ = nullptr;
  int resting_ = 0;
};

}  // namespace remit
