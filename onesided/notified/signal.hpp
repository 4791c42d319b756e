// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Signals: 64-bit words in the memory of a window that tell of puts.
#pragma once

#include <cstdint>

#include "datatype/layout.hpp"
#include "datatype/reductions.hpp"
#include "onesided/window.hpp"
#include "runtime/error.hpp"

namespace remit {

/// How a signal is compared with a value.
enum class SignalTest : std::uint8_t {
  equal,
  not_equal,
  greater,
  greater_equal,
  less,
  less_equal,
};

/// Whether `found` is equal to `value`, greater, and so on; unsigned.
[[nodiscard]] constexpr bool passes(SignalTest test, std::uint64_t found, std::uint64_t value) {
  switch (test) {
    case SignalTest::equal:
      return found == value;
    case SignalTest::not_equal:
      return found != value;
    case SignalTest::greater:
      return found > value;
    case SignalTest::greater_equal:
      return found >= value;
    case SignalTest::less:
      return found < value;
    case SignalTest::less_equal:
      return found <= value;
  }
  return false;
}

/// A put, and behind it the signal: an accumulate of one MPI_UINT64_T to the word at
/// `signal_displacement` of the same member, by MPI_REPLACE or MPI_SUM. Whoever waits for a signal
/// has the bytes of the put when the wait ends. Errors as of WindowOperations::put(), and
/// MPI_ERR_DISP for a word that is not aligned. The thread that holds the process.
[[nodiscard]] Expected<> put_signal(const CommCall& call, WindowOperations& operations,
                                    const View& origin, const WindowTarget& target,
                                    MPI_Aint signal_displacement, std::uint64_t signal,
                                    const Op& op);

/// A signal in this process's own memory of a window. The thread that holds the process.
class OwnSignal {
 public:
  /// `displacement` in units of this process. MPI_ERR_RMA_RANGE, MPI_ERR_DISP.
  [[nodiscard]] static Expected<OwnSignal> find(Window& window, MPI_Aint displacement);

  /// Whether the word passes now. If it does, what was put before has happened.
  [[nodiscard]] bool passes(SignalTest test, std::uint64_t value);
  /// Waits until it does. Needs no epoch.
  void wait(const CommCall& call, SignalTest test, std::uint64_t value);
  /// Whether it does, now or after the process has polled once.
  [[nodiscard]] bool look(const CommCall& call, SignalTest test, std::uint64_t value);

 private:
  OwnSignal(Window& window, const View& word) : window_(window), word_(word) {}
  [[nodiscard]] std::uint64_t read();

  Window& window_;
  View word_;
};

}  // namespace remit
