// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Moving data between memory and what a process sees of a file.
#pragma once

#include <cstdint>
#include <memory>

#include "datatype/layout.hpp"
#include "files/agreement.hpp"
#include "files/file_core.hpp"
#include "files/views/data_representation.hpp"

namespace remit {

/// One access to data of a file: all of `memory`, to or from the bytes of the view that begin with
/// `from`. What it refers to must stay until it is done. Made and destroyed in the thread that
/// holds the process.
struct DataAccess {
  /// Bytes in the file.
  [[nodiscard]] std::int64_t bytes() const {
    return conversion ? conversion->bytes() : static_cast<std::int64_t>(memory.size());
  }

  FileMove kind = FileMove::read;
  std::int64_t from = 0;  ///< byte of the view
  View memory{};
  std::unique_ptr<Conversion> conversion;  ///< null: the file has the bytes of the memory
  std::shared_ptr<const SeenFile> seen;
  bool is_atomic = false;
};

/// What came of an access.
struct AccessResult {
  std::int64_t bytes = 0;  ///< of this member's memory that were moved
  Outcome outcome;         ///< with rank, file, class and words
};

/// How long an access takes, for who wants to know. The thread that holds the process.
class TransferClock {
 public:
  /// It begins.
  explicit TransferClock(FileCore& file) : file_(file), began_ns_(now()) {}
  /// It is done: EventKind::file_transfer_done.
  void tell(const DataAccess& access, const AccessResult& result) const;

 private:
  [[nodiscard]] std::int64_t now() const;

  FileCore& file_;
  std::int64_t began_ns_;  ///< 0: nobody wanted to know
};

/// Moves data that need no conversion, and waits for the kernel meanwhile. In atomic mode it is one
/// whole to every other access through the same open. Any thread; the MPI lock must not be held.
[[nodiscard]] AccessResult transfer(FileCore& file, const DataAccess& access) noexcept;

/// By this process alone, also with conversions. The MPI lock is given up while the kernel works.
[[nodiscard]] AccessResult access_alone(FileCore& file, const DataAccess& access);
/// By all members, who all call this: the outcome is that of all. Waits for all of them. Data go
/// straight from each member, or through memory that the members of a host share
/// (shared_access.hpp). `refused`: what is wrong with this member's call, which then moves nothing.
[[nodiscard]] AccessResult access_together(const CommCall& call, FileCore& file,
                                           const DataAccess& access, const Outcome& refused);

}  // namespace remit
