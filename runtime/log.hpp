// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The log sink of a process: one line a message, prefixed with rank and host.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/params.hpp"

namespace remit {

enum class LogLevel { error, warning, info, debug };

inline const ParamDecl log_param{"log",
                                 std::string("warning"),
                                 "",
                                 "how much each rank says on standard error",
                                 {"error", "warning", "info", "debug"}};

/// The level that a value of log_param names.
[[nodiscard]] LogLevel log_level_from(std::string_view word);

/// Where messages go. The default sink writes one line to standard error in one write call.
class Log {
 public:
  using Sink = std::function<void(LogLevel, const std::string& line)>;

  /// `prefix` stands before each line, e.g. "remit: rank 3 (host1): ".
  explicit Log(std::string prefix = "remit: ", LogLevel level = LogLevel::warning);
  void set_sink(Sink sink) { sink_ = std::move(sink); }
  void set_level(LogLevel level) { level_ = level; }

  template <class... Args>
  void write(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (level <= level_) emit(level, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void emit(LogLevel level, const std::string& text);

  std::string prefix_;
  LogLevel level_;
  Sink sink_;
};

}  // namespace remit
