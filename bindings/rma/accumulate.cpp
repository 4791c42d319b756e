// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accumulates (MPI-5.0, sections 12.3.4 and 12.3.5).
#include "bindings/rma/operation_args.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

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

int fetch_and_op_at(const char* function, const void* origin_addr, void* result_addr,
                    MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op,
                    MPI_Win win) {
  Entry entry(function);
  OperationArgs args;
  const Op* operation = nullptr;
  if (int err = check_single(entry, datatype, target_rank, target_disp, win, args)) return err;
  if (int err = check_accumulate_op(entry, op, true, operation)) return err;
  const bool no_op = operation->kind() == Reduction::no_op;
  if (!no_op) {
    if (int err = check_single_buffer(entry, origin_addr, datatype)) return err;
  }
  if (int err = check_single_buffer(entry, result_addr, datatype)) return err;
  if (args.is_to_nobody()) return MPI_SUCCESS;
  const Layout& layout = args.target.type->layout();
  const View origin{const_cast<void*>(origin_addr), 1, &layout};
  const View result{result_addr, 1, &layout};
  return finish_operation(
      entry, args,
      args.window().accumulate(no_op ? nullptr : &origin, *operation, args.target, &result));
}

/// Types that can be compared (section 12.3.4): integers, logical and multi-language types, bytes.
int check_comparable(Entry& entry, const Datatype& type) {
  switch (type.signature().group) {
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
                        type.name());
  }
}

int compare_and_swap_at(const char* function, const void* origin_addr, const void* compare_addr,
                        void* result_addr, MPI_Datatype datatype, int target_rank,
                        MPI_Aint target_disp, MPI_Win win) {
  Entry entry(function);
  OperationArgs args;
  if (int err = check_single(entry, datatype, target_rank, target_disp, win, args)) return err;
  if (int err = check_comparable(entry, *args.target.type)) return err;
  if (int err = check_single_buffer(entry, origin_addr, datatype)) return err;
  if (int err = check_single_buffer(entry, compare_addr, datatype)) return err;
  if (int err = check_single_buffer(entry, result_addr, datatype)) return err;
  if (args.is_to_nobody()) return MPI_SUCCESS;
  return finish_operation(
      entry, args,
      args.window().compare_and_swap(origin_addr, compare_addr, result_addr, args.target));
}

}  // namespace

}  // namespace remit

using namespace remit;

#include "bindings/generated/rma/accumulate.inc"
