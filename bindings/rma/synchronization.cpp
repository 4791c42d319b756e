// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Epochs of windows: fence, post and start, locks (MPI-5.0, sections 12.5.1 to 12.5.3 and 12.5.4).
#include <algorithm>
#include <vector>

#include "bindings/handles.hpp"
#include "bindings/rma/operation.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

constexpr int kFenceAssertions =
    MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
constexpr int kPostAssertions = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;

/// Ends a call after which no operation on `rank`, or on any (< 0), is under way.
int finish_synchronized(Entry& entry, WinObject& win, int rank, const Expected<>& result) {
  if (!result) return entry.fail(result.error());
  win.open->types.release(rank);
  return MPI_SUCCESS;
}

int fence_window(const char* function, int assertion, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.assertion(assertion, kFenceAssertions)) return err;
  return finish_synchronized(entry, *win, kAllMembers,
                             win->window->active_target().fence(call_of(entry), assertion));
}

/// The ranks in the window's group of those of another group, ascending.
int ranks_in_window(Entry& entry, const WinObject& win, MPI_Group handle, std::vector<int>& out) {
  std::shared_ptr<const Group> group;
  if (int err = entry.group(handle, group)) return err;
  const Group& members = *win.window->comm().local;
  out.reserve(static_cast<std::size_t>(group->size()));
  for (int i = 0; i < group->size(); ++i) {
    const int rank = members.rank_of(group->proc(i));
    if (rank == MPI_UNDEFINED) {
      return entry.fail(MPI_ERR_GROUP, "rank {} of group is not in the group of the window", i);
    }
    out.push_back(rank);
  }
  std::sort(out.begin(), out.end());
  return MPI_SUCCESS;
}

int start_epoch(const char* function, MPI_Group group, int assertion, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  std::vector<int> ranks;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.assertion(assertion, MPI_MODE_NOCHECK)) return err;
  if (int err = ranks_in_window(entry, *win, group, ranks)) return err;
  return finish(entry,
                win->window->active_target().start(call_of(entry), std::move(ranks), assertion));
}

int complete_epoch(const char* function, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  return finish_synchronized(entry, *win, kAllMembers,
                             win->window->active_target().complete(call_of(entry)));
}

int post_exposure(const char* function, MPI_Group group, int assertion, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  std::vector<int> ranks;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.assertion(assertion, kPostAssertions)) return err;
  if (int err = ranks_in_window(entry, *win, group, ranks)) return err;
  return finish(entry, win->window->active_target().post(ranks, assertion));
}

int wait_for_exposure(const char* function, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  return finish(entry, win->window->active_target().wait(call_of(entry)));
}

int test_exposure(const char* function, MPI_Win handle, int* flag) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  Expected<bool> ended = win->window->active_target().test();
  if (ended && !*ended) {  // as MPI_Test, it lets others get on
    entry.progress().poll();
    ended = win->window->active_target().test();
  }
  if (!ended) return entry.fail(ended.error());
  *flag = *ended ? 1 : 0;
  if (!*ended) entry.only_looked();
  return MPI_SUCCESS;
}

/// A window whose targets may be locked.
int lockable_window(Entry& entry, MPI_Win handle, WinObject*& out) {
  if (int err = open_window(entry, handle, out)) return err;
  if (!out->window->spec().no_locks) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_RMA_SYNC,
                    "the window was made with no_locks=true in its info: nobody may be locked");
}

/// ... and one of its members. MPI_PROC_NULL is none, and nothing is done.
int lockable_target(Entry& entry, MPI_Win handle, int rank, WinObject*& out) {
  if (int err = lockable_window(entry, handle, out)) return err;
  return entry.target(out->window->members().size(), rank, "rank");
}

int lock_target(const char* function, int lock_type, int rank, int assertion, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = lockable_target(entry, handle, rank, win)) return err;
  if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED) {
    return entry.fail(MPI_ERR_LOCKTYPE,
                      "lock_type is {}; it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED",
                      lock_type);
  }
  if (int err = entry.assertion(assertion, MPI_MODE_NOCHECK)) return err;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  const bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
  return finish(entry,
                win->window->passive_target().lock(call_of(entry), rank, exclusive, assertion));
}

