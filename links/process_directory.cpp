// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/process_directory.hpp"

namespace remit {

PeerName ProcessDirectory::name_of(ProcId proc) const {
  return is_foreign(proc) ? foreign_.name_of(proc) : process_.name_of(static_cast<int>(proc));
}

ProcId ProcessDirectory::proc_of(PeerName name) {
  if (name >> 32 != process_.identity().job_key) {
    const ProcId proc = foreign_.proc_of(name);
    table_.make_room(foreign_.known());
    return proc;
  }
  const std::uint32_t rank = rank_of_name(name);
  return rank < static_cast<std::uint32_t>(process_.size()) ? ProcId{rank} : kAnyProc;
}

Expected<ProcId> ProcessDirectory::introduce(const Passport& passport) {
  const Identity& me = process_.identity();
  if (passport.job == me.job) {
    if (const ProcId proc = proc_of(passport.name()); proc != kAnyProc) return proc;
  } else if (job_key_of(passport.job) != me.job_key) {
    Expected<ProcId> proc = foreign_.introduce(passport);
    table_.make_room(foreign_.known());
    return proc;
  }
  return fail(MPI_ERR_INTERN, "rank {} of job {} cannot be told from a process of job {}",
              passport.rank, passport.job, me.job);
}

std::string ProcessDirectory::words_of(ProcId proc) const {
  if (!is_foreign(proc)) return fmt::format("rank {}", number_of(proc));
  const std::string& job = foreign_.passport_of(proc).job;
  return fmt::format("rank {} of job {}", rank_of_name(foreign_.name_of(proc)),
                     job.empty() ? "(not introduced)" : job);
}

}  // namespace remit
