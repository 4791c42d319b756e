// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/collective_access.hpp"

#include <span>
#include <utility>

#include "communicators/inner_collectives.hpp"
#include "communicators/waits.hpp"
#include "files/end_of_request.hpp"
#include "files/staged/lost_touch.hpp"
#include "files/storage/out_of_mpi.hpp"

namespace remit {

namespace {

CollectiveArgs summary_args(const MemberAccess& mine, std::span<MemberAccess> all) {
  return plain_args(CollectiveKind::allgather, &mine, all.data(), sizeof mine, MPI_BYTE);
}

/// What mpirun says of a member that waits for others of its host.
class MeetingWait final : public WaitSubject {
 public:
  MeetingWait(const CommCall& call, const FileCore& file) : call_(call), file_(file) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, call_.function);
    set_text(record.operation, "data of this host");
    set_text(record.comm, file_.path);
    record.threads = call_.comms.threads().overlap();
    const std::vector<int>& ranks = file_.staging->members();
    for (const std::size_t place : file_.staging->meeting().missing()) {
      record.waits_for.add(number_of(file_.comm.local->proc(ranks[place])));
    }
  }

 private:
  CommCall call_;
  const FileCore& file_;
};

/// What mpirun says of a member that waits for other hosts.
class LettersWait final : public WaitSubject {
 public:
  LettersWait(const CommCall& call, const FileCore& file, std::span<const FileLetter> letters)
      : call_(call), file_(file), letters_(letters) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, call_.function);
    set_text(record.operation, "data of other hosts");
    set_text(record.comm, file_.path);
    record.threads = call_.comms.threads().overlap();
    for (const FileLetter& letter : letters_) {
      if (!letter.is_sent) record.waits_for.add(number_of(file_.comm.local->proc(letter.rank)));
    }
  }

 private:
  CommCall call_;
  const FileCore& file_;
  std::span<const FileLetter> letters_;
};

/// An owner writes even if it has given nothing.
void note_written(FileCore& file, const DataAccess& access) {
  if (access.kind == FileMove::write) file.is_written = true;
}

CollectiveArgs stops_args(std::int64_t& stopped) {
  CollectiveArgs args =
      plain_args(CollectiveKind::allreduce, MPI_IN_PLACE, &stopped, 1, MPI_INT64_T);
  args.op = op_of(MPI_MIN);
  return args;
}

/// Whether the members tell each other where an access stopped. Those who have lost touch do not
/// ask again, for not all may know of it; then nothing is sure to have been moved.
bool asks_where_it_stopped(SharedAccess& access, const Outcome& outcome) {
  if (outcome || !access.tells_all()) return false;
  if (!is_lost_touch(outcome.error())) return true;
  access.set_stopped(0);
  return false;
}

/// Each by itself, and then one outcome.
AccessResult access_directly(const CommCall& call, FileCore& file, const DataAccess& access,
                             const Outcome& refused) {
  AccessResult result;
  if (refused) {
    result = access_alone(file, access);
  } else {
    result.outcome = refused;
  }
  result.outcome = agree(call, file.parent(), result.outcome);
  return result;
}

Outcome outcome_of(const HostMeeting& meeting) {
  return meeting.has_failed() ? fail(MPI_ERR_PROC_ABORTED, "{}", kLostTouch) : Outcome();
}

/// A blocking call that drives an access.
class SharedDriver {
 public:
  SharedDriver(const CommCall& call, FileCore& file, SharedAccess& access)
      : call_(call), file_(file), access_(access) {}

  [[nodiscard]] AccessResult run(const Outcome& refused);

 private:
  void carry_out();
  [[nodiscard]] Outcome meet();
  [[nodiscard]] Outcome exchange();

  CommCall call_;
  FileCore& file_;
  SharedAccess& access_;
  LetterExchange exchange_;
};

Outcome SharedDriver::meet() {
  const MeetingWait subject(call_, file_);
  HostMeeting& meeting = file_.staging->meeting();
  file_.counters.meetings.add(1);
  meeting.start();
  meeting.wait(&subject);
  return outcome_of(meeting);
}

Outcome SharedDriver::exchange() {
  const LettersWait subject(call_, file_, access_.letters());
  exchange_.start(call_.engine(), file_.comm, access_.letters());
  bool lacks_memory = false;
  while (!exchange_.is_complete()) {
    try {
      call_.progress().wait([this] { return exchange_.is_complete(); }, &subject);
    } catch (const std::bad_alloc&) {
      lacks_memory = true;  // but letters that are under way use memory of this call
    }
  }
  Outcome all = exchange_.end();
  if (lacks_memory && all) all = tl::unexpected(Error{MPI_ERR_NO_MEM, {}});
  return all;
}

void SharedDriver::carry_out() {
  using Next = SharedAccess::Next;
  do {
    {
      const OutOfMpi out(file_.process.progress());
      access_.step();
    }
    Outcome done;
    if (access_.next() == Next::meeting) done = meet();
    if (access_.next() == Next::letters) done = exchange();
    if (!done) access_.break_off(done.error());
  } while (access_.next() != Next::end);
}

