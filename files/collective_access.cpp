// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/collective_access.hpp"

#include <span>

#include "communicators/inner_collectives.hpp"
#include "communicators/waits.hpp"
#include "files/end_of_request.hpp"
#include "files/out_of_mpi.hpp"

namespace remit {

namespace {

constexpr const char* kNotMet = "the members could not meet in a collective access";

CollectiveArgs summary_args(const MemberAccess& mine, std::vector<MemberAccess>& all) {
  return plain_args(CollectiveKind::allgather, &mine, all.data(), sizeof mine, MPI_BYTE);
}

/// An owner writes even if it has given nothing.
void note_written(FileCore& file, const DataAccess& access) {
  if (access.kind == FileMove::write) file.is_written = true;
}

/// Each by itself, and then one outcome.
AccessResult access_directly(const CommCall& call, FileCore& file, const DataAccess& access) {
  AccessResult result = access_alone(file, access);
  result.outcome = agree(call, file.parent(), result.outcome);
  return result;
}

AccessResult access_staged(const CommCall& call, FileCore& file, const DataAccess& access,
                           const CollectivePlan& plan) {
  FileStaging& staging = *file.staging;
  StagedAccess steps(staging, file, access, plan);
  note_written(file, access);
  const ParentComm host{staging.comm(), file.path};
  CollectiveArgs meeting;
  meeting.kind = CollectiveKind::barrier;
  Outcome met;
  while (met) {
    {
      const OutOfMpi out(file.process.progress());
      steps.step();
    }
    if (!steps.meets()) break;
    met = run_among_members(call, host, meeting, kNotMet);
    file.counters.meetings.add(1);
  }
  AccessResult result;
  result.outcome = agree(call, file.parent(), met ? steps.outcome() : met);
  result.bytes = steps.finish(result.outcome.has_value());
  return result;
}

}  // namespace

AccessResult access_together(const CommCall& call, FileCore& file, const DataAccess& access) {
  if (file.staging_now() == nullptr) return access_directly(call, file, access);
  FileStaging& staging = *file.staging;
  Progress& progress = file.process.progress();
  const AccessOrder::Turn turn(staging.order(), progress);
  const MemberAccess mine = staging.summarize(access);
  std::vector<MemberAccess> all(static_cast<std::size_t>(file.comm.size()));
  const CollectiveArgs opening = summary_args(mine, all);
  if (auto told = run_among_members(call, file.parent(), opening, kNotMet); !told) {
    return {0, told};
  }
  const CollectivePlan plan = staging.plan(file, access, all);
  if (!plan.is_staged()) return access_directly(call, file, access);
  const ParentComm comm = file.parent();
  const InnerCollectiveWait subject(call, comm, CollectiveKind::barrier);
  progress.wait([&] { return turn.has_come(); }, &subject);
  return access_staged(call, file, access, plan);
}

PendingStaged::PendingStaged(FileCore& file, const DataAccess& access)
    : file_(file),
      access_(access),
      staging_(*file.staging),
      turn_(staging_.order(), file.process.progress()),
      mine_(staging_.summarize(access)),
      all_(static_cast<std::size_t>(file.comm.size())),
      opening_(file.process.comms.engine(), file.comm, summary_args(mine_, all_)) {}

Task<int> PendingStaged::run(PendingStaged& self, Outcome& outcome) {
  self.opening_.start();
  EndOfRequest told(self.opening_.request);
  co_await told;
  int failed = self.opening_.request.status.error;
  if (failed != MPI_SUCCESS) {
    outcome = fail(failed, "{}", kNotMet);
    co_return failed;
  }
  const CollectivePlan plan = self.staging_.plan(self.file_, self.access_, self.all_);
  if (!plan.is_staged()) co_return MPI_SUCCESS;
  co_await self.turn_;
  self.steps_.job.emplace(self.staging_, self.file_, self.access_, plan);
  note_written(self.file_, self.access_);
  Collective& meeting = self.staging_.meeting();
  while (failed == MPI_SUCCESS) {
    self.file_.process.threads.start(self.steps_);
    IoThreads::EndOfJob made = IoThreads::end_of(self.steps_);
    co_await made;
    if (!self.steps_.job->meets()) break;
    meeting.start();
    EndOfRequest met(meeting.request);
    co_await met;
    failed = meeting.request.status.error;
    self.file_.counters.meetings.add(1);
  }
  outcome = self.steps_.job->outcome();
  if (failed != MPI_SUCCESS) outcome = fail(failed, "{}", kNotMet);
  co_return failed;
}

void PendingStaged::end(AccessResult& result) {
  if (steps_.job) result.bytes = steps_.job->finish(result.outcome.has_value());
  turn_.end();
}

}  // namespace remit
