/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * The last rank dies while the others wait for it in a collective access to a file: file_deaths.py
 * looks at what they say.
 *     file_deaths staged|direct|contiguous write|read|iwrite|split|ordered|view|sync|close
 * The first word is which way the data go, the second one what the others wait in. */
#define _GNU_SOURCE
#include "deaths.h"
#include "files.h"

enum { kBlock = 64, kBlocks = 20000, kMine = kBlock * kBlocks };

static MPI_File file;
static unsigned char data[kMine];

static void set_view(void) {
  MPI_Datatype block, type;
  OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
  OK(MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * check_size, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, (MPI_Offset)kBlock * check_rank, MPI_BYTE, type, "native",
                       MPI_INFO_NULL));
  OK(MPI_Type_free(&block));
  OK(MPI_Type_free(&type));
}

/* Written again and again until one is in vain: the other one dies in the middle of it. */
static int access_till_error(const char* mode) {
  MPI_Request request;
  MPI_Status status;
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS) {
    if (strcmp(mode, "write") == 0) {
      code = MPI_File_write_at_all(file, 0, data, kMine, MPI_BYTE, &status);
    } else if (strcmp(mode, "read") == 0) {
      code = MPI_File_read_at_all(file, 0, data, kMine, MPI_BYTE, &status);
    } else if (strcmp(mode, "iwrite") == 0) {
      code = MPI_File_iwrite_at_all(file, 0, data, kMine, MPI_BYTE, &request);
      if (code == MPI_SUCCESS) code = MPI_Wait(&request, &status);
    } else if (strcmp(mode, "split") == 0) {
      code = MPI_File_write_at_all_begin(file, 0, data, kMine, MPI_BYTE);
      if (code == MPI_SUCCESS) code = MPI_File_write_at_all_end(file, data, &status);
    } else if (strcmp(mode, "ordered") == 0) {
      code = MPI_File_write_ordered(file, data, 100, MPI_BYTE, &status);
    } else if (strcmp(mode, "view") == 0) {
      code = MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    } else {
      code = MPI_File_sync(file);
    }
  }
  return code;
}

static void die_soon(int signal_number) {
  (void)signal_number;
  raise(SIGKILL);
}

int main(int argc, char** argv) {
  char path[kPathBytes];
  const char* const way = argc > 1 ? argv[1] : "";
  const char* const mode = argc > 2 ? argv[2] : "";
  MPI_Info info;
  deaths_start(&argc, &argv);
  strcpy(path, files_path("deaths"));
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "collective_buffering", strcmp(way, "staged") == 0 ? "true" : "false"));
  OK(MPI_Info_set(info, "cb_buffer_size", "16384"));
  OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  OK(MPI_Info_free(&info));
  if (strcmp(way, "contiguous") != 0) set_view();
  OK(MPI_File_write_at_all(file, 0, data, kMine, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  /* The name is nobody's any more: whatever becomes of this program, the file goes with it. */
  if (check_rank == 0) unlink(path);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == check_size - 1) {
    /* In the middle of whatever it does by then. */
    const struct timespec later = {0, 50000000 + (long)getpid() % 16 * 1000000};
    struct sigevent event;
    struct itimerspec once = {{0, 0}, later};
    timer_t timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    signal(SIGALRM, die_soon);
    if (strcmp(mode, "close") == 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &once, NULL) != 0) {
      deaths_rest(100);
      raise(SIGKILL);
    }
  }
  return deaths_end(strcmp(mode, "close") == 0 ? MPI_File_close(&file) : access_till_error(mode));
}
