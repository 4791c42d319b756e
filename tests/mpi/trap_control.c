/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Makes three copies in the trap and three beside it, for the test of the counter (copy_trap.sh).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argv;
  const size_t bytes = 1024 * (size_t)argc; /* not known to the compiler */
  char* memory = aligned_alloc(4096, 65536);
  if (memory == NULL) return 1;
  memset(memory, 1, 65536);
  for (int ahead = 0; ahead <= 16; ahead += 16) {
    struct iovec to = {memory + 8192 + ahead, bytes};
    struct iovec from = {memory, bytes};
    memcpy(memory + 8192 + ahead, memory, bytes);
    memmove(memory + 8192 + ahead, memory, bytes);
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)bytes) return 2;
  }
  const int wrong = memory[8192 + 16] != 1;
  free(memory);
  return wrong;
}
