// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Processes of other jobs.
#include <algorithm>

#include "links/address_blob.hpp"
#include "links/links.hpp"

namespace remit {

/// No memory is reserved for processes of other jobs, of which there may be any number: they get
/// leases when they talk.
Passport Links::passport() const {
  const Identity& me = process_.identity();
  AddressBlob blob = own_address();
  blob.first_window = 0;
  return {me.job, static_cast<std::uint32_t>(me.rank), me.host, encode(blob)};
}

PeerName Links::name_of(ProcId proc) const {
  return is_foreign(proc) ? foreign_.name_of(proc) : process_.name_of(static_cast<int>(proc));
}

ProcId Links::proc_of(PeerName name) {
  if (name >> 32 != process_.identity().job_key) {
    const ProcId proc = foreign_.proc_of(name);
    table_.make_room(foreign_.end());
    return proc;
  }
  const std::uint32_t rank = rank_of_name(name);
  return rank < static_cast<std::uint32_t>(process_.size()) ? rank : kAnyProc;
}

Expected<ProcId> Links::introduce(const Passport& passport) {
  const Identity& me = process_.identity();
  if (passport.job == me.job) {
    if (const ProcId proc = proc_of(passport.name()); proc != kAnyProc) return proc;
  } else if (job_key_of(passport.job) != me.job_key) {
    Expected<ProcId> proc = foreign_.introduce(passport);
    table_.make_room(foreign_.end());
    return proc;
  }
  return remit::fail(MPI_ERR_INTERN, "rank {} of job {} cannot be told from a process of job {}",
                     passport.rank, passport.job, me.job);
}

bool Links::reaches(const Passport& passport) const {
  const Expected<AddressBlob> blob = decode(passport.address);
  if (!blob) return false;
  return std::ranges::any_of(devices_, [&](const auto& slot) {
    return std::ranges::any_of(blob->devices, [&](const AddressBlob::Entry& entry) {
      return entry.device == slot->device->caps().name && slot->device->reachable(entry.address);
    });
  });
}

std::string Links::words_of(ProcId proc) const {
  if (!is_foreign(proc)) return fmt::format("rank {}", proc);
  const std::string& job = foreign_.passport_of(proc).job;
  return fmt::format("rank {} of job {}", rank_of_name(foreign_.name_of(proc)),
                     job.empty() ? "(not introduced)" : job);
}

}  // namespace remit