/// lock_at_once(), where no other call can come between.
[[gnu::always_inline]] inline bool take_free_lock(int lock_type, int rank, MPI_Win win) {
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  const bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
  if (object == nullptr || (!exclusive && lock_type != MPI_LOCK_SHARED) ||
      object->window->spec().no_locks) [[unlikely]]
    return false;
  return object->window->short_ways().try_lock(rank, exclusive);
}

/// The fast path: true if the target's lock was free, and has been taken.
[[gnu::always_inline]] inline bool lock_at_once(int lock_type, int rank, int assertion,
                                                MPI_Win win) noexcept {
  const Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded() || assertion != 0) [[unlikely]]
    return false;
  return take_free_lock(lock_type, rank, win);
}

// Behind the fast path, which keeps nothing for the handler of an exception.
[[gnu::noinline]] int full_lock(const char* function, int lock_type, int rank, int assertion,
                                MPI_Win win) try {
  return lock_target(function, lock_type, rank, assertion, win);
} catch (...) {
  return caught(function, win);
}

/// The fast path of an unlock: true if there was nothing to wait for, and it is done.
[[gnu::always_inline]] inline bool unlock_at_once(int rank, MPI_Win win) {
  const Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded()) [[unlikely]]
    return false;
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  return object != nullptr && object->open->types.empty() &&
         object->window->short_ways().try_unlock(rank);
}

/// ... of MPI_Win_lock_all, which asks nobody.
[[gnu::always_inline]] inline bool lock_all_at_once(int assertion, MPI_Win win) noexcept {
  const Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded() || assertion != 0) [[unlikely]]
    return false;
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  return object != nullptr && !object->window->spec().no_locks &&
         object->window->short_ways().try_lock_all();
}

[[gnu::always_inline]] inline bool unlock_all_at_once(MPI_Win win) {
  const Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded()) [[unlikely]]
    return false;
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  return object != nullptr && object->open->types.empty() &&
         object->window->short_ways().try_unlock_all();
}

int unlock_target(const char* function, int rank, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = lockable_target(entry, handle, rank, win)) return err;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  return finish_synchronized(entry, *win, rank,
                             win->window->passive_target().unlock(call_of(entry), rank));
}

int lock_all_targets(const char* function, int assertion, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = lockable_window(entry, handle, win)) return err;
  if (int err = entry.assertion(assertion, MPI_MODE_NOCHECK)) return err;
  return finish(entry, win->window->passive_target().lock_all(assertion));
}

int unlock_all_targets(const char* function, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  return finish_synchronized(entry, *win, kAllMembers,
                             win->window->passive_target().unlock_all(call_of(entry)));
}

// Behind the fast path.
[[gnu::noinline]] int full_lock_all(const char* function, int assertion, MPI_Win win) try {
  return lock_all_targets(function, assertion, win);
} catch (...) {
  return caught(function, win);
}

int sync_window(const char* function, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  win->window->passive_target().sync();
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  if (lock_at_once(lock_type, rank, assert, win)) [[likely]]
    return MPI_SUCCESS;
  return full_lock("MPI_Win_lock", lock_type, rank, assert, win);
}
REMIT_WEAK(Win_lock);

// Whoever sleeps for a lock is woken from within the fast path, which may fail.
int PMPI_Win_unlock(int rank, MPI_Win win) try {
  if (unlock_at_once(rank, win)) [[likely]]
    return MPI_SUCCESS;
  return unlock_target("MPI_Win_unlock", rank, win);
} catch (...) {
  return caught("MPI_Win_unlock", win);
}
REMIT_WEAK(Win_unlock);

int PMPI_Win_lock_all(int assert, MPI_Win win) {
  if (lock_all_at_once(assert, win)) [[likely]]
    return MPI_SUCCESS;
  return full_lock_all("MPI_Win_lock_all", assert, win);
}
REMIT_WEAK(Win_lock_all);

int PMPI_Win_unlock_all(MPI_Win win) try {
  if (unlock_all_at_once(win)) [[likely]]
    return MPI_SUCCESS;
  return unlock_all_targets("MPI_Win_unlock_all", win);
} catch (...) {
  return caught("MPI_Win_unlock_all", win);
}
REMIT_WEAK(Win_unlock_all);

#include "bindings/generated/rma/synchronization.inc"
