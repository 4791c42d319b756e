// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collective operations that are part of another MPI call.
#include "communicators/inner_collectives.hpp"

#include "communicators/waits.hpp"

namespace remit {

CollectiveArgs plain_args(CollectiveKind kind, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type) {
  CollectiveArgs args;
  args.kind = kind;
  args.send = send;
  args.recv = recv;
  args.send_count = args.recv_count = count;
  args.send_type = args.recv_type = &predefined(type);
  return args;
}

namespace {

/// `core` is that of `comm`, or that of its local group.
Expected<> run_on_core(const CommCall& call, const ParentComm& comm, CommCore& core,
                       const CollectiveArgs& args, const char* error_text) {
  const InnerCollectiveWait subject(call, comm, args.kind);
  const int code = run_collective(call.engine(), core, args, &subject);
  if (code != MPI_SUCCESS) return fail(code, "{}", error_text);
  return {};
}

}  // namespace

Expected<> run_among_members(const CommCall& call, const ParentComm& comm,
                             const CollectiveArgs& args, const char* error_text) {
  return run_on_core(call, comm, comm.core, args, error_text);
}

Expected<> run_within_local_group(const CommCall& call, const ParentComm& comm,
                                  const CollectiveArgs& args) {
  CommCore& within = *comm.core.within;
  within.collective_sequence = comm.core.collective_sequence;
  auto done = run_on_core(call, comm, within, args, kNoAgreementText);
  ++comm.core.collective_sequence;
  return done;
}

}  // namespace remit
