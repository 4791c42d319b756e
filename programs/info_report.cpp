// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// info_report.cpp: the text and the JSON of remit_info.

#include "programs/info_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "collectives/algorithms.hpp"
#include "mpi.h"
#include "programs/info_variables.hpp"
#include "runtime/cache_file.hpp"

namespace remit {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNoEnd = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kUnlimited = std::size_t{1} << 62;  // more than any address space
constexpr std::size_t kColumns = 100;

const char* name_of(NotifyMode mode) {
  switch (mode) {
    case NotifyMode::none:
      return "none";
    case NotifyMode::native:
      return "native";
    case NotifyMode::immediate:
      return "immediate";
    case NotifyMode::write_then_send:
      return "write then send";
  }
  return "unknown";
}

std::string readable(const ParamValue& value, const std::string& unit) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    if (unit == "bytes" && *number >= 0) return readable_bytes(static_cast<std::size_t>(*number));
    return unit.empty() ? fmt::format("{}", *number) : fmt::format("{} {}", *number, unit);
  }
  const auto& text = std::get<std::string>(value);
  return text.empty() ? "(empty)" : text;
}

Json json_of(const ParamValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

const char* type_of(const ParamValue& value) {
  constexpr std::array<const char*, 3> kNames = {"flag", "integer", "text"};
  return kNames[value.index()];
}

std::string joined_abilities(const Caps& caps) {
  std::vector<const char*> words;
  if (caps.has_put) words.push_back("put");
  if (caps.has_get) words.push_back("get");
  if (caps.has_atomic) {
    words.push_back(caps.atomic_with_cpu ? "atomic (with the processor, too)" : "atomic");
  }
  if (caps.ordered) words.push_back("ordered sends");
  if (caps.needs_registration) words.push_back("memory must be registered");
  return words.empty() ? "sends only" : fmt::format("{}", fmt::join(words, ", "));
}

void append_devices(std::string& out, const InfoReport& report) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "Devices\n");
  for (const DeviceInfo& device : report.devices) {
    if (!device.problem.empty()) {
      fmt::format_to(to, "  {:<10} not available: {}\n", device.name, device.problem);
      continue;
    }
    const Caps& caps = device.caps;
    fmt::format_to(to, "  {:<10} {}; notification: {}\n", device.name, joined_abilities(caps),
                   name_of(caps.notify));
    fmt::format_to(to,
                   "  {:<10} latency {:.0f} ns, bandwidth {:.1f} GB/s, {:.0f} ns a put or get\n",
                   "", caps.latency_ns, caps.bandwidth * 1e-9, caps.overhead_ns);
    fmt::format_to(to, "  {:<10} inline {}, send {}, put or get {}, {} pieces an operation\n", "",
                   readable_bytes(caps.max_inline), readable_bytes(caps.max_send),
                   readable_bytes(caps.max_message), caps.max_pieces);
  }
  if (report.devices.empty()) fmt::format_to(to, "  none\n");
  for (const DeviceNote& note : report.networks) {
    out += wrapped(fmt::format("to other hosts, {}: {}{}", note.device,
                               note.usable ? "" : "not available: ", note.words),
                   2);
  }
}

void append_parameters(std::string& out, const InfoReport& report) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "Parameters (environment, or mpirun --param name=value)\n");
  for (const ParameterInfo& parameter : report.parameters) {
    const ParamDecl& decl = *parameter.decl;
    fmt::format_to(to, "  {} = {}", environment_name(decl), readable(parameter.value, decl.unit));
    if (parameter.is_set) {
      fmt::format_to(to, " (set; default {})", readable(decl.default_value, decl.unit));
    }
    std::string words = decl.reason;
    if (!decl.choices.empty()) words += fmt::format(" [{}]", fmt::join(decl.choices, ", "));
    fmt::format_to(to, "\n{}", wrapped(words, 6));
  }
  if (report.parameters.empty()) fmt::format_to(to, "  none\n");
}

void append_protocols(std::string& out, const InfoReport& report) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "Protocols\n");
  fmt::format_to(to, "  {:<10} {:<14} {:>10}   {:<10} {}\n", "device", "layout", "from", "to",
                 "protocol");
  for (const auto& range : report.protocols) {
    fmt::format_to(to, "  {:<10} {:<14} {:>10}   {:<10} {}\n", range.device, range.layout,
                   readable_bytes(range.from_bytes), readable_bytes(range.to_bytes),
                   range.protocol);
  }
}

