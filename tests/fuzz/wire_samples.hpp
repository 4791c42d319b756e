// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages as daemons send them, for seeds.
#pragma once

#include <string>
#include <vector>

#include "launcher/report/rank_inspection.hpp"
#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/message.hpp"
#include "launcher/tree/secret.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::fuzz {

/// The same in the whole run.
[[nodiscard]] const launcher::Secret& job_secret();
/// A tree of five nodes.
[[nodiscard]] launcher::TreePlan sample_plan();
/// Four ranks: two at node 0, one at node 1, one at node 3.
[[nodiscard]] launcher::DaemonJob sample_job();
/// One that a rank of it has spawned: one rank at node 1.
[[nodiscard]] launcher::DaemonJob sample_spawned_job();
/// What that rank has asked for.
[[nodiscard]] launcher::SpawnOrder sample_order();
/// What its host sees of it: a process with two threads that wait.
[[nodiscard]] launcher::RankInspections sample_inspections();
/// The processors of a small host.
[[nodiscard]] const std::string& sample_processors();
/// One of each kind, with a payload that its reader takes.
[[nodiscard]] std::vector<launcher::Message> sample_messages();

}  // namespace remit::fuzz
