/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Options, and the table that is printed. */
#define _GNU_SOURCE
#include "bench_options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSmallMessage = 8192, kLargeDivisor = 10, kDefaultWindow = 64, kMaxOptions = 24 };

/* Which programs have an option. */
enum group {
  kAll,
  kSizes,
  kRows,
  kWindow,
  kTimes,
  kBuffers,
  kAlloc,
  kCollective,
  kRequests,
  kOneSided,
  kEpochs
};

/* One option: how it is written, what the help says, and what a right value looks like. */
struct choice {
  char letter;
  enum group group;
  const char* name;
  const char* value; /* what the help calls its value; null if it has none */
  const char* help;
  const char* expected;
};

static const struct choice kChoices[] = {
    {'m', kSizes, "message-size", "[MIN:]MAX",
     "message sizes in bytes, doubling (K, M, G are 2^10, 2^20, 2^30)",
     "a size such as 64K, or a range such as 1K:1M, below 2 GB"},
    {'s', kSizes, "sizes", "LIST", "exactly these sizes, e.g. 8,1K,64K",
     "up to 128 sizes such as 8,1K,64K, each below 2 GB"},
    {'W', kWindow, "window-size", "N", "messages in flight; default 64", "a number from 1 on"},
    {'b', kWindow, "buffers", "KIND",
     "single (default): one buffer for all messages of a window;\nmultiple: one for each",
     "single or multiple"},
    {'i', kTimes, "iterations", "N", "timed iterations", "a number from 1 on"},
    {'x', kTimes, "warmup", "N", "iterations before the clock starts", "a number from 0 on"},
    {'f', kRows, "full", NULL, "print minimum and maximum too", NULL},
    {'c', kSizes, "validation", NULL, "check every byte, in exchanges that are not timed", NULL},
    {'a', kAlloc, "alloc-mem", NULL, "buffers from MPI_Alloc_mem", NULL},
    {'o', kBuffers, "offset", "N[,M]",
     "buffers begin N bytes behind a page, those that receive M bytes\n"
     "(default: N); without this option they lie as malloc gives them:\n"
     "16 bytes behind a page, if large",
     "bytes behind a page, from 0 to 4095, for what is sent and what is received, such as 16 or "
     "0,16"},
    {'r', kBuffers, "rotate", "BYTES",
     "another buffer each time, out of so much memory for what is sent,\n"
     "and as much for what is received: no cache has them if it is\n"
     "smaller (e.g. 64M)",
     "a size such as 64M, from 1 byte to 2 GB"},
    {'t', kBuffers, "touch", NULL,
     "data are written before they are sent, and read (and checked)\n"
     "when they have come; both are timed",
     NULL},
    {'n', kRequests, "nonblocking", NULL, "the nonblocking form of the call, and MPI_Wait", NULL},
    {'B', kCollective, "with-barrier", NULL,
     "time each call together with the barrier behind it, which is not\ntimed otherwise", NULL},
    {'L', kCollective, "back-to-back", NULL, "time a loop of calls without barriers", NULL},
    {'w', kOneSided, "window", "KIND",
     "how a window comes by its memory: allocate (default), create,\n"
     "dynamic or shared",
     "allocate, create, dynamic or shared"},
    {'S', kEpochs, "sync", "KIND",
     "what completes the operations: flush (default) or flush_local in\n"
     "one passive epoch; lock or lock_all, with the unlock; fence; pscw\n"
     "(post, start, complete, wait)",
     "flush, flush_local, lock, lock_all, fence or pscw"},
    {'N', kTimes, "neighbour", "KIND",
     "meanwhile another process works on each core that ranks may use:\n"
     "compute, or stream (through memory)",
     "compute or stream"},
    {'h', kAll, "help", NULL, "this text", NULL},
};
enum { kChoiceCount = sizeof kChoices / sizeof kChoices[0] };

static bool has_group(const struct bench_spec* spec, enum group group) {
  switch (group) {
    case kSizes:
      return spec->max_size > 0;
    case kRows:
      return spec->max_size > 0 || spec->collective || spec->one_sided;
    case kWindow:
      return spec->window;
    case kTimes:
      return spec->iterations > 0;
    case kBuffers:
      return spec->buffers;
    case kAlloc:
      return (spec->buffers && spec->usage == NULL) || spec->one_sided;
    case kCollective:
      return spec->collective;
    case kRequests:
      return spec->requests;
    case kOneSided:
      return spec->one_sided;
    case kEpochs:
      return spec->epochs;
    default:
      return true;
  }
}

