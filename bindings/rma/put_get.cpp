// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Put and get (MPI-5.0, sections 12.3.1 to 12.3.3 and 12.3.5).
#include "bindings/rma/operation_args.hpp"
#include "bindings/rma/plain_move.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

// The fast paths: true if every argument is right, and the bytes are where they belong. What they
// leave undone is for functions that also find out what is wrong. The origin of a put is not
// written to.

template <Move move, bool passive = false>
[[gnu::always_inline]] inline bool move_at_once(const void* origin, MPI_Count count,
                                                MPI_Datatype type, int rank, MPI_Aint displacement,
                                                MPI_Count target_count, MPI_Datatype target_type,
                                                MPI_Win win) noexcept {
  Instance* instance = library().instance;
  if (instance == nullptr || instance->guarded()) [[unlikely]]
    return false;
  return move_plain<move, passive>(instance, const_cast<void*>(origin), count, type, rank,
                                   displacement, target_count, target_type, win);
}

/// What a form with a request hands out for an operation that is complete.
[[gnu::always_inline]] inline MPI_Request complete_request_handle() {
  return handle_of(&library().instance.load()->requests.sent());
}

/// With a request, which is complete then.
template <Move move>
[[gnu::always_inline]] inline bool requested_move_at_once(
    const void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement,
    MPI_Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* request) noexcept {
  if (request == nullptr || !move_at_once<move, true>(origin, count, type, rank, displacement,
                                                      target_count, target_type, win)) [[unlikely]]
    return false;
  *request = complete_request_handle();
  return true;
}

/// What the fast paths leave to those behind them, so that they make no call behind which they
/// would need their arguments: the same where calls are guarded, and by a device. `passive`: with a
/// request, which is complete then.
/// `call`: null where calls are not guarded, and the fast path has found that the memory is not
/// mapped.
template <Move move, bool passive>
bool move_shortly(Instance& instance, const OriginBuffer& origin, const TargetPlace& place,
                  MPI_Win win, GuardedCall* call) {
  void* const local = const_cast<void*>(origin.address);
  std::size_t bytes = 0;
  Window* const window = window_of_plain<passive>(&instance, local, origin.count, origin.type,
                                                  place.count, place.type, win, bytes);
  if (window == nullptr) return false;
  if (call != nullptr && move_mapped<move>(*window, local, bytes, place.rank, place.displacement)) {
    call->changed_nothing();
    return true;
  }
  if (passive && move == Move::get) return false;  // by a device it is not complete at once
  constexpr OpKind kKind = move == Move::put ? OpKind::put : OpKind::get;
  return window->operations().try_move(kKind, local, bytes, place.rank, place.displacement);
}

template <Move move, bool passive = false>
bool move_guarded(const OriginBuffer& origin, const TargetPlace& place, MPI_Win win) {
  Instance* instance = library().instance;
  if (instance == nullptr) return false;
  if (!instance->guarded()) {
    return move_shortly<move, passive>(*instance, origin, place, win, nullptr);
  }
  GuardedCall call(*instance);
  return move_shortly<move, passive>(*instance, origin, place, win, &call);
}

/// A put or get with all checks.
template <Move move>
int move_elements(const char* function, const OriginBuffer& origin, const TargetPlace& place,
                  MPI_Win win) {
  Entry entry(function);
  MoveArgs args;
  if (int err = check_move(entry, move, origin, place, win, args)) return err;
  return start_operation(entry, args, args.origin_type,
                         [&](Request* done) { return start_move<move>(args, done); });
}

/// The same with a request.
template <Move move>
int move_requested(const char* function, const OriginBuffer& origin, const TargetPlace& place,
                   MPI_Win win, MPI_Request* request) {
  Entry entry(function);
  MoveArgs args;
  if (int err = check_move(entry, move, origin, place, win, args)) return err;
  return start_requested(entry, args, args.origin_type, request,
                         [&](Request* done) { return start_move<move>(args, done); });
}

// What MPI functions do behind the fast paths. These keep nothing for the handler of an exception,
// which would cost the fast paths a register for each argument.

template <Move move>
[[gnu::noinline]] int full_move(const char* function, const void* origin, MPI_Count count,
                                MPI_Datatype type, int rank, MPI_Aint displacement,
                                MPI_Count target_count, MPI_Datatype target_type, MPI_Win win) try {
  const OriginBuffer buffer{origin, count, type};
  const TargetPlace place{rank, displacement, target_count, target_type};
  if (move_guarded<move>(buffer, place, win)) return MPI_SUCCESS;
  return move_elements<move>(function, buffer, place, win);
} catch (...) {
  return caught(function, win);
}

