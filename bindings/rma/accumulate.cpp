// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accumulates (MPI-5.0, sections 12.3.4 and 12.3.5).
#include "bindings/rma/operation.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// The checked arguments of an accumulate.
struct AccumulateArgs : OperationArgs {
  const Op* op = nullptr;
  View origin{};
  const Datatype* origin_type = nullptr;  ///< null: MPI_NO_OP, nothing comes from the origin
  View result{};
  const Datatype* result_type = nullptr;  ///< null: nobody wants the result

  [[nodiscard]] const View* origin_or_null() const {
    return origin_type != nullptr ? &origin : nullptr;
  }
  [[nodiscard]] const View* result_or_null() const {
    return result_type != nullptr ? &result : nullptr;
  }
};

/// A predefined operation; MPI_NO_OP only where there is a result.
int check_accumulate_op(Entry& entry, MPI_Op handle, bool with_result, const Op*& out) {
  if (int err = entry.op(handle, out)) return err;
  if (!out->is_predefined()) {
    return entry.fail(MPI_ERR_OP, "op is the program's own; windows take predefined ones only");
  }
  if (with_result || out->kind() != Reduction::no_op) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_OP,
                    "op is MPI_NO_OP, which is for functions that return what was there before");
}

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
int check_equal_sizes(Entry& entry, AccumulateArgs& args) {
  const auto origin_bytes = static_cast<MPI_Count>(args.origin.size());
  if (args.origin_type != nullptr) {
    if (int err = check_fit(entry, origin_bytes, "origin buffer", args.target_bytes(),
                            "target buffer", args)) {
      return err;
    }
    args.target.count = shortened(args.target.count, *args.target.type, origin_bytes);
  }
  if (args.result_type == nullptr) return MPI_SUCCESS;
  if (int err = check_fit(entry, args.target_bytes(), "target buffer",
                          static_cast<MPI_Count>(args.result.size()), "result buffer", args)) {
    return err;
  }
  args.result.count = shortened(args.result.count, *args.result_type, args.target_bytes());
  return MPI_SUCCESS;
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
  if (out.is_to_nobody()) return MPI_SUCCESS;
  const Datatype& target_type = *out.target.type;
  if (int err = check_element(entry, *out.op, target_type, out.origin_type, "origin_datatype")) {
    return err;
  }
  if (int err = check_element(entry, *out.op, target_type, out.result_type, "result_datatype")) {
    return err;
  }
  return check_equal_sizes(entry, out);
}

int accumulate(Entry& entry, const OriginBuffer& origin, const OriginBuffer* result,
               const TargetPlace& place, MPI_Op op, MPI_Win win) {
  AccumulateArgs args;
  if (int err = check_accumulate(entry, origin, result, place, op, win, args)) return err;
  const Datatype* const kept = args.result_type != nullptr ? args.result_type : args.origin_type;
  if (int err = start_operation(entry, args, kept, [&](Request* done) {
        return args.window().accumulate(args.origin_or_null(), *args.op, args.target,
                                        args.result_or_null(), done);
      })) {
    return err;
  }
  if (!args.is_to_nobody()) keep_type(args, args.origin_type);
  return MPI_SUCCESS;
}

int requested_accumulate(Entry& entry, const OriginBuffer& origin, const OriginBuffer* result,
                         const TargetPlace& place, MPI_Op op, MPI_Win win, MPI_Request* request) {
  AccumulateArgs args;
  if (int err = check_accumulate(entry, origin, result, place, op, win, args)) return err;
  const Datatype* const kept = args.result_type != nullptr ? args.result_type : args.origin_type;
  if (int err = start_requested(entry, args, kept, request, [&](Request* done) {
        return args.window().accumulate(args.origin_or_null(), *args.op, args.target,
                                        args.result_or_null(), done);
      })) {
    return err;
  }
  if (!args.is_to_nobody()) keep_type(args, args.origin_type);
  return MPI_SUCCESS;
}

int accumulate_at(const char* function, const void* origin_addr, MPI_Count origin_count,
                  MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                  MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  Entry entry(function);
  return accumulate(entry, {origin_addr, origin_count, origin_datatype}, nullptr,
                    {target_rank, target_disp, target_count, target_datatype}, op, win);
}