static void print_option(const struct choice* choice) {
  enum { kIndent = 34 };
  char head[64];
  snprintf(head, sizeof head, "-%c, --%s%s%s", choice->letter, choice->name,
           choice->value != NULL ? " " : "", choice->value != NULL ? choice->value : "");
  printf("  %-*s", kIndent - 2, head);
  for (const char* text = choice->help; *text != '\0'; ++text) {
    putchar(*text);
    if (*text == '\n') printf("%*s", kIndent, "");
  }
  printf("\n");
}

static void print_help(const struct bench_spec* spec) {
  printf("%s: %s\n\nusage: ", spec->name, spec->purpose);
  if (spec->usage != NULL) {
    printf("%s [options]\n\n", spec->usage);
  } else {
    printf("mpirun -n RANKS %s [options]\n\n", spec->name);
  }
  for (int i = 0; i < kChoiceCount; ++i) {
    if (has_group(spec, kChoices[i].group)) print_option(&kChoices[i]);
  }
  if (spec->max_size > 0) {
    printf("\nSizes by default: %zu:%zu.", spec->min_size, spec->max_size);
  }
  if (spec->iterations > 0) {
    printf("\nIterations by default: %d, and %d before the clock starts%s.", spec->iterations,
           spec->warmup, spec->max_size > 0 ? "; a tenth above 8 KB" : "");
  }
  if (spec->max_size > 0 || spec->iterations > 0) printf("\n");
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

static bool parse_offset(struct bench_placement* placement, const char* text) {
  size_t* offset = placement->offset;
  const char* end = NULL;
  placement->placed = true;
  if (!parse_size(text, &end, &offset[BENCH_SOURCE])) return false;
  offset[BENCH_DESTINATION] = offset[BENCH_SOURCE];
  if (*end == ',' && !parse_size(end + 1, &end, &offset[BENCH_DESTINATION])) return false;
  return *end == '\0' && offset[BENCH_SOURCE] < BENCH_PAGE &&
         offset[BENCH_DESTINATION] < BENCH_PAGE;
}

/* Sets *index to where the name is; false if it is nowhere. */
static bool parse_name(const char* const* names, int count, const char* text, int* index) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(names[i], text) != 0) continue;
    *index = i;
    return true;
  }
  return false;
}

static bool parse_one_sided(struct bench* b, int option, const char* text) {
  static const char* const kWindows[] = {"allocate", "create", "dynamic", "shared"};
  static const char* const kSyncs[] = {"flush", "flush_local", "lock", "lock_all", "fence", "pscw"};
  int index = 0;
  if (option == 'w') {
    if (!parse_name(kWindows, sizeof kWindows / sizeof kWindows[0], text, &index)) return false;
    b->win = (enum bench_window)index;
  } else {
    if (!parse_name(kSyncs, sizeof kSyncs / sizeof kSyncs[0], text, &index)) return false;
    b->sync = (enum bench_sync)index;
  }
  return true;
}

/* Applies one option; false if its value is wrong. */
static bool apply_option(struct bench* b, int option, const char* value) {
  const char* end = NULL;
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
    case 'o':
      return parse_offset(&b->placement, value);
    case 'r':
      return parse_size(value, &end, &b->placement.rotate) && *end == '\0' &&
             b->placement.rotate > 0;
    case 'N':
      return bench_neighbour_named(value, &b->neighbour);
    case 'w':
    case 'S':
      return parse_one_sided(b, option, value);
    case 'c':
      b->validate = true;
      return true;
    case 'a':
      b->alloc_mem = true;
      return true;
    case 'n':
      b->nonblocking = true;
      return true;
    case 't':
      b->touch = true;
      return true;
    case 'B':
      b->mode = BENCH_WITH_BARRIER;
      return true;
    case 'L':
      b->mode = BENCH_BACK_TO_BACK;
      return true;
    default:
      b->full = true;
      return true;
  }
}

