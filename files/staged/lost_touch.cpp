// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/lost_touch.hpp"

#include <utility>

#include "files/file_core.hpp"
#include "onesided/synchronization/end_watch.hpp"

namespace remit {

bool is_lost_touch(const Error& error) {
  return error.message.find(kLostTouch) != std::string::npos;
}

Error with_lost_members(const FileCore& file, Error error) {
  if (!is_lost_touch(error) && error.code != MPI_ERR_PROC_ABORTED) return error;
  if (error.message.find(file.path) == std::string::npos) {
    error.message = fmt::format("{}: {}", file.path, error.message);
  }
  // Some hear it of a member that had it of another one, and know of no end yet.
  error.code = MPI_ERR_PROC_ABORTED;
  return file.members != nullptr ? with_ended_members(*file.members, std::move(error)) : error;
}

Outcome with_lost_members(const FileCore& file, Outcome outcome) {
  if (outcome) return outcome;
  return tl::unexpected(with_lost_members(file, std::move(outcome.error())));
}

}  // namespace remit
