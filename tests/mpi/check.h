/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What every MPI test program uses: checks that count, a deterministic generator, an end. */
#ifndef REMIT_TESTS_MPI_CHECK_H
#define REMIT_TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;
static int check_rank;
static int check_size;

static inline void check_that(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++check_failures;
  if (check_failures <= 20)
    fprintf(stderr, "%s:%d: rank %d of %d: failed: %s\n", file, line, check_rank, check_size, what);
}
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
/* The call must succeed. */
#define OK(call) check_that((call) == MPI_SUCCESS, #call, __FILE__, __LINE__)

static inline int check_class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}
/* The call must fail with the error class. */
#define FAILS(error_class, call)                                                            \
  check_that(check_class_of(call) == (error_class), #call " gives " #error_class, __FILE__, \
             __LINE__)

/* The call fails with the class, and its explanation has the word. */
static inline void check_expect(int code, int error_class, const char* word, const char* file,
                                int line) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  char what[MPI_MAX_ERROR_STRING + 200];
  const int got = check_class_of(code);
  MPI_Error_string(code, text, &length);
  snprintf(what, sizeof what, "class %d with '%s'; got %d: %s", error_class, word, got, text);
  check_that(got == error_class && strstr(text, word) != NULL, what, file, line);
}
#define EXPECT(error_class, word, call) \
  check_expect((call), (error_class), (word), __FILE__, __LINE__)

static inline void check_start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* Rank 0 says whether all ranks passed; the exit status says it too. */
static inline int check_end(const char* name) {
  int all = 0;
  MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (check_rank == 0)
    printf("%s: %s (%d ranks)\n", name, all == 0 ? "passed" : "FAILED", check_size);
  MPI_Finalize();
  return all != 0;
}

/* A generator that gives all ranks the same numbers from the same seed (splitmix64). */
static inline uint64_t check_next(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* The seed of a random test: REMIT_TEST_SEED, or drawn by rank 0 and printed. */
static inline uint64_t check_seed(const char* name) {
  uint64_t seed = 0;
  const char* given = getenv("REMIT_TEST_SEED");
  if (given != NULL) {
    seed = strtoull(given, NULL, 0);
  } else {
    FILE* source = fopen("/dev/urandom", "rb");
    if (source == NULL || fread(&seed, 4, 1, source) != 1) seed = 1;
    if (source != NULL) fclose(source);
  }
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (check_rank == 0) printf("%s: REMIT_TEST_SEED=%llu\n", name, (unsigned long long)seed);
  return seed;
}

/* How many ranks are on this rank's host, by its name. Collective. */
static inline int check_local_size(void) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length, count = 0;
  char(*all)[MPI_MAX_PROCESSOR_NAME] =
      (char(*)[MPI_MAX_PROCESSOR_NAME])malloc((size_t)check_size * sizeof *all);
  OK(MPI_Get_processor_name(name, &length));
  OK(MPI_Allgather(name, sizeof name, MPI_CHAR, all, sizeof name, MPI_CHAR, MPI_COMM_WORLD));
  for (int i = 0; i < check_size; ++i) count += strcmp(all[i], name) == 0;
  free(all);
  return count;
}

/* Whether nothing forbids ranks of a host to share memory. */
static inline int check_shares_memory_of_host(void) {
  const char* devices = getenv("REMIT_DEVICES");
  const char* shares = getenv("REMIT_SHM_ALLOC");
  const int other_devices = devices != NULL && strcmp(devices, "auto") != 0;
  return !((other_devices && strstr(devices, "shm") == NULL) ||
           (shares != NULL && strcmp(shares, "no") == 0));
}

/* Whether all ranks share memory: they are on one host, and nothing forbids it. Collective. */
static inline int check_shares_memory(void) {
  return check_local_size() == check_size && (check_shares_memory_of_host() || check_size == 1);
}

/* Byte i of a message that carries `salt`. */
static inline unsigned char check_byte(uint64_t salt, size_t i) {
  return (unsigned char)((i * 131u + salt * 71u + (i >> 8)) & 0xffu);
}
static inline void check_fill(void* buffer, size_t n, uint64_t salt) {
  unsigned char* bytes = (unsigned char*)buffer;
  for (size_t i = 0; i < n; ++i) bytes[i] = check_byte(salt, i);
}
static inline int check_filled(const void* buffer, size_t n, uint64_t salt) {
  const unsigned char* bytes = (const unsigned char*)buffer;
  for (size_t i = 0; i < n; ++i)
    if (bytes[i] != check_byte(salt, i)) return 0;
  return 1;
}

#endif
