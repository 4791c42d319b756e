/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Counts that were never set, under a limit of memory as batch systems set one: -1, INT_MAX, 2^62.
 * What must fail fails with an error class and words, never by an exception that no C program could
 * take; and everything works afterwards. `fatal`: what such an error does to a program that takes
 * none; `starved`: to members that wait for the one that has it. */
#include <limits.h>
#include <sys/resource.h>

#include "../sanitized.h"
#include "check.h"

static const MPI_Count kHuge = (MPI_Count)1 << 62;
/* As many doubles are 2^55 bytes, which no processor can address, but a number can say. */
static const MPI_Count kTooMany = (MPI_Count)1 << 52;

/* Leaves so much memory from now on. The arrays that are called too long here have one element:
 * what needs memory for them must fail before it reads them. */
static void limit_memory(size_t more) {
  unsigned long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%lu", &pages) == 1);
  if (file != NULL) fclose(file);
  const rlim_t most = (rlim_t)pages * 4096 + more;
  const struct rlimit limit = {most, most};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* The call fails, with a class of the standard and words. */
static void refused(int code, const char* what, int line) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  const int error_class = check_class_of(code);
  check_that(code != MPI_SUCCESS && error_class > 0 && error_class < MPI_ERR_LASTCODE &&
                 error_class != MPI_ERR_UNKNOWN && error_class != MPI_ERR_INTERN,
             what, __FILE__, line);
  MPI_Error_string(code, text, &length);
  check_that(length > 20, what, __FILE__, line);
}
#define REFUSED(call) refused((call), #call, __LINE__)

static int one[1];
static MPI_Count wide[1];
static MPI_Aint address[1];
static MPI_Datatype int_type[1];
static double value;

static void constructors(void) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  REFUSED(MPI_Type_contiguous(-1, MPI_INT, &made));
  REFUSED(MPI_Type_contiguous_c(kHuge, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_vector(INT_MAX, -1, 1, MPI_INT, &made));
  REFUSED(MPI_Type_vector_c(kHuge, kHuge, 1, MPI_INT, &made));
  REFUSED(MPI_Type_vector_c(kHuge, 1, kHuge, MPI_INT, &made));
  REFUSED(MPI_Type_create_hvector_c(kHuge, 1, kHuge, MPI_INT, &made));
  const int bad[] = {-1, INT_MAX};
  for (int i = 0; i < 2; ++i) {
    REFUSED(MPI_Type_indexed(bad[i], one, one, MPI_INT, &made));
    REFUSED(MPI_Type_create_hindexed(bad[i], one, address, MPI_INT, &made));
    REFUSED(MPI_Type_create_indexed_block(bad[i], 1, one, MPI_INT, &made));
    REFUSED(MPI_Type_create_hindexed_block(bad[i], 1, address, MPI_INT, &made));
    REFUSED(MPI_Type_create_struct(bad[i], one, address, int_type, &made));
    REFUSED(MPI_Type_create_subarray(bad[i], one, one, one, MPI_ORDER_C, MPI_INT, &made));
    REFUSED(MPI_Type_create_darray(1, 0, bad[i], one, one, one, one, MPI_ORDER_C, MPI_INT, &made));
    REFUSED(MPI_Type_create_subarray_c(bad[i], wide, wide, wide, MPI_ORDER_C, MPI_INT, &made));
    REFUSED(
        MPI_Type_create_darray_c(1, 0, bad[i], wide, one, one, one, MPI_ORDER_C, MPI_INT, &made));
  }
  const MPI_Count bad_c[] = {
      -1,       (MPI_Count)1 << 40, (MPI_Count)1 << 60, (MPI_Count)1 << 61, (MPI_Count)1 << 62,
      LLONG_MAX};
  for (int i = 0; i < 6; ++i) {
    REFUSED(MPI_Type_indexed_c(bad_c[i], wide, wide, MPI_INT, &made));
    REFUSED(MPI_Type_create_hindexed_c(bad_c[i], wide, wide, MPI_INT, &made));
    REFUSED(MPI_Type_create_indexed_block_c(bad_c[i], 1, wide, MPI_INT, &made));
    REFUSED(MPI_Type_create_hindexed_block_c(bad_c[i], 1, wide, MPI_INT, &made));
    REFUSED(MPI_Type_create_struct_c(bad_c[i], wide, wide, int_type, &made));
  }
  CHECK(made == MPI_DATATYPE_NULL);
  EXPECT(MPI_ERR_NO_MEM, "count", MPI_Type_indexed_c(kHuge, wide, wide, MPI_INT, &made));
  EXPECT(MPI_ERR_NO_MEM, "MPI_Type_create_struct",
         MPI_Type_create_struct(INT_MAX, one, address, int_type, &made));
}

