// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// file_rows.cpp: what remit_info --file says.
#include "programs/file_rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "files/staged/file_staging.hpp"
#include "programs/info_report.hpp"

namespace remit {

namespace {

using Json = nlohmann::ordered_json;

std::string bytes_text(std::int64_t bytes) {
  return readable_bytes(static_cast<std::size_t>(bytes));
}

const char* yes_or_no(bool answer) {
  return answer ? "yes" : "no";
}

FileRow row_of_system(const FileSystemTraits& traits) {
  if (traits.met) return {"file system", std::string(traits.name), "tests of Remit run on it"};
  if (traits.name == FileSystemTraits().name) {
    return {"file system", "unknown, not met", "so the most careful is assumed of it"};
  }
  return {"file system", fmt::format("{}, not met", traits.name),
          "no test of Remit has run on it; what follows is from its documentation"};
}

void add_traits(std::vector<FileRow>& rows, const FileSystemTraits& traits) {
  rows.push_back(row_of_system(traits));
  rows.push_back({"this host's own", yes_or_no(traits.local),
                  traits.local ? "" : "other hosts may have it, too"});
  rows.push_back({"coherent", yes_or_no(traits.coherent),
                  traits.coherent ? "what one rank wrote, others read at once"
                                  : "what ranks on other hosts wrote may be seen behind "
                                    "MPI_File_sync or MPI_File_open only"});
  rows.push_back({"locks of ranges", yes_or_no(traits.locks),
                  traits.locks ? "" : "there may be none, or none that bind other hosts"});
  rows.push_back({"mappings", yes_or_no(traits.maps),
                  traits.maps ? "stores into one are as good as writes" : "writes are surer"});
}

void add_sizes(std::vector<FileRow>& rows, const FileFacts& facts) {
  const FileSystemTraits& traits = facts.traits;
  const HintValues& hints = facts.hints.values();
  const StagingSizes sizes = staging_sizes(hints, traits, 1);
  const bool striped = sizes.unit == traits.stripe_bytes;
  rows.push_back({"block", bytes_text(traits.block), ""});
  rows.push_back(traits.stripes == 0 ? FileRow{"stripes", "none known", ""}
                                     : FileRow{"stripes",
                                               fmt::format("{} of {}", traits.stripes,
                                                           bytes_text(traits.stripe_bytes)),
                                               "as its attribute says"});
  rows.push_back({"slices begin at multiples of", bytes_text(sizes.unit),
                  striped ? "a stripe has one writer" : "a block has one writer"});
  const bool asked = hints.owners != 0 || hints.owners_of_host != 0;
  rows.push_back({"owners of a host", fmt::format("{}", sizes.owners),
                  asked ? "hints say so; fewer if it has fewer ranks"
                        : "so many writers keep the kernel's lock of a file busy; fewer if the "
                          "host has fewer ranks"});
  rows.push_back({"an owner moves at a time", bytes_text(sizes.slice), "cb_buffer_size"});
}

FileRow row_of_collective(const char* what, const char* hint, HintSwitch wish, bool maps) {
  switch (wish) {
    case HintSwitch::disable:
      return {what, "straight from each rank", fmt::format("{}=disable", hint)};
    case HintSwitch::enable:
      return {what, "by owners, through memory of the host", fmt::format("{}=enable", hint)};
    default:
      return {
          what, "by owners, through memory of the host",
          maps ? "where parts of its ranks interleave in pieces that are short, but too long for a "
                 "mapping; else straight from each rank"
               : "where parts of its ranks interleave in short pieces; else straight from "
                 "each rank"};
  }
}

FileRow row_of_short_writes(const FileFacts& facts, const TransferHints& transfers) {
  constexpr const char* kWhat = "strided writes by one rank";
  if (transfers.read_modify_write) {
    return {kWhat,
            fmt::format("read, changed and written back under a lock, {} at a time",
                        bytes_text(static_cast<std::int64_t>(transfers.write_buffer))),
            "romio_ds_write=enable"};
  }
  const std::string never = "; what lies between is never written";
  if (transfers.map && facts.traits.maps) {
    return {kWhat, "short pieces by stores into a mapping" + never,
            "if the file is open for reading, too"};
  }
  return {kWhat, "a call for each piece" + never, "mappings are not used here"};
}

void add_ways(std::vector<FileRow>& rows, const FileFacts& facts) {
  const FileSystemTraits& traits = facts.traits;
  const HintValues& hints = facts.hints.values();
  const TransferHints transfers = transfer_hints(hints, traits, nullptr);
  rows.push_back(row_of_collective("collective writes", "romio_cb_write", hints.collective_writes,
                                   transfers.map));
  rows.push_back(row_of_collective("collective reads", "romio_cb_read", hints.collective_reads,
                                   transfers.map));
  rows.push_back(row_of_short_writes(facts, transfers));
  rows.push_back(
      transfers.sieve
          ? FileRow{"strided reads by one rank",
                    fmt::format("with what lies between short pieces, {} at a time",
                                bytes_text(static_cast<std::int64_t>(transfers.read_buffer))),
                    "ind_rd_buffer_size"}
          : FileRow{"strided reads by one rank", "a call for each piece", "romio_ds_read=disable"});
  rows.push_back({"atomic mode", "takes a lock from the first to the last byte",
                  traits.locks ? "" : "which may not bind ranks on other hosts"});
  rows.push_back({"MPI_File_sync", traits.coherent ? "writes back" : "writes back and forgets",
                  traits.coherent ? "" : "what is read next, other hosts may have written"});
  rows.push_back({"behind MPI_File_close data are", std::string(promise_of_close(traits)),
                  traits.coherent ? "from there all ranks read them; MPI_File_sync writes back"
                                  : "only there do other hosts find them"});
}

}  // namespace

std::vector<FileRow> file_rows(const FileFacts& facts) {
  std::vector<FileRow> rows;
  add_traits(rows, facts.traits);
  add_sizes(rows, facts);
  add_ways(rows, facts);
  return rows;
}

std::string file_text(const FileFacts& facts) {
  std::string out = fmt::format("File {}\n", facts.name);
  if (!facts.prefix.empty()) {
    out += wrapped(fmt::format("without the prefix {}: Remit asks the kernel itself", facts.prefix),
                   2);
  }
  if (!facts.is_there) {
    out +=
        wrapped(fmt::format("it is not there: what follows is of the folder {}", facts.asked), 2);
  }
  constexpr std::size_t kIndent = 6;
  for (const FileRow& row : file_rows(facts)) {
    const std::string why = row.why.empty() ? "" : ": " + row.why;
    out += wrapped(fmt::format("{:<30} {}{}", row.what, row.answer, why), kIndent)
               .erase(0, kIndent - 2);
  }
  out += "  hints in force, as MPI_File_get_info answers\n";
  for (const auto& [key, value] : facts.hints.answers(facts.name, facts.traits)) {
    out += wrapped(fmt::format("{}={}", key, value), kIndent - 2);
  }
  const std::vector<std::string> given = facts.hints.report(facts.traits);
  if (!given.empty()) out += "  what became of the hints that were given\n";
  for (const std::string& line : given) out += wrapped(line, kIndent - 2);
  if (!facts.hint_problem.empty()) out += wrapped(facts.hint_problem, 2);
  return out;
}

Json file_json(const FileFacts& facts) {
  const FileSystemTraits& traits = facts.traits;
  Json rows = Json::array();
  for (const FileRow& row : file_rows(facts)) {
    rows.push_back({{"what", row.what}, {"answer", row.answer}, {"why", row.why}});
  }
  Json hints = Json::object();
  for (const auto& [key, value] : facts.hints.answers(facts.name, traits)) hints[key] = value;
  return {{"name", facts.name},
          {"asked", facts.asked},
          {"is_there", facts.is_there},
          {"file_system", traits.name},
          {"met", traits.met},
          {"local", traits.local},
          {"coherent", traits.coherent},
          {"locks", traits.locks},
          {"maps", traits.maps},
          {"block_bytes", traits.block},
          {"stripes", traits.stripes},
          {"stripe_bytes", traits.stripe_bytes},
          {"rows", std::move(rows)},
          {"hints", std::move(hints)},
          {"given", facts.hints.report(traits)},
          {"problem", facts.hint_problem}};
}

}  // namespace remit
