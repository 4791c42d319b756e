// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the dynamic loader knows of a program's bad end: it did not find a library, or a symbol in
// those that it found; or it brought two MPI libraries into one process. The loader itself is asked
// again; what the program may have written is not read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/plan/job.hpp"

namespace remit::launcher {

/// What the loader says of a program, of which it runs nothing.
struct LoaderFindings {
  std::vector<std::string> missing;    ///< libraries that it does not find
  std::vector<std::string> undefined;  ///< symbols that no library has
  std::string mpi_library;             ///< the libmpi_abi that it takes; empty: none
  std::string other_library;           ///< another MPI that it takes, too; empty: none
  std::string brought_by;              ///< the library that needs that one, or the program
  bool has_path = false;               ///< the program has an LD_LIBRARY_PATH
};

/// The findings in what the loader prints with LD_TRACE_LOADED_OBJECTS, and with LD_DEBUG=files
/// of who needs what. Any text is taken.
[[nodiscard]] LoaderFindings read_loader_list(std::string_view text);

/// What the user should do about them, in whole sentences without the last full stop; empty if the
/// loader finds everything. `folder`: Remit's library is there.
[[nodiscard]] std::string describe_findings(const std::string& program,
                                            const LoaderFindings& findings,
                                            const std::string& folder);

/// Words on a program of two MPI libraries, as describe_findings(); empty if it has no other one.
[[nodiscard]] std::string describe_two_libraries(const std::string& program,
                                                 const LoaderFindings& findings);

/// The exit status of programs that the loader gives up (and of shells that do not find a command).
inline constexpr int kLoaderStatus = 127;

/// A process has ended in a way that the loader may explain: with a status that is not 0, or by a
/// signal of its own doing.
[[nodiscard]] bool is_for_loader(int wait_status);
/// For a rank of this host that has ended so: the description of the first program in its command
/// line, which may be called by others ("numactl -N 0 ./a.out"), with a finding. Of one that ended
/// with kLoaderStatus that is what the loader missed, of others it is two MPI libraries. Empty: the
/// loader was not the reason. Waits for the loader, which takes milliseconds, at most 3 seconds.
/// Any thread.
[[nodiscard]] std::string explain_by_loader(const App& app, int wait_status);
/// The same of a rank that ends badly in any other way: two MPI libraries, or empty.
[[nodiscard]] std::string explain_two_libraries(const App& app);

/// The folder of this installation, or of the build tree, that holds a library; empty: none does.
[[nodiscard]] std::string own_library_folder(const std::string& library);

/// Puts one of Remit's own libraries in front of what LD_PRELOAD has. False: it is not there.
[[nodiscard]] bool preload_library(const std::string& library, std::vector<std::string>* env);

}  // namespace remit::launcher
