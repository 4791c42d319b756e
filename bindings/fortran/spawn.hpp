// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// spawn.hpp: commands, arguments and info of MPI_Comm_spawn and MPI_Comm_spawn_multiple, which only
// the root looks at.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace remit::fortran {

/// An array of strings that ends at a null pointer. A null address where there is none.
class ArgumentList {
 public:
  ArgumentList() = default;
  /// `stride` characters from one string to the next, until one is blank: argv of MPI_Comm_spawn is
  /// an array, array_of_argv a matrix with a row for each command.
  ArgumentList(const char* fortran, std::size_t length, std::size_t stride);
  /// `count` strings one behind the other.
  static ArgumentList counted(const char* fortran, std::size_t length, int count);

  [[nodiscard]] char** strings();

 private:
  void add(const char* fortran, std::size_t length);
  void finish();

  std::vector<char> text_;
  std::vector<std::size_t> starts_;
  std::vector<char*> strings_;
};

int spawn(decltype(&MPI_Comm_spawn) call, const char* command, std::size_t command_length,
          const char* argv, std::size_t argv_length, int maxprocs, MPI_Info info, int root,
          MPI_Comm comm, MPI_Comm* intercomm, int* errcodes);

/// The arguments of MPI_Comm_spawn_multiple as Fortran has them.
struct SpawnedGroups {
  int count;
  const char* commands;
  std::size_t command_length;
  const char* argvs;
  std::size_t argv_length;
  const int* maxprocs;
  const int* infos;
};
int spawn_multiple(decltype(&MPI_Comm_spawn_multiple) call, const SpawnedGroups& groups, int root,
                   MPI_Comm comm, MPI_Comm* intercomm, int* errcodes);

}  // namespace remit::fortran
