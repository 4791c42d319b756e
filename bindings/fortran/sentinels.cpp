// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What Fortran's sentinels are made of: constants that nobody reads, so that a routine that forgets
// to compare an address writes where nothing can be written. Nothing else is in this file: a
// compiler that sees a definition beside its use may take the address from there (sentinels.hpp).

#include "bindings/fortran/sentinels.hpp"

#define REMIT_SENTINEL extern "C" __attribute__((visibility("default"), aligned(64)))

// Compilers align COMMON blocks to up to 64 bytes; linkers warn if what they find is aligned to
// less.
REMIT_SENTINEL constexpr int remit_bottom_ = 0;
REMIT_SENTINEL constexpr int remit_in_place_ = 0;
REMIT_SENTINEL constexpr int remit_buffer_automatic_ = 0;
REMIT_SENTINEL constexpr int remit_status_ignore_[8] = {};
REMIT_SENTINEL constexpr int remit_statuses_ignore_[8] = {};
REMIT_SENTINEL constexpr int remit_errcodes_ignore_[1] = {};
REMIT_SENTINEL constexpr int remit_unweighted_[1] = {};
REMIT_SENTINEL constexpr int remit_weights_empty_[1] = {};
REMIT_SENTINEL constexpr char remit_argv_null_[1] = {};
REMIT_SENTINEL constexpr char remit_argvs_null_[1] = {};
