// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Records and traces of ranks on other hosts, on their way to mpirun's: without the holes that
// files have.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/tree/host_clocks.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// The records and traces in a folder of this host.
class ProfileRecords {
 public:
  explicit ProfileRecords(std::string folder) : folder_(std::move(folder)) {}

  /// If an environment asks for a record: it is made in the folder of this host.
  void redirect(std::vector<std::string>* env);
  /// Posts each record that is there and was not posted before, as the payload of a message.
  void post(const std::function<void(const std::string& payload)>& send);

 private:
  std::string folder_;
  bool is_used_ = false;
  std::set<std::string> posted_;
};

/// The payload for a file; an error if it cannot be read.
[[nodiscard]] Expected<std::string> pack_record(const std::string& path);

/// Makes the file again in a folder. Any bytes are taken: what is no record's name, larger than a
/// record can be or there already makes nothing, and is an error.
[[nodiscard]] Expected<> unpack_record(const std::string& folder, std::string_view payload);

/// It is a record, a trace, or a file of keep_clock(): by its name, and by what it begins with.
[[nodiscard]] bool is_profile_file(const std::filesystem::path& path);

/// Notes the clock of the host of a record for remit_profile, in a file beside the record. Does
/// nothing for a trace, whose record comes, too.
[[nodiscard]] Expected<> keep_clock(const std::string& folder, std::string_view payload, int node,
                                    const SeenClock& clock);

}  // namespace remit::launcher
