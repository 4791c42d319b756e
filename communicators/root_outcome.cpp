// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What one member of a communicator has found out, told to all of them.
#include "communicators/root_outcome.hpp"

#include <array>
#include <new>
#include <string>

#include "communicators/inner_collectives.hpp"

namespace remit {

Expected<> tell_members(const CommCall& call, const ParentComm& comm, int root,
                        RootOutcome& outcome) {
  std::array<std::int64_t, 2> head{outcome.code, static_cast<std::int64_t>(outcome.bytes.size())};
  CollectiveArgs args =
      plain_args(CollectiveKind::bcast, nullptr, head.data(), head.size(), MPI_INT64_T);
  args.root = root;
  if (auto told = run_among_members(call, comm, args); !told) return told;
  outcome.code = head[0];
  outcome.bytes.resize(static_cast<std::size_t>(head[1]));
  if (outcome.bytes.empty()) return {};
  args = plain_args(CollectiveKind::bcast, nullptr, outcome.bytes.data(), head[1], MPI_BYTE);
  args.root = root;
  return run_among_members(call, comm, args);
}

RootOutcome outcome_of(const Error& error) {
  const auto* text = reinterpret_cast<const std::byte*>(error.message.data());
  return {error.code, Bytes(text, text + error.message.size())};
}

RootOutcome outcome_of_exception(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return {MPI_ERR_NO_MEM, {}};
  try {
    return outcome_of({MPI_ERR_OTHER, error.what()});
  } catch (const std::bad_alloc&) {
    return {MPI_ERR_OTHER, {}};
  }
}

Error error_of(const RootOutcome& outcome) {
  if (outcome.bytes.empty()) {
    return {static_cast<int>(outcome.code), outcome.code == MPI_ERR_NO_MEM
                                                ? "no memory is left at the process that leads it"
                                                : "the process that leads it could not go on"};
  }
  const auto* text = reinterpret_cast<const char*>(outcome.bytes.data());
  return {static_cast<int>(outcome.code), std::string(text, outcome.bytes.size())};
}

}  // namespace remit
