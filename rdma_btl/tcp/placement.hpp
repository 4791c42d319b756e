// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where bytes that arrive next belong.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma_btl/tcp/wire.hpp"

namespace remit::tcp {

/// The memory for which the bytes behind a frame of a put or of an answer are, with the filling
/// behind them, which goes nowhere. They come in any number of parts: read into their places, or
/// out of a buffer.
class Placement {
 public:
  /// A new one: add() its places, then begin().
  void clear() { places_.clear(); }
  void add(void* to, std::size_t bytes) {
    if (bytes != 0) places_.push_back({to, bytes});  // else fill() would never get past it
  }
  /// All places are here.
  void begin();

  /// It was begun, and end() has not been called.
  [[nodiscard]] bool active() const { return active_; }
  void end() { active_ = false; }
  /// As if it had never begun.
  void drop() {
    left_ = 0;
    active_ = false;
  }

  /// Bytes that are to come, the filling included.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// Their places.
  [[nodiscard]] std::span<const iovec> rest() const { return std::span(places_).subspan(place_); }
  /// So many bytes are where they belong.
  void move_on(std::size_t bytes);
  /// Copies what `buffered` has of them; returns how many bytes.
  [[nodiscard]] std::size_t fill(std::span<const std::byte> buffered);

 private:
  std::size_t left_ = 0;
  bool active_ = false;
  std::vector<iovec> places_;                     ///< what is left of them
  std::size_t place_ = 0;                         ///< the first with room
  std::array<std::byte, kAlignment> scrap_ = {};  ///< place of the filling
};

}  // namespace remit::tcp
