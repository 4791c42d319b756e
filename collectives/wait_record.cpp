// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a collective operation waits for.
#include "collectives/wait_record.hpp"

#include "collectives/algorithms.hpp"
#include "collectives/board/board.hpp"
#include "pt2pt/engine_report.hpp"

namespace remit {

RankSet rank_set_of(const Group& group) {
  RankSet set;
  const int size = group.size();
  if (size == 0) return set;
  const std::int64_t first = number_of(group.proc(0));
  const std::int64_t stride = size > 1 ? number_of(group.proc(1)) - first : 1;
  bool regular = true;
  for (int i = 0; i < size && regular; ++i) {
    regular = number_of(group.proc(i)) == first + i * stride;
  }
  if (regular) {
    set.count = static_cast<std::uint32_t>(size);
    set.first = static_cast<std::uint32_t>(first);
    set.stride = stride;
    return set;
  }
  for (int i = 0; i < size; ++i) set.add(number_of(group.proc(i)));
  return set;
}

void add_once(RankSet& set, ProcId proc) {
  for (std::uint32_t i = 0; set.listed && i < set.size(); ++i) {
    if (set.list[i] == number_of(proc)) return;
  }
  set.add(number_of(proc));
}

void add_awaited(Engine& engine, const CommCore& comm, std::uint32_t sequence, RankSet& set) {
  const auto tag = static_cast<int>(sequence & 0x7fffffffU);
  for (const AwaitedOperation& awaited : awaited_operations(engine)) {
    // Parts (inside a local group, inside cells, among leaders) have contexts of the
    // communicator's.
    const ContextId part = awaited.key.context - comm.context;
    const bool ours = part < kContextsEach && part % 2 != 0 && awaited.key.tag == tag;
    if (ours && awaited.peer != kAnyProc) add_once(set, awaited.peer);
  }
}

void describe_collective(Engine& engine, const CommCore& comm, CollectiveKind kind,
                         std::uint32_t sequence, CallRecord& record) {
  record.context = comm.context;
  record.kind = CallKind::collective;
  set_text(record.operation, collective_name(kind));
  record.sequence = sequence;
  record.members = rank_set_of(*comm.local);
  add_awaited(engine, comm, sequence, record.waits_for);
  Board* const board = board_of(comm);
  if (board == nullptr) return;
  for (const ProcId proc : board->lines().waiting().missing()) add_once(record.waits_for, proc);
}

}  // namespace remit
