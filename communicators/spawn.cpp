// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting processes, and connecting to those who started this one.
#include "communicators/spawn.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "communicators/bridge.hpp"
#include "communicators/ports.hpp"
#include "communicators/root_outcome.hpp"
#include "links/bytes.hpp"

namespace remit {

namespace {

/// What the members are told: of each program how many processes were asked for and how many were
/// started, and the words of a failure.
RootOutcome encode_outcome(const SpawnOrder& order, const Expected<>& done) {
  RootOutcome outcome;
  const Error* error = !order.request ? &order.request.error() : !done ? &done.error() : nullptr;
  if (error != nullptr) outcome.code = error->code;
  put(outcome.bytes, static_cast<std::int32_t>(order.wanted.size()));
  std::size_t next = 0;
  for (const int processes : order.wanted) {
    const int wanted = std::max(0, processes);
    const int started =
        error == nullptr && wanted > 0 ? order.request->programs[next++].processes : 0;
    put(outcome.bytes, static_cast<std::int32_t>(wanted));
    put(outcome.bytes, static_cast<std::int32_t>(started));
  }
  if (error != nullptr) put_text(outcome.bytes, error->message);
  return outcome;
}

/// Takes the counts; what is left are the words of a failure.
Expected<> decode_outcome(RootOutcome outcome, std::vector<SpawnCounts>& programs) {
  ByteReader reader{outcome.bytes};
  const auto count = reader.number<std::int32_t>();
  for (std::int32_t i = 0; i < count; ++i) {
    SpawnCounts& program = programs.emplace_back();
    program.wanted = reader.number<std::int32_t>();
    program.started = reader.number<std::int32_t>();
  }
  if (outcome.code == MPI_SUCCESS) return {};
  return tl::unexpected(error_of({outcome.code, Bytes(reader.rest.begin(), reader.rest.end())}));
}

/// At the root: opens a port, whose name is added to the request, and has the launcher start the
/// processes.
RootOutcome start_processes(const CommCall& call, SpawnOrder& order, std::string& port) {
  Expected<> done;
  if (order.request) {
    port = order.request->parent_port = call.comms.ports().open();
    done = call.process().bootstrap().spawn(*order.request);
  }
  return encode_outcome(order, done);
}

}  // namespace

SpawnResult spawn_processes(const CommCall& call, const ParentComm& parent, int root,
                            SpawnOrder* order) {
  std::string port;
  RootOutcome outcome;
  if (order != nullptr) {
    outcome = outcome_at_root([&] { return start_processes(call, *order, port); });
    // An exception: the members are told how many were wanted all the same, for the error codes.
    if (outcome.code != MPI_SUCCESS && outcome.bytes.empty()) {
      outcome = outcome_at_root(
          [&] { return encode_outcome(*order, tl::unexpected(error_of(outcome))); });
    }
  }
  SpawnResult result;
  auto done = tell_members(call, parent, root, outcome);
  if (done) done = decode_outcome(std::move(outcome), result.programs);
  if (done) {
    const auto accept = [&] { return call.comms.ports().accept(call, port); };
    result.comm = bridge_groups(call, parent, root, accept);
  } else {
    result.comm = tl::unexpected(done.error());
  }
  if (!port.empty()) (void)call.comms.ports().close(port);
  return result;
}

Expected<MaybeComm> connect_to_spawner(const CommCall& call, const ParentComm& world) {
  const std::optional<std::string> port = call.process().bootstrap().parent_port();
  if (!port) return MaybeComm();
  const auto connect = [&] { return call.comms.ports().connect(call, *port); };
  auto made = bridge_groups(call, world, 0, connect);
  if (!made) return tl::unexpected(made.error());
  return std::move(*made);
}

}  // namespace remit
