// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Life of the MPI process behind the C interface.
#include "bindings/process/instance.hpp"

#include <algorithm>
#include <system_error>

#include "bindings/comm/attributes.hpp"
#include "bindings/env/errors.hpp"
#include "bindings/handles.hpp"
#include "bindings/io/open_files.hpp"
#include "bindings/process/progress_thread.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/rma/open_windows.hpp"
#include "datatype/unnamed_types.hpp"
#include "rdma_btl/open_devices.hpp"
#include "runtime/os/os.hpp"

namespace remit {

namespace {

void make_predefined(CommObject& comm, MPI_Comm handle, const char* name, ContextId context,
                     int rank, std::shared_ptr<const Group> group) {
  comm.handle = handle;
  comm.name = name;
  comm.core.context = context;
  comm.core.rank = rank;
  comm.core.local = std::move(group);
}

}  // namespace

Instance::Instance(std::unique_ptr<Process> p, std::vector<std::unique_ptr<Device>> devices,
                   int level)
    : process(std::move(p)),
      threads(process->progress()),
      thread_level(level),
      main_thread(std::this_thread::get_id()) {
  engine = std::make_unique<Engine>(*process, std::move(devices));
  comms = std::make_unique<CommProcess>(*engine, threads);
  const auto my_proc = static_cast<ProcId>(process->rank());
  make_predefined(world, MPI_COMM_WORLD, "MPI_COMM_WORLD",
                  ContextIds::context_of(ContextIds::kWorld), process->rank(),
                  Group::regular(ProcId{0}, 1, process->size()));
  make_predefined(self, MPI_COMM_SELF, "MPI_COMM_SELF", ContextIds::context_of(ContextIds::kSelf),
                  0, Group::regular(my_proc, 1, 1));
  bsend = std::make_unique<BsendBuffer>();
  unnamed_types = std::make_unique<UnnamedTypes>();
  const Identity& identity = process->identity();
  predefined_attributes.tag_ub = kTagUpperBound;
  // CLOCK_MONOTONIC is one clock for all ranks of a host.
  predefined_attributes.wtime_is_global = identity.local_size == identity.size;
  predefined_attributes.universe_size = identity.universe_size;
  predefined_attributes.app_number = identity.app_number;
}

void Instance::guard_for(int level, bool is_session) {
  // Calls for one user may come from another thread than those for another one, at levels that are
  // serial within each; and several threads may each serialize the calls of their own session.
  const bool meet = library().users > 0
                        ? std::max(level, thread_level) > MPI_THREAD_SINGLE
                        : level == MPI_THREAD_MULTIPLE || (is_session && level > MPI_THREAD_SINGLE);
  if (meet) {
    threads.lock_calls();
  } else if (level != MPI_THREAD_SINGLE) {
    const bool barriers = shm::register_for_barriers() && shm::barrier_everywhere();
    threads.mark_calls(barriers ? shm::barrier_everywhere : nullptr);
  }
}

void Instance::leave() {
  if (threads.leave_marked()) return;
  if (progress_thread != nullptr) [[unlikely]]
    progress_thread->look();
  if (threads.locks_for_now()) [[unlikely]] {
    if (progress_thread == nullptr || progress_thread->is_asleep()) threads.end_lock_for_now();
  }
  threads.give_up_lock();
}

void Instance::start_progress_thread() {
  if (!process->params().flag(progress_thread_param)) return;
  threads.lock_calls();
  run_progress_thread();
}

bool Instance::refuses_progress_thread() const {
  const Params& params = process->params();
  return params.is_set(progress_thread_param) && !params.flag(progress_thread_param);
}

void Instance::hold_lock(bool was_guarded) {
  if (was_guarded) {
    threads.wait_for_unguarded();
  } else {
    enter();
  }
}

void Instance::want_progress_thread() {
  const bool is_lasting = locking() && !threads.locks_for_now();
  if ((progress_thread != nullptr && is_lasting) || refuses_progress_thread()) return;
  // The call that is under way holds the lock from here on, and gives it up at its end.
  const bool was_guarded = guarded();
  threads.lock_calls();
  hold_lock(was_guarded);
  if (progress_thread == nullptr) run_progress_thread();
}

void Instance::drive_files() {
  if (refuses_progress_thread()) return;
  if (!locking()) {
    const bool was_guarded = guarded();
    threads.lock_calls_for_now();
    hold_lock(was_guarded);
  }
  if (progress_thread == nullptr) run_progress_thread();
}

void Instance::run_progress_thread() {
  try {
    progress_thread = std::make_unique<ProgressThread>(*this);
  } catch (const std::system_error& error) {
    process->log().write(LogLevel::warning, "there is no progress thread: {}", error.what());
  }
}

Instance::~Instance() = default;

void destroy(CommObject* comm) {
  release_errhandler(comm->errhandler);
  comm->kind = ObjectKind::freed;
  if (Instance* instance = library().instance; instance != nullptr) {
    instance->comms->contexts().release(comm->core.context);
    instance->process->events().raise(EventKind::communicator_freed, comm->core.context);
  }
  delete comm;
}

}  // namespace remit
