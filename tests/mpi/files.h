/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What the test programs of files share: names of files that nobody else has, files looked at
 * without MPI. */
#ifndef REMIT_TESTS_MPI_FILES_H
#define REMIT_TESTS_MPI_FILES_H

#include <stdio.h>
#include <unistd.h>

#include "check.h"

enum { kPathBytes = 256 };

/* The name of a file that is not there yet; the same at all ranks. Collective. */
static inline const char* files_path(const char* name) {
  static char path[kPathBytes];
  const char* folder = getenv("TMPDIR");
  static int number;
  if (check_rank == 0)
    snprintf(path, sizeof path, "%s/remit_%s.%ld.%d", folder != NULL ? folder : "/tmp", name,
             (long)getpid(), ++number);
  MPI_Bcast(path, kPathBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path;
}

/* Opens a new file that goes when it is closed. */
static inline MPI_File files_new(const char* name) {
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, files_path(name),
                   MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file));
  return file;
}

static inline int files_count(const MPI_Status* status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(status, type, &count);
  return count;
}

/* The whole file as bytes without any view; its caller frees it. NULL and -1: there is none. */
static inline unsigned char* files_bytes(const char* path, long* size) {
  FILE* file = fopen(path, "rb");
  *size = -1;
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  unsigned char* bytes = (unsigned char*)malloc((size_t)*size + 1);
  if (fread(bytes, 1, (size_t)*size, file) != (size_t)*size) *size = -1;
  fclose(file);
  return bytes;
}

#endif