static const struct choice* find_choice(const struct bench_spec* spec, int letter) {
  for (int i = 0; i < kChoiceCount; ++i) {
    if (kChoices[i].letter == letter && has_group(spec, kChoices[i].group)) return &kChoices[i];
  }
  return NULL;
}

/* Our options as getopt wants them: their letters, behind a colon, and their names. */
static void list_options(char* letters, struct option* names) {
  *letters++ = ':';
  for (int i = 0; i < kChoiceCount; ++i, ++names) {
    const bool valued = kChoices[i].value != NULL;
    *letters++ = kChoices[i].letter;
    if (valued) *letters++ = ':';
    *names = (struct option){kChoices[i].name, valued ? required_argument : no_argument, NULL,
                             kChoices[i].letter};
  }
  *letters = '\0';
  *names = (struct option){NULL, 0, NULL, 0};
}

/* Reads one option after the other; `problem` is what is wrong with the first wrong one. */
static void read_options(struct bench* b, int argc, char** argv, bool* help, char* problem,
                         size_t room) {
  char letters[2 * kMaxOptions + 2];
  struct option names[kMaxOptions + 1];
  bool modes[2] = {false, false};
  int option = 0;
  list_options(letters, names);
  opterr = 0;
  while (problem[0] == '\0' && (option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
    const struct choice* choice = find_choice(b->spec, option);
    modes[0] = modes[0] || option == 'B';
    modes[1] = modes[1] || option == 'L';
    if (option == ':') {
      snprintf(problem, room, "option '%s' needs a value", argv[optind - 1]);
    } else if (choice == NULL) {
      const char letter[] = {'-', (char)(option == '?' ? optopt : option), '\0'};
      const char* word = argv[optind - 1]; /* or its value */
      snprintf(problem, room, "unknown option '%s'", word[0] == '-' ? word : letter);
    } else if (option == 'h') {
      *help = true;
    } else if (!apply_option(b, option, optarg)) {
      snprintf(problem, room, "option --%s: bad value '%s': give %s", choice->name, optarg,
               choice->expected);
    }
  }
  if (problem[0] == '\0' && optind < argc) {
    snprintf(problem, room, "unexpected argument '%s'", argv[optind]);
  }
  if (problem[0] == '\0' && modes[0] && modes[1]) {
    snprintf(problem, room, "--with-barrier and --back-to-back exclude each other: give one");
  }
  if (problem[0] == '\0' && b->nonblocking && (b->sync == BENCH_FENCE || b->sync == BENCH_PSCW)) {
    snprintf(problem, room,
             "--nonblocking has no place in --sync fence and pscw: MPI has requests of operations "
             "in passive epochs only");
  }
}

/* The sizes that the program can measure. */
static void choose_sizes(struct bench* b) {
  const struct bench_spec* spec = b->spec;
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
}

static const char* name_of(const void* rows, size_t row, size_t bytes) {
  const char* name;
  memcpy((void*)&name, (const char*)rows + row * bytes, sizeof name);
  return name;
}

int bench_choose(const char* argv0, const void* rows, size_t count, size_t bytes) {
  const char* slash = strrchr(argv0, '/');
  const char* name = slash == NULL ? argv0 : slash + 1;
  if (strncmp(name, "lt-", 3) == 0) name += 3; /* how libtool may name what was not installed */
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(name_of(rows, i, bytes), name) == 0) return (int)i;
  }
  fprintf(stderr, "%s: this program must have the name of what it measures:", name);
  for (size_t i = 0; i < count; ++i) fprintf(stderr, " %s", name_of(rows, i, bytes));
  fprintf(stderr, "\n");
  return -1;
}

bool bench_parse(struct bench* b, const struct bench_spec* spec, int argc, char** argv) {
  char problem[512] = "";
  bool help = false;
  b->spec = spec;
  b->warmup = -1;
  b->window = kDefaultWindow;
  read_options(b, argc, argv, &help, problem, sizeof problem);
  if (problem[0] != '\0') {
    if (b->rank == 0) {
      fprintf(stderr, "%s: %s ('%s -h' lists the options)\n", spec->name, problem, spec->name);
    }
    b->exit_code = 2;
    return false;
  }
  choose_sizes(b);
  if (help && b->rank == 0) print_help(spec);
  return !help;
}

