// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which congestion control connections have.
#pragma once

#include <string>

#include "runtime/error.hpp"

namespace remit::tcp {

/// bbr spreads what it sends over time, by a bandwidth that it guesses from what was sent: after
/// small messages one of 64 KB takes six times as long as by the others. That pays where packets
/// are lost far away, not among hosts that are near. So where the system's is bbr, connections
/// begin with another one, and those to hosts that are far get it back.
class Congestion {
 public:
  /// For what `listener` accepts from now on. `asked` by the user, or empty: chosen. An error that
  /// names the parameter: it cannot be used here.
  [[nodiscard]] Expected<> choose(int listener, const std::string& asked);
  /// What connections begin with; empty: the system's.
  [[nodiscard]] const std::string& first() const { return first_; }
  /// What is for hosts that are far, if that is another one; else empty.
  [[nodiscard]] const std::string& far() const { return far_; }
  /// Gives a connection whose host is at least so far away what is for such; returns its round
  /// trip in microseconds, 0 if nothing was changed.
  [[nodiscard]] unsigned settle(int socket, unsigned far_us) const;

 private:
  std::string first_;
  std::string far_;
};

}  // namespace remit::tcp
