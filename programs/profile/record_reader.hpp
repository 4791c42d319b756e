// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The records of a folder, as they are on disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/error.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {

/// A record that is mapped as long as somebody has it.
using RecordView = std::shared_ptr<const profile::Record>;

struct Records {
  std::vector<RecordView> all;
  std::vector<std::string> notes;  ///< files that are none, in words
};

/// Maps a file and checks that it is a record whose numbers stay within its tables. The file may
/// have been written to until its process was killed.
[[nodiscard]] Expected<RecordView> read_record(const std::string& path);

/// All records of these folders; an error if there is none.
[[nodiscard]] Expected<Records> read_folders(const std::vector<std::string>& folders);

}  // namespace remit::profiles
