// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Signals in the memory of windows (include/mpi_remit.h).
#include "onesided/notified/signal.hpp"

#include <array>

#include "bindings/rma/operation_args.hpp"
#include "bindings/weak.hpp"
#include "mpi_remit.h"

namespace remit {

namespace {

/// In the order of MPIX_CMP_EQ and so on.
constexpr std::array kSignalTests = {SignalTest::equal,   SignalTest::not_equal,
                                     SignalTest::greater, SignalTest::greater_equal,
                                     SignalTest::less,    SignalTest::less_equal};

int put_signal_at(const char* function, const OriginBuffer& origin, const TargetPlace& place,
                  MPI_Aint signal_displacement, std::uint64_t signal, MPI_Op handle, MPI_Win win) {
  Entry entry(function);
  MoveArgs args;
  const Op* op = nullptr;
  if (int err = check_move(entry, Move::put, origin, place, win, args)) return err;
  if (int err = entry.op(handle, op)) return err;
  if (op->kind() != Reduction::replace && op->kind() != Reduction::sum) {
    return entry.fail(MPI_ERR_OP, "op must be MPI_REPLACE or MPI_SUM: a signal is set or added to");
  }
  const int err = start_operation(entry, args, args.origin_type, [&](Request* /*done*/) {
    return put_signal(call_of(entry), args.window().operations(), args.origin, args.target,
                      signal_displacement, signal, *op);
  });
  entry.instance().threads.note_change();
  return err;
}

/// A signal of this process, and how it is to compare.
int own_signal(Entry& entry, MPI_Win handle, MPI_Aint displacement, int comparison, WinObject*& win,
               SignalTest& test) {
  if (int err = open_window(entry, handle, win)) return err;
  if (comparison < MPIX_CMP_EQ || comparison > MPIX_CMP_LE) {
    return entry.fail(MPI_ERR_ARG, "cmp is {}; it must be one of MPIX_CMP_EQ to MPIX_CMP_LE",
                      comparison);
  }
  test = kSignalTests[static_cast<std::size_t>(comparison - MPIX_CMP_EQ)];
  if (displacement >= 0 || win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_DISP, "signal_disp is {}; it must not be negative", displacement);
}

int wait_for_signal(const char* function, MPI_Win handle, MPI_Aint displacement, int comparison,
                    std::uint64_t value) {
  Entry entry(function);
  WinObject* win = nullptr;
  SignalTest test{};
  if (int err = own_signal(entry, handle, displacement, comparison, win, test)) return err;
  auto signal = OwnSignal::find(*win->window, displacement);
  if (!signal) return entry.fail(signal.error());
  signal->wait(call_of(entry), test, value);
  return MPI_SUCCESS;
}

int look_for_signal(const char* function, MPI_Win handle, MPI_Aint displacement, int comparison,
                    std::uint64_t value, int* flag) {
  Entry entry(function);
  WinObject* win = nullptr;
  SignalTest test{};
  if (int err = own_signal(entry, handle, displacement, comparison, win, test)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  auto signal = OwnSignal::find(*win->window, displacement);
  if (!signal) return entry.fail(signal.error());
  *flag = signal->look(call_of(entry), test, value) ? 1 : 0;
  if (*flag == 0) entry.only_looked();
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPIX_Put_signal(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, MPI_Aint signal_disp, uint64_t signal, MPI_Op op,
                     MPI_Win win) try {
  return put_signal_at("MPIX_Put_signal", {origin_addr, origin_count, origin_datatype},
                       {target_rank, target_disp, target_count, target_datatype}, signal_disp,
                       signal, op, win);
} catch (...) {
  return caught("MPIX_Put_signal", win);
}
REMIT_WEAK_X(Put_signal);

int PMPIX_Put_signal_c(const void* origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, MPI_Aint signal_disp,
                       uint64_t signal, MPI_Op op, MPI_Win win) try {
  return put_signal_at("MPIX_Put_signal_c", {origin_addr, origin_count, origin_datatype},
                       {target_rank, target_disp, target_count, target_datatype}, signal_disp,
                       signal, op, win);
} catch (...) {
  return caught("MPIX_Put_signal_c", win);
}
REMIT_WEAK_X(Put_signal_c);

int PMPIX_Signal_wait(MPI_Win win, MPI_Aint signal_disp, int cmp, uint64_t value) try {
  return wait_for_signal("MPIX_Signal_wait", win, signal_disp, cmp, value);
} catch (...) {
  return caught("MPIX_Signal_wait", win);
}
REMIT_WEAK_X(Signal_wait);

int PMPIX_Signal_test(MPI_Win win, MPI_Aint signal_disp, int cmp, uint64_t value, int* flag) try {
  return look_for_signal("MPIX_Signal_test", win, signal_disp, cmp, value, flag);
} catch (...) {
  return caught("MPIX_Signal_test", win);
}
REMIT_WEAK_X(Signal_test);