bool bench_can_rotate(const struct bench* b, size_t bytes) {
  const size_t least = bench_least_rotation(&b->placement, bytes);
  if (b->placement.rotate == 0 || b->placement.rotate >= least) return true;
  if (b->rank == 0) {
    fprintf(
        stderr,
        "%s: option --rotate: two buffers of %zu bytes do not fit in %zu: give %zuK at least%s\n",
        b->spec->name, bytes, b->placement.rotate, (least + 1023) / 1024,
        b->spec->max_size > 0 ? ", or smaller messages (-m)" : "");
  }
  return false;
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

int bench_batch(const struct bench* b, int iterations, int batch) {
  if (!b->full) return batch == 0 ? iterations : 0;
  return iterations / BENCH_BATCHES + (batch < iterations % BENCH_BATCHES ? 1 : 0);
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

static void describe_buffers(const struct bench* b) {
  static const char* const kOrigins[] = {"malloc gives them", "MPI_Alloc_mem gives them",
                                         "--offset says"};
  const int origin = b->placement.placed ? 2 : b->alloc_mem;
  printf("# Buffers as %s: sent from page + %zu, received at page + %zu; ", kOrigins[origin],
         b->begins[BENCH_SOURCE], b->begins[BENCH_DESTINATION]);
  if (b->placement.rotate > 0) {
    printf("another one each time, out of %zu KB", b->placement.rotate >> 10);
  } else {
    printf(b->many_buffers ? "one for each message of a window" : "the same ones each time");
  }
  printf("%s\n", b->touch ? "; data are written before and read behind each transfer" : "");
}

static void describe_window(const struct bench* b) {
  static const char* const kWindows[] = {"MPI_Win_allocate", "MPI_Win_create",
                                         "MPI_Win_create_dynamic", "MPI_Win_allocate_shared"};
  static const char* const kSyncs[] = {
      "MPI_Win_flush behind each",       "MPI_Win_flush_local behind each",
      "MPI_Win_lock and unlock of each", "MPI_Win_lock_all and unlock_all of each",
      "MPI_Win_fence behind each",       "post, start, complete and wait of each"};
  printf("# Window of %s%s%s\n", kWindows[b->win], b->spec->epochs ? "; " : "",
         b->spec->epochs ? kSyncs[b->sync] : "");
}

void bench_describe(const struct bench* b) {
  static const char* const kModes[] = {"", ", with a barrier behind each", ", back to back"};
  if (b->rank != 0) return;
  printf("# %s: %s%s%s, %d %s\n", b->spec->name, b->spec->purpose,
         b->nonblocking ? ", the nonblocking form and MPI_Wait" : "", kModes[b->mode], b->ranks,
         b->ranks == 1 ? "rank" : "ranks");
  if (b->spec->one_sided) describe_window(b);
  if (b->spec->buffers) describe_buffers(b);
  if (b->neighbour != BENCH_ALONE) {
    printf("# On each core another process %s\n", bench_neighbour_work(b->neighbour));
  }
}

void bench_header(const struct bench* b, const char* value, const char* second) {
  if (b->rank != 0) return;
  bench_describe(b);
  printf("%-10s", b->spec->max_size > 0 ? "# Size" : "#");
  printf(" %18s", value);
  if (second != NULL) printf(" %18s", second);
  if (b->full) printf(" %14s %14s %12s", "Min", "Max", "Iterations");
  if (b->validate) printf(" %12s", "Validation");
  printf("\n");
  fflush(stdout);
}

void bench_print_row(const struct bench* b, size_t size, const struct bench_row* row, double second,
                     long errors) {
  if (b->spec->max_size > 0) {
    printf("%-10zu", size);
  } else {
    printf("%-10s", "");
  }
  printf(" %18.3f", row->value);
  if (second >= 0) printf(" %18.2f", second);
  if (b->full) printf(" %14.3f %14.3f %12d", row->min, row->max, row->iterations);
  if (b->validate) printf(" %12s", errors == 0 ? "Pass" : "Fail");
  printf("\n");
  fflush(stdout);
}
