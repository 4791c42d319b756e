// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Entry of the micro-benchmarks: single parts of the library, in one process.

#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
