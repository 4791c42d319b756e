// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Opening and closing the MPI process for the World Model and for sessions.
#include "bindings/process/users.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/env/statistics.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "bindings/io/open_files.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/rma/open_windows.hpp"
#include "bindings/tool/tool.hpp"
#include "collectives/choice/collective_costs.hpp"
#include "collectives/choice/forced.hpp"
#include "collectives/choice/tuning.hpp"
#include "rdma_btl/open_devices.hpp"
#include "runtime/bootstrap/bootstrap_open.hpp"
#include "runtime/clock.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {

namespace {

/// What tools have set by MPI_T.
Expected<> apply_tool_settings(Params& params) {
  Tool& tool = the_tool();
  const std::lock_guard lock(tool.mutex);
  return tool.cvars.apply(params);
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;  // std::random_device asks the processor what it is, which costs 30 us
  if (::getentropy(&seed, sizeof seed) != 0) seed = static_cast<std::uint64_t>(monotonic_ns());
  return seed;
}

/// What collectives cost here; what is wrong with the file is said once in a job.
std::shared_ptr<const CollectiveTable> load_costs(Process& process) {
  const Identity& me = process.identity();
  LoadedTable costs = load_collective_table(process.params(), me.local_size == me.size);
  if (!costs.problem.empty() && process.rank() == 0) {
    process.log().write(LogLevel::warning, "{}", costs.problem);
  }
  return costs.table;
}

/// Opens everything an MPI process needs; nothing here waits for another rank.
Expected<std::unique_ptr<Instance>> open_instance(const char* function, int thread_level) {
  auto params = Params::from_environment(environ);
  if (!params) return tl::unexpected(params.error());
  if (auto set = apply_tool_settings(*params); !set) return tl::unexpected(set.error());
  if (auto known = check_forced_algorithms(*params); !known) return tl::unexpected(known.error());
  const EarlySteps early = take_early_steps();
  auto bootstrap = open_bootstrap(environ, library().openings++);
  if (!bootstrap) return tl::unexpected(bootstrap.error());
  auto process = std::make_unique<Process>(std::move(*bootstrap), std::make_shared<SteadyClock>(),
                                           std::move(*params), random_seed());
  process->progress().set_policy(make_wait_policy(process->params(), process->identity()));
  if (const char* directory = std::getenv("PMIX_SERVER_TMPDIR"); directory != nullptr) {
    process->progress().set_call_status_page(
        CallStatusPage::open(call_file_path(directory, process->identity().job), process->rank()));
  }
  process->kept<CollectiveCosts>().set_table([&own = *process] { return load_costs(own); });
  auto devices = open_devices(*process, early);
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
  if (instance.windows != nullptr) instance.windows->meet_at_end(call_of(entry));
  instance.comms->close_ports();
  settle_freed_requests(instance);
  const DepartureWait subject(entry);
  instance.progress().wait(
      [&] { return instance.engine->flushed() && instance.engine->links().departed(); }, &subject);
  instance.progress().poll();  // for those who wait to hear of it: BsendBuffer
  report_statistics(instance);
}

/// At the end of the program, for its peers to see a process that leaves in order.
void delete_parked() {
  Library& lib = library();
  if (lib.parked_by == ::getpid()) delete std::exchange(lib.parked, nullptr);
}

void park(Instance* instance) {
  Library& lib = library();
  lib.parked = instance;
  if (lib.parked_by == 0) std::atexit(delete_parked);
  lib.parked_by = ::getpid();  // a child of fork() must not speak for this process
}

Expected<Instance*> open_or_unpark(const char* function, int thread_level) {
  Library& lib = library();
  if (lib.parked == nullptr) {
    auto opened = open_instance(function, thread_level);
    if (!opened) return tl::unexpected(opened.error());
    return opened->release();
  }
  if (auto joined = lib.parked->process->bootstrap().reopen(); !joined) {
    return tl::unexpected(joined.error());
  }
  lib.parked->thread_level = thread_level;
  lib.parked->main_thread = std::this_thread::get_id();
  return std::exchange(lib.parked, nullptr);
}

Expected<Instance*> join(const char* function, int thread_level, bool is_session) {
  Library& lib = library();
  const std::lock_guard lock(lib.opening);
  Instance* instance = lib.instance;
  const bool opens = instance == nullptr;
  if (opens) {
    auto opened = open_or_unpark(function, thread_level);
    if (!opened) return opened;
    instance = *opened;
    instance->background.start_if_wanted();
  }
  instance->guard_for(thread_level, is_session);
  if (opens) the_tool().attach(*instance, instance->had_session);
  lib.instance = instance;
  ++lib.users;
  if (is_session) {
    instance->had_session = true;
    if (instance->open_world == nullptr) {
      instance->thread_level = std::max(instance->thread_level, thread_level);
    }
  }
  return instance;
}

}  // namespace

Expected<Instance*> join_instance(const char* function, int thread_level, bool is_session) {
  auto joined = join(function, thread_level, is_session);
  if (joined) (*joined)->threads.wait_for_unguarded();
  return joined;
}

void let_leave(Entry& entry, std::initializer_list<BsendBuffer*> buffers) {
  Instance& instance = entry.instance();
  const DepartureWait subject(entry);
  for (BsendBuffer* buffer : buffers) {
    if (buffer != nullptr) buffer->drain(instance, &subject);
  }
  instance.progress().wait([&] { return instance.engine->links().departed(); }, &subject);
}

void leave_instance(const char* function) {
  Library& lib = library();
  const std::lock_guard lock(lib.opening);
  if (lib.users == 1) send_the_rest(function);
  if (--lib.users != 0) return;
  lib.instance.load()->background.stop();
  the_tool().detach();
  Instance* instance = lib.instance.exchange(nullptr);
  // Others may still want to hear that ports are closed here.
  instance->process->bootstrap().finalize([instance] { instance->progress().poll(); });
  instance->files.reset();    // those that the program has not closed
  instance->windows.reset();  // those that the program has not freed
  if (instance->had_session) {
    park(instance);
  } else {
    delete instance;
  }
}

}  // namespace remit
