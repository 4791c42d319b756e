/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * MPI_Alloc_mem and MPI_Free_mem: messages between such memory and other memory in all directions,
 * the alignment hint, and wrong arguments. */
#include "check.h"

static const size_t kSizes[] = {0, 1, 4095, 4096, 40000, 262144, 3000001};
enum { kSizeCount = sizeof kSizes / sizeof kSizes[0] };

/* From `from` of this rank to `to` of the next. */
static void pass_on(void* from, void* to, size_t bytes, uint64_t salt) {
  const int next = (check_rank + 1) % check_size;
  const int previous = (check_rank + check_size - 1) % check_size;
  check_fill(from, bytes, salt + (uint64_t)check_rank);
  memset(to, 0, bytes);
  OK(MPI_Sendrecv(from, (int)bytes, MPI_BYTE, next, 3, to, (int)bytes, MPI_BYTE, previous, 3,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(check_filled(to, bytes, salt + (uint64_t)previous));
}

static void messages(void) {
  for (int i = 0; i < kSizeCount; ++i) {
    const size_t bytes = kSizes[i];
    void *one = NULL, *two = NULL;
    char* plain = malloc(bytes + 1);
    for (int round = 0; round < 3; ++round) { /* the same addresses, given back between */
      OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &one));
      OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &two));
      CHECK(one != NULL && two != NULL && one != two);
      pass_on(one, two, bytes, 10);
      pass_on(two, plain, bytes, 20);
      pass_on(plain, one, bytes, 30);
      OK(MPI_Free_mem(one));
      OK(MPI_Free_mem(two));
    }
    free(plain);
  }
}

static void hints(void) {
  MPI_Info info;
  void* memory = NULL;
  OK(MPI_Info_create(&info));
  for (size_t alignment = 1; alignment <= 1u << 21; alignment *= 2) {
    char text[24];
    snprintf(text, sizeof text, "%zu", alignment);
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", text));
    for (MPI_Aint bytes = 10; bytes <= 100000; bytes *= 100) {
      OK(MPI_Alloc_mem(bytes, info, &memory));
      CHECK((uintptr_t)memory % alignment == 0);
      memset(memory, 1, (size_t)bytes);
      OK(MPI_Free_mem(memory));
    }
  }
  const char* const nonsense[] = {"0", "48", "-8", "8 bytes", "many"};
  for (int i = 0; i < 5; ++i) {
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", nonsense[i]));
    EXPECT(MPI_ERR_INFO_VALUE, "mpi_minimum_memory_alignment", MPI_Alloc_mem(10, info, &memory));
  }
  OK(MPI_Info_free(&info));
}

static void wrong_arguments(void) {
  char* memory = NULL;
  EXPECT(MPI_ERR_ARG, "size", MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
  EXPECT(MPI_ERR_ARG, "baseptr", MPI_Alloc_mem(8, MPI_INFO_NULL, NULL));
  EXPECT(MPI_ERR_NO_MEM, "bytes", MPI_Alloc_mem(INT64_MAX, MPI_INFO_NULL, &memory));
  EXPECT(MPI_ERR_NO_MEM, "bytes", MPI_Alloc_mem(INT64_MAX / 2, MPI_INFO_NULL, &memory));
  OK(MPI_Free_mem(NULL));
  OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &memory));
  if (getenv("REMIT_SHM_ALLOC") == NULL && getenv("REMIT_DEVICES") == NULL)
    EXPECT(MPI_ERR_BASE, "base", MPI_Free_mem(memory + 4096));
  OK(MPI_Free_mem(memory));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  messages();
  hints();
  wrong_arguments();
  return check_end("memory");
}
