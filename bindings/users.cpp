// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening and closing the MPI process for the World Model and for sessions.
#include "bindings/users.hpp"

#include <unistd.h>

#include <cstdlib>
#include <random>

#include "bindings/bsend.hpp"
#include "bindings/requests.hpp"
#include "bindings/statistics.hpp"
#include "bindings/wait_subjects.hpp"
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

/// What is still to leave this process, whoever sent it.
void send_the_rest(const char* function) {
  Entry entry(function);
  Instance& instance = entry.instance();
  settle_freed_requests(instance);
  const DepartureWait subject(entry);
  instance.engine->flush(&subject);
  instance.progress().poll();  // for those who wait to hear of it: BsendBuffer
  report_statistics(instance);
}

}  // namespace

Expected<Instance*> join_instance(const char* function, int thread_level) {
  const std::lock_guard lock(library().opening);
  if (Instance* instance = library().instance; instance != nullptr) {
    // Calls for one user may come from another thread than those for another one, at levels that
    // are serial within each.
    if (std::max(thread_level, instance->thread_level) > MPI_THREAD_SINGLE) {
      instance->start_locking();
    }
    ++library().users;
    return instance;
  }
  auto opened = open_instance(function, thread_level);
  if (!opened) return tl::unexpected(opened.error());
  library().instance = opened->release();
  library().users = 1;
  return library().instance;
}

void leave_instance(const char* function) {
  const std::lock_guard lock(library().opening);
  if (library().users == 1) send_the_rest(function);
  if (--library().users != 0) return;
  Instance* instance = std::exchange(library().instance, nullptr);
  instance->process->bootstrap().finalize();
  delete instance;
}

}  // namespace remit