std::string most_words(std::size_t bytes) {
  if (bytes == 0) return "never";
  return bytes == std::numeric_limits<std::size_t>::max() ? "always"
                                                          : "to " + readable_bytes(bytes);
}

/// What this host's processors and kernel were found to be like; else what is done without knowing.
void append_facts(std::string& out, const InfoReport& report) {
  const HostFacts& facts = report.facts;
  const auto line = [&](std::string_view what, bool known, const std::string& value) {
    out += fmt::format("  {:<40} {}{}\n", what, value, known ? "" : " (not measured)");
  };
  const CopyLoops loops = facts.loops.value_or(copy_loops());
  const std::size_t lines = facts.claim_lines_to.value_or(report.claim_lines_to);
  out += fmt::format("Copies inside this host{}\n",
                     report.facts_file.empty() ? "" : " (" + report.facts_file + ")");
  out += fmt::format("  host {}\n", measured_host());
  line("vectors 1 to 31 bytes ahead modulo 4096", facts.loops.has_value(),
       fmt::format("{} bytes", loops.vector_bytes));
  line("elsewhere in pieces of 2 KiB", facts.loops.has_value(), most_words(loops.pieces_to));
  line("the reader takes the lines", facts.claim_lines_to.has_value(), most_words(lines));
  if (facts.kernel && facts.kernel->ns_of_64k == 0) {
    line("64 KiB by the kernel", true, "forbidden");
  } else if (facts.kernel) {
    line("64 KiB by the kernel", true,
         fmt::format("{} ns, {} than two in user space", facts.kernel->ns_of_64k,
                     facts.kernel->quick ? "quicker" : "slower"));
  } else {
    line("64 KiB by the kernel", false, "unknown");
  }
  line("its detours 1 to 31 bytes ahead", facts.kernel_trap.has_value(),
       facts.kernel_trap.value_or(true) ? "taken" : "not needed");
}

void append_copies(std::string& out, const InfoReport& report) {
  auto to = std::back_inserter(out);
  if (report.copies.empty()) {
    fmt::format_to(to, "Large copies inside this host\n  not measured yet{}\n",
                   report.copies_file.empty() ? "" : ": " + report.copies_file);
    return;
  }
  fmt::format_to(to, "Large copies inside this host, ns for a KiB ({})\n", report.copies_file);
  fmt::format_to(to, "  {:>10} {:>10} {:>10} {:>10} {:>10}   {}\n", "from", "distance",
                 shm::kCopyNames[0], shm::kCopyNames[1], shm::kCopyNames[2], "used");
  for (const auto& [bytes, trapped, ns, best] : report.copies) {
    fmt::format_to(to, "  {:>10} {:>10} {:>10.1f} {:>10.1f} {:>10.1f}   {}\n",
                   readable_bytes(bytes), trapped ? "1 to 31" : "other", ns[0], ns[1], ns[2],
                   shm::kCopyNames[static_cast<std::size_t>(best)]);
  }
}

/// Why a rank spins or does not, if the parameter `wait` leaves the choice to the cores.
std::string_view reason_of(const CoreShare& share) {
  if (share.quota_short) return "the CPU quota has not a core for each";
  return share.suffices() ? "each has a core" : "there are more ranks than cores";
}

void append_waiting(std::string& out, const WaitingInfo& info) {
  const CoreShare& share = info.share;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "Waiting\n  cores of this process: {}\n", share.cores);
  fmt::format_to(to, "  ranks that share them: {}{}; {}\n", share.ranks,
                 info.told ? ", as core_sharers says" : "", reason_of(share));
  fmt::format_to(to, "  so a waiting rank {}\n", describe(info.policy));
}

/// Among whom, where, in what calls.
std::string question_of(const CollectivesInfo& info) {
  if (info.inter) return fmt::format("between two groups, {} ranks in this one", info.ranks);
  std::string words = fmt::format("among {} ranks on ", info.ranks);
  if (info.cost_class == CostClass::network) {
    words += fmt::format("{} hosts", info.hosts);
  } else {
    const bool shared = info.cost_class == CostClass::host_shared;
    words += shared ? "one host with fewer processors than ranks" : "one host";
  }
  if (info.in_place) words += ", in place";
  if (info.reduction == "exact") words += ", of integers";
  if (info.reduction == "ordered") words += ", in the order of the ranks";
  return words;
}

