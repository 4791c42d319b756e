// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun's side of the pages in which ranks say what they wait for (runtime/call_status.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/call_status.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// A call that a rank has been blocked in for a while.
struct BlockedCall {
  CallRecord record;
  std::int64_t since_ns = 0;  ///< monotonic_ns() of its host
};

/// What a rank says of itself.
struct RankCalls {
  bool known = false;                ///< it runs this library, and has come to MPI_Init
  std::int64_t seen_ns = 0;          ///< monotonic_ns() of its host when this was read
  std::vector<BlockedCall> blocked;  ///< one a thread; empty: none that lasts
};

/// The file of one job; goes with this object, or with the directory.
class CallFile {
 public:
  /// Makes that of the PMIx namespace `job` in mpirun's directory.
  [[nodiscard]] static Expected<std::unique_ptr<CallFile>> create(const std::string& directory,
                                                                  const std::string& job,
                                                                  int ranks);
  ~CallFile();
  CallFile(const CallFile&) = delete;
  CallFile& operator=(const CallFile&) = delete;

  [[nodiscard]] RankCalls read(int rank) const;

 private:
  CallFile(std::string name, const std::byte* pages, std::size_t bytes)
      : name_(std::move(name)), pages_(pages), bytes_(bytes) {}

  std::string name_;
  const std::byte* pages_;
  std::size_t bytes_;
};

}  // namespace remit::launcher
