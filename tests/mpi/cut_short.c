/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * A rank dies while long messages from rank 0 are on their way to rank 1: cut_short.py looks at
 * what the other one says.
 *     cut_short sender|receiver SENT RECEIVED MEGABYTES MESSAGES [absent]
 * The first word is who dies. SENT and RECEIVED say how the bytes lie in memory: `bytes`, in one
 * piece; `short` and `long`, in runs of 64 bytes and of 64 KB with gaps; `shared`, from
 * MPI_Alloc_mem. With `absent` the sender is not in MPI meanwhile. A thread of the receiver looks
 * at its memory, and kills when a part of the bytes is there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "survivor.h"

enum { kParts = 128, kEnough = kParts / 8, kMostMessages = 64 };

typedef struct {
  unsigned char* memory;
  size_t run;  /* bytes in one piece; 0: all */
  size_t room; /* bytes of the memory, with gaps */
  bool shared;
  MPI_Datatype type; /* of one message */
  int count;
} Buffer;

static size_t total;    /* bytes of all messages */
static size_t messages; /* their number */
static pid_t victim;
static int raised; /* the error code of the call that ended without success */

static unsigned char* at(const Buffer* buffer, size_t i) {
  const size_t run = buffer->run;
  return buffer->memory + (run == 0 ? i : i / run * 2 * run + i % run);
}

/* Byte i of what is sent; memory that nothing was written to has zeros. */
static unsigned char sent_byte(size_t i) {
  return check_byte(3, i) | 1;
}

static void make_buffer(Buffer* buffer, const char* layout) {
  buffer->run = strcmp(layout, "short") == 0 ? 64 : strcmp(layout, "long") == 0 ? 65536 : 0;
  buffer->shared = strcmp(layout, "shared") == 0;
  buffer->room = buffer->run == 0 ? total : 2 * total;
  if (buffer->shared) {
    OK(MPI_Alloc_mem((MPI_Aint)buffer->room, MPI_INFO_NULL, &buffer->memory));
    memset(buffer->memory, 0, buffer->room);
  } else {
    buffer->memory =
        mmap(NULL, buffer->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer->memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  const size_t each = total / messages;
  buffer->type = MPI_BYTE;
  buffer->count = (int)each;
  if (buffer->run == 0) return;
  const int run = (int)buffer->run;
  OK(MPI_Type_vector((int)(each / buffer->run), run, 2 * run, MPI_BYTE, &buffer->type));
  OK(MPI_Type_commit(&buffer->type));
  buffer->count = 1;
}

/* After it, who still looks there crashes. */
static void drop_buffer(Buffer* buffer) {
  if (buffer->run != 0) OK(MPI_Type_free(&buffer->type));
  if (buffer->shared) {
    OK(MPI_Free_mem(buffer->memory));
  } else {
    munmap(buffer->memory, buffer->room);
  }
}

/* Parts of the bytes of which one in the middle is there. */
static int parts_there(const Buffer* buffer) {
  int there = 0;
  for (size_t part = 0; part != kParts; ++part)
    there += *(volatile unsigned char*)at(buffer, total / kParts * part + total / kParts / 2) != 0;
  return there;
}

static void* kill_in_the_middle(void* argument) {
  const Buffer* buffer = argument;
  const struct timespec moment = {0, 10000};
  int there;
  prctl(PR_SET_TIMERSLACK, 1UL);
  while ((there = parts_there(buffer)) < kEnough) nanosleep(&moment, NULL);
  char text[100];
  const int length = snprintf(text, sizeof text, "%d of %d parts are there: pid %d is killed\n",
                              there, kParts, (int)victim);
  if (write(STDOUT_FILENO, text, (size_t)length) != length) return NULL;
  kill(victim, SIGKILL);
  return NULL;
}

/* What has arrived is right, and all of it where the message is said to have arrived. */
static size_t wrong_bytes(const Buffer* buffer, const int* codes) {
  size_t wrong = 0;
  for (size_t i = 0; i != total; ++i) {
    const unsigned char byte = *at(buffer, i);
    const bool whole = codes[i / (total / messages)] == MPI_SUCCESS;
    wrong += byte != sent_byte(i) && (whole || byte != 0);
  }
  return wrong;
}

static void transfer(Buffer* buffer, bool absent, int* codes) {
  MPI_Request requests[kMostMessages];
  MPI_Status statuses[kMostMessages];
  for (size_t i = 0; i != messages; ++i) {
    unsigned char* from = at(buffer, total / messages * i);
    if (messages == 1 && check_rank == 1) {
      codes[0] =
          MPI_Recv(from, buffer->count, buffer->type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (messages == 1 && !absent) {
      codes[0] = MPI_Send(from, buffer->count, buffer->type, 1, 7, MPI_COMM_WORLD);
    } else if (check_rank == 1) {
      OK(MPI_Irecv(from, buffer->count, buffer->type, 0, 7, MPI_COMM_WORLD, &requests[i]));
    } else {
      OK(MPI_Isend(from, buffer->count, buffer->type, 1, 7, MPI_COMM_WORLD, &requests[i]));
    }
  }
  while (absent && check_rank == 0) pause();
  raised = codes[0];
  if (messages == 1) return;
  for (size_t i = 0; i != messages; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
  raised = MPI_Waitall((int)messages, requests, statuses);
  if (raised != MPI_SUCCESS) CHECK(check_class_of(raised) == MPI_ERR_IN_STATUS);
  for (size_t i = 0; i != messages; ++i) codes[i] = statuses[i].MPI_ERROR;
}

static void report(const Buffer* buffer, const int* codes) {
  char text[MPI_MAX_ERROR_STRING] = "none";
  int failed = 0, length;
  for (size_t i = 0; i != messages; ++i) {
    if (codes[i] == MPI_SUCCESS) continue;
    ++failed;
    CHECK(check_class_of(codes[i]) == MPI_ERR_PROC_ABORTED);
  }
  if (raised != MPI_SUCCESS) MPI_Error_string(raised, text, &length);
  if (check_rank == 1) CHECK(wrong_bytes(buffer, codes) == 0);
  printf("%d of %d messages failed, %d of %d parts are there: %s\n", failed, (int)messages,
         check_rank == 1 ? parts_there(buffer) : -1, kParts, text);
}

int main(int argc, char** argv) {
  const struct timespec moment = {0, 1000000};
  Buffer buffer;
  int pid = (int)getpid(), other = 0, codes[kMostMessages], flag;
  pthread_t watcher;
  survivor_start();
  check_start(&argc, &argv);
  if (argc < 6 || check_size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const bool absent = argc > 6;
  total = (size_t)atoi(argv[4]) << 20;
  messages = (size_t)atoi(argv[5]);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  make_buffer(&buffer, argv[2 + check_rank]);
  OK(MPI_Sendrecv(&pid, 1, MPI_INT, 1 - check_rank, 0, &other, 1, MPI_INT, 1 - check_rank, 0,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  victim = strcmp(argv[1], "receiver") == 0 ? pid : other;
  if (check_rank == 0)
    for (size_t i = 0; i != total; ++i) *at(&buffer, i) = sent_byte(i);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 1) pthread_create(&watcher, NULL, kill_in_the_middle, &buffer);
  transfer(&buffer, absent, codes);
  if (check_rank == 1) pthread_join(watcher, NULL);
  report(&buffer, codes);
  drop_buffer(&buffer);
  for (int i = 0; i != 20; ++i) {
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    nanosleep(&moment, NULL);
  }
  MPI_Finalize();
  survivor_end();
  printf("finalized with %d failures\n", check_failures);
  return check_failures != 0;
}
