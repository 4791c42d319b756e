// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accesses to data of a file that go on while the program computes.
#pragma once

#include <optional>

#include "files/data_access.hpp"
#include "files/staged/collective_access.hpp"
#include "runtime/task.hpp"

namespace remit {

class File;

/// A nonblocking access, or the one between begin and end of a split collective: a coroutine, as
/// collective algorithms are. A thread of IoThreads moves the data, unless
/// functions of the program may have to convert them, or they are few and written to a cache; what
/// members have to tell each other goes on when somebody polls, the program or the progress thread.
/// It must stay until it is complete. The thread that holds the process.
class FileOperation {
 public:
  /// Starts it. `file` is kept open. With `together` all members make such an operation, in the
  /// same order. `done` completes with the class of the error and the bytes that were moved here,
  /// and outlives it. `refused`: what is wrong with this member's call, which then moves nothing.
  FileOperation(std::shared_ptr<File> file, DataAccess access, bool together, Request& done,
                Outcome refused = {});
  FileOperation(const FileOperation&) = delete;
  FileOperation& operator=(const FileOperation&) = delete;

  /// Once complete: what MPI_Wait is to say.
  [[nodiscard]] const Outcome& outcome() const { return move_.result.outcome; }
  [[nodiscard]] const File& file() const { return *file_; }
  /// An exception has ended it: it must never be destroyed, for what it had started may still use
  /// its memory.
  [[nodiscard]] bool is_broken() const {
    return (agreement_ && agreement_->is_broken()) || (staged_ && staged_->is_broken());
  }

  /// Where the frame of its coroutine is.
  [[nodiscard]] FrameArena& arena() { return arena_; }

 private:
  /// Moves the data.
  struct Move final : IoJob {
    explicit Move(FileOperation& own) : operation(own) {}
    void run() noexcept override;

    FileOperation& operation;
    AccessResult result;
  };
  [[nodiscard]] static Task<int> body(FileOperation& self);
  [[nodiscard]] bool go_at_once();
  void end();

  FrameArena arena_;
  std::shared_ptr<File> file_;
  DataAccess access_;
  Request& done_;
  bool waits_for_others_;
  Move move_;
  TransferClock clock_;
  std::optional<PendingStaged> staged_;        ///< where members may share memory for it
  std::optional<PendingAgreement> agreement_;  ///< among members that access together
  Task<int> task_;
};

}  // namespace remit
