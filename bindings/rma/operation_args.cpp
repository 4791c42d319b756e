// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/rma/operation_args.hpp"

namespace remit {

namespace {

/// Origin and result are of the predefined type that the target consists of (section 12.3.4).
int check_element(Entry& entry, const Op& op, const Datatype& target, const Datatype* type,
                  const char* argument) {
  if (type == nullptr || type == &target) [[likely]]
    return MPI_SUCCESS;
  const auto at_target = Accumulation::of(op, target);
  if (!at_target) return entry.fail(at_target.error());
  const auto here = Accumulation::of(op, *type);
  if (!here) return entry.fail(here.error());
  if (here->element().signature().kind == at_target->element().signature().kind) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TYPE, "{} consists of {}, but target_datatype of {}", argument,
                    here->element().name(), at_target->element().name());
}

/// The result has as many elements as the target, and the origin, too, if it takes part.
int make_equal(Entry& entry, AccumulateArgs& args) {
  if (args.origin_type != nullptr) {
    const auto bytes = static_cast<MPI_Count>(args.origin.size());
    if (int err =
            check_fit(entry, bytes, "origin buffer", args.target_bytes(), "target buffer", args)) {
      return err;
    }
    if (bytes != args.target_bytes()) {
      args.target.count = shortened(args.target.count, *args.target.type, bytes);
    }
  }
  if (args.result_type == nullptr) return MPI_SUCCESS;
  const auto room = static_cast<MPI_Count>(args.result.size());
  if (int err =
          check_fit(entry, args.target_bytes(), "target buffer", room, "result buffer", args)) {
    return err;
  }
  if (room != args.target_bytes()) {
    args.result.count = shortened(args.result.count, *args.result_type, args.target_bytes());
  }
  return MPI_SUCCESS;
}

/// Also of the types that MPI_Type_create_f90_integer and its like return.
bool is_predefined_type(const Datatype& type) {
  return type.is_predefined() || type.contents().of_unnamed_predefined();
}

}  // namespace

int check_accumulate_op(Entry& entry, MPI_Op handle, bool with_result, const Op*& out) {
  if (int err = entry.op(handle, out)) return err;
  if (!out->is_predefined()) {
    return entry.fail(MPI_ERR_OP, "op is the program's own; windows take predefined ones only");
  }
  if (with_result || out->kind() != Reduction::no_op) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_OP,
                    "op is MPI_NO_OP, which is for functions that return what was there before");
}

int check_move(Entry& entry, Move move, const OriginBuffer& origin, const TargetPlace& place,
               MPI_Win win, MoveArgs& out) {
  if (int err = check_target(entry, place, win, out)) return err;
  if (int err = check_origin(entry, origin, "origin", out.origin, out.origin_type)) return err;
  const auto origin_bytes = static_cast<MPI_Count>(out.origin.size());
  const MPI_Count target_bytes = out.target_bytes();
  if (origin_bytes == target_bytes || out.is_to_nobody()) [[likely]]
    return MPI_SUCCESS;
  if (move == Move::put) {
    out.target.count = shortened(out.target.count, *out.target.type, origin_bytes);
    return check_fit(entry, origin_bytes, "origin buffer", target_bytes, "target buffer", out);
  }
  out.origin.count = shortened(out.origin.count, *out.origin_type, target_bytes);
  return check_fit(entry, target_bytes, "target buffer", origin_bytes, "origin buffer", out);
}

int check_accumulate(Entry& entry, const OriginBuffer& origin, const OriginBuffer* result,
                     const TargetPlace& place, MPI_Op op, MPI_Win win, AccumulateArgs& out) {
  if (int err = check_target(entry, place, win, out)) return err;
  if (int err = check_accumulate_op(entry, op, result != nullptr, out.op)) return err;
  if (out.op->kind() != Reduction::no_op) {
    if (int err = check_origin(entry, origin, "origin", out.origin, out.origin_type)) return err;
  }
  if (result != nullptr) {
    if (int err = check_origin(entry, *result, "result", out.result, out.result_type)) return err;
  }
  if (out.is_to_nobody() || out.is_empty()) return MPI_SUCCESS;
  const Datatype& target_type = *out.target.type;
  if (int err = check_element(entry, *out.op, target_type, out.origin_type, "origin_datatype")) {
    return err;
  }
  if (int err = check_element(entry, *out.op, target_type, out.result_type, "result_datatype")) {
    return err;
  }
  return make_equal(entry, out);
}

int check_single(Entry& entry, MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Win win,
                 OperationArgs& out) {
  const Datatype* type = nullptr;
  if (int err = open_window(entry, win, out.win)) return err;
  if (int err = entry.target(out.window().members().size(), rank)) return err;
  if (int err = check_element_type(entry, datatype, type)) return err;
  out.target = {rank, displacement, 1, type};
  return check_displacement(entry, out);
}

int check_element_type(Entry& entry, MPI_Datatype handle, const Datatype*& out) {
  if (int err = entry.datatype(handle, out)) return err;
  if (is_predefined_type(*out)) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TYPE, "datatype is a derived one; this needs a predefined one");
}

}  // namespace remit
