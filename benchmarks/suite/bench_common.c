/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Options, buffers, data patterns, timing and output of the benchmark suite. */
#define _GNU_SOURCE
#include "bench_common.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSmallMessage = 8192, kLargeDivisor = 10, kDefaultWindow = 64, kPage = 4096 };

static void print_help(const struct bench_spec* spec) {
  printf("%s: %s\n\nusage: mpirun -n RANKS %s [options]\n\n", spec->name, spec->purpose,
         spec->name);
  if (spec->max_size > 0) {
    printf(
        "  -m, --message-size [MIN:]MAX  message sizes in bytes, doubling (K, M, G are 2^10, "
        "2^20,\n"
        "                                2^30); default %zu:%zu\n"
        "  -s, --sizes LIST              exactly these sizes, e.g. 8,1K,64K\n",
        spec->min_size, spec->max_size);
  }
  if (spec->window) {
    printf(
        "  -W, --window-size N           messages in flight; default %d\n"
        "  -b, --buffers single|multiple one buffer for all messages of a window (default) or one\n"
        "                                for each\n",
        kDefaultWindow);
  }
  if (spec->iterations > 0) {
    printf(
        "  -i, --iterations N            timed iterations; default %d, above 8K %d\n"
        "  -x, --warmup N                iterations before the clock starts; default %d, above 8K "
        "%d\n"
        "  -f, --full                    print minimum and maximum too\n",
        spec->iterations, spec->iterations / kLargeDivisor, spec->warmup,
        spec->warmup / kLargeDivisor);
  }
  if (spec->max_size > 0) {
    printf("  -c, --validation              check every byte, in exchanges that are not timed\n");
    printf("  -a, --alloc-mem               buffers from MPI_Alloc_mem\n");
  }
  if (spec->collective) {
    printf(
        "  -n, --nonblocking             the nonblocking form of the call, and MPI_Wait\n"
        "  -B, --with-barrier            time each call together with the barrier behind it, "
        "which\n"
        "                                is not timed otherwise\n");
  }
  printf("  -h, --help                    this text\n");
}

/* Parses "64K"; false if it is not a size. `end` is where parsing stopped. */
static bool parse_size(const char* text, const char** end, size_t* value) {
  char* stop = NULL;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  unsigned long long number = strtoull(text, &stop, 10);
  if (errno != 0) return false;
  int shift = 0;
  if (*stop == 'k' || *stop == 'K') shift = 10;
  if (*stop == 'm' || *stop == 'M') shift = 20;
  if (*stop == 'g' || *stop == 'G') shift = 30;
  if (shift > 0) ++stop;
  /* MPI counts are int: what does not fit cannot be sent as one message of bytes. */
  if (number > ((unsigned long long)INT_MAX >> shift)) return false;
  *end = stop;
  *value = (size_t)(number << shift);
  return true;
}

static bool parse_range(struct bench* b, const char* text) {
  size_t low = b->spec->min_size, high = 0;
  const char* end = NULL;
  if (!parse_size(text, &end, &high)) return false;
  if (*end == ':') {
    low = high;
    if (!parse_size(end + 1, &end, &high)) return false;
  } else if (low > high) {
    low = high;
  }
  if (*end != '\0' || low > high) return false;
  b->size_count = 0;
  for (size_t size = low; size <= high; size = size == 0 ? 1 : size * 2) {
    b->sizes[b->size_count++] = size;
  }
  return true;
}

static bool parse_list(struct bench* b, const char* text) {
  b->size_count = 0;
  for (const char* next = text;; ++next) {
    if (b->size_count == BENCH_MAX_SIZES) return false;
    if (!parse_size(next, &next, &b->sizes[b->size_count])) return false;
    ++b->size_count;
    if (*next == '\0') return true;
    if (*next != ',') return false;
  }
}

static bool parse_count(const char* text, int least, int* value) {
  char* end = NULL;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < least || number > INT_MAX) return false;
  *value = (int)number;
  return true;
}

/* Applies one option; false if its value is wrong. */
static bool apply_option(struct bench* b, int option, const char* value) {
  switch (option) {
    case 'm':
      return parse_range(b, value);
    case 's':
      return parse_list(b, value);
    case 'i':
      return parse_count(value, 1, &b->iterations);
    case 'x':
      return parse_count(value, 0, &b->warmup);
    case 'W':
      return parse_count(value, 1, &b->window);
    case 'b':
      b->many_buffers = strcmp(value, "multiple") == 0;
      return b->many_buffers || strcmp(value, "single") == 0;
    case 'c':
      b->validate = true;
      return true;
    case 'a':
      b->alloc_mem = true;
      return true;
    case 'n':
      b->nonblocking = true;
      return true;
    case 'B':
      b->with_barrier = true;
      return true;
    default:
      b->full = true;
      return true;
  }
}

