// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The wrappers that are written by hand: the beginning and the end of MPI, and MPI_Pcontrol. And
// where the wrapped functions are.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "mpi.h"
#include "tool/profile/functions.hpp"
#include "tool/profile/inside.hpp"
#include "tool/profile/modules.hpp"
#include "tool/profile/recorder.hpp"

namespace remit::profile {

std::array<void*, 1024> next_functions{};
static_assert(kFunctions <= std::tuple_size_v<decltype(next_functions)>);

namespace {

// The program's own linker may have bound the library out of our sight (dlopen without RTLD_GLOBAL,
// as Python does it): then it is asked by name.
void* find_in_library(const char* name) {
  void* const library = open_mpi_library();
  return library == nullptr ? nullptr : ::dlsym(library, name);
}

void describe_library(Record& all) {
  const auto version = library<decltype(MPI_Get_library_version)>("PMPI_Get_library_version");
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (version == nullptr || version(text.data(), &length) != MPI_SUCCESS) return;
  std::snprintf(all.library.data(), all.library.size(), "%.*s",
                static_cast<int>(all.library.size() - 1), text.data());
}

void initialized() {
  Record& all = record();
  describe_library(all);
  const auto rank = library<decltype(MPI_Comm_rank)>("PMPI_Comm_rank");
  const auto size = library<decltype(MPI_Comm_size)>("PMPI_Comm_size");
  const auto level = library<decltype(MPI_Query_thread)>("PMPI_Query_thread");
  rank(MPI_COMM_WORLD, &all.rank);
  size(MPI_COMM_WORLD, &all.ranks);
  level(&all.thread_level);
}

// Functions that the program defines itself come before ours: calls of them are not seen.
void look_for_tool(Record& all) {
  Dl_info own{};
  ::dladdr(reinterpret_cast<const void*>(&look_for_tool), &own);
  for (const FunctionRow& row : kFunctionRows) {
    Dl_info found{};
    const void* const first = ::dlsym(RTLD_DEFAULT, row.name);
    if (first == nullptr || ::dladdr(first, &found) == 0 || found.dli_fbase == own.dli_fbase) {
      continue;
    }
    if (all.tool.functions++ == 0) {
      std::snprintf(all.tool.first.data(), all.tool.first.size(), "%s", row.name);
    }
  }
}

// A program whose own tool defines even MPI_Init calls nothing of ours: its record is opened here,
// and has what the library tells. In any other program this is one question. The call that opens
// the record has a stack, too, so what that needs is looked for before.
[[gnu::constructor]] void look_for_init() {
  prepare_call_stacks();
  Dl_info own{};
  Dl_info found{};
  const void* const init = ::dlsym(RTLD_DEFAULT, "MPI_Init");
  if (::dladdr(reinterpret_cast<const void*>(&look_for_init), &own) == 0 || init == nullptr ||
      ::dladdr(init, &found) == 0 || found.dli_fbase == own.dli_fbase) {
    return;
  }
  if (std::getenv("REMIT_PROFILE") == nullptr && std::getenv("REMIT_TRACE") == nullptr) return;
  record_without_calls();
  attach_inside();
  look_for_tool(record());
}

}  // namespace

void* find_next(FunctionId function) {
  const char* const name = kFunctionRows[function].name;
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = find_in_library(name);
  if (found == nullptr) {
    std::fprintf(stderr, "Remit's profile: the MPI library has no %s\n", name);
    std::abort();
  }
  next_functions[function] = found;
  return found;
}

void* library_function(const char* name) {
  void* const found = ::dlsym(RTLD_NEXT, name);
  return found != nullptr ? found : find_in_library(name);
}

}  // namespace remit::profile

using namespace remit::profile;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const auto next = next_of<decltype(MPI_Init)>(number::kInit);
  const Call call = enter(number::kInit, __builtin_return_address(0), __builtin_frame_address(0));
  attach_inside();
  const int error = next(argc, argv);
  const std::uint64_t end = ticks();
  if (error == MPI_SUCCESS) initialized();
  leave(call, end, Moved{});
  if (error == MPI_SUCCESS) look_for_tool(record());
  return error;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const auto next = next_of<decltype(MPI_Init_thread)>(number::kInit_thread);
  const Call call =
      enter(number::kInit_thread, __builtin_return_address(0), __builtin_frame_address(0));
  attach_inside();
  const int error = next(argc, argv, required, provided);
  const std::uint64_t end = ticks();
  if (error == MPI_SUCCESS) initialized();
  leave(call, end, Moved{});
  if (error == MPI_SUCCESS) look_for_tool(record());
  return error;
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  const auto next = next_of<decltype(MPI_Session_init)>(number::kSession_init);
  const Call call =
      enter(number::kSession_init, __builtin_return_address(0), __builtin_frame_address(0));
  attach_inside();
  const int error = next(info, errhandler, session);
  leave(call, ticks(), Moved{});
  if (error == MPI_SUCCESS) describe_library(record());
  return error;
}

int MPI_Session_finalize(MPI_Session* session) {
  const auto next = next_of<decltype(MPI_Session_finalize)>(number::kSession_finalize);
  const Call call =
      enter(number::kSession_finalize, __builtin_return_address(0), __builtin_frame_address(0));
  read_inside();
  const int error = next(session);
  const std::uint64_t end = ticks();
  leave(call, end, Moved{});
  // There may be more sessions; the last one ends MPI where there is no world.
  if (error == MPI_SUCCESS && record().ranks == 0) finalized(end);
  return error;
}

int MPI_Finalize(void) {
  const auto next = next_of<decltype(MPI_Finalize)>(number::kFinalize);
  const Call call =
      enter(number::kFinalize, __builtin_return_address(0), __builtin_frame_address(0));
  read_inside();
  const int error = next();
  const std::uint64_t end = ticks();
  leave(call, end, Moved{});
  finalized(end);
  return error;
}

int MPI_Pcontrol(const int level, ...) {
  const auto next = next_of<decltype(MPI_Pcontrol)>(number::kPcontrol);
  const Call call =
      enter(number::kPcontrol, __builtin_return_address(0), __builtin_frame_address(0));
  const int error = next(level);
  leave(call, ticks(), Moved{});
  control(level);
  return error;
}

}  // extern "C"
