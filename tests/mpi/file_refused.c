/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * One rank gives wrong arguments to a collective call on a file: nobody waits for it in vain, all
 * ranks hear of it in the same class and words, and the next call works. */
#include "files.h"

enum { kBlock = 64, kBlocks = 500, kMine = kBlock * kBlocks };

static unsigned char data[kMine], back[kMine];
static MPI_File file;
static int bad; /* the rank */
static int is_dealt;

static void set_view(int dealt) {
  MPI_Datatype block, type;
  is_dealt = dealt;
  OK(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
  OK(MPI_Type_create_resized(block, 0, (MPI_Aint)kBlock * (dealt ? check_size : 1), &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_File_set_view(file, dealt ? (MPI_Offset)kBlock * check_rank : 0, MPI_BYTE, type, "native",
                       MPI_INFO_NULL));
  OK(MPI_Type_free(&block));
  OK(MPI_Type_free(&type));
}

/* All ranks call it with the code that they got. */
static void all_heard(int code, int error_class, const char* word, const char* what) {
  char words[MPI_MAX_ERROR_STRING] = "", others[MPI_MAX_ERROR_STRING], rank[32];
  int length = 0;
  if (code != MPI_SUCCESS) OK(MPI_Error_string(code, words, &length));
  const char* said = strstr(words, "rank ");
  if (said == NULL) said = words;
  snprintf(rank, sizeof rank, "rank %d", bad);
  const int right = check_class_of(code) == error_class && strncmp(said, rank, strlen(rank)) == 0 &&
                    strstr(said, word) != NULL;
  memset(others, 0, sizeof others);
  if (check_rank == bad) strcpy(others, said);
  OK(MPI_Bcast(others, sizeof others, MPI_CHAR, bad, MPI_COMM_WORLD));
  if (!right || strcmp(others, said) != 0)
    fprintf(stderr, "%s: class %d: %s\n", what, check_class_of(code), words);
  CHECK(right);
  CHECK(strcmp(others, said) == 0);
  /* The bad one may have heard before the others have moved their data. */
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A call of the right kind, to see that nothing is left of the wrong one. */
static void works(int round) {
  MPI_Status status;
  const MPI_Offset at = is_dealt ? 0 : (MPI_Offset)kMine * check_rank;
  check_fill(data, kMine, (uint64_t)(3 * check_rank + round));
  OK(MPI_File_write_at_all(file, at, data, kMine, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  memset(back, 0, kMine);
  OK(MPI_File_read_at_all(file, at, back, kMine, MPI_BYTE, &status));
  CHECK(files_count(&status, MPI_BYTE) == kMine);
  CHECK(memcmp(back, data, kMine) == 0);
}

/* What a bad rank gives in the place of what the others do. */
struct Given {
  MPI_Offset offset;
  void* buffer;
  int count;
  MPI_Datatype type;
  int error_class;
  const char* word;
};

typedef int form(const struct Given*);
static MPI_Status ignored;

static int wait_for(int code, MPI_Request* request) {
  return code != MPI_SUCCESS ? code : MPI_Wait(request, &ignored);
}
static int end(int code, int (*ends)(MPI_File, void*, MPI_Status*), void* buffer) {
  return code != MPI_SUCCESS ? code : ends(file, buffer, &ignored);
}

#define ARGS g->buffer, g->count, g->type
static int write_all(const struct Given* g) {
  return MPI_File_write_all(file, ARGS, &ignored);
}
static int read_all(const struct Given* g) {
  return MPI_File_read_all(file, ARGS, &ignored);
}
static int write_at_all(const struct Given* g) {
  return MPI_File_write_at_all(file, g->offset, ARGS, &ignored);
}
static int read_at_all(const struct Given* g) {
  return MPI_File_read_at_all(file, g->offset, ARGS, &ignored);
}
static int write_ordered(const struct Given* g) {
  return MPI_File_write_ordered(file, ARGS, &ignored);
}
static int read_ordered(const struct Given* g) {
  return MPI_File_read_ordered(file, ARGS, &ignored);
}
static int iwrite_all(const struct Given* g) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iwrite_all(file, ARGS, &request), &request);
}
static int iread_all(const struct Given* g) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iread_all(file, ARGS, &request), &request);
}
static int iwrite_at_all(const struct Given* g) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iwrite_at_all(file, g->offset, ARGS, &request), &request);
}
static int iread_at_all(const struct Given* g) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iread_at_all(file, g->offset, ARGS, &request), &request);
}
static int end_write_all(MPI_File f, void* b, MPI_Status* s) {
  return MPI_File_write_all_end(f, b, s);
}
static int end_write_at_all(MPI_File f, void* b, MPI_Status* s) {
  return MPI_File_write_at_all_end(f, b, s);
}
static int end_write_ordered(MPI_File f, void* b, MPI_Status* s) {
  return MPI_File_write_ordered_end(f, b, s);
}
static int split_write_all(const struct Given* g) {
  return end(MPI_File_write_all_begin(file, ARGS), end_write_all, g->buffer);
}
static int split_read_all(const struct Given* g) {
  return end(MPI_File_read_all_begin(file, ARGS), MPI_File_read_all_end, g->buffer);
}
static int split_write_at_all(const struct Given* g) {
  return end(MPI_File_write_at_all_begin(file, g->offset, ARGS), end_write_at_all, g->buffer);
}
static int split_read_at_all(const struct Given* g) {
  return end(MPI_File_read_at_all_begin(file, g->offset, ARGS), MPI_File_read_at_all_end,
             g->buffer);
}
static int split_write_ordered(const struct Given* g) {
  return end(MPI_File_write_ordered_begin(file, ARGS), end_write_ordered, g->buffer);
}
static int split_read_ordered(const struct Given* g) {
  return end(MPI_File_read_ordered_begin(file, ARGS), MPI_File_read_ordered_end, g->buffer);
}

