/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* A preloaded library that counts copies of 1 KB and more whose destination runs 1 to 31 bytes
   ahead of the source modulo 4096, where the processor's string instruction may be slow
   (runtime/copy.hpp): calls of memcpy, memmove, process_vm_readv and process_vm_writev by the
   library named in TRAP_COUNTER_CALLER (libmpi_abi.so.1). At the end each process prints how many
   calls it has seen, how many were such, and where the first one of these was. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kFrom = 1024 };

typedef void* copy_function(void*, const void*, size_t);

static copy_function* next_memcpy;
static copy_function* next_memmove;
static uintptr_t caller_begin;
static uintptr_t caller_end;
static atomic_ulong seen;
static atomic_ulong trapped;
static atomic_uintptr_t first_at;

static void* copy_bytewise(void* to, const void* from, size_t n) {
  volatile char* target = to;
  const volatile char* source = from;
  if ((uintptr_t)to - (uintptr_t)from >= n) {
    for (size_t i = 0; i < n; ++i) target[i] = source[i];
  } else {
    while (n-- > 0) target[n] = source[n];
  }
  return to;
}

/* The code of the library whose calls count, looked for until it has been loaded. */
static int find_caller(struct dl_phdr_info* info, size_t size, void* name) {
  (void)size;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* file = slash != NULL ? slash + 1 : info->dlpi_name;
  if (strncmp(file, name, strlen(name)) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    caller_begin = info->dlpi_addr + part->p_vaddr;
    caller_end = caller_begin + part->p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char* name = getenv("TRAP_COUNTER_CALLER");
  next_memcpy = (copy_function*)dlsym(RTLD_NEXT, "memcpy");
  next_memmove = (copy_function*)dlsym(RTLD_NEXT, "memmove");
  dl_iterate_phdr(find_caller, (void*)(name != NULL ? name : "libmpi_abi.so"));
}

__attribute__((destructor)) static void end(void) {
  if (caller_end == 0) return;
  char line[512];
  const uintptr_t at = atomic_load(&first_at);
  int length = snprintf(line, sizeof line, "trap counter: %lu calls, %lu in the trap",
                        atomic_load(&seen), atomic_load(&trapped));
  if (at != 0) { /* for addr2line */
    Dl_info where = {0};
    dladdr((void*)at, &where);
    length += snprintf(line + length, sizeof line - (size_t)length, ", first at 0x%lx of %s",
                       (unsigned long)(at - (uintptr_t)where.dli_fbase), where.dli_fname);
  }
  line[length++] = '\n';
  if (write(STDERR_FILENO, line, (size_t)length) < 0) _exit(97);
}

static void note(uintptr_t to, uintptr_t from, size_t n, uintptr_t caller) {
  uintptr_t none = 0;
  if (n < kFrom || caller < caller_begin || caller >= caller_end) return;
  atomic_fetch_add(&seen, 1);
  if ((to - from - 1) % 4096 >= 31) return;
  atomic_fetch_add(&trapped, 1);
  atomic_compare_exchange_strong(&first_at, &none, caller);
}

#define CALLER ((uintptr_t)__builtin_return_address(0))

void* memcpy(void* restrict to, const void* restrict from, size_t n) {
  note((uintptr_t)to, (uintptr_t)from, n, CALLER);
  return next_memcpy != NULL ? next_memcpy(to, from, n) : copy_bytewise(to, from, n);
}

void* memmove(void* to, const void* from, size_t n) {
  note((uintptr_t)to, (uintptr_t)from, n, CALLER);
  return next_memmove != NULL ? next_memmove(to, from, n) : copy_bytewise(to, from, n);
}

/* Runs of bytes that are in one piece on both sides. */
static void note_pieces(const struct iovec* to, unsigned long to_count, const struct iovec* from,
                        unsigned long from_count, uintptr_t caller) {
  size_t to_done = 0;
  size_t from_done = 0;
  while (to_count > 0 && from_count > 0) {
    const size_t to_left = to->iov_len - to_done;
    const size_t from_left = from->iov_len - from_done;
    const size_t run = to_left < from_left ? to_left : from_left;
    note((uintptr_t)to->iov_base + to_done, (uintptr_t)from->iov_base + from_done, run, caller);
    to_done += run;
    from_done += run;
    if (to_done == to->iov_len) {
      ++to;
      --to_count;
      to_done = 0;
    }
    if (from_done == from->iov_len) {
      ++from;
      --from_count;
      from_done = 0;
    }
  }
}

ssize_t process_vm_readv(pid_t pid, const struct iovec* local, unsigned long locals,
                         const struct iovec* remote, unsigned long remotes, unsigned long flags) {
  note_pieces(local, locals, remote, remotes, CALLER);
  return syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec* local, unsigned long locals,
                          const struct iovec* remote, unsigned long remotes, unsigned long flags) {
  note_pieces(remote, remotes, local, locals, CALLER);
  return syscall(SYS_process_vm_writev, pid, local, locals, remote, remotes, flags);
}