int get_accumulate_at(const char* function, const void* origin_addr, MPI_Count origin_count,
                      MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                      MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                      MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                      MPI_Win win) {
  Entry entry(function);
  const OriginBuffer result{result_addr, result_count, result_datatype};
  return accumulate(entry, {origin_addr, origin_count, origin_datatype}, &result,
                    {target_rank, target_disp, target_count, target_datatype}, op, win);
}

int requested_accumulate_at(const char* function, const void* origin_addr, MPI_Count origin_count,
                            MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                            MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                            MPI_Win win, MPI_Request* request) {
  Entry entry(function);
  return requested_accumulate(entry, {origin_addr, origin_count, origin_datatype}, nullptr,
                              {target_rank, target_disp, target_count, target_datatype}, op, win,
                              request);
}

int requested_get_accumulate_at(const char* function, const void* origin_addr,
                                MPI_Count origin_count, MPI_Datatype origin_datatype,
                                void* result_addr, MPI_Count result_count,
                                MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                                MPI_Win win, MPI_Request* request) {
  Entry entry(function);
  const OriginBuffer result{result_addr, result_count, result_datatype};
  return requested_accumulate(entry, {origin_addr, origin_count, origin_datatype}, &result,
                              {target_rank, target_disp, target_count, target_datatype}, op, win,
                              request);
}

/// Also of the types that MPI_Type_create_f90_integer and its like return.
bool is_predefined_type(const Datatype& type) {
  return type.is_predefined() || type.contents().of_unnamed_predefined();
}

int check_element_type(Entry& entry, MPI_Datatype handle, const Datatype*& out) {
  if (int err = entry.datatype(handle, out)) return err;
  if (is_predefined_type(*out)) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TYPE, "datatype is a derived one; this needs a predefined one");
}

int fetch_and_op_at(const char* function, const void* origin_addr, void* result_addr,
                    MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op,
                    MPI_Win win) {
  Entry entry(function);
  AccumulateArgs args;
  const TargetPlace place{target_rank, target_disp, 1, datatype};
  const OriginBuffer result{result_addr, 1, datatype};
  if (int err =
          check_accumulate(entry, {origin_addr, 1, datatype}, &result, place, op, win, args)) {
    return err;
  }
  if (int err = check_element_type(entry, datatype, args.origin_type)) return err;
  if (args.is_to_nobody()) return MPI_SUCCESS;
  const View* origin = args.op->kind() == Reduction::no_op ? nullptr : &args.origin;
  return finish(entry, args.window().accumulate(origin, *args.op, args.target, &args.result));
}

/// Types that can be compared (section 12.3.4): integers, logical and multi-language types, bytes.
int check_comparable(Entry& entry, MPI_Datatype handle, const Datatype*& out) {
  if (int err = check_element_type(entry, handle, out)) return err;
  switch (out->signature().group) {
    case TypeGroup::c_integer:
    case TypeGroup::fortran_integer:
    case TypeGroup::logical:
    case TypeGroup::multi_language:
    case TypeGroup::byte:
      return MPI_SUCCESS;
    default:
      return entry.fail(MPI_ERR_TYPE,
                        "datatype is {}; this needs an integer, logical or multi-language type, or "
                        "MPI_BYTE",
                        out->name());
  }
}

int compare_and_swap_at(const char* function, const void* origin_addr, const void* compare_addr,
                        void* result_addr, MPI_Datatype datatype, int target_rank,
                        MPI_Aint target_disp, MPI_Win win) {
  Entry entry(function);
  OperationArgs args;
  const Datatype* type = nullptr;
  View ignored{};
  if (int err = check_target(entry, {target_rank, target_disp, 1, datatype}, win, args)) return err;
  if (int err = check_comparable(entry, datatype, type)) return err;
  for (const void* address : {origin_addr, compare_addr, const_cast<const void*>(result_addr)}) {
    if (int err = entry.buffer(address, 1, datatype, ignored)) return err;
  }
  if (args.is_to_nobody()) return MPI_SUCCESS;
  return finish(
      entry, args.window().compare_and_swap(origin_addr, compare_addr, result_addr, args.target));
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/rma/accumulate.inc"
