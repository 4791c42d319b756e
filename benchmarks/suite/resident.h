/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The memory of this process, as the kernel counts it. */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdio.h>

/* Prints "pss KB": pages of its own, and its share of those that others map, too. */
static inline void print_resident(void) {
  char line[256];
  long kilobytes = 0;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "Pss: %ld kB", &kilobytes) == 1) break;
  }
  fclose(file);
  printf("pss %ld\n", kilobytes);
}

#endif
