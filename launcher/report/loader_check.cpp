// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The loader is called as ldd does: by its own name, with the program as its argument, so that
// nothing of the program runs. Only the loader that mpirun itself has started with is called, since
// another one may not know the variables that say so, and a file may name any program as its
// loader.
#include "launcher/report/loader_check.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>

#include "launcher/cli/words.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr std::size_t kMostArguments = 16;  // of a command line in which programs are looked for

// The loader that an executable of this machine's kind names; empty: it needs none, or is none.
std::string loader_of(const std::string& program) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(program, error)) return {};
  std::ifstream file(program, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kClass ||
      header.e_phentsize != sizeof(ElfW(Phdr))) {
    return {};
  }
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string loader(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(loader.data(), static_cast<std::streamsize>(loader.size()))) return {};
    return loader.substr(0, loader.find('\0'));
  }
  return {};
}

// Starts a program whose output goes to `output`; -1: it does not start.
pid_t start(const std::vector<std::string>& argv, const std::vector<std::string>& env,
            const std::string& wdir, int output) {
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return -1;
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  ::posix_spawn_file_actions_addchdir_np(&actions, wdir.c_str());
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv.front().c_str(), &actions, nullptr,
                                  pointers_to(argv).data(), pointers_to(env).data());
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

// All that can be read until the end of the stream, or too much, or too long.
std::string read_to_end(int fd, MonotonicClock::time_point end) {
  std::string text;
  while (text.size() < kMostText) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - MonotonicClock::now());
    pollfd ready{fd, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) break;
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(fd, bytes.data(), bytes.size());
    if (count <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return text;
}

// Both files are one; false where one of them is not there.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error);
}

LoaderFindings look_at(const std::string& program, const App& app, MonotonicClock::time_point end) {
  const std::string loader = loader_of(program);
  if (loader.empty() || !is_same_file(loader, loader_of("/proc/self/exe"))) return {};
  std::vector<std::string> env = app.env;
  std::erase_if(env,
                [](const std::string& entry) { return entry.starts_with("LD_DEBUG_OUTPUT="); });
  set_env(&env, "LD_TRACE_LOADED_OBJECTS", "1");
  set_env(&env, "LD_WARN", "yes");
  set_env(&env, "LD_BIND_NOW", "yes");
  set_env(&env, "LD_DEBUG", "files");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t pid = start({loader, program}, env, app.wdir, ends[1]);
  ::close(ends[1]);
  const std::string text = pid < 0 ? "" : read_to_end(ends[0], end);
  ::close(ends[0]);
  if (pid > 0) {
    ::kill(pid, SIGKILL);  // it has ended, or it hangs
    ::waitpid(pid, nullptr, 0);
  }
  LoaderFindings findings = read_loader_list(text);
  const char* const path = get_env(app.env, "LD_LIBRARY_PATH");
  findings.has_path = path != nullptr && *path != '\0';
  return findings;
}

// Whose library this is by its name; empty: not an MPI library.
std::string_view other_mpi(std::string_view library) {
  constexpr std::array kNames{
      "libmpi.so",      "libmpi_cxx.so",   "libmpicxx.so",        "libmpich.so",
      "libmpifort.so",  "libmpi_mpifh.so", "libmpi_usempif08.so", "libmpi_usempi_ignore_tkr.so",
      "libopen-rte.so", "libopen-pal.so"};
  const bool is_mpi =
      std::ranges::any_of(kNames, [&](std::string_view name) { return library.starts_with(name); });
  if (!is_mpi) return {};
  if (library.ends_with(".so.12") || library.starts_with("libmpich")) return "MPICH or Intel MPI";
  return "Open MPI";
}

// How a program is told where a library is.
std::string path_option(const std::string& folder, const LoaderFindings& findings) {
  return fmt::format("give mpirun the option -x LD_LIBRARY_PATH={}{}", folder,
                     findings.has_path ? ":$LD_LIBRARY_PATH" : "");
}