/// A line for each row that coll_algorithms can name.
void append_algorithms(std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "Algorithms of collectives (those named inter are between two groups)\n");
  for (const Algorithm& row : all_algorithms()) {
    if (row.kind == CollectiveKind::agree) continue;  // inside of Remit only
    fmt::format_to(to, "  {}={}\n", collective_name(row.kind), row.name);
  }
}

void append_ranges(std::string& out, const char* title, const std::vector<ChosenRange>& ranges) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {:<20} {:>10}   {:<10} {:<20} {:>10} {:>12}\n", title, "from", "to",
                 "algorithm", "us at from", "us at to");
  std::string_view last;
  for (const ChosenRange& range : ranges) {
    const std::string_view name = collective_name(range.kind);
    const bool sizes = range.to_bytes != 0;
    fmt::format_to(to, "  {:<20} {:>10}   {:<10} {:<20} {:>10.2f} {:>12.2f}{}\n",
                   name == last ? "" : name, sizes ? readable_bytes(range.from_bytes) : "",
                   sizes ? readable_bytes(range.to_bytes) : "", range.algorithm->name,
                   range.from_cost / 1000, range.to_cost / 1000,
                   range.measured ? "  measured" : "");
    last = name;
  }
}

void append_choices(std::string& out, const CollectivesInfo& info) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {:<20} {:>10}   {:<20} {:>12}\n", "blocking calls", "size", "algorithm",
                 "us");
  for (const auto& [bytes, kind, candidate] : info.choices) {
    fmt::format_to(to, "  {:<20} {:>10}   {:<20} {:>12.2f}{}\n", collective_name(kind),
                   bytes == 0 ? "" : readable_bytes(bytes), candidate.algorithm->name,
                   candidate.cost / 1000, candidate.chosen ? "  chosen" : "");
  }
}

void append_collectives(std::string& out, const CollectivesInfo& info) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "Collectives {}; costs of the model\n", question_of(info));
  if (info.from_file) {
    fmt::format_to(to, "  table: {}\n", info.file);
  } else if (!info.problem.empty()) {
    out += wrapped(info.problem, 2);
  } else {
    fmt::format_to(to, "  built-in constants{}\n",
                   info.file.empty() ? "" : "; not measured yet: " + info.file);
  }
  if (!info.choices.empty()) {
    append_choices(out, info);
    return;
  }
  append_ranges(out, info.others.empty() ? "all calls" : "blocking calls", info.blocking);
  if (!info.others.empty()) append_ranges(out, "nonblocking calls", info.others);
}

/// A line for each finding; a long one goes on further in.
void append_rdma(std::string& out, const InfoReport& report) {
  out += "RDMA\n";
  for (const verbs::Finding& finding : report.rdma) {
    constexpr std::size_t kIndent = 6;
    std::string lines = wrapped(
        fmt::format("{:<13} {}: {}", finding.what, finding.ok ? "OK" : "NOT OK", finding.words),
        kIndent);
    out += lines.erase(0, kIndent - 2);
  }
}

Json rdma_json(const InfoReport& report) {
  Json checks = Json::array();
  for (const verbs::Finding& finding : report.rdma) {
    checks.push_back({{"check", finding.what}, {"ok", finding.ok}, {"words", finding.words}});
  }
  return {{"ok", verbs::healthy(report.rdma)}, {"checks", std::move(checks)}};
}

