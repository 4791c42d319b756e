// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The cause of a job's end in words.
#include "launcher/job_end.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

namespace remit::launcher {

void JobEnd::decide(EndCause cause, int others) {
  cause_ = std::move(cause.words);
  advice_ = std::move(cause.advice);
  result_.status = cause.status;
  by_rank_ = cause.culprit >= 0;
  others_ = others;
}

bool JobEnd::suspect(EndCause cause) {
  if (is_decided() || suspected_) return false;
  suspected_ = std::move(cause);
  return true;
}

void JobEnd::lose_reader(int stream) {
  if (is_decided()) return;
  result_.status = 128 + SIGPIPE;
  if (stream != STDOUT_FILENO) return;
  cause_ = "nobody reads mpirun's standard output any more: output of the ranks is lost";
}

std::string JobEnd::words() const {
  if (cause_.empty()) return {};
  std::string text = "mpirun: " + cause_;
  if (others_ > 0) {
    const std::string ranks = others_ == 1 ? "rank was" : fmt::format("{} ranks were", others_);
    text += fmt::format("; {}{} ended", by_rank_ ? "the other " : "its ", ranks);
  }
  text += ".\n";
  return advice_.empty() ? text : text + "mpirun: " + advice_ + ".\n";
}

std::string JobEnd::final_message() {
  has_spoken_ = true;
  return words();
}

}  // namespace remit::launcher