std::string describe_missing(const std::string& program, const std::string& library,
                             const LoaderFindings& findings, const std::string& folder) {
  const std::string what =
      fmt::format("{} needs {}, which the loader does not find", program, library);
  if (library.starts_with("libmpi_abi.so")) {
    std::error_code error;
    if (folder.empty() || !std::filesystem::exists(folder + "/" + library, error)) {
      return what + ", and which Remit does not have here: compile the program with Remit's mpicc";
    }
    return fmt::format(
        "{}; Remit's is in {}. Link the program with Remit's mpicc, which records that in the "
        "program (or with -Wl,-rpath,{}), or {}",
        what, folder, folder, path_option(folder, findings));
  }
  const std::string option = path_option("FOLDER", findings);
  if (const std::string_view mpi = other_mpi(library); !mpi.empty()) {
    return fmt::format(
        "{}: it was compiled for {}, and Remit's library is libmpi_abi.so.1. Compile it with "
        "Remit's mpicc, or, for the library that it wants, {}",
        what, mpi, option);
  }
  return fmt::format("{}. Link with -Wl,-rpath,FOLDER where FOLDER has it, or {}", what, option);
}

std::string describe_undefined(const std::string& program, const std::string& symbol,
                               const LoaderFindings& findings, const std::string& folder) {
  const bool is_mpi =
      std::ranges::any_of(std::array{"MPI_", "PMPI_", "MPIX_"},
                          [&](const char* prefix) { return symbol.starts_with(prefix); });
  if (!is_mpi || findings.mpi_library.empty()) {
    return fmt::format(
        "{} needs the symbol {}, which none of its libraries has: link the one that has", program,
        symbol);
  }
  const bool is_own = is_same_file(findings.mpi_library, folder + "/libmpi_abi.so.1");
  const std::string what =
      fmt::format("{} calls {}, which {} does not have", program, symbol, findings.mpi_library);
  if (is_own || folder.empty()) {
    return what + ": it was compiled with the header of another MPI. Compile it with Remit's mpicc";
  }
  return fmt::format("{}. Compile it with Remit's mpicc, or, for Remit's library, {}", what,
                     path_option(folder, findings));
}

// A library with MPI's functions that is not Remit's.
bool is_other_library(std::string_view name) {
  return name.starts_with("libmpi.so") || name.starts_with("libmpich.so");
}

// In a line of LD_DEBUG=files, "  123:	file=libmpi.so.40 [0];  needed by /lib/libbar.so.2 [0]", of
// another MPI: who needs it, and is none of its own libraries.
void read_need(std::string_view line, LoaderFindings* findings) {
  constexpr std::string_view kFile = "\tfile=";
  constexpr std::string_view kNeeded = ";  needed by ";
  const std::size_t file = line.find(kFile);
  const std::size_t needed = line.find(kNeeded);
  if (file == std::string_view::npos || needed == std::string_view::npos) return;
  if (other_mpi(line.substr(file + kFile.size())).empty()) return;
  std::string_view who = line.substr(needed + kNeeded.size());
  who = who.substr(0, who.rfind(" ["));
  const bool is_its_own = !other_mpi(who.substr(who.rfind('/') + 1)).empty();
  if (!is_its_own && findings->brought_by.empty()) findings->brought_by = who;
}

// The first description of a program in a command line. The first that has Remit's library is the
// rank's program: what comes behind it are its arguments.
std::string first_description(
    const App& app,
    const std::function<std::string(const std::string&, const LoaderFindings&)>& describe) {
  const auto end = MonotonicClock::now() + kPatience;
  const std::size_t words = std::min(app.argv.size(), kMostArguments);
  for (std::size_t i = 0; i < words; ++i) {
    const auto found = find_program(app.argv[i], app.wdir, app.search_path);
    if (!found) continue;
    const LoaderFindings findings = look_at(*found, app, end);
    std::string text = describe(app.argv[i], findings);
    if (!text.empty() || !findings.mpi_library.empty()) return text;
  }
  return {};
}

// Signals by which a process ends for what itself has done.
constexpr std::array kOwnSignals{SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

}  // namespace

