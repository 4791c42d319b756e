// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Life of the MPI process behind the C interface.
#include "bindings/process/instance.hpp"

#include <algorithm>

#include "bindings/comm/attributes.hpp"
#include "bindings/env/errors.hpp"
#include "bindings/handles.hpp"
#include "bindings/io/open_files.hpp"
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
      main_thread(std::this_thread::get_id()),
      background({*process, threads, engine, files, windows}) {
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
  if (background.runs()) [[unlikely]]
    background.look();
  if (threads.locks_for_now()) [[unlikely]]
    background.end_lock_for_now();
  threads.give_up_lock();
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
