// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which ways each kind of window has to memory, here and on other hosts: what follows from what was
// found out, and its two forms.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace remit {

/// Who has to do something for an operation beside its origin.
enum class WindowHelper : std::uint8_t {
  nobody,    ///< the operation is passive
  thread,    ///< a thread of the target, which starts with the window
  call,      ///< the target, in a call of MPI
  none_can,  ///< there is no such way
};

/// A device that messages of windows go by, and what it does without the target's help.
struct WindowDevice {
  std::string name;  ///< empty: there is none
  std::string why;   ///< if there is none
  bool puts = false;
  bool gets = false;
  bool atomics = false;
};

/// What was found out about this host.
struct WindowFacts {
  bool shares = false;  ///< memory that Remit allocates is mapped by other processes
  std::string why_unshared;
  bool copies = false;           ///< the kernel copies between processes
  double copy_ns = 0;            ///< ... 8 bytes in such a time
  std::string refusal;           ///< in whose words it does not
  WindowDevice here, elsewhere;  ///< to processes of this host, and of others
  bool thread = true;            ///< the progress thread may start
};

/// One kind of window and one place of a target.
struct WindowRow {
  int flavor = 0;  ///< MPI_WIN_FLAVOR_...
  bool other_host = false;
  WindowHelper helper = WindowHelper::nobody;
  std::string put_get, accumulate;  ///< the way of each, in a few words
  std::string why;                  ///< why not by loads and stores; empty: it is by these
};

/// A row for each kind and place.
[[nodiscard]] std::vector<WindowRow> window_rows(const WindowFacts& facts);

/// Facts and rows as text of at most 100 columns.
[[nodiscard]] std::string windows_text(const WindowFacts& facts);
[[nodiscard]] nlohmann::ordered_json windows_json(const WindowFacts& facts);

}  // namespace remit
