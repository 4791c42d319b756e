// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/lost_touch.hpp"

#include <utility>

#include "files/file_core.hpp"
#include "onesided/end_watch.hpp"

namespace remit {

bool is_lost_touch(const Error& error) {
  return error.message.find(kLostTouch) != std::string::npos;
}

Error with_lost_members(const FileCore& file, Error error) {
  if (!is_lost_touch(error) && error.code != MPI_ERR_PROC_ABORTED) return error;
  if (error.message.find(file.path) == std::string::npos) {
    error.message = fmt::format("{}: {}", file.path, error.message);
  }
  if (file.members == nullptr) return error;
  const std::size_t length = error.message.size();
  error = with_ended_members(*file.members, std::move(error));
  // Who has the words of another member only knows that these made no sense.
  if (error.message.size() != length) error.code = MPI_ERR_PROC_ABORTED;
  return error;
}

Outcome with_lost_members(const FileCore& file, Outcome outcome) {
  if (outcome) return outcome;
  return tl::unexpected(with_lost_members(file, std::move(outcome.error())));
}

}  // namespace remit
