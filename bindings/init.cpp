// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Start and end of MPI (MPI-5.0, sections 11.2 to 11.4).
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bindings/attributes.hpp"
#include "bindings/bsend.hpp"
#include "bindings/entry.hpp"
#include "bindings/requests.hpp"
#include "bindings/statistics.hpp"
#include "bindings/wait_subjects.hpp"
#include "bindings/weak.hpp"
#include "collectives/algorithms.hpp"
#include "rdma_btl/open_devices.hpp"
#include "runtime/bootstrap_open.hpp"
#include "runtime/wait_policy.hpp"

namespace remit {

namespace {

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

/// Opens everything an MPI process needs; nothing here waits for another rank.
Expected<std::unique_ptr<Instance>> open_instance(const char* function, int thread_level) {
  auto params = Params::from_environment(environ);
  if (!params) return tl::unexpected(params.error());
  if (auto known = check_forced_algorithms(*params); !known) return tl::unexpected(known.error());
  auto bootstrap = open_bootstrap(environ);
  if (!bootstrap) return tl::unexpected(bootstrap.error());
  auto process = std::make_unique<Process>(std::move(*bootstrap), std::make_shared<SteadyClock>(),
                                           std::move(*params), random_seed());
  process->progress().set_policy(make_wait_policy(process->params(), process->identity()));
  if (const char* directory = std::getenv("PMIX_SERVER_TMPDIR"); directory != nullptr) {
    process->progress().set_call_board(
        CallBoard::open(fmt::format("{}/{}", directory, kCallFileName), process->rank()));
  }
  auto devices = open_devices(*process);
  // Most often it is the same for all ranks of a host: the launcher says it once.
  if (!devices) {
    process->bootstrap().abort(1, fmt::format("{}: {}", function, devices.error().message));
  }
  return std::make_unique<Instance>(std::move(process), std::move(*devices), thread_level);
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
  auto instance = open_instance(function, level);
  if (!instance) die(function, instance.error().message);
  library().instance = instance->release();
  library().phase = Phase::running;
  if (provided != nullptr) *provided = level;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Init(int* /*argc*/, char*** /*argv*/) {
  return start("MPI_Init", MPI_THREAD_SINGLE, nullptr);
}
REMIT_WEAK(Init);

int PMPI_Init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) {
  if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) {
    die("MPI_Init_thread",
        fmt::format("required is {}, which is none of the four MPI_THREAD_ levels", required));
  }
  return start("MPI_Init_thread", required, provided);
}
REMIT_WEAK(Init_thread);

int PMPI_Initialized(int* flag) {
  if (int err = check_pointer(flag, "MPI_Initialized", "flag")) return err;
  *flag = library().phase != Phase::before_init;
  return MPI_SUCCESS;
}
REMIT_WEAK(Initialized);

int PMPI_Finalized(int* flag) {
  if (int err = check_pointer(flag, "MPI_Finalized", "flag")) return err;
  *flag = library().phase == Phase::finalized;
  return MPI_SUCCESS;
}
REMIT_WEAK(Finalized);

int PMPI_Finalize() {
  Instance* instance = nullptr;
  {
    Entry entry("MPI_Finalize");
    instance = &entry.instance();
    // Attributes of MPI_COMM_SELF go first: their delete callbacks may still use MPI
    // (MPI-5.0, section 11.4.1).
    delete_all_attributes(instance->self.attributes, Owner::comm, MPI_COMM_SELF);
    delete_all_attributes(instance->world.attributes, Owner::comm, MPI_COMM_WORLD);
    settle_freed_requests(*instance);
    const DepartureWait subject(entry);
    instance->bsend->drain(*instance, &subject);
    instance->engine->flush(&subject);
    report_statistics(*instance);
  }
  library().instance = nullptr;
  library().phase = Phase::finalized;
  instance->process->bootstrap().finalize();
  delete instance;
  return MPI_SUCCESS;
}
REMIT_WEAK(Finalize);

int PMPI_Query_thread(int* provided) {
  Entry entry("MPI_Query_thread");
  if (int err = entry.not_null(provided, "provided")) return err;
  *provided = entry.instance().thread_level;
  return MPI_SUCCESS;
}
REMIT_WEAK(Query_thread);

int PMPI_Is_thread_main(int* flag) {
  Entry entry("MPI_Is_thread_main");
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = entry.instance().main_thread == std::this_thread::get_id();
  return MPI_SUCCESS;
}
REMIT_WEAK(Is_thread_main);

int PMPI_Abort(MPI_Comm comm, int errorcode) {
  Entry entry("MPI_Abort");
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  Process& process = *entry.instance().process;
  process.bootstrap().abort(errorcode,
                            fmt::format("MPI_Abort({}, {}) was called",
                                        c->name.empty() ? "a communicator" : c->name, errorcode));
  std::abort();  // GCC does not trust [[noreturn]] of a virtual function
}
REMIT_WEAK(Abort);

int PMPI_Get_processor_name(char* name, int* resultlen) {
  Entry entry("MPI_Get_processor_name");
  if (int err = entry.not_null(name, "name")) return err;
  if (int err = entry.not_null(resultlen, "resultlen")) return err;
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) {
    return entry.fail(MPI_ERR_OTHER, "gethostname: {}", std::strerror(errno));
  }
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}
REMIT_WEAK(Get_processor_name);
