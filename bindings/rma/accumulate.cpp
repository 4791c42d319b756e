// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accumulates (MPI-5.0, sections 12.3.4 and 12.3.5).
#include "bindings/rma/operation_args.hpp"
#include "bindings/rma/plain_accumulate.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

int accumulate(Entry& entry, const OriginBuffer& origin, const OriginBuffer* result,
               const TargetPlace& place, MPI_Op op, MPI_Win win) {
  AccumulateArgs args;
  if (int err = check_accumulate(entry, origin, result, place, op, win, args)) return err;
  const Datatype* const kept = args.result_type != nullptr ? args.result_type : args.origin_type;
  if (int err = start_operation(entry, args, kept, [&](Request* done) {
        return args.window().operations().accumulate(args.origin_or_null(), *args.op, args.target,
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
        return args.window().operations().accumulate(args.origin_or_null(), *args.op, args.target,
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

int rget_accumulate_at(const char* function, const void* origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                       MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                       MPI_Request* request) {
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
  return finish_operation(entry, args,
                          args.window().operations().accumulate(no_op ? nullptr : &origin,
                                                                *operation, args.target, &result));
}

/// Integers, logical and multi-language types, bytes.
int check_comparable(Entry& entry, const Datatype& type) {
  if (is_comparable(type)) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TYPE,
                    "datatype is {}; this needs an integer, logical or multi-language type, or "
                    "MPI_BYTE",
                    type.name());
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
  return finish_operation(entry, args,
                          args.window().operations().compare_and_swap(origin_addr, compare_addr,
                                                                      result_addr, args.target));
}

/// The fast paths: true if every argument is right, and the elements are changed. What they leave
/// undone is for functions that also find out what is wrong.
[[gnu::always_inline]] inline bool accumulate_shortly(Instance* instance,
                                                      const PlainAccumulate& a) {
  return accumulate_plain(instance, a);
}
[[gnu::always_inline]] inline bool fetch_shortly(Instance* instance, const PlainAccumulate& a) {
  return !Entry::is_special(a.result) && accumulate_plain(instance, a);
}
[[gnu::always_inline]] inline bool swap_shortly(Instance* instance, const PlainSwap& a) {
  return swap_plain(instance, a);
}
/// The same behind the fast path, and by an adapter.
template <class Arguments, class Short, class Adapter>
[[gnu::always_inline]] inline bool guarded_or_by_adapter(const Arguments& a, Short shortly,
                                                         Adapter by_adapter) {
  Instance* instance = library().instance;
  if (instance == nullptr) return false;
  if (!instance->guarded()) return by_adapter(instance, a);
  GuardedCall call(*instance);
  if (!shortly(instance, a)) return by_adapter(instance, a);
  call.changed_nothing();
  return true;
}

// What MPI functions do behind them. These keep nothing for the handler of an exception, which
// would cost the fast paths a register for each argument.

[[gnu::noinline]] int full_accumulate(const char* function, const void* origin,
                                      MPI_Count origin_count, MPI_Datatype origin_type, int rank,
                                      MPI_Aint displacement, MPI_Count target_count,
                                      MPI_Datatype target_type, MPI_Op op, MPI_Win win) try {
  const PlainAccumulate plain{origin, nullptr,      origin_count, origin_type,
                              rank,   displacement, op,           win};
  if (origin_count == target_count && origin_type == target_type &&
      guarded(plain, accumulate_shortly)) {
    return MPI_SUCCESS;
  }
  return accumulate_at(function, origin, origin_count, origin_type, rank, displacement,
                       target_count, target_type, op, win);
} catch (...) {
  return caught(function, win);
}

[[gnu::noinline]] int full_fetch_and_op(const char* function, const void* origin, void* result,
                                        MPI_Datatype type, int rank, MPI_Aint displacement,
                                        MPI_Op op, MPI_Win win) try {
  const PlainAccumulate plain{origin, result, 1, type, rank, displacement, op, win};
  if (guarded_or_by_adapter(plain, fetch_shortly, fetch_by_adapter)) return MPI_SUCCESS;
  return fetch_and_op_at(function, origin, result, type, rank, displacement, op, win);
} catch (...) {
  return caught(function, win);
}

[[gnu::noinline]] int full_compare_and_swap(const char* function, const void* origin,
                                            const void* compare, void* result, MPI_Datatype type,
                                            int rank, MPI_Aint displacement, MPI_Win win) try {
  const PlainSwap plain{origin, compare, result, type, rank, displacement, win};
  if (guarded_or_by_adapter(plain, swap_shortly, swap_by_adapter)) return MPI_SUCCESS;
  return compare_and_swap_at(function, origin, compare, result, type, rank, displacement, win);
} catch (...) {
  return caught(function, win);
}

}  // namespace

}  // namespace remit

using namespace remit;

namespace {

// The fast paths by name.

[[gnu::always_inline]] inline bool accumulate_at_once(const void* origin_addr,
                                                      MPI_Count origin_count,
                                                      MPI_Datatype origin_datatype, int target_rank,
                                                      MPI_Aint target_disp, MPI_Count target_count,
                                                      MPI_Datatype target_datatype, MPI_Op op,
                                                      MPI_Win win) noexcept {
  const PlainAccumulate plain{origin_addr, nullptr,     origin_count, origin_datatype,
                              target_rank, target_disp, op,           win};
  return origin_count == target_count && origin_datatype == target_datatype &&
         change_at_once(plain, accumulate_shortly);
}

[[gnu::always_inline]] inline bool fetch_at_once(const void* origin_addr, void* result_addr,
                                                 MPI_Datatype datatype, int target_rank,
                                                 MPI_Aint target_disp, MPI_Op op,
                                                 MPI_Win win) noexcept {
  const PlainAccumulate plain{origin_addr, result_addr, 1,  datatype,
                              target_rank, target_disp, op, win};
  return change_at_once(plain, fetch_shortly);
}

[[gnu::always_inline]] inline bool swap_at_once(const void* origin_addr, const void* compare_addr,
                                                void* result_addr, MPI_Datatype datatype,
                                                int target_rank, MPI_Aint target_disp,
                                                MPI_Win win) noexcept {
  const PlainSwap plain{origin_addr, compare_addr, result_addr, datatype,
                        target_rank, target_disp,  win};
  return change_at_once(plain, swap_shortly);
}

}  // namespace

int PMPI_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  if (accumulate_at_once(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                         target_count, target_datatype, op, win)) [[likely]]
    return MPI_SUCCESS;
  return full_accumulate("MPI_Accumulate", origin_addr, origin_count, origin_datatype, target_rank,
                         target_disp, target_count, target_datatype, op, win);
}
REMIT_WEAK(Accumulate);

int PMPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  if (accumulate_at_once(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                         target_count, target_datatype, op, win)) [[likely]]
    return MPI_SUCCESS;
  return full_accumulate("MPI_Accumulate_c", origin_addr, origin_count, origin_datatype,
                         target_rank, target_disp, target_count, target_datatype, op, win);
}
REMIT_WEAK(Accumulate_c);

int PMPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  if (fetch_at_once(origin_addr, result_addr, datatype, target_rank, target_disp, op, win))
      [[likely]]
    return MPI_SUCCESS;
  return full_fetch_and_op("MPI_Fetch_and_op", origin_addr, result_addr, datatype, target_rank,
                           target_disp, op, win);
}
REMIT_WEAK(Fetch_and_op);

int PMPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                          MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Win win) {
  if (swap_at_once(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win))
      [[likely]]
    return MPI_SUCCESS;
  return full_compare_and_swap("MPI_Compare_and_swap", origin_addr, compare_addr, result_addr,
                               datatype, target_rank, target_disp, win);
}
REMIT_WEAK(Compare_and_swap);

#include "bindings/generated/rma/accumulate.inc"
