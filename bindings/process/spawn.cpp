// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting processes (MPI-5.0, section 11.8): what the program asks for.
#include "communicators/spawn.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The arguments of MPI_Comm_spawn_multiple that matter at the root only.
struct SpawnArguments {
  int count;
  char** commands;
  char*** arguments;  ///< may be MPI_ARGVS_NULL
  const int* processes;
  const MPI_Info* infos;
};

/// The keys and values of an info object and of the file that it may name.
using SpawnHints = std::vector<std::pair<std::string, std::string>>;

std::string hint(const SpawnHints& hints, std::string_view key) {
  const auto found =
      std::ranges::find(hints, key, [](const auto& pair) { return std::string_view(pair.first); });
  return found == hints.end() ? "" : found->second;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Lines "key = value"; what begins with # is a comment. Keys of the info object come before.
Expected<> read_file(const std::string& path, SpawnHints& hints) {
  std::error_code unused;
  std::ifstream file;
  const bool readable = std::filesystem::is_regular_file(path, unused);
  if (readable) file.open(path);
  if (!file.is_open()) {
    return fail(MPI_ERR_SPAWN, "info key file: {}: {}", path,
                readable ? std::strerror(errno) : "there is no such file");
  }
  for (std::string line; std::getline(file, line);) {
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      return fail(MPI_ERR_SPAWN, "info key file: {}: '{}' is not 'key = value'", path, line);
    }
    hints.emplace_back(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
  }
  return {};
}

/// The largest number of one triplet "a", "a:b" or "a:b:c" that is at most `most`; -1: none is.
std::optional<int> largest_of(std::string_view triplet, int most) {
  long parts[3] = {0, 0, 1};
  int count = 0;
  while (count < 3) {
    const auto parsed =
        std::from_chars(triplet.data(), triplet.data() + triplet.size(), parts[count]);
    if (parsed.ec != std::errc{} || parts[count] < -INT_MAX || parts[count] > INT_MAX) {
      return std::nullopt;
    }
    triplet.remove_prefix(static_cast<std::size_t>(parsed.ptr - triplet.data()));
    ++count;
    if (triplet.empty()) break;
    if (triplet[0] != ':' || count == 3) return std::nullopt;
    triplet.remove_prefix(1);
  }
  auto [first, last, stride] = parts;
  if (count == 1) last = first;
  if (stride == 0) return std::nullopt;
  if (stride < 0) {  // the same numbers, from below
    const long lowest = first + (last - first) / stride * stride;
    last = std::exchange(first, lowest);
    stride = -stride;
  }
  last = std::min<long>(last, most);
  if (first > last) return -1;
  const long largest = first + (last - first) / stride * stride;
  return largest < 0 ? -1 : static_cast<int>(largest);
}

/// How many processes to start, where the info key soft names the numbers that will do.
Expected<int> soft_number(std::string_view soft, int most) {
  int best = -1;
  for (std::size_t at = 0; at <= soft.size();) {
    const std::size_t comma = std::min(soft.find(',', at), soft.size());
    const auto largest = largest_of(trimmed(soft.substr(at, comma - at)), most);
    if (!largest) {
      return fail(MPI_ERR_INFO_VALUE, "info key soft: '{}' is no list of numbers or triplets a:b:c",
                  soft);
    }
    best = std::max(best, *largest);
    at = comma + 1;
  }
  if (best >= 1) return best;
  return fail(MPI_ERR_SPAWN, "info key soft: '{}' has no number from 1 to maxprocs, {}", soft,
              most);
}

Expected<SpawnProgram> read_program(const SpawnArguments& args, std::size_t i) {
  if (args.commands[i] == nullptr || *args.commands[i] == '\0') {
    return fail(MPI_ERR_ARG, "command {} is {}", i, args.commands[i] ? "empty" : "a null pointer");
  }
  if (args.processes[i] < 0) {
    return fail(MPI_ERR_ARG, "maxprocs of {} is {}; it must not be negative", args.commands[i],
                args.processes[i]);
  }
  SpawnProgram program;
  program.command = args.commands[i];
  program.processes = args.processes[i];
  char** words = args.arguments == nullptr ? nullptr : args.arguments[i];
  for (; words != nullptr && *words != nullptr; ++words) program.arguments.emplace_back(*words);
  if (args.infos == nullptr || args.infos[i] == MPI_INFO_NULL) return program;
  const InfoObject* info = info_of(args.infos[i]);
  if (info == nullptr) return fail(MPI_ERR_INFO, "info {} is not an info object", i);
  SpawnHints hints = info->entries;
  if (const std::string file = hint(hints, "file"); !file.empty()) {
    if (auto read = read_file(file, hints); !read) return tl::unexpected(read.error());
  }
  program.host = hint(hints, "host");
  program.wdir = hint(hints, "wdir");
  program.path = hint(hints, "path");
  if (const std::string soft = hint(hints, "soft"); !soft.empty()) {
    const auto number = soft_number(soft, program.processes);
    if (!number) return tl::unexpected(number.error());
    program.processes = *number;
  }
  return program;
}

Expected<SpawnRequest> read_request(const SpawnArguments& args) {
  if (args.count < 1) return fail(MPI_ERR_ARG, "count is {}; it must be positive", args.count);
  if (args.commands == nullptr || args.processes == nullptr) {
    return fail(MPI_ERR_ARG, "the commands or maxprocs are a null pointer");
  }
  SpawnRequest request;
  for (std::size_t i = 0; i < static_cast<std::size_t>(args.count); ++i) {
    auto program = read_program(args, i);
    if (!program) return tl::unexpected(program.error());
    if (program->processes > 0) request.programs.push_back(std::move(*program));
  }
  if (request.programs.empty()) return fail(MPI_ERR_SPAWN, "maxprocs is 0: nothing to start");
  return request;
}

/// What the root asks for: numbers of processes also where something else is wrong, for the members
/// have a code for each process.
SpawnOrder read_order(const SpawnArguments& args) {
  SpawnOrder order{read_request(args), {}};
  if (args.processes == nullptr || args.commands == nullptr || args.count < 1) return order;
  order.wanted.assign(args.processes, args.processes + args.count);
  return order;
}

/// The codes, one for each process that was asked for.
void report_codes(const std::vector<SpawnCounts>& programs, int errcodes[]) {
  if (errcodes == MPI_ERRCODES_IGNORE) return;
  for (const auto& [wanted, started] : programs) {
    std::fill_n(errcodes, started, MPI_SUCCESS);
    std::fill_n(errcodes + started, wanted - started, MPI_ERR_SPAWN);
    errcodes += wanted;
  }
}

int spawn(Entry& entry, const SpawnArguments& args, int root, MPI_Comm comm, MPI_Comm* intercomm,
          int errcodes[]) {
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.root(*c, root)) return err;
  if (int err = entry.not_null(intercomm, "intercomm")) return err;
  *intercomm = MPI_COMM_NULL;
  std::optional<SpawnOrder> order;
  if (c->core.rank == root) order = read_order(args);
  SpawnResult result =
      spawn_processes(call_of(entry), parent_of(*c), root, order ? &*order : nullptr);
  report_codes(result.programs, errcodes);
  return finish_comm(entry, *c, std::move(result.comm), intercomm);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
                    MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) try {
  Entry entry("MPI_Comm_spawn");
  auto* name = const_cast<char*>(command);
  const SpawnArguments args{1, &name, &argv, &maxprocs, &info};
  return spawn(entry, args, root, comm, intercomm, array_of_errcodes);
} catch (...) {
  return caught("MPI_Comm_spawn", comm);
}
REMIT_WEAK(Comm_spawn);

int PMPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[],
                             const int array_of_maxprocs[], const MPI_Info array_of_info[],
                             int root, MPI_Comm comm, MPI_Comm* intercomm,
                             int array_of_errcodes[]) try {
  Entry entry("MPI_Comm_spawn_multiple");
  const SpawnArguments args{count, array_of_commands, array_of_argv, array_of_maxprocs,
                            array_of_info};
  return spawn(entry, args, root, comm, intercomm, array_of_errcodes);
} catch (...) {
  return caught("MPI_Comm_spawn_multiple", comm);
}
REMIT_WEAK(Comm_spawn_multiple);
