/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Whether this program is built with a sanitizer that has an allocator of its own: which keeps
 * freed memory for a while, and ends a program that asks it for too much. */
#ifndef REMIT_TESTS_SANITIZED_H
#define REMIT_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { kSanitized = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { kSanitized = 1 };
#else
enum { kSanitized = 0 };
#endif
#else
enum { kSanitized = 0 };
#endif

#endif
