// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// window_rows.cpp: what remit_info --window says.
#include "programs/window_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "mpi.h"
#include "onesided/adapter/direct_moves.hpp"
#include "onesided/window_report.hpp"
#include "programs/info_report.hpp"

namespace remit {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<int, 4> kFlavors = {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                                         MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_DYNAMIC};

bool is_allocated(int flavor) {
  return flavor == MPI_WIN_FLAVOR_ALLOCATE || flavor == MPI_WIN_FLAVOR_SHARED;
}

const char* name_of(WindowHelper helper) {
  switch (helper) {
    case WindowHelper::nobody:
      return "nobody";
    case WindowHelper::thread:
      return "thread";
    case WindowHelper::call:
      return "target";
    case WindowHelper::none_can:
      break;
  }
  return "";
}

/// "put", "put and get"; empty: neither.
std::string moves_of(const WindowDevice& device) {
  if (device.puts && device.gets) return "put and get";
  if (device.puts) return "put";
  return device.gets ? "get" : "";
}

WindowRow no_way(WindowRow row, std::string why) {
  row.helper = WindowHelper::none_can;
  row.put_get = "cannot be made";
  row.why = std::move(why);
  return row;
}

/// Attached memory is not offered to devices: they would have to be told of each piece.
WindowRow by_messages(WindowRow row, const WindowFacts& facts, const WindowDevice& device,
                      std::string why) {
  if (device.name.empty()) {
    row = no_way(std::move(row), device.why);
    row.put_get = "not reached";
    return row;
  }
  row.helper = facts.thread ? WindowHelper::thread : WindowHelper::call;
  row.put_get = row.accumulate = "messages";
  const std::string moves = moves_of(device);
  if (!moves.empty() && row.flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    row.put_get += fmt::format("; {} from {} on", moves, readable_bytes(kDirectFrom));
  }
  row.why = std::move(why);
  return row;
}

WindowRow row_of(const WindowFacts& facts, int flavor, bool other_host) {
  WindowRow row;
  row.flavor = flavor;
  row.other_host = other_host;
  if (other_host) {
    if (flavor == MPI_WIN_FLAVOR_SHARED) {
      return no_way(std::move(row), "hosts share no memory (MPI_ERR_RMA_SHARED)");
    }
    return by_messages(std::move(row), facts, facts.elsewhere, "hosts share no memory");
  }
  if (!facts.shares) {
    const std::string why =
        fmt::format("processes of this host share no memory: {}", facts.why_unshared);
    if (flavor == MPI_WIN_FLAVOR_SHARED) return no_way(std::move(row), why);
    return by_messages(std::move(row), facts, facts.here, why);
  }
  if (is_allocated(flavor)) {
    row.put_get = "loads and stores";
    row.accumulate = "in place, under a lock";
    return row;
  }
  const char* const own = flavor == MPI_WIN_FLAVOR_CREATE ? "the program's own memory is not shared"
                                                          : "attached memory is not shared";
  if (!facts.copies) {
    return by_messages(std::move(row), facts, facts.here,
                       fmt::format("{}, and {}", own, facts.refusal));
  }
  row.put_get = "copies by the kernel";
  row.accumulate = "copies, under a lock";
  row.why = fmt::format("{}, that of MPI_Win_allocate is", own);
  return row;
}

std::string_view short_name_of(int flavor) {
  return std::string_view(maker_of(flavor)).substr(std::string_view("MPI_Win_").size());
}

const char* place_of(const WindowRow& row) {
  return row.other_host ? "other host" : "this host";
}

std::string words_of_sharing(const WindowFacts& facts) {
  return facts.shares ? "yes" : "no: " + facts.why_unshared;
}

std::string words_of_copies(const WindowFacts& facts) {
  if (!facts.copies) return "no: " + facts.refusal;
  return fmt::format("yes, 8 bytes in {:.2f} us", facts.copy_ns / 1000);
}

std::string words_of(const WindowDevice& device) {
  if (device.name.empty()) return "none: " + device.why;
  std::vector<const char*> abilities;
  if (device.puts) abilities.push_back("put");
  if (device.gets) abilities.push_back("get");
  if (device.atomics) abilities.push_back("atomics, which windows do not use");
  if (abilities.empty()) abilities.push_back("sends only");
  return fmt::format("{}: {}", device.name, fmt::join(abilities, ", "));
}

void append_line(std::string& out, const char* what, const std::string& words) {
  constexpr std::size_t kIndent = 6;
  std::string lines = wrapped(fmt::format("{:<26} {}", what, words), kIndent);
  out += lines.erase(0, kIndent - 2);
}

void append_reasons(std::string& out, const std::vector<WindowRow>& rows) {
  std::vector<std::string> told;
  for (const WindowRow& row : rows) {
    if (row.why.empty() || std::find(told.begin(), told.end(), row.why) != told.end()) continue;
    told.push_back(row.why);
    std::vector<std::string> whose;
    for (const WindowRow& other : rows) {
      if (other.why != row.why) continue;
      whose.push_back(
          fmt::format("{}{}", short_name_of(other.flavor), other.other_host ? "" : " here"));
    }
    constexpr std::size_t kIndent = 6;
    std::string lines =
        wrapped(fmt::format("not faster, {}: {}", fmt::join(whose, ", "), row.why), kIndent);
    out += lines.erase(0, kIndent - 2);
  }
}

Json device_json(const WindowDevice& device) {
  if (device.name.empty()) return {{"name", nullptr}, {"why", device.why}};
  return {{"name", device.name},
          {"put", device.puts},
          {"get", device.gets},
          {"atomics", device.atomics}};
}

}  // namespace

