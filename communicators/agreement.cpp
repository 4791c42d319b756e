// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Agreements on contexts among the members of a communicator.
#include "communicators/agreement.hpp"

#include "communicators/inner_collectives.hpp"

namespace remit {

Expected<ContextAgreement::Words> agreement_round(const CommCall& call, const ParentComm& comm,
                                                  ContextAgreement& agreement) {
  const ContextAgreement::Words mine = agreement.mine();
  ContextAgreement::Words maxima{};
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, mine.data(), maxima.data(),
                                   static_cast<MPI_Count>(mine.size()), MPI_UINT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (auto done = run_among_members(call, comm, args); !done) return tl::unexpected(done.error());
  return maxima;
}

Expected<ContextId> agree_on_context(const CommCall& call, const ParentComm& parent) {
  ContextAgreement agreement(call.comms.contexts(), !call.comms.threads().overlap());
  if (parent.core.is_inter()) {
    CollectiveArgs args;
    args.kind = CollectiveKind::agree;
    args.recv = &agreement;
    if (auto done = run_among_members(call, parent, args); !done) {
      return tl::unexpected(done.error());
    }
    return agreement.context();
  }
  // The same rounds as an operation of their own would make, but they may use the shared board.
  while (true) {
    const auto maxima = agreement_round(call, parent, agreement);
    if (!maxima) return tl::unexpected(maxima.error());
    if (agreement.settle(*maxima)) return agreement.context();
  }
}

}  // namespace remit
