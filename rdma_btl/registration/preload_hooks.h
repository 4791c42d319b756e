/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
   What libremit_memory.so, which a user preloads, offers to the MPI library. */
#ifndef REMIT_PRELOAD_HOOKS_H
#define REMIT_PRELOAD_HOOKS_H

#include <stdint.h>

/* Raised whenever the meaning of a function changes. */
#define REMIT_MEMORY_VERSION 1
#define REMIT_MEMORY_VERSION_SYMBOL "remit_memory_version"
#define REMIT_MEMORY_ATTACH_SYMBOL "remit_memory_attach"
#define REMIT_MEMORY_DETACH_SYMBOL "remit_memory_detach"
#define REMIT_MEMORY_KNOWS_SYMBOL "remit_memory_knows"

#ifdef __cplusplus
extern "C" {
#endif

/* C reads this, too. NOLINTBEGIN(modernize-*) */

/* Called before [begin, end) is unmapped, moved (emptied == 0) or emptied (emptied != 0). */
typedef void (*remit_memory_hook)(void* argument, uintptr_t begin, uintptr_t end, int emptied);

typedef int (*remit_memory_version_fn)(void);
/* 0, or -1 if too many are attached. */
typedef int (*remit_memory_attach_fn)(remit_memory_hook hook, void* argument);
typedef void (*remit_memory_detach_fn)(remit_memory_hook hook, void* argument);
/* 1 if every way to unmap [begin, end) but a raw system call goes through the preloaded library. */
typedef int (*remit_memory_knows_fn)(uintptr_t begin, uintptr_t end);

/* NOLINTEND(modernize-*) */

#ifdef __cplusplus
}
#endif
#endif
