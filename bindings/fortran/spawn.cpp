// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/spawn.hpp"

#include <deque>
#include <new>
#include <string>
#include <vector>

#include "bindings/fortran/marshal.hpp"
#include "bindings/fortran/peers.hpp"

namespace remit::fortran {

namespace {

/// An array of strings that ends at a null pointer.
class ArgumentList {
 public:
  /// Those that are `stride` characters apart, until one is blank: argv of MPI_Comm_spawn is an
  /// array, array_of_argv a matrix with a row for each command. Or `count` of them.
  ArgumentList(FortranStrings of, std::size_t stride, int count = -1) {
    for (const char* at = of.text; count != 0; at += stride, --count) {
      const auto text = stripped(at, of.length, Blanks::none);
      if (count < 0 && text.empty()) break;
      texts_.emplace_back(text);
    }
    for (std::string& text : texts_) strings_.push_back(text.data());
    strings_.push_back(nullptr);
  }
  ArgumentList(const ArgumentList&) = delete;
  ArgumentList& operator=(const ArgumentList&) = delete;

  [[nodiscard]] char** strings() { return strings_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> strings_;
};

}  // namespace

int comm_spawn(decltype(&MPI_Comm_spawn) call, FortranStrings command, FortranStrings argv,
               int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm,
               int* errcodes) try {
  if (!is_root(comm, root)) {
    return call("", MPI_ARGV_NULL, maxprocs, info, root, comm, intercomm, errcodes_at(errcodes));
  }
  const StringIn c_command(command.text, command.length, Blanks::none);
  const bool none = argv.text == remit_argv_null_;
  ArgumentList arguments(argv, argv.length, none ? 0 : -1);
  return call(c_command.data(), none ? MPI_ARGV_NULL : arguments.strings(), maxprocs, info, root,
              comm, intercomm, errcodes_at(errcodes));
} catch (const std::bad_alloc&) {
  out_of_memory();
}

int comm_spawn_multiple(decltype(&MPI_Comm_spawn_multiple) call, int count, FortranStrings commands,
                        FortranStrings argvs, const int* maxprocs, const int* infos, int root,
                        MPI_Comm comm, MPI_Comm* intercomm, int* errcodes) try {
  if (!is_root(comm, root)) {
    return call(count, nullptr, MPI_ARGVS_NULL, nullptr, nullptr, root, comm, intercomm,
                errcodes_at(errcodes));
  }
  ArgumentList c_commands(commands, commands.length, std::max(count, 0));
  HandlesIn<MPI_Info> c_infos(infos, count);
  std::deque<ArgumentList> lists;
  std::vector<char**> c_argvs;
  const bool none = argvs.text == remit_argvs_null_;
  for (int i = 0; i < count && !none; ++i) {
    // In a matrix (count, *) the strings of one command are `count` strings apart.
    const auto at = static_cast<std::size_t>(i) * argvs.length;
    lists.emplace_back(FortranStrings{argvs.text + at, argvs.length},
                       argvs.length * static_cast<std::size_t>(count));
    c_argvs.push_back(lists.back().strings());
  }
  return call(count, c_commands.strings(), none ? MPI_ARGVS_NULL : c_argvs.data(), maxprocs,
              c_infos.data(), root, comm, intercomm, errcodes_at(errcodes));
} catch (const std::bad_alloc&) {
  out_of_memory();
}

}  // namespace remit::fortran
