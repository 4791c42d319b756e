// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What people are told of an engine: its counters, its protocols, what it waits for, and why
// something failed. None of it is quick.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "links/process_id.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/matching.hpp"
#include "rdma_btl/device.hpp"

namespace remit {

class Engine;

/// An operation that is not complete, for the report of a job that hangs.
struct AwaitedOperation {
  MatchKey key;  ///< of a send: `source` is this process's rank
  bool is_send;
  ProcId peer;  ///< kAnyProc: any member of the communicator
};
/// All of them, in no useful order. Costs time and memory with their number.
[[nodiscard]] std::vector<AwaitedOperation> awaited_operations(Engine& engine);

/// The words behind the error of a request or peer, for the message to the user; with a rank that
/// is none, those of any member that failed.
[[nodiscard]] std::string failure_words(Engine& engine, const CommCore& comm, int rank);

/// One row of the protocol table as remit_info prints it.
struct ProtocolRange {
  std::string device, layout, protocol;
  std::size_t from_bytes, to_bytes;  ///< both included
};
[[nodiscard]] std::vector<ProtocolRange> protocol_ranges(Engine& engine);

/// What was counted, in groups: "messages", "registrations" if a device needs them, and each
/// device by its name.
struct StatisticGroup {
  std::string name;
  std::vector<Statistic> values;
};
[[nodiscard]] std::vector<StatisticGroup> engine_statistics(Engine& engine);

}  // namespace remit
