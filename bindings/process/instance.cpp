// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Life of the MPI process behind the C interface.
#include "bindings/process/instance.hpp"

#include <sched.h>

#include <algorithm>
#include <system_error>

#include "bindings/comm/attributes.hpp"
#include "bindings/env/errors.hpp"
#include "bindings/handles.hpp"
#include "bindings/process/progress_thread.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "datatype/unnamed_types.hpp"
#include "rdma_btl/open_devices.hpp"
#include "runtime/os/os.hpp"

namespace remit {

namespace {

/// Gives other threads their turn while one waits.
class UnlockWhileIdle final : public Progress::YieldHook {
 public:
  explicit UnlockWhileIdle(Instance& instance) : instance_(instance) {}
  void before() override {
    Presence* presence = instance_.presence.get();
    if (presence != nullptr && presence->is_inside()) {
      presence->sleep();
    } else {
      instance_.tell_others();
      instance_.lock.pause();
    }
  }
  void after() override {
    Presence* presence = instance_.presence.get();
    if (presence == nullptr || !presence->is_asleep()) {
      instance_.lock.resume();
      return;
    }
    presence->awake();
    if (instance_.locking()) instance_.lock_instead();
  }

 private:
  Instance& instance_;
};

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
    : process(std::move(p)), thread_level(level), main_thread(std::this_thread::get_id()) {
  engine = std::make_unique<Engine>(*process, std::move(devices));
  comms = std::make_unique<CommProcess>(*engine, *this);
  const auto my_proc = static_cast<ProcId>(process->rank());
  make_predefined(world, MPI_COMM_WORLD, "MPI_COMM_WORLD",
                  ContextIds::context_of(ContextIds::kWorld), process->rank(),
                  Group::regular(0, 1, process->size()));
  make_predefined(self, MPI_COMM_SELF, "MPI_COMM_SELF", ContextIds::context_of(ContextIds::kSelf),
                  0, Group::regular(my_proc, 1, 1));
  sent.core.complete = sent.plain = true;
  bsend = std::make_unique<BsendBuffer>();
  unnamed_types = std::make_unique<UnnamedTypes>();
  for (std::size_t slot = 0; slot < kDatatypeSlots; ++slot) {
    const Datatype* type = kPredefinedDatatypes[slot];
    if (type == nullptr || !type->is_usable() || !type->layout().is_contiguous()) continue;
    block_bytes[slot] = static_cast<std::uint8_t>(type->layout().size());
  }
  const Identity& identity = process->identity();
  predefined_attributes.tag_ub = kTagUpperBound;
  // CLOCK_MONOTONIC is one clock for all ranks of a host.
  predefined_attributes.wtime_is_global = identity.local_size == identity.size;
  predefined_attributes.universe_size = identity.universe_size;
  predefined_attributes.app_number = identity.app_number;
}

void Instance::find_kernel(MPI_Op op, MPI_Datatype type) {
  last_reduction = {op, type, nullptr};
  const Op* operation = predefined_op(reinterpret_cast<std::uintptr_t>(op));
  const Datatype* datatype = predefined(reinterpret_cast<std::uintptr_t>(type));
  if (operation == nullptr || datatype == nullptr) return;
  const remit::Reduction kind = operation->kind();
  const bool of_truth = kind == remit::Reduction::land || kind == remit::Reduction::lor ||
                        kind == remit::Reduction::lxor;
  if (of_truth || !check(*operation, *datatype)) return;
  last_reduction.kernel = reduction_kernel(*operation, *datatype);
}

void Instance::guard_for(int level, bool is_session) {
  // Calls for one user may come from another thread than those for another one, at levels that are
  // serial within each; and several threads may each serialize the calls of their own session.
  const bool meet = library().users > 0
                        ? std::max(level, thread_level) > MPI_THREAD_SINGLE
                        : level == MPI_THREAD_MULTIPLE || (is_session && level > MPI_THREAD_SINGLE);
  if (locking() || (!meet && level == MPI_THREAD_SINGLE)) return;
  if (yield_hook == nullptr) {
    yield_hook = std::make_unique<UnlockWhileIdle>(*this);
    process->progress().set_yield_hook(yield_hook.get());
  }
  if (!meet) {
    if (presence == nullptr) {
      const bool barriers = shm::register_for_barriers() && shm::barrier_everywhere();
      presence = std::make_unique<Presence>(barriers ? shm::barrier_everywhere : nullptr);
    }
    guard = Guard::mark;
    return;
  }
  guard = Guard::lock;
  if (presence != nullptr) presence->order();
}

void Instance::wait_for_unguarded() {
  if (presence == nullptr || !locking()) return;
  while (!presence->gone()) ::sched_yield();
  // A callback of this thread's own call.
  if (presence->is_inside()) lock_instead();
}

void Instance::lock_instead() {
  for (int nested = presence->give_up(); nested > 0; --nested) lock.lock();
  others_may_care = true;
}

void Instance::enter() {
  if (!locking()) {
    presence->enter();
    if (!locking()) [[likely]]
      return;
    presence->leave();
  }
  lock.lock();
  others_may_care = true;
}

void Instance::leave() {
  // A call that has marked and never slept since calls take the lock.
  if (presence != nullptr && presence->is_inside()) {
    presence->leave();
    return;
  }
  tell_others();
  if (progress_thread != nullptr) [[unlikely]]
    progress_thread->look();
  lock.unlock();
}

void Instance::start_progress_thread() {
  if (!process->params().flag(progress_thread_param)) return;
  try {
    progress_thread = std::make_unique<ProgressThread>(*this);
  } catch (const std::system_error& error) {
    process->log().write(LogLevel::warning, "there is no progress thread: {}", error.what());
  }
}

Instance::~Instance() {
  while (free_requests != nullptr) {
    ::operator delete(std::exchange(free_requests, free_requests->next));
  }
  while (plain_requests != nullptr) {
    delete std::exchange(plain_requests, plain_requests->next_plain);
  }
}

void destroy(CommObject* comm) {
  release_errhandler(comm->errhandler);
  comm->kind = ObjectKind::freed;
  if (Instance* instance = library().instance; instance != nullptr) {
    instance->comms->contexts().release(comm->core.context);
  }
  delete comm;
}

}  // namespace remit
