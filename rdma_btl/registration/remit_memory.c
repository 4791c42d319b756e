/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
   libremit_memory.so: stands before the C library's functions that unmap, move or empty memory, and
   tells the MPI library before they do so. For kernels and containers without userfaultfd:
       LD_PRELOAD=libremit_memory.so mpirun --param memory_monitor=preload ...
   It changes no code of other libraries. What the C library does inside itself it cannot see;
   so malloc is told (mallopt) to give nothing back to the system, and only memory whose mapping
   went through here is vouched for. Raw system calls stay unseen. A preloaded library is one a
   process, hence its state is static. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "rdma_btl/registration/preload_hooks.h"

#define EXPORT __attribute__((visibility("default")))

enum { kMaxRanges = 16384, kMaxSegments = 256, kMaxListeners = 64 };

struct range {
  uintptr_t begin, end;
};
struct listener {
  remit_memory_hook hook;
  void* argument;
};

/* listeners_lock may be held when ranges_lock is taken, never the other way round. */
static pthread_mutex_t listeners_lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener listeners[kMaxListeners];
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct range ranges[kMaxRanges]; /* seen mappings: sorted, disjoint, not adjacent */
static size_t range_count;
static struct range segments[kMaxSegments]; /* System V shared memory; empty: free */
static uintptr_t heap_begin;                /* 0: the constructor has not run */

static uintptr_t up_to_page(uintptr_t value) {
  const uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  return (value + mask) & ~mask;
}

/* The first range that ends after `begin`. */
static size_t first_after(uintptr_t begin) {
  size_t low = 0, high = range_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (ranges[middle].end > begin) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* Replaces `count` ranges from `at` by `with[0..added)`; what does not fit is forgotten. */
static void replace(size_t at, size_t count, const struct range* with, size_t added) {
  while (added != 0 && range_count - count + added > kMaxRanges) --added;
  memmove(&ranges[at + added], &ranges[at + count],
          (range_count - at - count) * sizeof(struct range));
  if (added != 0) memcpy(&ranges[at], with, added * sizeof(struct range));
  range_count = range_count - count + added;
}

static void remove_range(uintptr_t begin, uintptr_t end) {
  struct range rest[2];
  size_t added = 0, count = 0;
  pthread_mutex_lock(&ranges_lock);
  const size_t at = first_after(begin);
  while (at + count < range_count && ranges[at + count].begin < end) {
    const struct range old = ranges[at + count++];
    if (old.begin < begin) rest[added++] = (struct range){old.begin, begin};
    if (old.end > end) rest[added++] = (struct range){end, old.end};
  }
  replace(at, count, rest, added);
  pthread_mutex_unlock(&ranges_lock);
}

static void add_range(uintptr_t begin, uintptr_t end) {
  struct range whole = {begin, end};
  size_t count = 0;
  pthread_mutex_lock(&ranges_lock);
  const size_t at = first_after(begin == 0 ? 0 : begin - 1); /* one that ends at begin joins */
  while (at + count < range_count && ranges[at + count].begin <= end) {
    const struct range old = ranges[at + count++];
    if (old.begin < whole.begin) whole.begin = old.begin;
    if (old.end > whole.end) whole.end = old.end;
  }
  replace(at, count, &whole, 1);
  pthread_mutex_unlock(&ranges_lock);
}

static int range_known(uintptr_t begin, uintptr_t end) {
  pthread_mutex_lock(&ranges_lock);
  const size_t at = first_after(begin);
  const int known = at < range_count && ranges[at].begin <= begin && end <= ranges[at].end;
  pthread_mutex_unlock(&ranges_lock);
  return known;
}

static void report(uintptr_t begin, uintptr_t end, int emptied) {
  const int saved = errno;
  pthread_mutex_lock(&listeners_lock);
  for (size_t i = 0; i < kMaxListeners; ++i) {
    if (listeners[i].hook != NULL) listeners[i].hook(listeners[i].argument, begin, end, emptied);
  }
  pthread_mutex_unlock(&listeners_lock);
  errno = saved;
}

/* Before memory gets other pages or none. */
static void lose(const void* address, size_t length) {
  const uintptr_t begin = (uintptr_t)address;
  remove_range(begin, up_to_page(begin + length));
  report(begin, up_to_page(begin + length), 0);
}

/* ISO C does not turn object pointers into function pointers; POSIX does. */
static void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

#define NEXT(type, variable, name) \
  static type variable;            \
  if (variable == NULL) *(void**)&variable = next_function(name)

/* ---- what the MPI library calls ---- */

EXPORT int remit_memory_version(void) {
  return REMIT_MEMORY_VERSION;
}

EXPORT int remit_memory_attach(remit_memory_hook hook, void* argument) {
  int result = -1;
  pthread_mutex_lock(&listeners_lock);
  for (size_t i = 0; i < kMaxListeners && result != 0; ++i) {
    if (listeners[i].hook != NULL) continue;
    listeners[i].argument = argument;
    listeners[i].hook = hook;
    result = 0;
  }
  pthread_mutex_unlock(&listeners_lock);
  return result;
}

EXPORT void remit_memory_detach(remit_memory_hook hook, void* argument) {
  pthread_mutex_lock(&listeners_lock);
  for (size_t i = 0; i < kMaxListeners; ++i) {
    if (listeners[i].hook == hook && listeners[i].argument == argument) listeners[i].hook = NULL;
  }
  pthread_mutex_unlock(&listeners_lock);
}

EXPORT int remit_memory_knows(uintptr_t begin, uintptr_t end) {
  if (range_known(begin, end)) return 1;
  typedef void* (*sbrk_type)(intptr_t);
  NEXT(sbrk_type, real_sbrk, "sbrk");
  return heap_begin != 0 && begin >= heap_begin && end <= (uintptr_t)real_sbrk(0);
}

/* ---- what programs and libraries call ---- */

typedef void* (*mmap_type)(void*, size_t, int, int, int, off_t);

EXPORT void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  NEXT(mmap_type, real_mmap, "mmap");
  if ((flags & MAP_FIXED) != 0) lose(address, length);
  void* mapped = real_mmap(address, length, protection, flags, fd, offset);
  if (mapped != MAP_FAILED) add_range((uintptr_t)mapped, up_to_page((uintptr_t)mapped + length));
  return mapped;
}

