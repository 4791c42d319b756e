// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hints for files: what programs ask for, what is in force, and why.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/storage/file_system.hpp"
#include "files/storage/transfers.hpp"
#include "runtime/error.hpp"

namespace remit {

class FileCalls;

/// Keys and values as an info object has them.
using HintList = std::vector<std::pair<std::string, std::string>>;

enum class HintSwitch { automatic, enable, disable };

/// When a hint comes. What is about making a file comes too late once it is open.
enum class HintMoment { open, later };

/// What hints change. Plain values; 0: Remit chooses.
struct HintValues {
  int owners = 0;                       ///< cb_nodes: who moves bytes for the others
  int owners_of_host = 0;               ///< cb_config_list "*:N"
  std::int64_t owner_buffer = 4 << 20;  ///< cb_buffer_size
  HintSwitch collective_reads = HintSwitch::automatic;   ///< romio_cb_read
  HintSwitch collective_writes = HintSwitch::automatic;  ///< romio_cb_write
  HintSwitch sieved_reads = HintSwitch::automatic;       ///< romio_ds_read
  HintSwitch sieved_writes = HintSwitch::automatic;      ///< romio_ds_write; automatic: never
  std::int64_t read_buffer = 256 << 10;                  ///< ind_rd_buffer_size
  std::int64_t write_buffer = 512 << 10;                 ///< ind_wr_buffer_size
  int stripes = 0;                                       ///< striping_factor
  std::int64_t stripe_bytes = 0;                         ///< striping_unit
  int first_device = -1;                                 ///< start_iodevice
  mode_t permissions = 0666;                             ///< file_perm, before the umask
};

/// One hint that is known. A constant.
struct HintDecl {
  std::string_view key;
  std::string_view meaning;
  bool is_same = false;      ///< all members of the group must give the same
  bool is_for_open = false;  ///< later it changes nothing
  std::string_view refusal;  ///< not empty: it changes nothing, for this reason
};
[[nodiscard]] std::span<const HintDecl> hint_decls();

/// The hints of one file. One thread.
class FileHints {
 public:
  /// Takes what is known of `given`. What has a value that makes no sense changes nothing, and
  /// report() says so; what is unknown is ignored. The last one counts: take a file of hints before
  /// the program's.
  void take(const HintList& given, HintMoment moment);

  [[nodiscard]] const HintValues& values() const { return values_; }

  /// What was given of the hints that must be the same everywhere, in the order of hint_decls():
  /// for comparing, and for taking the first member's.
  [[nodiscard]] HintList same_hints() const;

  /// Another value than the one asked for is in force: "cb_nodes", "4", "one file, 4 owners
  /// saturate it".
  void decide(std::string_view key, std::string in_force, std::string reason);

  /// All that is in force (MPI_File_get_info), for a file of this name.
  [[nodiscard]] HintList answers(std::string_view path, const FileSystemTraits& traits) const;

  /// A line for each hint that was given: "cb_nodes=64 -> 4: one file, 4 owners saturate it".
  [[nodiscard]] std::vector<std::string> report(const FileSystemTraits& traits) const;

 private:
  struct Decision {
    std::string value;
    std::string reason;
  };
  [[nodiscard]] std::string refusal_of(const HintDecl& decl, const std::string& value,
                                       HintMoment moment);

  HintValues values_;
  std::map<std::string, std::string, std::less<>> given_;
  std::map<std::string, std::string, std::less<>> refused_;  ///< key and reason
  std::map<std::string, Decision, std::less<>> decided_;
};

/// How independent transfers go. `counters` may be null.
[[nodiscard]] TransferHints transfer_hints(const HintValues& values, const FileSystemTraits& traits,
                                           FileCounters* counters);

/// What MPI_File_close promises, as the hint remit_close says it.
[[nodiscard]] std::string_view promise_of_close(const FileSystemTraits& traits);

/// A file of hints, as ROMIO has them: a key and a value a line, comments from '#' on; of a key
/// that is there twice the first one counts. Pure.
[[nodiscard]] HintList parse_hints(std::string_view text);
/// The file that `romio_hints`, the environment variable ROMIO_HINTS or null, names, else that of
/// the system. It need not be there, unless it was named.
[[nodiscard]] Expected<HintList> read_hint_file(FileCalls& calls, const char* romio_hints);

}  // namespace remit
