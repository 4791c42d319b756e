// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Data calls of all members of a file together, as operations that go on while the program
// computes.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/collectives.hpp"
#include "files/data_access.hpp"
#include "files/staged/access_room.hpp"
#include "files/staged/file_staging.hpp"
#include "files/staged/letter_exchange.hpp"
#include "runtime/task.hpp"

namespace remit {

/// The part of a nonblocking collective access that goes through shared memory, for files where
/// some may. Members make theirs in the same order among all collective accesses to the file. The
/// thread that holds the process.
class PendingStaged {
 public:
  /// All must outlive it. Not for files without a FileStaging.
  PendingStaged(FileCore& file, const DataAccess& access);
  PendingStaged(const PendingStaged&) = delete;
  PendingStaged& operator=(const PendingStaged&) = delete;

  /// Finds out with the others which way the data go. If that is through shared memory, they have
  /// gone when it is done. It returns an error class where this member could not do its part, which
  /// is what `outcome` has then.
  [[nodiscard]] static Task<int> run(PendingStaged& self, Outcome& outcome);
  /// After run(): whether the data have gone this way.
  [[nodiscard]] bool is_staged() const { return steps_.access != nullptr; }
  /// When the members have agreed on the outcome: finds out how many bytes were moved, for which
  /// they may have to tell each other something again. Ends it.
  [[nodiscard]] static Task<int> settle(PendingStaged& self, AccessResult& result);

  /// An exception has ended it: it must never be destroyed (see Collective).
  [[nodiscard]] bool is_broken() const { return opening_.broken() || stops_.broken(); }
  /// Where its frame is.
  [[nodiscard]] FrameArena& arena() { return arena_; }

 private:
  /// Makes a step.
  struct Steps final : IoJob {
    void run() noexcept override { access->step(); }
    SharedAccess* access = nullptr;  ///< null: there is none
  };
  [[nodiscard]] static Task<int> carry_out(PendingStaged& self, Outcome& outcome);

  FrameArena arena_;
  FileCore& file_;
  const DataAccess& access_;
  FileStaging& staging_;
  AccessOrder::Turn turn_;
  MemberAccess mine_;
  std::vector<MemberAccess> all_;
  Collective opening_;
  std::int64_t stopped_ = 0;  ///< see SharedAccess::stopped()
  Collective stops_;          ///< finds the lowest one, where members have to
  AccessRoom room_;
  Steps steps_;
  LetterExchange exchange_;
};

}  // namespace remit
