// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which events MPI_T has (MPI-5.0, section 15.3.8).
#pragma once

#include <array>
#include <cstddef>

#include "mpi.h"
#include "runtime/events.hpp"

namespace remit {

/// An event as MPI_T shows it: one of the process's, of all objects or of one.
struct ToolEventDecl {
  EventKind kind;
  const char* name;  ///< null: the event's own
  int bind;          ///< MPI_T_BIND_...
  int verbosity;
  std::size_t object_element = 0;  ///< bound ones: which element names the object
};

/// First all events of a process, each at the place of its kind, then those that are bound.
inline constexpr std::size_t kToolEvents = kEventKinds + 4;

/// One that is bound to no object.
constexpr ToolEventDecl free_event(EventKind kind, int verbosity) {
  return {kind, nullptr, MPI_T_BIND_NO_OBJECT, verbosity};
}

inline constexpr std::array<ToolEventDecl, kToolEvents> kToolEventDecls{{
    free_event(EventKind::message_arrived, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::message_matched, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::request_posted, MPI_T_VERBOSITY_USER_DETAIL),
    free_event(EventKind::request_completed, MPI_T_VERBOSITY_USER_DETAIL),
    free_event(EventKind::wait_ended, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::rendezvous_answered, MPI_T_VERBOSITY_USER_DETAIL),
    free_event(EventKind::protocol_chosen, MPI_T_VERBOSITY_TUNER_BASIC),
    free_event(EventKind::credits_starved, MPI_T_VERBOSITY_TUNER_BASIC),
    free_event(EventKind::connection_opened, MPI_T_VERBOSITY_USER_DETAIL),
    free_event(EventKind::connection_failed, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::registration_missed, MPI_T_VERBOSITY_TUNER_DETAIL),
    free_event(EventKind::registration_evicted, MPI_T_VERBOSITY_TUNER_DETAIL),
    free_event(EventKind::collective_started, MPI_T_VERBOSITY_USER_DETAIL),
    free_event(EventKind::collective_ended, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::lock_waited, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::file_transfer_done, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::slept, MPI_T_VERBOSITY_TUNER_DETAIL),
    free_event(EventKind::woken, MPI_T_VERBOSITY_TUNER_DETAIL),
    free_event(EventKind::initialized, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::finalized, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::session_opened, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::session_closed, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::communicator_created, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::communicator_freed, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::window_created, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::window_freed, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::file_opened, MPI_T_VERBOSITY_USER_BASIC),
    free_event(EventKind::file_closed, MPI_T_VERBOSITY_USER_BASIC),
    {EventKind::message_arrived, "communicator_message_arrived", MPI_T_BIND_MPI_COMM,
     MPI_T_VERBOSITY_USER_DETAIL, 1},
    {EventKind::message_matched, "communicator_message_matched", MPI_T_BIND_MPI_COMM,
     MPI_T_VERBOSITY_USER_DETAIL, 1},
    {EventKind::collective_ended, "communicator_collective_ended", MPI_T_BIND_MPI_COMM,
     MPI_T_VERBOSITY_USER_DETAIL, 0},
    {EventKind::lock_waited, "window_lock_waited", MPI_T_BIND_MPI_WIN, MPI_T_VERBOSITY_USER_DETAIL,
     0},
}};

[[nodiscard]] inline const EventDecl& event_of(const ToolEventDecl& decl) {
  return declaration_of(decl.kind);
}
[[nodiscard]] inline const char* name_of(const ToolEventDecl& decl) {
  return decl.name != nullptr ? decl.name : event_of(decl).name;
}

}  // namespace remit
