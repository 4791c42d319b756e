// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// fortran_callbacks: procedures as a Fortran compiler calls them (all arguments by address, handles
// as integers) behind operations, error handlers, generalized requests and attributes; and
// attributes seen by both languages. Any number of ranks.
#include <cstring>
#include <vector>

#include "bindings/fortran/attributes.hpp"
#include "bindings/fortran/callbacks.hpp"
#include "bindings/fortran/kept.hpp"
#include "tests/mpi/check.h"

namespace {

namespace fortran = remit::fortran;
using fortran::Procedure;

template <class Function>
Procedure procedure(Function* function) {
  return reinterpret_cast<Procedure>(function);
}

// Operations.

int seen_type;
/// Operation number N: the first operand counts N times.
template <int N>
void add_times(const int* in, int* inout, const int* length, const int* type) {
  for (int i = 0; i < *length; ++i) inout[i] += N * in[i];
  seen_type = *type;
}
void add_large(const int* in, int* inout, const MPI_Count* length, const int* /*type*/) {
  for (MPI_Count i = 0; i < *length; ++i) inout[i] += in[i];
}

void operations_at_once() {
  constexpr int kOps = 1000;
  std::vector<MPI_Op> ops(kOps);
  const Procedure procedures[] = {procedure(&add_times<1>), procedure(&add_times<2>),
                                  procedure(&add_times<3>)};
  for (int i = 0; i < kOps; ++i) {
    OK(fortran::op_create(MPI_Op_create, procedures[i % 3], true, &ops[static_cast<size_t>(i)]));
  }
  for (int i = 0; i < kOps; ++i) {
    int in = 5;
    int inout = 7;
    OK(MPI_Reduce_local(&in, &inout, 1, MPI_INT, ops[static_cast<size_t>(i)]));
    CHECK(inout == 7 + (i % 3 + 1) * 5);
    CHECK(seen_type == MPI_Type_toint(MPI_INT));
  }
  // The pool has an end, which is told in words; freed ones can be had again.
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Op one = MPI_OP_NULL;
  int error = MPI_SUCCESS;
  while (error == MPI_SUCCESS && ops.size() < 5000) {
    error = fortran::op_create(MPI_Op_create, procedures[0], true, &one);
    if (error == MPI_SUCCESS) ops.push_back(one);
  }
  EXPECT(MPI_ERR_OTHER, "1024 operations made in Fortran are in use", error);
  CHECK(ops.size() == 1024);
  for (MPI_Op& op : ops) OK(fortran::op_free(MPI_Op_free, &op));
  for (int i = 0; i < 3000; ++i) {
    OK(fortran::op_create(MPI_Op_create, procedures[i % 3], true, &one));
    OK(fortran::op_free(MPI_Op_free, &one));
  }
  OK(fortran::op_create(MPI_Op_create_c, procedure(&add_large), true, &one));
  int in = 5;
  int inout = 7;
  OK(MPI_Reduce_local_c(&in, &inout, 1, MPI_INT, one));
  CHECK(inout == 12);
  OK(fortran::op_free(MPI_Op_free, &one));
}

/// A persistent request keeps the operation, though it was freed and thousands are made meanwhile.
void operation_outlives_free() {
  MPI_Op op;
  OK(fortran::op_create(MPI_Op_create, procedure(&add_times<1>), true, &op));
  int in = check_rank + 1;
  int out = 0;
  MPI_Request request;
  OK(MPI_Allreduce_init(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  fortran::hold_op(op, request, true);
  OK(fortran::op_free(MPI_Op_free, &op));
  for (int i = 0; i < 1500; ++i) {
    MPI_Op other;
    OK(fortran::op_create(MPI_Op_create, procedure(&add_times<3>), true, &other));
    OK(fortran::op_free(MPI_Op_free, &other));
  }
  for (int i = 0; i < 2; ++i) {
    fortran::request_starts(request);
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    fortran::request_completed(request);
    CHECK(out == check_size * (check_size + 1) / 2);
  }
  const MPI_Request before = request;
  CHECK(fortran::any_kept());
  OK(MPI_Request_free(&request));
  fortran::request_freed(before);
  CHECK(!fortran::any_kept());
}

// Error handlers.

int handled_object;
int handled_code;
template <int N>
void handle_error(const int* object, const int* code) {
  handled_object = *object;
  handled_code = 1000 * N + check_class_of(*code);
}

void error_handlers() {
  constexpr int kMany = 3000;
  std::vector<MPI_Errhandler> all(kMany);
  for (int i = 0; i < kMany; ++i) {
    OK(fortran::create_errhandler(
        MPI_Comm_create_errhandler,
        i % 2 == 0 ? procedure(&handle_error<1>) : procedure(&handle_error<2>),
        &all[static_cast<size_t>(i)]));
  }
  MPI_Comm first, second, child;
  OK(MPI_Comm_dup(MPI_COMM_SELF, &first));
  OK(MPI_Comm_set_errhandler(first, all[0]));
  OK(MPI_Comm_split(first, 0, 0, &child));  // inherits
  OK(MPI_Comm_dup(MPI_COMM_SELF, &second));
  OK(MPI_Comm_set_errhandler(second, all[kMany - 1]));
  for (MPI_Errhandler& each : all) OK(MPI_Errhandler_free(&each));
  for (int i = 0; i < 5000; ++i) {  // they take the memory of those that are gone
    MPI_Errhandler other;
    OK(fortran::create_errhandler(MPI_Comm_create_errhandler, procedure(&handle_error<3>), &other));
    OK(MPI_Errhandler_free(&other));
  }
  for (const auto& [comm, number] : {std::pair{first, 1}, {child, 1}, {second, 2}}) {
    handled_code = 0;
    FAILS(MPI_ERR_RANK, MPI_Send(nullptr, 0, MPI_INT, 99, 0, comm));
    CHECK(handled_code == 1000 * number + MPI_ERR_RANK);
    CHECK(handled_object == MPI_Comm_toint(comm));
  }
  for (MPI_Comm* each : {&first, &second, &child}) OK(MPI_Comm_free(each));

  MPI_Win win;
  MPI_Errhandler handler;
  int memory = 0;
  OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
  OK(fortran::create_errhandler(MPI_Win_create_errhandler, procedure(&handle_error<4>), &handler));
  OK(MPI_Win_set_errhandler(win, handler));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Win_call_errhandler(win, MPI_ERR_DISP));
  CHECK(handled_code == 4000 + MPI_ERR_DISP && handled_object == MPI_Win_toint(win));
  OK(MPI_Win_free(&win));

  MPI_Session session;
  OK(fortran::create_errhandler(MPI_Session_create_errhandler, procedure(&handle_error<5>),
                                &handler));
  OK(MPI_Session_init(MPI_INFO_NULL, handler, &session));
  OK(MPI_Errhandler_free(&handler));
  OK(MPI_Session_call_errhandler(session, MPI_ERR_ARG));
  CHECK(handled_code == 5000 + MPI_ERR_ARG && handled_object == MPI_Session_toint(session));
  OK(MPI_Session_finalize(&session));
}

// Generalized requests.

MPI_Aint freed_state;
void query(const MPI_Aint* state, MPI_Status* status, int* ierror) {
  MPI_Status_set_elements(status, MPI_INT, static_cast<int>(*state));
  MPI_Status_set_cancelled(status, 0);
  status->MPI_TAG = 77;
  *ierror = MPI_SUCCESS;
}
void free_state(const MPI_Aint* state, int* ierror) {
  freed_state = *state;
  *ierror = MPI_SUCCESS;
}
int cancelled;
void cancel(const MPI_Aint* state, const int* complete, int* ierror) {
  cancelled = static_cast<int>(*state) + *complete;
  *ierror = MPI_SUCCESS;
}

void generalized_requests() {
  MPI_Request request;
  OK(fortran::grequest_start(MPI_Grequest_start, procedure(&query), procedure(&free_state),
                             procedure(&cancel), 4711, &request));
  OK(MPI_Cancel(&request));
  CHECK(cancelled == 4711);
  OK(MPI_Grequest_complete(request));
  MPI_Status status;
  int count = 0;
  OK(MPI_Wait(&request, &status));
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 4711 && status.MPI_TAG == 77 && freed_state == 4711);
}

// Attributes.

constexpr MPI_Aint kLarge = 0x123456789abcdef;
int copies;
int deletes;
MPI_Aint last_value;
void copy_doubled(const int* /*object*/, const int* /*keyval*/, const MPI_Aint* state,
                  const MPI_Aint* in, MPI_Aint* out, int* flag, int* ierror) {
  ++copies;
  *out = 2 * *in + *state;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}
void delete_value(const int* /*object*/, const int* /*keyval*/, const MPI_Aint* value,
                  const MPI_Aint* /*state*/, int* ierror) {
  ++deletes;
  last_value = *value;
  *ierror = MPI_SUCCESS;
}
/// The same in MPI-1, where all are INTEGERs.
void copy_old(const int* /*comm*/, const int* /*keyval*/, const int* state, const int* in, int* out,
              int* flag, int* ierror) {
  *out = *in + *state;
  *flag = -1;  // .TRUE. of some compilers
  *ierror = MPI_SUCCESS;
}
void delete_old(const int* /*comm*/, const int* /*keyval*/, const int* value, const int* /*state*/,
                int* ierror) {
  ++deletes;
  last_value = *value;
  *ierror = MPI_SUCCESS;
}

MPI_Aint value_in_fortran(MPI_Comm comm, int keyval) {
  MPI_Aint value = -1;
  int flag = 0;
  OK(fortran::get_attr(MPI_Comm_get_attr, comm, keyval, &value, &flag));
  CHECK(flag == 1);
  return value;
}
void* value_in_c(MPI_Comm comm, int keyval) {
  void* value = nullptr;
  int flag = 0;
  OK(MPI_Comm_get_attr(comm, keyval, static_cast<void*>(&value), &flag));
  CHECK(flag == 1);
  return value;
}

void attributes_of_both() {
  MPI_Comm comm, copy;
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  int keyval, c_keyval, dup_keyval;
  OK(fortran::create_keyval(MPI_Comm_create_keyval, procedure(&copy_doubled),
                            procedure(&delete_value), &keyval, MPI_Aint{3}));
  OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &c_keyval, nullptr));
  OK(fortran::create_keyval(MPI_Comm_create_keyval, procedure(&mpi_comm_dup_fn_),
                            procedure(&mpi_comm_null_delete_fn_), &dup_keyval, MPI_Aint{0}));
  int object = 0;
  // Set in Fortran: C has a pointer to it, under keyvals of both.
  for (const int each : {keyval, c_keyval, dup_keyval}) {
    OK(fortran::set_attr(MPI_Comm_set_attr, comm, each, kLarge));
    CHECK(*static_cast<MPI_Aint*>(value_in_c(comm, each)) == kLarge);
    CHECK(value_in_fortran(comm, each) == kLarge);
  }
  OK(MPI_Comm_dup(comm, &copy));
  CHECK(copies == 1);
  CHECK(value_in_fortran(copy, keyval) == 2 * kLarge + 3);
  CHECK(value_in_fortran(copy, c_keyval) == kLarge);
  CHECK(value_in_fortran(copy, dup_keyval) == kLarge);
  // A copy is one's own.
  OK(fortran::set_attr(MPI_Comm_set_attr, copy, dup_keyval, 5));
  CHECK(value_in_fortran(comm, dup_keyval) == kLarge);
  // Set in C: Fortran has its address, and the callbacks, too.
  deletes = 0;
  OK(MPI_Comm_set_attr(comm, keyval, &object));
  CHECK(deletes == 1 && last_value == kLarge);
  CHECK(value_in_fortran(comm, keyval) == reinterpret_cast<MPI_Aint>(&object));
  OK(MPI_Comm_delete_attr(comm, keyval));
  CHECK(deletes == 2 && last_value == reinterpret_cast<MPI_Aint>(&object));
  OK(MPI_Comm_set_attr(comm, dup_keyval, &object));
  OK(MPI_Comm_free(&copy));
  OK(MPI_Comm_dup(comm, &copy));
  CHECK(value_in_c(copy, dup_keyval) == &object);
  MPI_Aint value = 17;
  int flag = 1;
  OK(fortran::get_attr(MPI_Comm_get_attr, copy, keyval, &value, &flag));
  CHECK(flag == 0 && value == 17);
  OK(MPI_Comm_free(&copy));
  OK(MPI_Comm_free(&comm));
  for (int* each : {&keyval, &c_keyval, &dup_keyval}) OK(MPI_Comm_free_keyval(each));
}

