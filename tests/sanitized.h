/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Whether this program is built with a sanitizer that has an allocator of its own: which keeps
 * freed memory for a while, ends a program that asks it for too much, and takes terabytes of
 * address space. GCC says it with macros, Clang answers __has_feature. SANITIZED_MEMORY is defined
 * where it is, for what a program must then leave out: it cannot replace malloc. */
#ifndef REMIT_TESTS_SANITIZED_H
#define REMIT_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
enum { kAddressSanitized = 1 };
#define SANITIZED_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { kAddressSanitized = 1 };
#define SANITIZED_MEMORY 1
#else
enum { kAddressSanitized = 0 };
#endif
#else
enum { kAddressSanitized = 0 };
#endif

#if defined(__SANITIZE_THREAD__)
enum { kThreadSanitized = 1 };
#define SANITIZED_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { kThreadSanitized = 1 };
#define SANITIZED_MEMORY 1
#else
enum { kThreadSanitized = 0 };
#endif
#else
enum { kThreadSanitized = 0 };
#endif

enum { kSanitized = kAddressSanitized ? 1 : kThreadSanitized };

#endif
