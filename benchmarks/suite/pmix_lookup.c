/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What it takes to look up what another rank has published, as MPI's first message to it does. Rank
   0 asks for one half of the others one after the other, and for the other half at once; it prints
   the time of one in microseconds. Compile with pkg-config --cflags --libs pmix. */
#include <pmix.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char kKey[] = "lookup.address";
static sem_t answered;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void on_answer(pmix_status_t status, pmix_value_t* value, void* good) {
  if (status == PMIX_SUCCESS && value != NULL) *(int*)good = 1;
  sem_post(&answered);
}

static int publish(void) {
  char address[100] = {0};
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = address;
  value.data.bo.size = sizeof address;
  return PMIx_Put(PMIX_GLOBAL, kKey, &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS;
}

/* Of the odd ranks; 0: one could not be asked for. */
static double one_by_one(pmix_proc_t peer, unsigned ranks) {
  const double start = now_us();
  unsigned count = 0;
  for (peer.rank = 1; peer.rank < ranks; peer.rank += 2, ++count) {
    pmix_value_t* value = NULL;
    if (PMIx_Get(&peer, kKey, NULL, 0, &value) != PMIX_SUCCESS) return 0;
    PMIX_VALUE_RELEASE(value);
  }
  return (now_us() - start) / count;
}

/* Of the even ranks but 0. */
static double at_once(pmix_proc_t peer, unsigned ranks) {
  enum { kMost = 4096 };
  static int good[kMost];
  const double start = now_us();
  unsigned count = 0;
  for (peer.rank = 2; peer.rank < ranks && count < kMost; peer.rank += 2, ++count) {
    if (PMIx_Get_nb(&peer, kKey, NULL, 0, on_answer, &good[count]) != PMIX_SUCCESS) return 0;
  }
  for (unsigned i = 0; i < count; ++i) sem_wait(&answered);
  const double took = now_us() - start;
  for (unsigned i = 0; i < count; ++i) {
    if (!good[i]) return 0;
  }
  return took / count;
}

/* usage: pmix_lookup, of three ranks at least */
int main(void) {
  pmix_proc_t me, all;
  int failed = 0;
  if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) return 1;
  PMIX_PROC_CONSTRUCT(&all);
  memcpy(all.nspace, me.nspace, sizeof all.nspace);
  all.rank = PMIX_RANK_WILDCARD;
  sem_init(&answered, 0, 0);
  if (!publish() || PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 1;
  if (me.rank == 0) {
    pmix_value_t* size = NULL;
    if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &size) != PMIX_SUCCESS) return 1;
    const double each = one_by_one(all, size->data.uint32);
    const double together = at_once(all, size->data.uint32);
    failed = each == 0 || together == 0;
    printf("one by one %.1f us, at once %.1f us each\n", each, together);
    PMIX_VALUE_RELEASE(size);
  }
  if (PMIx_Fence(&all, 1, NULL, 0) != PMIX_SUCCESS) return 1;
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? failed : 1;
}
