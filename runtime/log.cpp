// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The log sink: whole lines in one write call, so that ranks do not tear each other's lines.
#include "runtime/log.hpp"

#include <unistd.h>

#include <string_view>

namespace remit {

namespace {

/// Standard error may be closed or full: then the line is lost, there is nobody else to tell.
void write_to_stderr(LogLevel /*level*/, const std::string& line) {
  const std::string text = line + '\n';
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Log::Log(std::string prefix, LogLevel level)
    : prefix_(std::move(prefix)), level_(level), sink_(write_to_stderr) {}

void Log::emit(LogLevel level, const std::string& text) {
  sink_(level, prefix_ + text);
}

LogLevel log_level_from(std::string_view word) {
  if (word == "error") return LogLevel::error;
  if (word == "info") return LogLevel::info;
  if (word == "debug") return LogLevel::debug;
  return LogLevel::warning;
}

}  // namespace remit
