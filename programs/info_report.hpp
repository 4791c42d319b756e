// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What remit_info prints, as data, and its two forms: text for people, JSON for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/choice/tuning.hpp"
#include "programs/file_rows.hpp"
#include "programs/window_rows.hpp"
#include "pt2pt/engine_report.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/open_devices.hpp"
#include "rdma_btl/shm/copies/copy_table.hpp"
#include "rdma_btl/verbs/adapter/doctor.hpp"
#include "runtime/params.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {

/// A parameter with the value that it has in this environment.
struct ParameterInfo {
  const ParamDecl* decl = nullptr;
  ParamValue value;
  bool is_set = false;  ///< by the environment or the command line
};

/// A device that was opened here, or, with `problem`, why it could not be.
struct DeviceInfo {
  std::string name;
  Caps caps;
  std::string problem;
};

/// Which parts of the report are wanted.
struct InfoSections {
  bool version = false;
  bool devices = false;
  bool parameters = false;
  bool protocols = false;
  bool copies = false;
  bool collectives = false;
  bool rdma = false;
  bool waiting = false;
  bool algorithms = false;  ///< the names of all rows
  bool windows = false;
  bool file = false;
  bool variables = false;  ///< of MPI_T, and its events
};

/// Which algorithms collectives use in one communicator.
struct CollectivesInfo {
  int ranks = 0;
  CostClass cost_class = CostClass::host;
  int hosts = 1;
  std::string reduction;  ///< what reductions do, as --op names it
  bool in_place = false;
  bool inter = false;
  std::string file;  ///< of the table of costs; empty: none
  bool from_file = false;
  std::string problem;  ///< why it is not used
  /// Of blocking calls, and where these may use a shared board, of the others, which cannot.
  std::vector<ChosenRange> blocking, others;
  /// Instead of ranges: all that can be used for some sizes.
  struct Choice {
    std::size_t bytes;
    CollectiveKind kind;
    Candidate candidate;
  };
  std::vector<Choice> choices;
};

/// How the ranks of a job would wait here.
struct WaitingInfo {
  CoreShare share;
  bool told = false;  ///< the parameter core_sharers says how many ranks share the cores
  WaitPolicy policy;
};

struct InfoReport {
  std::string version;
  std::vector<DeviceInfo> devices;
  std::vector<DeviceNote> networks;  ///< with the section of devices: what reaches other hosts
  std::vector<ParameterInfo> parameters;
  std::vector<ProtocolRange> protocols;
  std::string copies_file;  ///< where the measured copies of this host are kept
  std::vector<shm::CopyTable::Line> copies;
  std::string facts_file;
  HostFacts facts;
  std::size_t claim_lines_to = 0;  ///< without them
  CollectivesInfo collectives;
  std::vector<verbs::Finding> rdma;
  WaitingInfo waiting;
  WindowFacts windows;
  FileFacts file;
};

/// The parameters of this program with their values in `params`, by name.
[[nodiscard]] std::vector<ParameterInfo> parameter_info(const Params& params);

/// The wanted sections as text of at most about 100 columns.
[[nodiscard]] std::string to_text(const InfoReport& report, const InfoSections& sections);

/// The wanted sections as one JSON object, keys "version", "devices" and
/// "networks", "parameters", "protocols", "copies", "waiting", "windows", "file", "collectives",
/// "algorithms", "rdma", "variables" and "events". Sizes are bytes, times nanoseconds; a range
/// without an end has "to_bytes": null.
[[nodiscard]] std::string to_json(const InfoReport& report, const InfoSections& sections);

/// Lines of at most 100 columns, broken at spaces, each after `indent` spaces.
[[nodiscard]] std::string wrapped(std::string_view words, std::size_t indent);

/// 4096 as "4 KiB", 5 as "5 B"; a number that is not a whole multiple stays in the smaller unit;
/// more than any memory is "any size".
[[nodiscard]] std::string readable_bytes(std::size_t bytes);

}  // namespace remit
