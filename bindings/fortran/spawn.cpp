// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/spawn.hpp"

#include <new>
#include <string_view>

#include "bindings/fortran/at_root.hpp"
#include "bindings/fortran/marshal.hpp"

namespace remit::fortran {

void ArgumentList::add(const char* fortran, std::size_t length) {
  const std::string_view text = stripped(fortran, length, Blanks::none);
  starts_.push_back(text_.size());
  text_.insert(text_.end(), text.begin(), text.end());
  text_.push_back('\0');
}

void ArgumentList::finish() {
  for (const std::size_t start : starts_) strings_.push_back(&text_[start]);
  strings_.push_back(nullptr);
}

ArgumentList::ArgumentList(const char* fortran, std::size_t length, std::size_t stride) {
  for (; !stripped(fortran, length, Blanks::none).empty(); fortran += stride) add(fortran, length);
  finish();
}

ArgumentList ArgumentList::counted(const char* fortran, std::size_t length, int count) {
  ArgumentList list;
  for (int i = 0; i < count; ++i) list.add(fortran + static_cast<std::size_t>(i) * length, length);
  list.finish();
  return list;
}

char** ArgumentList::strings() {
  return strings_.empty() ? nullptr : strings_.data();
}

int spawn(decltype(&MPI_Comm_spawn) call, const char* command, std::size_t command_length,
          const char* argv, std::size_t argv_length, int maxprocs, MPI_Info info, int root,
          MPI_Comm comm, MPI_Comm* intercomm, int* errcodes) try {
  if (!is_root(comm, root)) {
    return call("", MPI_ARGV_NULL, maxprocs, info, root, comm, intercomm, errcodes_at(errcodes));
  }
  const StringIn c_command(command, command_length, Blanks::none);
  ArgumentList arguments;
  if (argv != remit_argv_null_) arguments = ArgumentList(argv, argv_length, argv_length);
  return call(c_command.text(), arguments.strings(), maxprocs, info, root, comm, intercomm,
              errcodes_at(errcodes));
} catch (const std::bad_alloc&) {
  out_of_memory();
}

int spawn_multiple(decltype(&MPI_Comm_spawn_multiple) call, const SpawnedGroups& groups, int root,
                   MPI_Comm comm, MPI_Comm* intercomm, int* errcodes) try {
  if (!is_root(comm, root)) {
    return call(groups.count, nullptr, MPI_ARGVS_NULL, nullptr, nullptr, root, comm, intercomm,
                errcodes_at(errcodes));
  }
  auto commands = ArgumentList::counted(groups.commands, groups.command_length, groups.count);
  HandlesIn<MPI_Info> infos(groups.infos, groups.count);
  std::vector<ArgumentList> lists;
  std::vector<char**> argvs;
  if (groups.argvs != remit_argvs_null_) {
    // In a matrix (count, *) the strings of one command are `count` strings apart.
    const std::size_t stride = groups.argv_length * static_cast<std::size_t>(groups.count);
    for (int i = 0; i < groups.count; ++i) {
      lists.emplace_back(groups.argvs + static_cast<std::size_t>(i) * groups.argv_length,
                         groups.argv_length, stride);
    }
    for (ArgumentList& list : lists) argvs.push_back(list.strings());
  }
  return call(groups.count, commands.strings(), argvs.empty() ? MPI_ARGVS_NULL : argvs.data(),
              groups.maxprocs, infos.array(), root, comm, intercomm, errcodes_at(errcodes));
} catch (const std::bad_alloc&) {
  out_of_memory();
}

}  // namespace remit::fortran
