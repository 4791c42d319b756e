// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who is who: the numbers, names and passports of all processes that this one has heard of.
#pragma once

#include <string>

#include "links/link.hpp"
#include "links/passport.hpp"
#include "links/process_id.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/error.hpp"
#include "runtime/process.hpp"

namespace remit {

/// All processes that this one can talk to: those of its own job, whose numbers are their ranks in
/// it, and those of other jobs, which have a number once this process has heard of them. Called by
/// the thread that holds the process.
class ProcessDirectory {
 public:
  /// `process` is this one; `table` gets room for the link of whoever becomes known. Both must
  /// outlive it.
  ProcessDirectory(const Process& process, LinkTable& table)
      : process_(process), table_(table), foreign_(proc_of_world_rank(process.size())) {}

  /// Whether it is of another job.
  [[nodiscard]] bool is_foreign(ProcId proc) const {
    return proc >= proc_of_world_rank(process_.size());
  }
  /// What devices call a process: the same at all processes of all jobs, and in the order of ranks
  /// within a job.
  [[nodiscard]] PeerName name_of(ProcId proc) const;
  /// kAnyProc: there is no such rank in this job.
  [[nodiscard]] ProcId proc_of(PeerName name);
  /// The number of the process, which can be sent messages from then on. MPI_ERR_INTERN if it
  /// cannot be told from another one.
  [[nodiscard]] Expected<ProcId> introduce(const Passport& passport);
  /// Of a process of another job: what it was introduced with; without an address if it was not.
  [[nodiscard]] const Passport& passport_of(ProcId foreign) const {
    return foreign_.passport_of(foreign);
  }
  /// "rank 3", or "rank 3 of job ...".
  [[nodiscard]] std::string words_of(ProcId proc) const;

 private:
  const Process& process_;
  LinkTable& table_;
  ForeignProcs foreign_;
};

}  // namespace remit