AccessResult SharedDriver::run(const Outcome& refused) {
  Outcome mine;
  try {
    carry_out();
    mine = access_.outcome();
  } catch (...) {  // the others are in a meeting, or will be
    mine = tl::unexpected(Error{class_of_exception(), {}});
    file_.staging->leave();
  }
  AccessResult result;
  result.outcome = agree(call_, file_.parent(), refused ? mine : refused);
  if (asks_where_it_stopped(access_, result.outcome)) {
    std::int64_t stopped = access_.stopped();
    // Where they cannot tell each other, this member's own will do.
    if (run_among_members(call_, file_.parent(), stops_args(stopped), kLostTouch)) {
      access_.set_stopped(stopped);
    }
  }
  result.bytes = access_.finish(result.outcome.has_value());
  return result;
}

/// Which way it goes, and that.
AccessResult access_planned(const CommCall& call, FileCore& file, const DataAccess& access,
                            const Outcome& refused) {
  if (file.staging_now() == nullptr) return access_directly(call, file, access, refused);
  FileStaging& staging = *file.staging;
  Progress& progress = file.process.progress();
  const AccessOrder::Turn turn(staging.order(), progress);
  const auto wait_for_turn = [&] {
    const ParentComm comm = file.parent();
    const InnerCollectiveWait subject(call, comm, CollectiveKind::barrier);
    progress.wait([&] { return turn.has_come(); }, &subject);
  };
  const MemberAccess mine = staging.summarize(file, access);
  const std::span<MemberAccess> all = staging.told();
  const CollectiveArgs opening = summary_args(mine, all);
  if (auto told = run_among_members(call, file.parent(), opening, kLostTouch); !told) {
    // Those that are before it have their meetings still.
    wait_for_turn();
    staging.leave();
    return {0, told};
  }
  const CollectivePlan plan = staging.plan(file, access, all);
  if (!plan.is_staged()) return access_directly(call, file, access, refused);
  wait_for_turn();
  AccessRoom room;
  SharedAccess& shared = room.make(staging, file, access, plan);
  note_written(file, access);
  return SharedDriver(call, file, shared).run(refused);
}

}  // namespace

AccessResult access_together(const CommCall& call, FileCore& file, const DataAccess& access,
                             const Outcome& refused) {
  AccessResult result = access_planned(call, file, access, refused);
  result.outcome = with_lost_members(file, std::move(result.outcome));
  return result;
}

PendingStaged::PendingStaged(FileCore& file, const DataAccess& access)
    : file_(file),
      access_(access),
      staging_(*file.staging),
      turn_(staging_.order(), file.process.progress()),
      mine_(staging_.summarize(file, access)),
      all_(static_cast<std::size_t>(file.comm.size())),
      opening_(file.process.comms.engine(), file.comm, summary_args(mine_, all_)),
      stops_(file.process.comms.engine(), file.comm, stops_args(stopped_)) {}

/// Whatever ends it before the others end theirs, these wait for it in a meeting, or will, of this
/// access: those that are before it have their meetings still.
Task<int> PendingStaged::run(PendingStaged& self, Outcome& outcome) {
  Task<int> whole = carry_out(self, outcome);
  const int failed = co_await whole;
  if (failed == MPI_SUCCESS) co_return failed;
  co_await self.turn_;
  self.staging_.leave();
  if (outcome) outcome = tl::unexpected(Error{failed, {}});
  co_return failed;
}

Task<int> PendingStaged::carry_out(PendingStaged& self, Outcome& outcome) {
  using Next = SharedAccess::Next;
  self.opening_.start();
  EndOfRequest told(self.opening_.request);
  co_await told;
  const int failed = self.opening_.request.status.error;
  if (failed != MPI_SUCCESS) {
    if (outcome) outcome = fail(failed, "{}", kLostTouch);
    co_return failed;
  }
  const CollectivePlan plan = self.staging_.plan(self.file_, self.access_, self.all_);
  if (!plan.is_staged()) co_return MPI_SUCCESS;
  co_await self.turn_;
  FileCore& file = self.file_;
  SharedAccess& access = self.room_.make(self.staging_, file, self.access_, plan);
  self.steps_.access = &access;
  note_written(file, self.access_);
  HostMeeting& meeting = self.staging_.meeting();
  do {
    file.process.threads.start(self.steps_);
    IoThreads::EndOfJob made = IoThreads::end_of(self.steps_);
    co_await made;
    if (access.next() == Next::meeting) {
      meeting.start();
      co_await meeting;
      file.counters.meetings.add(1);
      const Outcome met = outcome_of(meeting);
      if (!met) access.break_off(met.error());
    } else if (access.next() == Next::letters) {
      self.exchange_.start(file.process.comms.engine(), file.comm, access.letters());
      co_await self.exchange_;
      const Outcome exchanged = self.exchange_.end();
      if (!exchanged) access.break_off(exchanged.error());
    }
  } while (access.next() != Next::end);
  if (outcome) outcome = access.outcome();
  co_return MPI_SUCCESS;
}

Task<int> PendingStaged::settle(PendingStaged& self, AccessResult& result) {
  SharedAccess* const access = self.steps_.access;
  if (access != nullptr && asks_where_it_stopped(*access, result.outcome)) {
    self.stopped_ = access->stopped();
    self.stops_.start();
    EndOfRequest told(self.stops_.request);
    co_await told;
    // Where they cannot tell each other, this member's own will do.
    if (self.stops_.request.status.error == MPI_SUCCESS) access->set_stopped(self.stopped_);
  }
  if (access != nullptr) result.bytes = access->finish(result.outcome.has_value());
  self.turn_.end();
  co_return MPI_SUCCESS;
}

}  // namespace remit