LoaderFindings read_loader_list(std::string_view text) {
  constexpr std::string_view kArrow = " => ";
  constexpr std::string_view kUndefined = "undefined symbol: ";
  LoaderFindings findings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(kUndefined)) {
      line.remove_prefix(kUndefined.size());
      findings.undefined.emplace_back(line.substr(0, line.find_first_of("\t,")));
      continue;
    }
    if (line.starts_with(' ')) {
      read_need(line, &findings);
      continue;
    }
    const std::size_t arrow = line.find(kArrow);
    if (!line.starts_with('\t') || arrow == std::string_view::npos) continue;
    const std::string_view name = line.substr(1, arrow - 1);
    const std::string_view place = line.substr(arrow + kArrow.size());
    if (place == "not found") {
      findings.missing.emplace_back(name);
    } else if (name.starts_with("libmpi_abi.so")) {
      findings.mpi_library = place.substr(0, place.rfind(" ("));
    } else if (is_other_library(name)) {
      findings.other_library = place.substr(0, place.rfind(" ("));
    }
  }
  return findings;
}

std::string describe_findings(const std::string& program, const LoaderFindings& findings,
                              const std::string& folder) {
  // Of several the MPI library is what is told of: this is mpirun.
  if (!findings.missing.empty()) {
    const auto mpi = std::ranges::find_if(findings.missing, [](const std::string& name) {
      return name.starts_with("libmpi_abi.so") || !other_mpi(name).empty();
    });
    const bool found = mpi != findings.missing.end();
    return describe_missing(program, found ? *mpi : findings.missing.front(), findings, folder);
  }
  if (findings.undefined.empty()) return {};
  const auto mpi = std::ranges::find_if(findings.undefined, [](const std::string& name) {
    return name.find("MPI") != std::string::npos;
  });
  const bool found = mpi != findings.undefined.end();
  return describe_undefined(program, found ? *mpi : findings.undefined.front(), findings, folder);
}

std::string describe_two_libraries(const std::string& program, const LoaderFindings& findings) {
  if (findings.other_library.empty() || findings.mpi_library.empty()) return {};
  return fmt::format(
      "{} has two MPI libraries in one process, which take each other's calls: {}, and {}, which "
      "{} needs. Build that with Remit's mpicc, too, or leave it out",
      program, findings.mpi_library, findings.other_library,
      findings.brought_by.empty() ? "one of its libraries" : findings.brought_by);
}

bool is_for_loader(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status) != 0;
  return std::ranges::find(kOwnSignals, WTERMSIG(wait_status)) != kOwnSignals.end();
}

std::string explain_by_loader(const App& app, int wait_status) {
  if (!is_for_loader(wait_status)) return {};
  if (WIFSIGNALED(wait_status) || WEXITSTATUS(wait_status) != kLoaderStatus) {
    return explain_two_libraries(app);
  }
  return first_description(app, [folder = own_library_folder("libmpi_abi.so.1")](
                                    const std::string& program, const LoaderFindings& findings) {
    return describe_findings(program, findings, folder);
  });
}

std::string explain_two_libraries(const App& app) {
  return first_description(app, describe_two_libraries);
}

std::string own_library_folder(const std::string& library) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::filesystem::path& folder :
       {self.parent_path() / ".libs", self.parent_path().parent_path() / "lib",
        std::filesystem::path(REMIT_LIBDIR)}) {
    if (std::filesystem::exists(folder / library, error)) return folder;
  }
  return {};
}

bool preload_library(const std::string& library, std::vector<std::string>* env) {
  const char* const set = get_env(*env, "LD_PRELOAD");
  const std::string others = set == nullptr ? "" : set;
  if (others.find(library) != std::string::npos) return true;
  const std::string folder = own_library_folder(library);
  if (folder.empty()) return false;
  const std::string path = folder + "/" + library;
  set_env(env, "LD_PRELOAD", others.empty() ? path : path + ":" + others);
  return true;
}

}  // namespace remit::launcher