template <Move move>
[[gnu::noinline]] int full_requested_move(const char* function, const void* origin, MPI_Count count,
                                          MPI_Datatype type, int rank, MPI_Aint displacement,
                                          MPI_Count target_count, MPI_Datatype target_type,
                                          MPI_Win win, MPI_Request* request) try {
  const OriginBuffer buffer{origin, count, type};
  const TargetPlace place{rank, displacement, target_count, target_type};
  if (request != nullptr && move_guarded<move, true>(buffer, place, win)) {
    *request = complete_request_handle();
    return MPI_SUCCESS;
  }
  return move_requested<move>(function, buffer, place, win, request);
} catch (...) {
  return caught(function, win);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
             MPI_Win win) {
  if (move_at_once<Move::put>(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                              target_count, target_datatype, win)) [[likely]]
    return MPI_SUCCESS;
  return full_move<Move::put>("MPI_Put", origin_addr, origin_count, origin_datatype, target_rank,
                              target_disp, target_count, target_datatype, win);
}
REMIT_WEAK(Put);

int PMPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win) {
  if (move_at_once<Move::put>(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                              target_count, target_datatype, win)) [[likely]]
    return MPI_SUCCESS;
  return full_move<Move::put>("MPI_Put_c", origin_addr, origin_count, origin_datatype, target_rank,
                              target_disp, target_count, target_datatype, win);
}
REMIT_WEAK(Put_c);

int PMPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  if (move_at_once<Move::get>(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                              target_count, target_datatype, win)) [[likely]]
    return MPI_SUCCESS;
  return full_move<Move::get>("MPI_Get", origin_addr, origin_count, origin_datatype, target_rank,
                              target_disp, target_count, target_datatype, win);
}
REMIT_WEAK(Get);

int PMPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win) {
  if (move_at_once<Move::get>(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                              target_count, target_datatype, win)) [[likely]]
    return MPI_SUCCESS;
  return full_move<Move::get>("MPI_Get_c", origin_addr, origin_count, origin_datatype, target_rank,
                              target_disp, target_count, target_datatype, win);
}
REMIT_WEAK(Get_c);

int PMPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
              int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
              MPI_Win win, MPI_Request* request) {
  if (requested_move_at_once<Move::put>(origin_addr, origin_count, origin_datatype, target_rank,
                                        target_disp, target_count, target_datatype, win, request))
      [[likely]]
    return MPI_SUCCESS;
  return full_requested_move<Move::put>("MPI_Rput", origin_addr, origin_count, origin_datatype,
                                        target_rank, target_disp, target_count, target_datatype,
                                        win, request);
}
REMIT_WEAK(Rput);

int PMPI_Rput_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  if (requested_move_at_once<Move::put>(origin_addr, origin_count, origin_datatype, target_rank,
                                        target_disp, target_count, target_datatype, win, request))
      [[likely]]
    return MPI_SUCCESS;
  return full_requested_move<Move::put>("MPI_Rput_c", origin_addr, origin_count, origin_datatype,
                                        target_rank, target_disp, target_count, target_datatype,
                                        win, request);
}
REMIT_WEAK(Rput_c);

int PMPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
              MPI_Request* request) {
  if (requested_move_at_once<Move::get>(origin_addr, origin_count, origin_datatype, target_rank,
                                        target_disp, target_count, target_datatype, win, request))
      [[likely]]
    return MPI_SUCCESS;
  return full_requested_move<Move::get>("MPI_Rget", origin_addr, origin_count, origin_datatype,
                                        target_rank, target_disp, target_count, target_datatype,
                                        win, request);
}
REMIT_WEAK(Rget);

int PMPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  if (requested_move_at_once<Move::get>(origin_addr, origin_count, origin_datatype, target_rank,
                                        target_disp, target_count, target_datatype, win, request))
      [[likely]]
    return MPI_SUCCESS;
  return full_requested_move<Move::get>("MPI_Rget_c", origin_addr, origin_count, origin_datatype,
                                        target_rank, target_disp, target_count, target_datatype,
                                        win, request);
}
REMIT_WEAK(Rget_c);
