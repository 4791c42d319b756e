// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reduction operations made by the user, and local reduction (MPI-5.0, sections 6.9.5 to 6.9.7).
#include "bindings/coll/logical_ops.hpp"
#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

template <class Function>
int create_op(const char* name, Function* function, int commute, MPI_Op* op) {
  Entry entry(name);
  if (int err = entry.not_null(reinterpret_cast<const void*>(function), "user_fn")) return err;
  if (int err = entry.not_null(op, "op")) return err;
  *op = (new Op(function, commute != 0))->handle();
  return MPI_SUCCESS;
}

int reduce_locally(const char* name, const void* inbuf, void* inoutbuf, MPI_Count count,
                   MPI_Datatype datatype, MPI_Op op) {
  Entry entry(name);
  View in{};
  View inout{};
  const Op* operation = nullptr;
  if (int err = entry.buffer(inbuf, count, datatype, in)) return err;
  if (int err = entry.buffer(inoutbuf, count, datatype, inout)) return err;
  if (int err = entry.op(op, operation)) return err;
  if (int err = entry.op_on(*operation, *entry.buffer_type())) return err;
  operation = with_fortran_booleans(*operation, *entry.buffer_type());
  reduce_local(*operation, inbuf, inoutbuf, count, *entry.buffer_type());
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Op_free(MPI_Op* op) try {
  Entry entry("MPI_Op_free");
  if (int err = entry.not_null(op, "op")) return err;
  const Op* operation = nullptr;
  if (int err = entry.op(*op, operation)) return err;
  if (operation->is_predefined()) {
    return entry.fail(MPI_ERR_OP, "{} is predefined and cannot be freed", operation->name());
  }
  operation->release();
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Op_free");
}
REMIT_WEAK(Op_free);

int PMPI_Op_commutative(MPI_Op op, int* commute) try {
  Entry entry("MPI_Op_commutative");
  const Op* operation = nullptr;
  if (int err = entry.op(op, operation)) return err;
  if (int err = entry.not_null(commute, "commute")) return err;
  *commute = operation->is_commutative();
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Op_commutative");
}
REMIT_WEAK(Op_commutative);

#include "bindings/generated/coll/op.inc"
