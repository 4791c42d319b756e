// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/remote/fetches.hpp"

#include <iterator>

namespace remit {

Fetches::~Fetches() {
  for (const auto& [token, fetch] : fetches_) traffic_.answered(fetch.proc, fetch.asked);
}

std::uint64_t Fetches::begin(ProcId proc, const View& result) {
  Fetch& fetch = fetches_[++last_];
  fetch.proc = proc;
  fetch.layout = *result.layout;
  fetch.result = {result.base, result.count, &fetch.layout};
  fetch.missing = result.size();
  ++open_[proc];
  return last_;
}

bool Fetches::ask(std::uint64_t token, std::size_t bytes) {
  Fetch& fetch = fetches_.at(token);
  if (fetch.code != MPI_SUCCESS) return false;
  fetch.asked += bytes;
  traffic_.ask(fetch.proc, bytes);
  return true;
}

void Fetches::all_asked(std::uint64_t token, Request* done) {
  const Place place = fetches_.find(token);
  place->second.asking = false;
  place->second.done = done;
  if (has_ended(place->second)) end(place);
}

bool Fetches::take(ProcId proc, std::uint64_t token, std::size_t offset,
                   std::span<const std::byte> bytes) {
  const Place place = fetches_.find(token);
  if (place == fetches_.end()) return token <= last_;
  Fetch& fetch = place->second;
  if (fetch.proc != proc) return false;
  if (fetch.code != MPI_SUCCESS) return true;
  const std::size_t size = fetch.result.size();
  if (bytes.size() > fetch.asked || offset > size || bytes.size() > size - offset) return false;
  fetch.result.unpack(offset, bytes);
  fetch.missing -= bytes.size();
  fetch.asked -= bytes.size();
  traffic_.answered(proc, bytes.size());
  if (has_ended(fetch)) end(place);
  return true;
}

void Fetches::fail(ProcId proc, std::uint64_t token, int code) {
  const Place place = fetches_.find(token);
  if (place == fetches_.end() || place->second.proc != proc) return;
  fail(place->second, code);
  if (has_ended(place->second)) end(place);
}

void Fetches::fail_all(ProcId proc, int code) {
  for (Place place = fetches_.begin(); place != fetches_.end();) {
    const Place next = std::next(place);
    if (place->second.proc == proc) {
      fail(place->second, code);
      if (has_ended(place->second)) end(place);
    }
    place = next;
  }
}

void Fetches::fail(Fetch& fetch, int code) {
  if (fetch.code == MPI_SUCCESS) fetch.code = code;
  traffic_.answered(fetch.proc, fetch.asked);
  fetch.asked = 0;
}

void Fetches::end(Place place) {
  const Fetch& fetch = place->second;
  Request* const done = fetch.done;
  const int code = fetch.code;
  const auto open = open_.find(fetch.proc);
  if (--open->second == 0) open_.erase(open);
  fetches_.erase(place);
  if (done == nullptr) return;
  done->status.error = code;
  complete_request(*done, progress_);
}

}  // namespace remit
