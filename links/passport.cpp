// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A passport as bytes: rank, then the lengths of job, host and address, then these.
#include "links/passport.hpp"

#include "links/bytes.hpp"
#include "runtime/bootstrap/bootstrap.hpp"

namespace remit {

PeerName Passport::name() const {
  return PeerName{job_key_of(job)} << 32 | rank;
}

std::vector<std::byte> encode(const Passport& passport) {
  std::vector<std::byte> out;
  put(out, passport.rank);
  put(out, static_cast<std::uint16_t>(passport.job.size()));
  put(out, static_cast<std::uint16_t>(passport.host.size()));
  put(out, static_cast<std::uint16_t>(passport.address.size()));
  put_text(out, passport.job);
  put_text(out, passport.host);
  out.insert(out.end(), passport.address.begin(), passport.address.end());
  return out;
}

Expected<std::vector<Passport>> decode_passports(std::span<const std::byte> bytes) {
  ByteReader reader{bytes};
  std::vector<Passport> passports;
  while (reader.good && !reader.rest.empty()) {
    Passport passport;
    passport.rank = reader.number<std::uint32_t>();
    const auto job = reader.number<std::uint16_t>();
    const auto host = reader.number<std::uint16_t>();
    const auto address = reader.number<std::uint16_t>();
    passport.job = reader.text(job);
    passport.host = reader.text(host);
    const auto blob = reader.take(address);
    passport.address.assign(blob.begin(), blob.end());
    if (passport.job.empty() || blob.empty()) reader.good = false;
    passports.push_back(std::move(passport));
  }
  if (!reader.good) {
    return fail(MPI_ERR_INTERN,
                "what a process says of itself ({} bytes) cannot be read: is it of another version "
                "of Remit?",
                bytes.size());
  }
  return passports;
}

ProcId ForeignProcs::proc_of(PeerName name) {
  const auto [found, is_new] = by_name_.try_emplace(name, static_cast<ProcId>(known()));
  if (is_new) {
    names_.push_back(name);
    passports_.emplace_back();
  }
  return found->second;
}

Expected<ProcId> ForeignProcs::introduce(const Passport& passport) {
  const std::string& job = jobs_.try_emplace(job_key_of(passport.job), passport.job).first->second;
  if (job != passport.job) {
    return fail(MPI_ERR_INTERN,
                "jobs {} and {} have the same key, so their processes cannot be told apart: start "
                "one of them again",
                job, passport.job);
  }
  const ProcId proc = proc_of(passport.name());
  passports_[index_of(proc)] = passport;
  return proc;
}

}  // namespace remit