void old_attributes() {
  MPI_Comm comm, copy;
  OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  int keyval;
  OK(fortran::create_keyval(MPI_Keyval_create, procedure(&copy_old), procedure(&delete_old),
                            &keyval, 4));
  OK(fortran::set_attr(MPI_Attr_put, comm, keyval, -7));
  CHECK(*static_cast<int*>(value_in_c(comm, keyval)) == -7);
  CHECK(value_in_fortran(comm, keyval) == -7);
  OK(MPI_Comm_dup(comm, &copy));
  CHECK(value_in_fortran(copy, keyval) == -3);
  OK(MPI_Comm_free(&copy));
  CHECK(last_value == -3);
  OK(MPI_Comm_free(&comm));
  OK(MPI_Keyval_free(&keyval));
}

void predefined_and_others() {
  int flag = 0;
  void* bound = nullptr;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &flag));
  CHECK(value_in_fortran(MPI_COMM_WORLD, MPI_TAG_UB) == *static_cast<int*>(bound));

  int memory[3];
  MPI_Win win;
  OK(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_SELF, &win));
  const auto of_win = [&](int keyval) {
    MPI_Aint value = -1;
    int found = 0;
    OK(fortran::get_attr(MPI_Win_get_attr, win, keyval, &value, &found));
    CHECK(found == 1);
    return value;
  };
  CHECK(of_win(MPI_WIN_BASE) == reinterpret_cast<MPI_Aint>(memory));
  CHECK(of_win(MPI_WIN_SIZE) == sizeof memory);
  CHECK(of_win(MPI_WIN_DISP_UNIT) == 4);
  CHECK(of_win(MPI_WIN_CREATE_FLAVOR) == MPI_WIN_FLAVOR_CREATE);
  int keyval;
  OK(fortran::create_keyval(MPI_Win_create_keyval, procedure(&mpi_win_null_copy_fn_),
                            procedure(&delete_value), &keyval, MPI_Aint{0}));
  OK(fortran::set_attr(MPI_Win_set_attr, win, keyval, 8));
  CHECK(of_win(keyval) == 8);
  OK(MPI_Win_free_keyval(&keyval));
  OK(MPI_Win_free(&win));
  CHECK(last_value == 8);

  MPI_Datatype type, copy;
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  OK(fortran::create_keyval(MPI_Type_create_keyval, procedure(&copy_doubled),
                            procedure(&delete_value), &keyval, MPI_Aint{1}));
  OK(fortran::set_attr(MPI_Type_set_attr, type, keyval, 9));
  OK(MPI_Type_dup(type, &copy));
  MPI_Aint value = 0;
  int found = 0;
  OK(fortran::get_attr(MPI_Type_get_attr, copy, keyval, &value, &found));
  CHECK(found == 1 && value == 19);
  OK(MPI_Type_free(&copy));
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free_keyval(&keyval));
}

}  // namespace

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  operations_at_once();
  operation_outlives_free();
  error_handlers();
  generalized_requests();
  attributes_of_both();
  old_attributes();
  predefined_and_others();
  return check_end("fortran_callbacks");
}