static const struct Form {
  form* call;
  const char* name;
  int has_offset;
} forms[] = {
    {write_all, "write_all", 0},
    {read_all, "read_all", 0},
    {write_at_all, "write_at_all", 1},
    {read_at_all, "read_at_all", 1},
    {write_ordered, "write_ordered", 0},
    {read_ordered, "read_ordered", 0},
    {iwrite_all, "iwrite_all", 0},
    {iread_all, "iread_all", 0},
    {iwrite_at_all, "iwrite_at_all", 1},
    {iread_at_all, "iread_at_all", 1},
    {split_write_all, "split write_all", 0},
    {split_read_all, "split read_all", 0},
    {split_write_at_all, "split write_at_all", 1},
    {split_read_at_all, "split read_at_all", 1},
    {split_write_ordered, "split write_ordered", 0},
    {split_read_ordered, "split read_ordered", 0},
};

static void rewind_pointers(void) {
  OK(MPI_File_seek(file, is_dealt ? 0 : (MPI_Offset)kMine * check_rank, MPI_SEEK_SET));
  OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
}

static void data_calls(void) {
  MPI_Datatype kept_back;
  OK(MPI_Type_contiguous(4, MPI_BYTE, &kept_back)); /* not committed */
  const struct Given right = {
      is_dealt ? 0 : (MPI_Offset)kMine * check_rank, data, kMine, MPI_BYTE, MPI_SUCCESS, ""};
  const struct Given wrong[] = {
      {right.offset, data, -1, MPI_BYTE, MPI_ERR_COUNT, "count is -1"},
      {right.offset, data, 4, MPI_DATATYPE_NULL, MPI_ERR_TYPE, "MPI_DATATYPE_NULL"},
      {right.offset, data, 4, kept_back, MPI_ERR_TYPE, "not committed"},
      {right.offset, NULL, 4, MPI_BYTE, MPI_ERR_BUFFER, "null pointer"},
      {-5, data, 4, MPI_BYTE, MPI_ERR_ARG, "offset is -5"},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
      if (wrong[k].offset < 0 && !forms[i].has_offset) continue;
      bad = (int)((i + k) % (size_t)check_size);
      rewind_pointers();
      const int code = forms[i].call(check_rank == bad ? &wrong[k] : &right);
      all_heard(code, wrong[k].error_class, wrong[k].word, forms[i].name);
      if (k == 0) works((int)i);
    }
  }
  OK(MPI_Type_free(&kept_back));
}

