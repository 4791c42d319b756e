// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Start and end of MPI (MPI-5.0, sections 11.2 to 11.4).
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bindings/comm/attributes.hpp"
#include "bindings/comm/comm_objects.hpp"
#include "bindings/entry.hpp"
#include "bindings/env/alloc_kinds.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/process/users.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/weak.hpp"
#include "communicators/spawn.hpp"
#include "runtime/launch_params.hpp"

namespace remit {

namespace {

/// In a job that was spawned: makes the inter-communicator to those who spawned it. Collective over
/// MPI_COMM_WORLD. Returns what the MPI function is to return.
int connect_to_parent(Entry& entry) {
  Instance& instance = entry.instance();
  auto made = connect_to_spawner(call_of(entry), parent_of(instance.world));
  if (!made) return entry.fail(made.error());
  if (!*made) return MPI_SUCCESS;
  CommObject* parent = make_comm(inherited_from(instance.world), std::move(**made));
  parent->name = "MPI_COMM_PARENT";
  instance.parent = Ref<CommObject>::adopt(parent);
  return MPI_SUCCESS;
}

int start(const char* function, int required, int* provided) {
  if (library().phase == Phase::running) {
    Entry entry(function);
    return entry.fail(MPI_ERR_OTHER,
                      "MPI is initialized already; call MPI_Init or MPI_Init_thread once");
  }
  if (library().phase == Phase::finalized) {
    die(function, "called after MPI_Finalize; MPI cannot be initialized again");
  }
  const int level = std::clamp<int>(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  const auto joined = join_instance(function, level, false);
  if (!joined) die(function, joined.error().message);
  Instance& instance = **joined;
  instance.thread_level = level;
  instance.main_thread = std::this_thread::get_id();
  instance.world.errhandler = instance.self.errhandler = initial_errhandler();
  instance.memory_alloc_kinds =
      supported_alloc_kinds(instance.process->params().text(memory_alloc_kinds_param));
  instance.open_world = &instance.world;
  instance.open_self = &instance.self;
  make_info_env(instance);
  library().phase = Phase::running;
  if (provided != nullptr) *provided = level;
  Entry entry(function);
  instance.process->events().raise(EventKind::initialized, level);
  return connect_to_parent(entry);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Init(int* /*argc*/, char*** /*argv*/) try {
  return start("MPI_Init", MPI_THREAD_SINGLE, nullptr);
} catch (...) {
  return caught("MPI_Init");
}
REMIT_WEAK(Init);

int PMPI_Init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) try {
  if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) {
    die("MPI_Init_thread",
        fmt::format("required is {}, which is none of the four MPI_THREAD_ levels", required));
  }
  return start("MPI_Init_thread", required, provided);
} catch (...) {
  return caught("MPI_Init_thread");
}
REMIT_WEAK(Init_thread);

int PMPI_Initialized(int* flag) try {
  if (int err = check_pointer(flag, "MPI_Initialized", "flag")) return err;
  *flag = library().phase != Phase::before_init;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Initialized");
}
REMIT_WEAK(Initialized);

int PMPI_Finalized(int* flag) try {
  if (int err = check_pointer(flag, "MPI_Finalized", "flag")) return err;
  *flag = library().phase == Phase::finalized;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Finalized");
}
REMIT_WEAK(Finalized);

int PMPI_Finalize() try {
  const char* const function = "MPI_Finalize";
  {
    Entry entry(function);
    if (library().phase != Phase::running) {
      return entry.fail(
          MPI_ERR_OTHER, "the World Model is {}; only sessions are open",
          library().phase == Phase::finalized ? "finalized already" : "not initialized (MPI_Init)");
    }
    Instance& instance = entry.instance();
    instance.process->events().raise(EventKind::finalized, instance.thread_level);
    // Attributes of MPI_COMM_SELF go first: their delete callbacks may still use MPI
    // (MPI-5.0, section 11.4.1).
    delete_all_attributes(instance.self.attributes, Owner::comm, MPI_COMM_SELF);
    delete_all_attributes(instance.world.attributes, Owner::comm, MPI_COMM_WORLD);
    let_leave(entry, {instance.bsend.get(), instance.world.bsend.get(), instance.self.bsend.get()});
    instance.open_world = nullptr;
    instance.open_self = nullptr;
    library().phase = Phase::finalized;
  }
  leave_instance(function);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Finalize");
}
REMIT_WEAK(Finalize);

int PMPI_Query_thread(int* provided) try {
  Entry entry("MPI_Query_thread");
  if (int err = entry.not_null(provided, "provided")) return err;
  *provided = entry.instance().thread_level;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Query_thread");
}
REMIT_WEAK(Query_thread);

int PMPI_Is_thread_main(int* flag) try {
  Entry entry("MPI_Is_thread_main");
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = entry.instance().main_thread == std::this_thread::get_id();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Is_thread_main");
}
REMIT_WEAK(Is_thread_main);

int PMPI_Abort(MPI_Comm comm, int errorcode) try {
  Entry entry("MPI_Abort");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  Process& process = *entry.instance().process;
  process.bootstrap().abort(errorcode,
                            fmt::format("MPI_Abort({}, {}) was called",
                                        c->name.empty() ? "a communicator" : c->name, errorcode));
  std::abort();  // GCC does not trust [[noreturn]] of a virtual function
} catch (...) {
  return caught("MPI_Abort", comm);
}
REMIT_WEAK(Abort);

int PMPI_Get_processor_name(char* name, int* resultlen) try {
  Entry entry("MPI_Get_processor_name");
  if (int err = entry.not_null(name, "name")) return err;
  if (int err = entry.not_null(resultlen, "resultlen")) return err;
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) {
    return entry.fail(MPI_ERR_OTHER, "gethostname: {}", std::strerror(errno));
  }
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Get_processor_name");
}
REMIT_WEAK(Get_processor_name);
