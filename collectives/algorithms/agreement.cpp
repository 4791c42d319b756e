// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The members of a new communicator agree on its context: rounds of maxima (pt2pt/context_ids.hpp).
#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "pt2pt/context_ids.hpp"

namespace remit {

namespace {

using Words = ContextAgreement::Words;

/// A maximum of words as a collective operation of this kind, with root 0.
CollectiveArgs maximum_of(CollectiveKind kind, const Words& mine, Words& maxima) {
  CollectiveArgs args;
  args.kind = kind;
  args.send = mine.data();
  args.recv = maxima.data();
  args.send_count = args.recv_count = static_cast<MPI_Count>(mine.size());
  args.send_type = args.recv_type = &predefined(MPI_UINT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  return args;
}

/// The maxima over both groups, in `maxima` of every member.
Task<int> maximum_of_both(CollCtx& c, const Words& mine, Words& maxima) {
  CollCtx here(c, *c.comm().within);
  Task<int> inwards = run_part(here, maximum_of(CollectiveKind::reduce, mine, maxima));
  co_await inwards;
  c.take_error(here);
  if (c.rank() == 0) {
    Words theirs{};
    const View out = bytes_view(maxima.data(), sizeof maxima);
    const View in = bytes_view(theirs.data(), sizeof theirs);
    auto meet = c.sendrecv(out, 0, in, 0);
    co_await meet;
    for (std::size_t i = 0; i < theirs.size(); ++i) maxima[i] = std::max(maxima[i], theirs[i]);
  }
  CollCtx back(c, *c.comm().within);
  Task<int> outwards = run_part(back, maximum_of(CollectiveKind::bcast, mine, maxima));
  co_await outwards;
  c.take_error(back);
  co_return c.error();
}

}  // namespace

Task<int> agree_among(CollCtx& c, const CollectiveArgs& a) {
  auto& agreement = *static_cast<ContextAgreement*>(a.recv);
  Words mine{};
  Words maxima{};
  const CollectiveArgs maximum = maximum_of(CollectiveKind::allreduce, mine, maxima);
  const Algorithm& algorithm = algorithm_of_part(c, maximum);
  do {
    mine = agreement.mine();
    if (c.size() == 1) {
      maxima = mine;
      continue;
    }
    Task<int> round = algorithm.run(c, maximum);
    co_await round;
  } while (c.error() == MPI_SUCCESS && !agreement.settle(maxima));
  co_return c.error();
}

/// The leaders tell each other between rounds inside the groups.
Task<int> agree_inter(CollCtx& c, const CollectiveArgs& a) {
  auto& agreement = *static_cast<ContextAgreement*>(a.recv);
  Words maxima{};
  do {
    const Words mine = agreement.mine();
    Task<int> round = maximum_of_both(c, mine, maxima);
    co_await round;
  } while (c.error() == MPI_SUCCESS && !agreement.settle(maxima));
  co_return c.error();
}

}  // namespace remit