/* No place for the request; a split access that was begun by one rank alone. */
static void other_arguments(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  bad = check_size - 1;
  int code = MPI_File_iwrite_all(file, data, 0, MPI_BYTE, check_rank == bad ? NULL : &request);
  if (check_rank != bad) code = wait_for(code, &request);
  all_heard(code, MPI_ERR_ARG, "request is a null pointer", "iwrite_all");
  /* Those whose begin went well end it; the bad one has none to end. */
  OK(MPI_File_write_at_all_begin(file, 0, data, 0, MPI_BYTE));
  if (check_rank != bad) OK(MPI_File_write_at_all_end(file, data, &ignored));
  code = MPI_File_write_at_all(file, 0, data, 0, MPI_BYTE, &ignored);
  all_heard(code, MPI_ERR_IO, "has not been ended", "write_at_all");
  if (check_rank == bad) OK(MPI_File_write_at_all_end(file, data, &ignored));
  works(99);
}

static void whole_file(void) {
  MPI_Offset size = -1, after = -2;
  MPI_Datatype kept_back;
  OK(MPI_Type_contiguous(4, MPI_BYTE, &kept_back));
  for (bad = 0; bad < check_size; ++bad) {
    const int is_bad = check_rank == bad;
    OK(MPI_File_get_size(file, &size));
    all_heard(MPI_File_set_size(file, is_bad ? -7 : 10), MPI_ERR_ARG, "size is -7", "set_size");
    all_heard(MPI_File_preallocate(file, is_bad ? -8 : 1 << 22), MPI_ERR_ARG, "size is -8",
              "preallocate");
    OK(MPI_File_get_size(file, &after));
    CHECK(size == after);
    all_heard(MPI_File_set_info(file, is_bad ? MPI_INFO_NULL : MPI_INFO_ENV), MPI_ERR_INFO,
              "MPI_INFO_NULL", "set_info");
    all_heard(MPI_File_set_view(file, 0, is_bad ? MPI_DATATYPE_NULL : MPI_BYTE, MPI_BYTE, "native",
                                MPI_INFO_NULL),
              MPI_ERR_TYPE, "etype", "set_view");
    all_heard(MPI_File_set_view(file, 0, MPI_BYTE, is_bad ? kept_back : MPI_BYTE, "native",
                                MPI_INFO_NULL),
              MPI_ERR_TYPE, "filetype", "set_view");
    all_heard(MPI_File_set_view(file, is_bad ? -3 : 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
              MPI_ERR_ARG, "disp is -3", "set_view");
    all_heard(
        MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, is_bad ? NULL : "native", MPI_INFO_NULL),
        MPI_ERR_ARG, "datarep", "set_view");
    works(bad);
    MPI_File none = MPI_FILE_NULL;
    all_heard(MPI_File_open(MPI_COMM_WORLD, is_bad ? NULL : "refused", MPI_MODE_RDONLY,
                            MPI_INFO_NULL, &none),
              MPI_ERR_ARG, "filename", "open");
    all_heard(MPI_File_open(MPI_COMM_WORLD, "refused", is_bad ? 0 : MPI_MODE_RDONLY, MPI_INFO_NULL,
                            &none),
              MPI_ERR_AMODE, "amode", "open");
    CHECK(none == MPI_FILE_NULL);
  }
  OK(MPI_Type_free(&kept_back));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  file = files_new("refused");
  works(0);
  data_calls();
  other_arguments();
  set_view(1);
  works(1);
  data_calls();
  other_arguments();
  whole_file();
  OK(MPI_File_close(&file));
  return check_end("file_refused");
}
