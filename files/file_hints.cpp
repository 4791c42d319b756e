// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of hints, and what becomes of each.
#include "files/file_hints.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>

#include "files/storage/storage.hpp"

namespace remit {
namespace {

constexpr std::int64_t kMostBuffer = std::int64_t{1} << 31;
constexpr const char* kSystemHints = "/etc/romio-hints";
/// A file of hints that is longer is none.
constexpr std::int64_t kMostHintFile = 64 << 10;

constexpr std::string_view kLayoutRefusal = "Remit looks at the datatypes of the view instead";
constexpr std::string_view kNodesRefusal = "the file system places the data";
constexpr std::string_view kDirectRefusal = "transfers go through the kernel's page cache";
constexpr std::string_view kDomainRefusal = "domains follow blocks and stripes of the file system";

constexpr HintDecl kHintDecls[] = {
    {"access_style", "how the program will go through the file", false, false,
     "the kernel sees how a file is read, and nothing else depends on it"},
    {"cb_block_size", "bytes of a block of collective transfers", true, false, kDomainRefusal},
    {"cb_buffer_size", "bytes that an owner moves at a time in collective calls", true, false, ""},
    {"cb_config_list", "owners of each host: \"*:N\" or \"*:*\"", true, true, ""},
    {"cb_nodes", "owners: processes that move bytes for the others in collective calls", true,
     false, ""},
    {"chunked", "extents of the array", true, false, kLayoutRefusal},
    {"chunked_item", "bytes of an element of the array", true, false, kLayoutRefusal},
    {"chunked_size", "extents of the parts of the array", true, false, kLayoutRefusal},
    {"collective_buffering", "whether collective calls go through owners", true, false, ""},
    {"direct_read", "reads past the page cache", false, false, kDirectRefusal},
    {"direct_write", "writes past the page cache", false, false, kDirectRefusal},
    {"file_perm", "permissions of a file that is made, in octal", true, true, ""},
    {"filename", "the name that was given to MPI_File_open", false, false,
     "it is an answer; the name comes with the call"},
    {"ind_rd_buffer_size", "bytes that an independent strided read sieves at a time", false, false,
     ""},
    {"ind_wr_buffer_size", "bytes that romio_ds_write changes at a time", false, false, ""},
    {"io_node_list", "servers that have the file", true, true, kNodesRefusal},
    {"nb_proc", "processes that will use the file", true, false, "the communicator says it"},
    {"num_io_nodes", "servers in the system", true, false, kNodesRefusal},
    {"remit_close", "what MPI_File_close promises of the data", false, false,
     "it is an answer, and follows from the file system"},
    {"romio_cb_alltoall", "how members exchange what owners move", true, false,
     "members of a host share memory"},
    {"romio_cb_ds_threshold", "where owners no longer read what lies between", true, false,
     "owners never write what nobody gave"},
    {"romio_cb_fr_alignment", "alignment of domains", true, false, kDomainRefusal},
    {"romio_cb_fr_types", "kinds of domains", true, false, kDomainRefusal},
    {"romio_cb_pfr", "domains that stay", true, false, kDomainRefusal},
    {"romio_cb_read", "collective reads through owners: enable, disable, automatic", true, false,
     ""},
    {"romio_cb_write", "collective writes through owners: enable, disable, automatic", true, false,
     ""},
    {"romio_ds_read", "reading what lies between, too: enable, disable, automatic", false, false,
     ""},
    {"romio_ds_write",
     "writing back what lies between, under a lock: enable, disable; automatic is disable", true,
     false, ""},
    {"romio_min_fdomain_size", "least bytes of a domain", true, false, kDomainRefusal},
    {"romio_no_indep_rw", "only owners open the file", true, true,
     "every process opens the file, so that independent calls work"},
    {"romio_synchronized_flush", "MPI_File_sync returns when all have written back", true, false,
     "it always does"},
    {"romio_visibility_immediate", "what one process wrote, others read at once", false, false,
     "it is an answer, and follows from the file system"},
    {"start_iodevice", "the first server of the stripes", true, true, ""},
    {"striping_factor", "servers that share a file that is made", true, true, ""},
    {"striping_unit", "bytes of a stripe of a file that is made", true, true, ""},
};

const HintDecl* find_decl(std::string_view key) {
  const auto* found = std::find_if(std::begin(kHintDecls), std::end(kHintDecls),
                                   [&](const HintDecl& decl) { return decl.key == key; });
  return found == std::end(kHintDecls) ? nullptr : found;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::optional<std::int64_t> number_of(std::string_view text, int base = 10) {
  text = trimmed(text);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<HintSwitch> switch_of(std::string_view text) {
  text = trimmed(text);
  if (text == "enable" || text == "true") return HintSwitch::enable;
  if (text == "disable" || text == "false") return HintSwitch::disable;
  if (text == "automatic") return HintSwitch::automatic;
  return std::nullopt;
}

std::string_view word_of(HintSwitch value) {
  switch (value) {
    case HintSwitch::enable:
      return "enable";
    case HintSwitch::disable:
      return "disable";
    default:
      return "automatic";
  }
}

/// Why a value was not taken; empty if it was.
template <class Number>
std::string take_number(Number& out, const std::string& value, std::int64_t least,
                        std::int64_t most) {
  const std::optional<std::int64_t> number = number_of(value);
  if (!number || *number < least || *number > most)
    return fmt::format("it must be a number from {} to {}", least, most);
  out = static_cast<Number>(*number);
  return {};
}

std::string take_switch(HintSwitch& out, const std::string& value) {
  const std::optional<HintSwitch> given = switch_of(value);
  if (!given) return "it must be enable, disable or automatic";
  out = *given;
  return {};
}

std::string take_both(HintSwitch& reads, HintSwitch& writes, const std::string& value) {
  std::string refusal = take_switch(reads, value);
  if (refusal.empty()) writes = reads;
  return refusal.empty() ? refusal : "it must be true or false";
}

std::string take_permissions(mode_t& out, const std::string& value) {
  const std::optional<std::int64_t> mode = number_of(value, 8);
  if (!mode || *mode < 0 || *mode > 07777) return "it must be permissions in octal, as 644";
  out = static_cast<mode_t>(*mode);
  return {};
}

/// ROMIO's list names hosts, each with a number; of these only one for all is understood.
std::string take_config_list(int& out, const std::string& value) {
  std::string_view text = trimmed(value);
  if (!text.starts_with("*:"))
    return "only \"*:N\" and \"*:*\" are understood: as many of each host";
  text.remove_prefix(2);
  if (text == "*") {
    out = 0;
    return {};
  }
  return take_number(out, std::string(text), 1, std::numeric_limits<int>::max());
}

/// A known hint that changes something. What it says to a wrong value; empty: taken.
std::string take_value(HintValues& v, std::string_view key, const std::string& value) {
  constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
  if (key == "cb_nodes") return take_number(v.owners, value, 1, kMostInt);
  if (key == "cb_config_list") return take_config_list(v.owners_of_host, value);
  if (key == "cb_buffer_size") return take_number(v.owner_buffer, value, kFilePage, kMostBuffer);
  if (key == "romio_cb_read") return take_switch(v.collective_reads, value);
  if (key == "romio_cb_write") return take_switch(v.collective_writes, value);
  if (key == "collective_buffering")
    return take_both(v.collective_reads, v.collective_writes, value);
  if (key == "romio_ds_read") return take_switch(v.sieved_reads, value);
  if (key == "romio_ds_write") return take_switch(v.sieved_writes, value);
  if (key == "ind_rd_buffer_size") return take_number(v.read_buffer, value, kFilePage, kMostBuffer);
  if (key == "ind_wr_buffer_size")
    return take_number(v.write_buffer, value, kFilePage, kMostBuffer);
  if (key == "striping_factor") return take_number(v.stripes, value, 1, kMostInt);
  if (key == "striping_unit") return take_number(v.stripe_bytes, value, 1, kMostBuffer);
  if (key == "start_iodevice") return take_number(v.first_device, value, -1, kMostInt);
  return take_permissions(v.permissions, value);
}

/// The value in force, where there is one.
std::optional<std::string> value_in_force(const HintValues& v, std::string_view key,
                                          const FileSystemTraits& traits) {
  const auto unless_chosen = [](std::int64_t value) -> std::optional<std::string> {
    return value == 0 ? std::nullopt : std::optional(std::to_string(value));
  };
  if (key == "cb_nodes") return unless_chosen(v.owners);
  if (key == "cb_config_list")
    return v.owners_of_host == 0 ? "*:*" : fmt::format("*:{}", v.owners_of_host);
  if (key == "cb_buffer_size") return std::to_string(v.owner_buffer);
  if (key == "romio_cb_read") return std::string(word_of(v.collective_reads));
  if (key == "romio_cb_write") return std::string(word_of(v.collective_writes));
  if (key == "collective_buffering")
    return v.collective_writes == HintSwitch::disable ? "false" : "true";
  if (key == "romio_ds_read") return std::string(word_of(v.sieved_reads));
  if (key == "romio_ds_write") {
    const bool works = v.sieved_writes == HintSwitch::enable && traits.locks;
    return works ? "enable" : "disable";
  }
  if (key == "ind_rd_buffer_size") return std::to_string(v.read_buffer);
  if (key == "ind_wr_buffer_size") return std::to_string(v.write_buffer);
  if (key == "striping_factor") return unless_chosen(traits.stripes);
  if (key == "striping_unit") return unless_chosen(traits.stripe_bytes);
  if (key == "file_perm") return fmt::format("{:o}", v.permissions);
  if (key == "romio_no_indep_rw" || key == "direct_read" || key == "direct_write") return "false";
  if (key == "romio_synchronized_flush") return "true";
  if (key == "romio_visibility_immediate") return traits.coherent ? "true" : "false";
  if (key == "remit_close") return std::string(promise_of_close(traits));
  return std::nullopt;
}

/// Why the value in force is another one than the hint's, of a hint that was taken.
std::string_view reason_of_traits(std::string_view key, const FileSystemTraits& traits) {
  if (key == "romio_ds_write" && !traits.locks)
    return "it takes locks, which this file system may not have";
  if (key.starts_with("strip") || key == "start_iodevice")
    return traits.stripes == 0 ? "this file system has no stripes, or does not tell of them"
                               : "what its folder says holds (lfs setstripe)";
  return "";
}

}  // namespace

std::span<const HintDecl> hint_decls() {
  return kHintDecls;
}

std::string_view promise_of_close(const FileSystemTraits& traits) {
  return traits.coherent ? "in the cache of the kernel" : "written back to storage";
}

std::string FileHints::refusal_of(const HintDecl& decl, const std::string& value,
                                  HintMoment moment) {
  if (!decl.refusal.empty()) return std::string(decl.refusal);
  if (decl.is_for_open && moment == HintMoment::later) return "it counts when a file is opened";
  return take_value(values_, decl.key, value);
}

void FileHints::take(const HintList& given, HintMoment moment) {
  for (const auto& [key, value] : given) {
    const HintDecl* decl = find_decl(key);
    // Of other libraries; nothing that grows without limit is kept of them.
    if (decl == nullptr) continue;
    given_.insert_or_assign(key, value);
    decided_.erase(key);
    std::string refusal = refusal_of(*decl, value, moment);
    if (refusal.empty())
      refused_.erase(key);
    else
      refused_.insert_or_assign(key, std::move(refusal));
  }
}

HintList FileHints::same_hints() const {
  HintList same;
  for (const HintDecl& decl : kHintDecls) {
    const auto given = given_.find(decl.key);
    if (decl.is_same && given != given_.end()) same.emplace_back(*given);
  }
  return same;
}

void FileHints::decide(std::string_view key, std::string in_force, std::string reason) {
  decided_.insert_or_assign(std::string(key), Decision{std::move(in_force), std::move(reason)});
}

HintList FileHints::answers(std::string_view path, const FileSystemTraits& traits) const {
  HintList all;
  for (const HintDecl& decl : kHintDecls) {
    std::optional<std::string> value = value_in_force(values_, decl.key, traits);
    if (decl.key == "filename") value = path;
    if (const auto decided = decided_.find(decl.key); decided != decided_.end())
      value = decided->second.value;
    if (value) all.emplace_back(decl.key, std::move(*value));
  }
  return all;
}

std::vector<std::string> FileHints::report(const FileSystemTraits& traits) const {
  std::vector<std::string> lines;
  for (const auto& [key, given] : given_) {
    std::string in_force = value_in_force(values_, key, traits).value_or("");
    std::string reason;
    if (const auto decided = decided_.find(key); decided != decided_.end()) {
      in_force = decided->second.value;
      reason = decided->second.reason;
    } else if (const auto refused = refused_.find(key); refused != refused_.end()) {
      reason = refused->second;
    } else if (in_force != given) {
      reason = reason_of_traits(key, traits);
    }
    if (reason.empty())
      lines.push_back(fmt::format("{}={}", key, given));
    else if (in_force.empty())
      lines.push_back(fmt::format("{}={} -> ignored: {}", key, given, reason));
    else
      lines.push_back(fmt::format("{}={} -> {}: {}", key, given, in_force, reason));
  }
  return lines;
}

TransferHints transfer_hints(const HintValues& values, const FileSystemTraits& traits,
                             FileCounters* counters) {
  TransferHints hints;
  hints.sieve = values.sieved_reads != HintSwitch::disable;
  hints.read_modify_write = values.sieved_writes == HintSwitch::enable && traits.locks;
  hints.map = traits.maps;
  hints.read_buffer = static_cast<std::size_t>(values.read_buffer);
  hints.write_buffer = static_cast<std::size_t>(values.write_buffer);
  hints.counters = counters;
  return hints;
}

HintList parse_hints(std::string_view text) {
  HintList hints;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text = newline == std::string_view::npos ? std::string_view{} : text.substr(newline + 1);
    line = trimmed(line.substr(0, line.find('#')));
    const std::size_t blank = line.find_first_of(" \t");
    if (blank == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, blank);
    const bool is_new = std::none_of(hints.begin(), hints.end(),
                                     [&](const auto& hint) { return hint.first == key; });
    if (is_new) hints.emplace_back(key, trimmed(line.substr(blank)));
  }
  return hints;
}

Expected<HintList> read_hint_file(FileCalls& calls, const char* romio_hints) {
  const bool is_named = romio_hints != nullptr && *romio_hints != '\0';
  auto file = Storage::open(calls, is_named ? romio_hints : kSystemHints, O_RDONLY, 0);
  if (!file) {
    if (is_named) return tl::unexpected(std::move(file.error()));
    return HintList{};
  }
  std::string text(kMostHintFile + 1, '\0');
  const Transferred read = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  if (read.error_number != 0)
    return tl::unexpected(error_of(read, FileMove::read, (*file)->path(), kMostHintFile));
  if (read.bytes > kMostHintFile)
    return fail(MPI_ERR_IO, "{}: a file of hints may have {} bytes", (*file)->path(),
                kMostHintFile);
  return parse_hints(std::string_view(text).substr(0, static_cast<std::size_t>(read.bytes)));
}

}  // namespace remit
