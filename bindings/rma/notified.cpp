// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations on windows that notify their targets (include/mpi_remit.h).
#include <utility>

#include "bindings/rma/operation_args.hpp"
#include "bindings/rma/plain_move.hpp"
#include "bindings/weak.hpp"
#include "mpi_remit.h"

namespace remit {

namespace {

/// A plain transfer of bytes and its notification, if nothing is out of the ordinary: true if both
/// are done. Where no other call can come between.
template <Move move>
[[gnu::always_inline]] inline bool move_and_notify(Instance* instance, void* origin,
                                                   MPI_Count count, MPI_Datatype type,
                                                   const TargetPlace& place, int index,
                                                   MPI_Win win) {
  const WinObject* object = object_of<WinObject>(win, ObjectKind::win);
  if (object == nullptr) [[unlikely]]
    return false;
  Window& window = *object->window;
  Notifications* const notifications = window.notified_access().counters();
  if (notifications == nullptr ||
      static_cast<unsigned>(place.rank) >= static_cast<unsigned>(window.members().size()) ||
      !notifications->may_have(place.rank, index) ||
      !move_plain<move, false>(instance, origin, count, type, place.rank, place.displacement,
                               place.count, place.type, win)) [[unlikely]]
    return false;
  // Memory that is mapped here belongs to a member of this host.
  notifications->notify(place.rank, static_cast<std::uint32_t>(index));
  return true;
}

/// The short way. A target that sleeps is woken, so this may fail for want of memory.
template <Move move>
[[gnu::always_inline]] inline bool notified_in_short(void* origin, MPI_Count count,
                                                     MPI_Datatype type, const TargetPlace& place,
                                                     int index, MPI_Win win) {
  Instance* instance = library().instance;
  if (instance == nullptr) [[unlikely]]
    return false;
  if (instance->guarded()) [[unlikely]] {
    const GuardedCall call(*instance);
    return move_and_notify<move>(instance, origin, count, type, place, index, win);
  }
  return move_and_notify<move>(instance, origin, count, type, place, index, win);
}

/// A put by a device that brings its notification along, where nothing is out of the ordinary.
bool put_by_device(Instance& instance, const OriginBuffer& origin, const TargetPlace& place,
                   int index, MPI_Win win) {
  void* const local = const_cast<void*>(origin.address);
  std::size_t bytes = 0;
  Window* const window = window_of_plain<false>(&instance, local, origin.count, origin.type,
                                                place.count, place.type, win, bytes);
  if (window == nullptr) return false;
  const Notifications* const notifications = window->notified_access().counters();
  return notifications != nullptr &&
         static_cast<unsigned>(place.rank) < static_cast<unsigned>(window->members().size()) &&
         notifications->may_have(place.rank, index) &&
         window->operations().try_put_notified(local, bytes, place.rank, place.displacement,
                                               static_cast<std::uint32_t>(index));
}
[[gnu::noinline]] bool put_by_device_guarded(const OriginBuffer& origin, const TargetPlace& place,
                                             int index, MPI_Win win) {
  Instance* instance = library().instance;
  if (instance == nullptr) return false;
  if (!instance->guarded()) return put_by_device(*instance, origin, place, index, win);
  const GuardedCall call(*instance);
  return put_by_device(*instance, origin, place, index, win);
}

/// Starts an operation by start(done, told), and then notifies, if `told` has not become true.
/// `type`: of the memory of this process.
template <class Start>
int start_notified(Entry& entry, const OperationArgs& args, const Datatype* type, int index,
                   Start&& start) {
  if (args.is_to_nobody()) return MPI_SUCCESS;
  if (int err = finish(entry, args.window().notified_access().check(args.target.rank, index)))
    return err;
  bool told = false;
  if (int err =
          start_operation(entry, args, type, [&](Request* done) { return start(done, told); })) {
    return err;
  }
  if (told) return MPI_SUCCESS;
  entry.instance().threads.note_change();
  return finish(entry, args.window().notified_access().notify(args.target.rank,
                                                              static_cast<std::uint32_t>(index)));
}

/// A put or get with all checks.
template <Move move>
[[gnu::noinline]] int move_notified(const char* function, const OriginBuffer& origin,
                                    const TargetPlace& place, int index, MPI_Win win) {
  Entry entry(function);
  MoveArgs args;
  if (int err = check_move(entry, move, origin, place, win, args)) return err;
  return start_notified(entry, args, args.origin_type, index,
                        [&](Request* done, bool& told) -> Expected<> {
                          if constexpr (move == Move::get) {
                            return start_move<move>(args, done);
                          } else {
                            auto started = args.window().operations().put_notified(
                                args.origin, args.target, static_cast<std::uint32_t>(index));
                            if (!started) return tl::unexpected(std::move(started.error()));
                            told = *started;
                            return {};
                          }
                        });
}

int put_notified(const char* function, const OriginBuffer& origin, const TargetPlace& place,
                 int index, MPI_Win win) {
  if (notified_in_short<Move::put>(const_cast<void*>(origin.address), origin.count, origin.type,
                                   place, index, win)) [[likely]]
    return MPI_SUCCESS;
  if (put_by_device_guarded(origin, place, index, win)) return MPI_SUCCESS;
  return move_notified<Move::put>(function, origin, place, index, win);
}

int get_notified(const char* function, const OriginBuffer& origin, const TargetPlace& place,
                 int index, MPI_Win win) {
  if (notified_in_short<Move::get>(const_cast<void*>(origin.address), origin.count, origin.type,
                                   place, index, win)) [[likely]]
    return MPI_SUCCESS;
  return move_notified<Move::get>(function, origin, place, index, win);
}

int accumulate_notified(const char* function, const OriginBuffer& origin, const TargetPlace& place,
                        MPI_Op op, int index, MPI_Win win) {
  Entry entry(function);
  AccumulateArgs args;
  if (int err = check_accumulate(entry, origin, nullptr, place, op, win, args)) return err;
  return start_notified(entry, args, args.origin_type, index, [&](Request* done, bool& /*told*/) {
    return args.window().operations().accumulate(args.origin_or_null(), *args.op, args.target,
                                                 nullptr, done);
  });
}

int fetch_notified(const char* function, const void* origin_addr, void* result_addr,
                   MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op,
                   int index, MPI_Win win) {
  Entry entry(function);
  AccumulateArgs args;
  const Datatype* element = nullptr;
  const OriginBuffer result{result_addr, 1, datatype};
  if (int err = check_accumulate(entry, {origin_addr, 1, datatype}, &result,
                                 {target_rank, target_disp, 1, datatype}, op, win, args)) {
    return err;
  }
  if (int err = check_element_type(entry, datatype, element)) return err;
  return start_notified(entry, args, element, index, [&](Request* done, bool& /*told*/) {
    return args.window().operations().accumulate(args.origin_or_null(), *args.op, args.target,
                                                 &args.result, done);
  });
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPIX_Put_notify(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, int notification_idx, MPI_Win win) try {
  return put_notified("MPIX_Put_notify", {origin_addr, origin_count, origin_datatype},
                      {target_rank, target_disp, target_count, target_datatype}, notification_idx,
                      win);
} catch (...) {
  return caught("MPIX_Put_notify", win);
}
REMIT_WEAK_X(Put_notify);

int PMPIX_Put_notify_c(const void* origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, int notification_idx,
                       MPI_Win win) try {
  return put_notified("MPIX_Put_notify_c", {origin_addr, origin_count, origin_datatype},
                      {target_rank, target_disp, target_count, target_datatype}, notification_idx,
                      win);
} catch (...) {
  return caught("MPIX_Put_notify_c", win);
}
REMIT_WEAK_X(Put_notify_c);

int PMPIX_Get_notify(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, int notification_idx, MPI_Win win) try {
  return get_notified("MPIX_Get_notify", {origin_addr, origin_count, origin_datatype},
                      {target_rank, target_disp, target_count, target_datatype}, notification_idx,
                      win);
} catch (...) {
  return caught("MPIX_Get_notify", win);
}
REMIT_WEAK_X(Get_notify);

int PMPIX_Get_notify_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                       int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                       MPI_Datatype target_datatype, int notification_idx, MPI_Win win) try {
  return get_notified("MPIX_Get_notify_c", {origin_addr, origin_count, origin_datatype},
                      {target_rank, target_disp, target_count, target_datatype}, notification_idx,
                      win);
} catch (...) {
  return caught("MPIX_Get_notify_c", win);
}
REMIT_WEAK_X(Get_notify_c);

int PMPIX_Accumulate_notify(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                            MPI_Win win) try {
  return accumulate_notified("MPIX_Accumulate_notify", {origin_addr, origin_count, origin_datatype},
                             {target_rank, target_disp, target_count, target_datatype}, op,
                             notification_idx, win);
} catch (...) {
  return caught("MPIX_Accumulate_notify", win);
}
REMIT_WEAK_X(Accumulate_notify);

int PMPIX_Accumulate_notify_c(const void* origin_addr, MPI_Count origin_count,
                              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                              int notification_idx, MPI_Win win) try {
  return accumulate_notified(
      "MPIX_Accumulate_notify_c", {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, notification_idx, win);
} catch (...) {
  return caught("MPIX_Accumulate_notify_c", win);
}
REMIT_WEAK_X(Accumulate_notify_c);

int PMPIX_Fetch_and_op_notify(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                              int target_rank, MPI_Aint target_disp, MPI_Op op,
                              int notification_idx, MPI_Win win) try {
  return fetch_notified("MPIX_Fetch_and_op_notify", origin_addr, result_addr, datatype, target_rank,
                        target_disp, op, notification_idx, win);
} catch (...) {
  return caught("MPIX_Fetch_and_op_notify", win);
}
REMIT_WEAK_X(Fetch_and_op_notify);
