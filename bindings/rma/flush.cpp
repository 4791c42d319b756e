// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Completing operations inside of a passive epoch (MPI-5.0, section 12.5.4).
#include "bindings/handles.hpp"
#include "bindings/rma/operation.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// flush_at_once(), where no other call can come between.
[[gnu::always_inline]] inline bool is_flushed(int rank, bool all, MPI_Win win) {
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  if (object == nullptr) [[unlikely]]
    return false;
  Window& window = *object->window;
  if (!all && static_cast<unsigned>(rank) >= static_cast<unsigned>(window.members().size()))
      [[unlikely]]
    return false;
  return object->open->types.empty() && window.short_ways().try_flush(all ? kAllMembers : rank);
}

/// The fast path: true if there is nothing to wait for.
[[gnu::always_inline]] inline bool flush_at_once(int rank, bool all, MPI_Win win) noexcept {
  const Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded()) [[unlikely]]
    return false;
  return is_flushed(rank, all, win);
}

/// Behind the fast path, where calls are guarded: true if all that there was to wait for were
/// operations by a device, which have ended.
bool flush_moves(const char* function, int rank, MPI_Win win) {
  Instance* instance = library().instance;
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  if (instance == nullptr || !instance->guarded() || object == nullptr) return false;
  GuardedCall call(*instance);
  Window* const window = object->window;
  if (window == nullptr || !window->is_busy()) {
    call.changed_nothing();
    return false;
  }
  return static_cast<unsigned>(rank) < static_cast<unsigned>(window->members().size()) &&
         object->open->types.empty() && window->passive_target().try_flush(function, rank);
}

int flush(const char* function, int rank, bool local, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  Window& window = *win->window;
  if (int err = entry.target(window.members().size(), rank, "rank")) return err;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (!window.is_busy()) entry.changed_nothing();
  if (auto flushed = window.passive_target().flush(call_of(entry), rank, local); !flushed) {
    return entry.fail(flushed.error());
  }
  win->open->types.release(rank);
  return MPI_SUCCESS;
}

int flush_all(const char* function, bool local, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (!win->window->is_busy()) entry.changed_nothing();
  if (auto flushed = win->window->passive_target().flush(call_of(entry), kAllMembers, local);
      !flushed) {
    return entry.fail(flushed.error());
  }
  win->open->types.release(kAllMembers);
  return MPI_SUCCESS;
}

// Behind the fast paths, which keep nothing for the handler of an exception.

[[gnu::noinline]] int full_flush(const char* function, int rank, bool local, MPI_Win win) try {
  if (flush_moves(function, rank, win)) return MPI_SUCCESS;
  return flush(function, rank, local, win);
} catch (...) {
  return caught(function, win);
}

[[gnu::noinline]] int full_flush_all(const char* function, bool local, MPI_Win win) try {
  return flush_all(function, local, win);
} catch (...) {
  return caught(function, win);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Win_flush(int rank, MPI_Win win) {
  if (flush_at_once(rank, false, win)) [[likely]]
    return MPI_SUCCESS;
  return full_flush("MPI_Win_flush", rank, false, win);
}
REMIT_WEAK(Win_flush);

int PMPI_Win_flush_local(int rank, MPI_Win win) {
  if (flush_at_once(rank, false, win)) [[likely]]
    return MPI_SUCCESS;
  return full_flush("MPI_Win_flush_local", rank, true, win);
}
REMIT_WEAK(Win_flush_local);

int PMPI_Win_flush_all(MPI_Win win) {
  if (flush_at_once(kAllMembers, true, win)) [[likely]]
    return MPI_SUCCESS;
  return full_flush_all("MPI_Win_flush_all", false, win);
}
REMIT_WEAK(Win_flush_all);

int PMPI_Win_flush_local_all(MPI_Win win) {
  if (flush_at_once(kAllMembers, true, win)) [[likely]]
    return MPI_SUCCESS;
  return full_flush_all("MPI_Win_flush_local_all", true, win);
}
REMIT_WEAK(Win_flush_local_all);