std::vector<WindowRow> window_rows(const WindowFacts& facts) {
  std::vector<WindowRow> rows;
  for (const bool other_host : {false, true}) {
    for (const int flavor : kFlavors) rows.push_back(row_of(facts, flavor, other_host));
  }
  return rows;
}

std::string windows_text(const WindowFacts& facts) {
  std::string out = "Windows\n";
  append_line(out, "allocations are shared", words_of_sharing(facts));
  append_line(out, "the kernel copies", words_of_copies(facts));
  append_line(out, "messages on this host by", words_of(facts.here));
  append_line(out, "messages to others by", words_of(facts.elsewhere));
  append_line(out, "messages are served by",
              facts.thread ? "the progress thread, which starts with a window that needs it"
                           : "the target while it is in a call of MPI, for progress_thread=no");
  append_line(out, "atomic", kAtomicityWords);
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {:<15} {:<10} {:<35} {:<22} {}\n", "MPI_Win_...", "target", "put, get",
                 "accumulate", "helped by");
  const std::vector<WindowRow> rows = window_rows(facts);
  for (const WindowRow& row : rows) {
    std::string line = fmt::format("  {:<15} {:<10} {:<35} {:<22} {}", short_name_of(row.flavor),
                                   place_of(row), row.put_get, row.accumulate, name_of(row.helper));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  append_reasons(out, rows);
  return out;
}

Json windows_json(const WindowFacts& facts) {
  Json rows = Json::array();
  for (const WindowRow& row : window_rows(facts)) {
    const bool possible = row.helper != WindowHelper::none_can;
    rows.push_back({{"window", maker_of(row.flavor)},
                    {"target", place_of(row)},
                    {"possible", possible},
                    {"passive", row.helper == WindowHelper::nobody},
                    {"put_get", possible ? Json(row.put_get) : Json()},
                    {"accumulate", possible ? Json(row.accumulate) : Json()},
                    {"helped_by", possible ? Json(name_of(row.helper)) : Json()},
                    {"why", row.why}});
  }
  Json copies = {{"works", facts.copies}};
  if (facts.copies) copies["ns_of_8_bytes"] = facts.copy_ns;
  if (!facts.copies) copies["why"] = facts.refusal;
  return {{"allocations_shared", facts.shares},
          {"why_unshared", facts.why_unshared},
          {"kernel_copies", std::move(copies)},
          {"this_host", device_json(facts.here)},
          {"other_hosts", device_json(facts.elsewhere)},
          {"progress_thread", facts.thread},
          {"atomic", kAtomicityWords},
          {"rows", std::move(rows)}};
}

}  // namespace remit
