/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * One rank has no memory for something in the course of a collective access to a file: whatever it
 * is, all ranks say the same, and nobody waits for ever. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>

#include "../sanitized.h"
#include "files.h"

enum { kBlock = 64, kBlocks = 6000, kMine = kBlock * kBlocks };

/* The one of the process's allocations, from now on, that fails; 0 or less: none. */
static atomic_int until_failure;

/* The C library's own, which programs may replace. */
extern void* __libc_malloc(size_t bytes);

#ifndef SANITIZED_MEMORY
void* malloc(size_t bytes) {
  if (atomic_load_explicit(&until_failure, memory_order_relaxed) > 0 &&
      atomic_fetch_sub(&until_failure, 1) == 1) {
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}
#endif

static unsigned char data[kMine];
static MPI_File file;

static void set_view(void) {
  MPI_Datatype block, type;
  MPI_Info by_owners;
  OK(MPI_Info_create(&by_owners));
  OK(MPI_Info_set(by_owners, "romio_cb_write", "enable"));
  OK(MPI_Info_set(by_owners, "romio_cb_read", "enable"));
  OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
  OK(MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * check_size, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, (MPI_Offset)kBlock * check_rank, MPI_BYTE, type, "native", by_owners));
  OK(MPI_Info_free(&by_owners));
  OK(MPI_Type_free(&block));
  OK(MPI_Type_free(&type));
}

/* The access, in which one rank has no memory for allocation number `failing`. */
static int move(int is_write, int failing) {
  atomic_store(&until_failure, failing);
  return is_write ? MPI_File_write_at_all(file, 0, data, kMine, MPI_BYTE, MPI_STATUS_IGNORE)
                  : MPI_File_read_at_all(file, 0, data, kMine, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void check_content(void) {
  check_fill(data, kMine, (uint64_t)check_rank);
  OK(MPI_File_write_at_all(file, 0, data, kMine, MPI_BYTE, MPI_STATUS_IGNORE));
  memset(data, 0, kMine);
  OK(MPI_File_read_at_all(file, 0, data, kMine, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(check_filled(data, kMine, (uint64_t)check_rank));
}

/* Each allocation that the access makes fails once. */
static void each_allocation(int is_write) {
  const int failing_rank = check_size - 1;
  int failed = 1, errors = 0, number = 1;
  for (; failed; ++number) {
    int least, most;
    file = files_new("memory");
    set_view();
    /* What is allocated once is there then. */
    for (int i = 0; i < 2; ++i) check_content();
    const int code = move(is_write, check_rank == failing_rank ? number : 0);
    const int left = atomic_exchange(&until_failure, 0);
    failed = check_rank == failing_rank && left <= 0;
    OK(MPI_Bcast(&failed, 1, MPI_INT, failing_rank, MPI_COMM_WORLD));
    least = most = check_class_of(code);
    OK(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    OK(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK(least == most);
    errors += most != MPI_SUCCESS;
    check_content();
    OK(MPI_File_close(&file));
  }
  if (check_rank == 0)
    printf("file_memory: %s: %d allocations, %d errors\n", is_write ? "write" : "read", number - 2,
           errors);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  if (!kSanitized) {
    each_allocation(1);
    each_allocation(0);
  }
  return check_end("file_memory");
}
