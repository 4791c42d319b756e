// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Every algorithm among 1 to 257 virtual members, as a line of text each: results and messages. Two
// programs print it, one with engines over the simulated device, one with the LogGP machine, which
// must say the same.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/logp/operation.hpp"

namespace remit::testing {

using Data = logp::Operation<std::int64_t>;

/// One operation of all members.
struct DigestCase {
  const Algorithm* row;
  int size;
  MPI_Count elements;
  std::uint32_t sequence;
};

/// All small sizes, and larger ones about powers of two; COLLECTIVES_DIGEST_ALL: each up to 257.
inline std::vector<int> digest_sizes() {
  std::vector<int> sizes;
  const bool all = std::getenv("COLLECTIVES_DIGEST_ALL") != nullptr;
  for (int size = 1; size <= (all ? 257 : 20); ++size) sizes.push_back(size);
  if (!all) sizes.insert(sizes.end(), {31, 32, 33, 48, 63, 64, 65, 100, 128, 129, 257});
  return sizes;
}

/// What a world of this size runs, one after the other.
inline std::vector<DigestCase> digest_cases(int size) {
  std::vector<DigestCase> cases;
  std::uint32_t sequence = 0;
  for (const Algorithm& row : all_algorithms()) {
    if (row.run == nullptr || row.inter || !Data::knows(row.kind)) continue;
    for (const MPI_Count elements : {MPI_Count{1}, MPI_Count{size}}) {
      CollectiveShape shape;
      shape.size = size;
      shape.elements = row.kind == CollectiveKind::barrier ? 0 : elements;
      shape.bytes = static_cast<std::size_t>(shape.elements) * 8;
      shape.exact = true;
      shape.table = &builtin_collective_table();
      shape.cost_class = CostClass::network;
      if (size == 1 || !row.applies(shape)) continue;
      if (row.kind == CollectiveKind::reduce_scatter_block && elements != size) continue;
      const bool blocks = row.kind >= CollectiveKind::gather && row.kind < CollectiveKind::reduce;
      if (blocks && elements > 1 && size > 65) continue;
      cases.push_back({&row, size, elements, sequence++});
    }
  }
  return cases;
}

/// Runs a case: `run(members)` starts the tasks and returns when nothing happens any more;
/// `messages(rank)` counts those that a member sent since the world was made.
template <class EngineOf, class Run, class Messages>
std::string digest(const DigestCase& c, EngineOf&& engine_of, Run&& run, Messages&& messages) {
  const Data data(c.row->kind, c.size, c.elements);
  std::vector<Data::Buffers> buffers;
  buffers.reserve(static_cast<std::size_t>(c.size));
  const auto members = std::make_unique<logp::Member[]>(static_cast<std::size_t>(c.size));
  const auto group = Group::regular(ProcId{0}, 1, c.size);
  std::vector<std::uint64_t> before;
  for (int r = 0; r < c.size; ++r) {
    logp::Member& member = members[static_cast<std::size_t>(r)];
    buffers.push_back(data.make_buffers(r));
    member.args = data.args(buffers.back());
    logp::join(member, engine_of(r), r, group, builtin_collective_table(), CostClass::network,
               c.sequence);
    before.push_back(messages(r));
  }
  run(c, members.get());
  std::uint64_t sent = 0, most = 0, hash = 0;
  bool fine = true;
  for (int r = 0; r < c.size; ++r) {
    logp::Member& member = members[static_cast<std::size_t>(r)];
    const auto& mine = buffers[static_cast<std::size_t>(r)];
    const bool done = member.task.done() && member.task.result() == MPI_SUCCESS;
    fine = fine && done && data.right(r, mine);
    const std::uint64_t count = messages(r) - before[static_cast<std::size_t>(r)];
    sent += count;
    most = std::max(most, count);
    hash = hash * 31 + data.digest(r, mine);
  }
  return fmt::format("{}={} of {}, {} elements: {}, {:016x}, {} messages, at most {}",
                     collective_name(c.row->kind), c.row->name, c.size, c.elements,
                     fine ? "right" : "WRONG", hash, sent, most);
}

}  // namespace remit::testing
