// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Start and end of MPI_T (MPI-5.0, section 15.3.4), and its hold of the MPI process.
#include "bindings/tool/tool.hpp"

#include <new>

#include "bindings/weak.hpp"
#include "runtime/waiting/core_yield.hpp"

namespace remit {

Tool& make_tool() {
  return made_once(library().tool);
}

void Tool::attach(Instance& instance, bool reopened) {
  const bool enters = instance.locking();  // there may be a progress thread
  if (enters) instance.enter();
  {
    const std::lock_guard lock(mutex);
    if (reopened) pvars.reopened(instance);
    cvars.opened(instance);
    events.attach(instance);
  }
  if (enters) instance.leave();
  const std::lock_guard lock(instance_mutex_);
  instance_ = &instance;
}

void Tool::detach() {
  Instance* instance = nullptr;
  {
    const std::lock_guard lock(instance_mutex_);
    instance = std::exchange(instance_, nullptr);
  }
  if (instance == nullptr) return;
  const auto held = [this] {
    const std::lock_guard lock(instance_mutex_);
    return holds_ != 0;
  };
  while (held()) yield_core();
  const std::lock_guard lock(mutex);
  pvars.retire(*instance);
  cvars.closed(*instance);
  ToolEvents::detach(*instance);
}

HeldMpi::HeldMpi(Tool& tool) : tool_(tool) {
  {
    const std::lock_guard lock(tool_.instance_mutex_);
    instance_ = tool_.instance_;
    if (instance_ == nullptr) return;
    ++tool_.holds_;
  }
  entered_ = instance_->locking();
  if (entered_) instance_->enter();
}

HeldMpi::~HeldMpi() {
  if (instance_ == nullptr) return;
  if (entered_) instance_->leave();
  const std::lock_guard lock(tool_.instance_mutex_);
  --tool_.holds_;
}

bool HeldMpi::may_change() const {
  return instance_ == nullptr || entered_ || instance_->main_thread == std::this_thread::get_id() ||
         instance_->thread_level == MPI_THREAD_SERIALIZED;
}

int tool_error_of_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  } catch (...) {
    return MPI_T_ERR_INVALID;
  }
}

}  // namespace remit

using namespace remit;

int PMPI_T_init_thread(int required, int* provided) try {
  const ToolCall call;
  const bool is_level = required == MPI_THREAD_SINGLE || required == MPI_THREAD_FUNNELED ||
                        required == MPI_THREAD_SERIALIZED || required == MPI_THREAD_MULTIPLE;
  if (!is_level) return MPI_T_ERR_INVALID;
  ++call.tool().users;
  put<int>(provided, MPI_THREAD_MULTIPLE);
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_init_thread);

int PMPI_T_finalize() try {
  const ToolMpiCall call;
  if (!call.open()) return MPI_T_ERR_NOT_INITIALIZED;
  Tool& tool = call.tool();
  if (--tool.users != 0) return MPI_SUCCESS;
  tool.cvars.close();
  tool.pvars.close();
  tool.events.close(call.instance(), call.may_change());
  return MPI_SUCCESS;
} catch (...) {
  return tool_error_of_exception();
}
REMIT_WEAK(T_finalize);
