// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/file_operation.hpp"

#include <utility>

#include "files/file.hpp"
#include "files/staged/lost_touch.hpp"

namespace remit {

namespace {

/// So much is written to the cache of a local file system in less time than another thread takes to
/// begin.
constexpr std::int64_t kShortWrite = 16 << 10;

/// Whether an access is done in the call that starts it.
bool is_done_at_once(const FileCore& file, const DataAccess& access) {
  if (access.conversion != nullptr || access.bytes() == 0) return true;
  return access.kind == FileMove::write && access.bytes() <= kShortWrite && !access.is_atomic &&
         file.storage->traits().local;
}

}  // namespace

FileOperation::FileOperation(std::shared_ptr<File> file, DataAccess access, bool together,
                             Request& done, Outcome refused)
    : file_(std::move(file)),
      access_(std::move(access)),
      done_(done),
      waits_for_others_(together && file_->core().comm.size() > 1),
      move_(*this),
      clock_(file_->core()) {
  FileCore& core = file_->core();
  move_.result.outcome = std::move(refused);
  if (together && core.staging_now() != nullptr) staged_.emplace(core, access_);
  if (together) agreement_.emplace(core.process.comms.engine(), core.comm);
  task_ = body(*this);
  ++core.under_way;
  if (waits_for_others_) ++core.process.together_under_way;
  task_.start();
}

void FileOperation::Move::run() noexcept {
  result = transfer(operation.file_->core(), operation.access_);
}

/// Whether that is all that this member moves by itself.
bool FileOperation::go_at_once() {
  FileCore& core = file_->core();
  if (!outcome()) return true;
  // Functions of the program convert in the call that starts, whatever the others do.
  const bool goes = access_.conversion != nullptr || (!staged_ && is_done_at_once(core, access_));
  if (goes) move_.result = access_alone(core, access_);
  return goes;
}

Task<int> FileOperation::body(FileOperation& self) {
  FileCore& core = self.file_->core();
  bool has_gone = self.go_at_once();
  if (self.staged_) {
    Task<int> staged = PendingStaged::run(*self.staged_, self.move_.result.outcome);
    const int met = co_await staged;
    has_gone = has_gone || met != MPI_SUCCESS || self.staged_->is_staged();
  }
  if (!has_gone) {
    core.process.threads.start(self.move_);
    IoThreads::EndOfJob moved = IoThreads::end_of(self.move_);
    co_await moved;
  }
  Outcome& outcome = self.move_.result.outcome;
  if (self.agreement_) {
    Task<int> agreed = PendingAgreement::run(*self.agreement_, outcome);
    const int told = co_await agreed;
    if (told != MPI_SUCCESS && outcome) outcome = tl::unexpected(Error{told, {}});
  }
  if (self.staged_) {
    Task<int> settled = PendingStaged::settle(*self.staged_, self.move_.result);
    static_cast<void>(co_await settled);
  }
  self.end();
  co_return MPI_SUCCESS;
}

void FileOperation::end() {
  FileCore& core = file_->core();
  --core.under_way;
  if (waits_for_others_) --core.process.together_under_way;
  move_.result.outcome = with_lost_members(core, std::move(move_.result.outcome));
  clock_.tell(access_, move_.result);
  done_.status.bytes = move_.result.bytes;
  done_.status.error = outcome() ? MPI_SUCCESS : outcome().error().code;
  complete_request(done_, core.process.progress());
}

}  // namespace remit