/* The options that this program has, as getopt wants them. */
static void option_letters(const struct bench_spec* spec, char* letters) {
  strcpy(letters, ":h");
  if (spec->max_size > 0) strcat(letters, "m:s:ca");
  if (spec->window) strcat(letters, "W:b:");
  if (spec->iterations > 0) strcat(letters, "i:x:f");
  if (spec->collective) strcat(letters, "nB");
}

/* True: go on. False: exit_code is set and everything was said. */
static bool parse_options(struct bench* b, int argc, char** argv) {
  static const struct option kLong[] = {{"message-size", required_argument, NULL, 'm'},
                                        {"sizes", required_argument, NULL, 's'},
                                        {"iterations", required_argument, NULL, 'i'},
                                        {"warmup", required_argument, NULL, 'x'},
                                        {"window-size", required_argument, NULL, 'W'},
                                        {"buffers", required_argument, NULL, 'b'},
                                        {"validation", no_argument, NULL, 'c'},
                                        {"alloc-mem", no_argument, NULL, 'a'},
                                        {"full", no_argument, NULL, 'f'},
                                        {"nonblocking", no_argument, NULL, 'n'},
                                        {"with-barrier", no_argument, NULL, 'B'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  char letters[32];
  option_letters(b->spec, letters);
  opterr = 0;
  int option = 0;
  bool help = false;
  const char* name = b->spec->name;
  char problem[256] = "";
  while (problem[0] == '\0' && (option = getopt_long(argc, argv, letters, kLong, NULL)) != -1) {
    const bool known = strchr(letters + 1, option) != NULL && option != ':' && option != '?';
    if (option == 'h') {
      help = true;
    } else if (option == ':') {
      snprintf(problem, sizeof problem, "option '%s' needs a value", argv[optind - 1]);
    } else if (!known) {
      snprintf(problem, sizeof problem, "unknown option '%s'", argv[optind - 1]);
    } else if (!apply_option(b, option, optarg)) {
      snprintf(problem, sizeof problem, "option -%c: bad value '%s'", option, optarg);
    }
  }
  if (problem[0] == '\0' && optind < argc) {
    snprintf(problem, sizeof problem, "unexpected argument '%s'", argv[optind]);
  }
  if (problem[0] != '\0') {
    if (b->rank == 0) fprintf(stderr, "%s: %s ('%s -h' lists the options)\n", name, problem, name);
    b->exit_code = 2;
    return false;
  }
  if (help && b->rank == 0) print_help(b->spec);
  return !help;
}

static bool check_ranks(struct bench* b) {
  const char* need = NULL;
  switch (b->spec->ranks) {
    case BENCH_RANKS_ANY:
      break;
    case BENCH_RANKS_TWO:
      if (b->ranks != 2) need = "exactly 2 ranks";
      break;
    case BENCH_RANKS_EVEN:
      if (b->ranks % 2 != 0) need = "an even number of ranks";
      break;
    case BENCH_RANKS_AT_LEAST2:
      if (b->ranks < 2) need = "at least 2 ranks";
      break;
  }
  if (need == NULL) return true;
  if (b->rank == 0) {
    fprintf(stderr, "%s: needs %s, was started with %d (mpirun -n RANKS %s)\n", b->spec->name, need,
            b->ranks, b->spec->name);
  }
  b->exit_code = 2;
  return false;
}

bool bench_begin(struct bench* b, const struct bench_spec* spec, int argc, char** argv) {
  memset(b, 0, sizeof *b);
  b->spec = spec;
  b->warmup = -1;
  b->window = kDefaultWindow;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
  if (!parse_options(b, argc, argv) || !check_ranks(b)) {
    MPI_Finalize();
    return false;
  }
  if (spec->max_size > 0 && b->size_count == 0) {
    char range[64];
    snprintf(range, sizeof range, "%zu:%zu", spec->min_size, spec->max_size);
    parse_range(b, range);
  }
  int kept = 0;
  for (int i = 0; i < b->size_count; ++i) {
    if (b->sizes[i] % spec->unit == 0 && (b->sizes[i] > 0 || spec->unit == 1)) {
      b->sizes[kept++] = b->sizes[i];
    }
  }
  b->size_count = kept;
  return true;
}

int bench_end(struct bench* b) {
  long total = 0;
  MPI_Allreduce(&b->errors, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (total > 0 && b->rank == 0) {
    fprintf(stderr, "%s: validation failed: %ld wrong bytes or elements\n", b->spec->name, total);
  }
  MPI_Finalize();
  return total > 0 ? 1 : 0;
}

static int at_least_one(int value) {
  return value > 0 ? value : 1;
}

int bench_iterations(const struct bench* b, size_t size) {
  if (b->iterations > 0) return b->iterations;
  return size <= kSmallMessage ? b->spec->iterations
                               : at_least_one(b->spec->iterations / kLargeDivisor);
}

int bench_warmup(const struct bench* b, size_t size) {
  if (b->warmup >= 0) return b->warmup;
  return size <= kSmallMessage ? b->spec->warmup : at_least_one(b->spec->warmup / kLargeDivisor);
}

int bench_checked_rounds(const struct bench* b, size_t size) {
  const int iterations = bench_iterations(b, size);
  const int most = size <= kSmallMessage ? 100 : 10;
  return iterations < most ? iterations : most;
}

size_t bench_largest(const struct bench* b) {
  size_t largest = 0;
  for (int i = 0; i < b->size_count; ++i) {
    if (b->sizes[i] > largest) largest = b->sizes[i];
  }
  return largest;
}

void* bench_alloc(const struct bench* b, size_t bytes) {
  const size_t rounded = (bytes / kPage + 1) * kPage;
  void* memory = NULL;
  const int error = b->alloc_mem ? MPI_Alloc_mem((MPI_Aint)rounded, MPI_INFO_NULL, &memory)
                                 : posix_memalign(&memory, kPage, rounded);
  if (error != 0) {
    fprintf(stderr, "%s: rank %d cannot allocate %zu bytes: use smaller messages (-m)\n",
            b->spec->name, b->rank, rounded);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(memory, 1, rounded);
  return memory;
}

void bench_free(const struct bench* b, void* memory) {
  if (b->alloc_mem) {
    MPI_Free_mem(memory);
  } else {
    free(memory);
  }
}

/* The top byte of a multiplicative hash of the position: no period that a chunk size could hide. */
static inline unsigned char pattern(size_t position, unsigned seed) {
  return (unsigned char)((((uint32_t)position + seed * 40503u) * 2654435761u) >> 24);
}

void bench_fill(void* buffer, size_t bytes, unsigned seed) {
  unsigned char* byte = buffer;
  for (size_t i = 0; i < bytes; ++i) byte[i] = pattern(i, seed);
}

long bench_wrong(const void* buffer, size_t bytes, unsigned seed) {
  const unsigned char* byte = buffer;
  long wrong = 0;
  for (size_t i = 0; i < bytes; ++i) wrong += byte[i] != pattern(i, seed);
  return wrong;
}

double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_header(const struct bench* b, const char* value, const char* second) {
  if (b->rank != 0) return;
  printf("# %s: %s%s%s, %d %s\n", b->spec->name, b->spec->purpose,
         b->nonblocking ? ", the nonblocking form and MPI_Wait" : "",
         b->with_barrier ? ", with a barrier behind each" : "", b->ranks,
         b->ranks == 1 ? "rank" : "ranks");
  if (b->spec->max_size > 0) {
    printf("%-10s", "# Size");
  } else {
    printf("%-10s", "#");
  }
  printf(" %18s", value);
  if (second != NULL) printf(" %18s", second);
  if (b->full) printf(" %14s %14s %12s", "Min", "Max", "Iterations");
  if (b->validate) printf(" %12s", "Validation");
  printf("\n");
  fflush(stdout);
}

void bench_print(struct bench* b, size_t size, const struct bench_row* row, double second,
                 long errors) {
  long total = 0;
  b->errors += errors;
  if (b->validate) MPI_Reduce(&errors, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (b->rank != 0) return;
  if (b->spec->max_size > 0) {
    printf("%-10zu", size);
  } else {
    printf("%-10s", "");
  }
  printf(" %18.3f", row->value);
  if (second >= 0) printf(" %18.2f", second);
  if (b->full) printf(" %14.3f %14.3f %12d", row->min, row->max, row->iterations);
  if (b->validate) printf(" %12s", total == 0 ? "Pass" : "Fail");
  printf("\n");
  fflush(stdout);
}