/* Numbers in arrays instead of lengths of arrays. */
static void numbers_in_arrays(void) {
  MPI_Datatype made;
  const MPI_Count huge = kHuge, none = 0;
  const int cyclic = MPI_DISTRIBUTE_CYCLIC, block = MPI_DISTRIBUTE_BLOCK, one_each = 1;
  const int most = INT_MAX, minus = -1;
  REFUSED(MPI_Type_create_subarray_c(1, &huge, &huge, &none, MPI_ORDER_C, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_darray_c(1, 0, 1, &huge, &cyclic, &one_each, &one_each, MPI_ORDER_C,
                                   MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_darray_c(INT_MAX, 0, 1, &huge, &block, &most, &most, MPI_ORDER_C,
                                   MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_hindexed_c(1, &huge, &none, MPI_INT, &made));
  REFUSED(MPI_Type_create_struct(1, &minus, address, int_type, &made));
  REFUSED(MPI_Type_create_resized_c(MPI_INT, kHuge, kHuge, &made));
  REFUSED(MPI_Type_create_f90_real(INT_MAX, INT_MAX, &made));
  REFUSED(MPI_Type_create_f90_integer(INT_MAX, &made));
  REFUSED(MPI_Type_match_size(MPI_TYPECLASS_REAL, INT_MAX, &made));
}

static void packing(void) {
  int position = 0, size = 0;
  MPI_Count wide_position = 0, wide_size = 0;
  REFUSED(MPI_Pack(&value, INT_MAX, MPI_DOUBLE, one, 4, &position, MPI_COMM_WORLD));
  REFUSED(MPI_Pack_c(&value, kHuge, MPI_DOUBLE, one, 4, &wide_position, MPI_COMM_WORLD));
  REFUSED(MPI_Pack_c(&value, kTooMany, MPI_DOUBLE, one, 4, &wide_position, MPI_COMM_WORLD));
  REFUSED(MPI_Pack(&value, 1, MPI_DOUBLE, one, -1, &position, MPI_COMM_WORLD));
  REFUSED(MPI_Unpack(one, -1, &position, &value, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Unpack_c(one, 4, &wide_position, &value, kHuge, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Pack_size(-1, MPI_DOUBLE, MPI_COMM_WORLD, &size));
  REFUSED(MPI_Pack_size_c(kHuge, MPI_DOUBLE, MPI_COMM_WORLD, &wide_size));
  REFUSED(MPI_Pack_external_c("external32", &value, kHuge, MPI_DOUBLE, one, 4, &wide_position));
  REFUSED(MPI_Pack_external_size_c("external32", kHuge, MPI_DOUBLE, &wide_size));
  CHECK(position == 0 && wide_position == 0);
}

static void groups_and_topologies(void) {
  MPI_Group all, made;
  MPI_Comm comm;
  int ranges[1][3] = {{0, 0, 1}}, weights[1] = {1};
  OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
  const int bad[] = {-1, INT_MAX};
  for (int i = 0; i < 2; ++i) {
    REFUSED(MPI_Group_incl(all, bad[i], one, &made));
    REFUSED(MPI_Group_excl(all, bad[i], one, &made));
    REFUSED(MPI_Graph_create(MPI_COMM_WORLD, bad[i], one, one, 0, &comm));
  }
  REFUSED(MPI_Group_range_incl(all, -1, ranges, &made));
  REFUSED(MPI_Group_translate_ranks(all, -1, one, all, one));
  REFUSED(MPI_Cart_create(MPI_COMM_WORLD, -1, one, one, 0, &comm));
  const int grid[] = {INT_MAX, INT_MAX};
  REFUSED(MPI_Cart_create(MPI_COMM_WORLD, 2, grid, grid, 0, &comm));
  REFUSED(
      MPI_Dist_graph_create(MPI_COMM_WORLD, -1, one, one, one, weights, MPI_INFO_NULL, 0, &comm));
  REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, one, weights, 1, one, weights,
                                         MPI_INFO_NULL, 0, &comm));
  int dims[2] = {INT_MAX, INT_MAX};
  REFUSED(MPI_Dims_create(INT_MAX, 2, dims));
  REFUSED(MPI_Dims_create(INT_MAX, -1, dims));
  OK(MPI_Group_free(&all));
}

static void messages(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int index, flag;
  void* memory = NULL;
  REFUSED(MPI_Send(&value, -1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Send_c(&value, kHuge, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Recv_c(&value, kHuge, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status));
  REFUSED(MPI_Isend_c(&value, kHuge, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Irecv_c(&value, -1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Bsend_c(&value, kTooMany, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Ibsend_c(&value, kTooMany, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request));
  EXPECT(MPI_ERR_NO_MEM, "memory",
         MPI_Sendrecv_replace(&value, INT_MAX, MPI_DOUBLE, 0, 0, 0, 0, MPI_COMM_WORLD, &status));
  REFUSED(
      MPI_Sendrecv_replace_c(&value, kTooMany, MPI_DOUBLE, 0, 0, 0, 0, MPI_COMM_WORLD, &status));
  REFUSED(
      MPI_Isendrecv_replace_c(&value, kTooMany, MPI_DOUBLE, 0, 0, 0, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Psend_init(&value, INT_MAX, kHuge, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &request));
  REFUSED(MPI_Precv_init(&value, INT_MAX, kHuge, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &request));
  REFUSED(MPI_Precv_init(&value, -1, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  CHECK(request == MPI_REQUEST_NULL);
  REFUSED(MPI_Waitall(-1, &request, &status));
  REFUSED(MPI_Waitany(-1, &request, &index, &status));
  REFUSED(MPI_Testall(-1, &request, &flag, &status));
  REFUSED(MPI_Startall(-1, &request));
  EXPECT(MPI_ERR_NO_MEM, "", MPI_Alloc_mem(kHuge, MPI_INFO_NULL, &memory));
  EXPECT(MPI_ERR_NO_MEM, "", MPI_Alloc_mem((MPI_Aint)1 << 50, MPI_INFO_NULL, &memory));
  REFUSED(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory));
}

/* Checked before anything is sent: all members see it alike. */
static void collectives(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  double in[2] = {0, 0};
  int counts[64];
  MPI_Count wide_counts[64];
  MPI_Aint displs[64] = {0};
  for (int i = 0; i < 64; ++i) {
    counts[i] = -1;
    wide_counts[i] = kHuge;
  }
  const MPI_Count bad[] = {-1, kHuge};
  for (int i = 0; i < 2; ++i) {
    REFUSED(MPI_Bcast_c(in, bad[i], MPI_DOUBLE, 0, comm));
    REFUSED(MPI_Reduce_c(&value, in, bad[i], MPI_DOUBLE, MPI_SUM, 0, comm));
    REFUSED(MPI_Allreduce_c(&value, in, bad[i], MPI_DOUBLE, MPI_SUM, comm));
    REFUSED(MPI_Gather_c(&value, bad[i], MPI_DOUBLE, in, bad[i], MPI_DOUBLE, 0, comm));
    REFUSED(MPI_Scatter_c(&value, bad[i], MPI_DOUBLE, in, bad[i], MPI_DOUBLE, 0, comm));
    REFUSED(MPI_Allgather_c(&value, bad[i], MPI_DOUBLE, in, bad[i], MPI_DOUBLE, comm));
    REFUSED(MPI_Alltoall_c(&value, bad[i], MPI_DOUBLE, in, bad[i], MPI_DOUBLE, comm));
    REFUSED(MPI_Reduce_scatter_block_c(&value, in, bad[i], MPI_DOUBLE, MPI_SUM, comm));
    REFUSED(MPI_Scan_c(&value, in, bad[i], MPI_DOUBLE, MPI_SUM, comm));
    REFUSED(MPI_Iallreduce_c(&value, in, bad[i], MPI_DOUBLE, MPI_SUM, comm, &request));
    REFUSED(MPI_Ialltoall_c(&value, bad[i], MPI_DOUBLE, in, bad[i], MPI_DOUBLE, comm, &request));
    REFUSED(MPI_Allreduce_init_c(&value, in, bad[i], MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
                                 &request));
  }
  REFUSED(MPI_Alltoallv(&value, counts, counts, MPI_DOUBLE, in, counts, counts, MPI_DOUBLE, comm));
  REFUSED(MPI_Allgatherv(&value, 1, MPI_DOUBLE, in, counts, counts, MPI_DOUBLE, comm));
  REFUSED(MPI_Reduce_scatter(&value, in, counts, MPI_DOUBLE, MPI_SUM, comm));
  REFUSED(MPI_Reduce_scatter_c(&value, in, wide_counts, MPI_DOUBLE, MPI_SUM, comm));
  REFUSED(MPI_Ireduce_scatter_c(&value, in, wide_counts, MPI_DOUBLE, MPI_SUM, comm, &request));
  REFUSED(MPI_Ialltoallv(&value, counts, counts, MPI_DOUBLE, in, counts, counts, MPI_DOUBLE, comm,
                         &request));
  REFUSED(MPI_Alltoallv_c(&value, wide_counts, displs, MPI_DOUBLE, in, wide_counts, displs,
                          MPI_DOUBLE, comm));
  CHECK(request == MPI_REQUEST_NULL);
}

/* The library has not lost its way. */
static void still_works(MPI_Comm comm) {
  int sum = 0, rank, size;
  MPI_Comm copy;
  MPI_Datatype type;
  const int blocks[] = {1, 1}, places[] = {0, 2};
  int out[3] = {1, 2, 3}, in[3] = {0, 0, 0};
  OK(MPI_Barrier(comm));
  OK(MPI_Comm_rank(comm, &rank));
  OK(MPI_Comm_size(comm, &size));
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size * (size - 1) / 2);
  OK(MPI_Type_indexed(2, blocks, places, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_Sendrecv(out, 1, type, (rank + 1) % size, 1, in, 1, type, (rank + size - 1) % size, 1,
                  comm, MPI_STATUS_IGNORE));
  CHECK(in[0] == 1 && in[1] == 0 && in[2] == 3);
  OK(MPI_Type_free(&type));
  OK(MPI_Comm_dup(comm, &copy));
  OK(MPI_Barrier(copy));
  OK(MPI_Comm_free(&copy));
}

/* One member gets no memory in the middle of an operation. */
static void starved(void) {
  const int n = 100000;
  double* in = calloc((size_t)n, sizeof *in);
  double* out = calloc((size_t)n, sizeof *out);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 1) limit_memory((size_t)1 << 16);
  (void)MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  int_type[0] = MPI_INT;
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) {
    MPI_Datatype made;
    MPI_Type_indexed_c(kHuge, wide, wide, MPI_INT, &made);
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "starved") == 0) {
    starved();
    return 0;
  }
  if (kSanitized) return check_end("garbage_counts (not under a sanitizer)");
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  still_works(MPI_COMM_WORLD);
  limit_memory((size_t)1 << 29);
  constructors();
  numbers_in_arrays();
  packing();
  groups_and_topologies();
  messages();
  still_works(MPI_COMM_WORLD);
  collectives(MPI_COMM_WORLD);
  collectives(MPI_COMM_SELF);
  still_works(MPI_COMM_WORLD);
  still_works(MPI_COMM_SELF);
  return check_end("garbage_counts");
}