Json devices_json(const InfoReport& report) {
  Json list = Json::array();
  for (const DeviceInfo& device : report.devices) {
    Json entry = {{"name", device.name}, {"available", device.problem.empty()}};
    if (!device.problem.empty()) {
      entry["problem"] = device.problem;
    } else {
      const Caps& caps = device.caps;
      entry.update({{"put", caps.has_put},
                    {"get", caps.has_get},
                    {"atomic", caps.has_atomic},
                    {"atomic_with_cpu", caps.atomic_with_cpu},
                    {"ordered", caps.ordered},
                    {"needs_registration", caps.needs_registration},
                    {"notification", name_of(caps.notify)},
                    {"latency_ns", caps.latency_ns},
                    {"overhead_ns", caps.overhead_ns},
                    {"bandwidth_bytes_per_second", caps.bandwidth},
                    {"max_inline_bytes", caps.max_inline},
                    {"max_send_bytes", caps.max_send},
                    {"max_message_bytes", caps.max_message},
                    {"max_pieces", caps.max_pieces}});
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json networks_json(const InfoReport& report) {
  Json list = Json::array();
  for (const DeviceNote& note : report.networks) {
    list.push_back({{"name", note.device}, {"available", note.usable}, {"words", note.words}});
  }
  return list;
}

Json parameters_json(const InfoReport& report) {
  Json list = Json::array();
  for (const ParameterInfo& parameter : report.parameters) {
    const ParamDecl& decl = *parameter.decl;
    list.push_back({{"name", decl.name},
                    {"environment", environment_name(decl)},
                    {"type", type_of(decl.default_value)},
                    {"value", json_of(parameter.value)},
                    {"default", json_of(decl.default_value)},
                    {"set", parameter.is_set},
                    {"unit", decl.unit},
                    {"choices", decl.choices},
                    {"reason", decl.reason}});
    if (decl.range.least != ParamRange{}.least) list.back()["minimum"] = decl.range.least;
    if (decl.range.most != ParamRange{}.most) list.back()["maximum"] = decl.range.most;
  }
  return list;
}

Json variables_json(const std::vector<VariableInfo>& all) {
  Json list = Json::array();
  for (const VariableInfo& one : all) {
    list.push_back(
        {{"name", one.name}, {"kind", one.kind}, {"bound", one.bound}, {"reason", one.reason}});
  }
  return list;
}

Json protocols_json(const InfoReport& report) {
  Json list = Json::array();
  for (const auto& range : report.protocols) {
    list.push_back({{"device", range.device},
                    {"layout", range.layout},
                    {"from_bytes", range.from_bytes},
                    {"to_bytes", range.to_bytes == kNoEnd ? Json() : Json(range.to_bytes)},
                    {"protocol", range.protocol}});
  }
  return list;
}

Json ranges_json(const std::vector<ChosenRange>& ranges) {
  Json list = Json::array();
  for (const ChosenRange& range : ranges) {
    list.push_back({{"operation", collective_name(range.kind)},
                    {"algorithm", range.algorithm->name},
                    {"from_bytes", range.from_bytes},
                    {"to_bytes", range.to_bytes},
                    {"from_ns", range.from_cost},
                    {"to_ns", range.to_cost},
                    {"measured", range.measured}});
  }
  return list;
}

Json collectives_json(const CollectivesInfo& info) {
  Json choices = Json::array();
  for (const auto& [bytes, kind, candidate] : info.choices) {
    choices.push_back({{"operation", collective_name(kind)},
                       {"bytes", bytes},
                       {"algorithm", candidate.algorithm->name},
                       {"ns", candidate.cost},
                       {"chosen", candidate.chosen}});
  }
  return {{"ranks", info.ranks},
          {"place", kCostClassNames[static_cast<std::size_t>(info.cost_class)]},
          {"hosts", info.hosts},
          {"op", info.reduction},
          {"in_place", info.in_place},
          {"inter", info.inter},
          {"file", info.file},
          {"from_file", info.from_file},
          {"problem", info.problem},
          {"measured_host", measured_host()},
          {"blocking", ranges_json(info.blocking)},
          {"nonblocking", ranges_json(info.others)},
          {"choices", choices}};
}

Json waiting_json(const WaitingInfo& info) {
  return {{"cores", info.share.cores},
          {"ranks", info.share.ranks},
          {"told", info.told},
          {"quota_short", info.share.quota_short},
          {"spin", info.policy.spin},
          {"spin_polls", info.policy.spin_polls},
          {"yields", info.policy.yields},
          {"sleep", info.policy.sleep},
          {"words", describe(info.policy)}};
}

Json algorithms_json() {
  Json list = Json::array();
  for (const Algorithm& row : all_algorithms()) {
    if (row.kind == CollectiveKind::agree) continue;
    list.push_back(
        {{"operation", collective_name(row.kind)}, {"algorithm", row.name}, {"inter", row.inter}});
  }
  return list;
}

Json copies_json(const InfoReport& report) {
  Json list = Json::array();
  for (const auto& [bytes, trapped, ns, best] : report.copies) {
    Json line = {{"from_bytes", bytes},
                 {"in_trap", trapped},
                 {"used", shm::kCopyNames[static_cast<std::size_t>(best)]}};
    for (std::size_t i = 0; i != shm::kCopyMethods; ++i) {
      if (ns[i] != 0) line["ns_per_kib"][std::string(shm::kCopyNames[i])] = ns[i];
    }
    list.push_back(std::move(line));
  }
  Json facts = {{"file", report.facts_file}, {"host", measured_host()}};
  if (report.facts.kernel) {
    facts["kernel_64k_ns"] = report.facts.kernel->ns_of_64k;
    facts["kernel_quick"] = report.facts.kernel->quick;
  }
  if (report.facts.kernel_trap) facts["kernel_trap"] = *report.facts.kernel_trap;
  if (report.facts.claim_lines_to) facts["take_lines_to"] = *report.facts.claim_lines_to;
  if (report.facts.loops) {
    facts["vector_bytes"] = report.facts.loops->vector_bytes;
    facts["pieces_to"] = report.facts.loops->pieces_to;
  }
  return {{"file", report.copies_file}, {"measured", list}, {"facts", facts}};
}

}  // namespace

std::string wrapped(std::string_view words, std::size_t indent) {
  std::string out;
  const std::size_t width = kColumns - indent;
  while (!words.empty()) {
    std::size_t cut = words.size();
    if (cut > width) {
      cut = words.rfind(' ', width);
      if (cut == std::string_view::npos) cut = width;
    }
    out += fmt::format("{:{}}{}\n", "", indent, words.substr(0, cut));
    words.remove_prefix(std::min(words.size(), words.find_first_not_of(' ', cut)));
  }
  return out;
}

std::string readable_bytes(std::size_t bytes) {
  if (bytes >= kUnlimited) return "any size";
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::vector<ParameterInfo> parameter_info(const Params& params) {
  std::vector<ParameterInfo> result;
  for (const ParamDecl* decl : all_params()) {
    ParameterInfo info{decl, decl->default_value, params.is_set(*decl)};
    if (std::holds_alternative<bool>(decl->default_value)) {
      info.value = params.flag(*decl);
    } else if (std::holds_alternative<std::int64_t>(decl->default_value)) {
      info.value = params.integer(*decl);
    } else {
      info.value = params.text(*decl);
    }
    result.push_back(std::move(info));
  }
  return result;
}

std::string to_text(const InfoReport& report, const InfoSections& sections) {
  std::string out;
  const auto separate = [&out] {
    if (!out.empty()) out += '\n';
  };
  if (sections.version) {
    out += fmt::format("Remit {}, MPI {}.{}, standard ABI {}.{}\n", report.version, MPI_VERSION,
                       MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  }
  if (sections.devices) {
    separate();
    append_devices(out, report);
  }
  if (sections.parameters) {
    separate();
    append_parameters(out, report);
  }
  if (sections.protocols) {
    separate();
    append_protocols(out, report);
  }
  if (sections.copies) {
    separate();
    append_facts(out, report);
    append_copies(out, report);
  }
  if (sections.waiting) {
    separate();
    append_waiting(out, report.waiting);
  }
  if (sections.windows) {
    separate();
    out += windows_text(report.windows);
  }
  if (sections.file) {
    separate();
    out += file_text(report.file);
  }
  if (sections.collectives) {
    separate();
    append_collectives(out, report.collectives);
  }
  if (sections.algorithms) {
    separate();
    append_algorithms(out);
  }
  if (sections.rdma) {
    separate();
    append_rdma(out, report);
  }
  if (sections.variables) {
    separate();
    out += "Performance variables of MPI_T\n";
    append_variables(out, performance_variable_info());
    out += "\nEvents of MPI_T, and their elements\n";
    append_variables(out, event_info());
  }
  return out;
}

std::string to_json(const InfoReport& report, const InfoSections& sections) {
  Json root = Json::object();
  if (sections.version) {
    root["version"] = {{"remit", report.version},
                       {"mpi", fmt::format("{}.{}", MPI_VERSION, MPI_SUBVERSION)},
                       {"abi", fmt::format("{}.{}", MPI_ABI_VERSION, MPI_ABI_SUBVERSION)}};
  }
  if (sections.devices) {
    root["devices"] = devices_json(report);
    root["networks"] = networks_json(report);
  }
  if (sections.parameters) root["parameters"] = parameters_json(report);
  if (sections.protocols) root["protocols"] = protocols_json(report);
  if (sections.copies) root["copies"] = copies_json(report);
  if (sections.waiting) root["waiting"] = waiting_json(report.waiting);
  if (sections.windows) root["windows"] = windows_json(report.windows);
  if (sections.file) root["file"] = file_json(report.file);
  if (sections.collectives) root["collectives"] = collectives_json(report.collectives);
  if (sections.algorithms) root["algorithms"] = algorithms_json();
  if (sections.rdma) root["rdma"] = rdma_json(report);
  if (sections.variables) {
    root["variables"] = variables_json(performance_variable_info());
    root["events"] = variables_json(event_info());
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace remit