EXPORT void* mmap64(void* address, size_t length, int protection, int flags, int fd,
                    off64_t offset) {
  return mmap(address, length, protection, flags, fd, (off_t)offset);
}

EXPORT int munmap(void* address, size_t length) {
  typedef int (*munmap_type)(void*, size_t);
  NEXT(munmap_type, real_munmap, "munmap");
  lose(address, length);
  return real_munmap(address, length);
}

EXPORT void* mremap(void* old, size_t old_length, size_t length, int flags, ...) {
  typedef void* (*mremap_type)(void*, size_t, size_t, int, ...);
  NEXT(mremap_type, real_mremap, "mremap");
  void* wanted = NULL;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list list;
    va_start(list, flags);
    wanted = va_arg(list, void*);
    va_end(list);
    lose(wanted, length);
  }
  const uintptr_t begin = (uintptr_t)old;
  const int known = range_known(begin, up_to_page(begin + old_length));
  lose(old, old_length);
  void* mapped = real_mremap(old, old_length, length, flags, wanted);
  if (!known) return mapped;
  if (mapped != MAP_FAILED) {
    add_range((uintptr_t)mapped, up_to_page((uintptr_t)mapped + length));
  } else {
    add_range(begin, up_to_page(begin + old_length));
  }
  return mapped;
}

EXPORT int madvise(void* address, size_t length, int advice) {
  typedef int (*madvise_type)(void*, size_t, int);
  NEXT(madvise_type, real_madvise, "madvise");
  const uintptr_t begin = (uintptr_t)address;
  if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE) {
    report(begin, up_to_page(begin + length), 1);
  }
  return real_madvise(address, length, advice);
}

static uintptr_t program_break(void) {
  typedef void* (*sbrk_type)(intptr_t);
  NEXT(sbrk_type, real_sbrk, "sbrk");
  return (uintptr_t)real_sbrk(0);
}

EXPORT int brk(void* address) {
  typedef int (*brk_type)(void*);
  NEXT(brk_type, real_brk, "brk");
  const uintptr_t now = program_break();
  if ((uintptr_t)address < now) report((uintptr_t)address, up_to_page(now), 0);
  return real_brk(address);
}

EXPORT void* sbrk(intptr_t increment) {
  typedef void* (*sbrk_type)(intptr_t);
  NEXT(sbrk_type, real_sbrk, "sbrk");
  const uintptr_t now = program_break();
  if (increment < 0) report(now - (uintptr_t)-increment, up_to_page(now), 0);
  return real_sbrk(increment);
}

static size_t segment_bytes(int id) {
  struct shmid_ds state;
  return shmctl(id, IPC_STAT, &state) == 0 ? state.shm_segsz : 0;
}

EXPORT void* shmat(int id, const void* address, int flags) {
  typedef void* (*shmat_type)(int, const void*, int);
  NEXT(shmat_type, real_shmat, "shmat");
  const size_t bytes = segment_bytes(id);
  if ((flags & SHM_REMAP) != 0) lose(address, bytes);
  void* mapped = real_shmat(id, address, flags);
  if (mapped == (void*)-1 || bytes == 0) return mapped;
  const struct range all = {(uintptr_t)mapped, up_to_page((uintptr_t)mapped + bytes)};
  int kept = 0;
  pthread_mutex_lock(&ranges_lock);
  for (size_t i = 0; i < kMaxSegments && !kept; ++i) {
    if (segments[i].end != 0) continue;
    segments[i] = all;
    kept = 1;
  }
  pthread_mutex_unlock(&ranges_lock);
  if (kept) add_range(all.begin, all.end);
  return mapped;
}

EXPORT int shmdt(const void* address) {
  typedef int (*shmdt_type)(const void*);
  NEXT(shmdt_type, real_shmdt, "shmdt");
  struct range gone = {0, 0};
  pthread_mutex_lock(&ranges_lock);
  for (size_t i = 0; i < kMaxSegments; ++i) {
    if (segments[i].end == 0 || segments[i].begin != (uintptr_t)address) continue;
    gone = segments[i];
    segments[i].end = 0;
    break;
  }
  pthread_mutex_unlock(&ranges_lock);
  if (gone.end != 0) lose((void*)gone.begin, gone.end - gone.begin);
  return real_shmdt(address);
}

/* Empties free pages anywhere in the heap. */
EXPORT int malloc_trim(size_t pad) {
  typedef int (*trim_type)(size_t);
  NEXT(trim_type, real_trim, "malloc_trim");
  if (heap_begin != 0) report(heap_begin, program_break(), 1);
  return real_trim(pad);
}

/* What would let malloc unmap behind our back is ignored. */
EXPORT int mallopt(int parameter, int value) {
  typedef int (*mallopt_type)(int, int);
  NEXT(mallopt_type, real_mallopt, "mallopt");
  if (parameter == M_TRIM_THRESHOLD || parameter == M_MMAP_MAX || parameter == M_ARENA_MAX ||
      parameter == M_MMAP_THRESHOLD || parameter == M_ARENA_TEST) {
    return 1;
  }
  return real_mallopt(parameter, value);
}

/* ---- life of the library ---- */

static void before_fork(void) {
  pthread_mutex_lock(&listeners_lock);
  pthread_mutex_lock(&ranges_lock);
}

static void after_fork_in_parent(void) {
  pthread_mutex_unlock(&ranges_lock);
  pthread_mutex_unlock(&listeners_lock);
}

/* The child's memory has no registrations, and the locks of those who listened may be taken. */
static void after_fork_in_child(void) {
  memset(listeners, 0, sizeof listeners);
  after_fork_in_parent();
}

__attribute__((constructor)) static void set_up(void) {
  typedef int (*mallopt_type)(int, int);
  NEXT(mallopt_type, real_mallopt, "mallopt");
  real_mallopt(M_ARENA_MAX, 1);
  real_mallopt(M_MMAP_MAX, 0);
  real_mallopt(M_TRIM_THRESHOLD, -1);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  heap_begin = program_break();
}
