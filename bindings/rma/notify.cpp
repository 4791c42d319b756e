// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Counters of notifications, and requests that wait for them (include/mpi_remit.h).
#include "bindings/env/info_objects.hpp"
#include "bindings/rma/notify_requests.hpp"
#include "bindings/rma/operation.hpp"
#include "bindings/weak.hpp"
#include "mpi_remit.h"

namespace remit {

namespace {

/// One of this process's counters.
struct OwnCounter {
  WinObject* win = nullptr;
  std::uint32_t index = 0;

  [[nodiscard]] Notifications& notifications() const {
    return *win->window->notified_access().counters();
  }
};

int own_counter(Entry& entry, MPI_Win handle, int index, OwnCounter& out) {
  if (int err = open_window(entry, handle, out.win)) return err;
  Window& window = *out.win->window;
  if (int err = finish(entry, window.notified_access().check(window.comm().rank, index))) {
    return err;
  }
  out.index = static_cast<std::uint32_t>(index);
  return MPI_SUCCESS;
}

int check_value(Entry& entry, MPI_Count value, const char* argument) {
  if (value >= 0) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG, "{} is {}; it must not be negative", argument, value);
}

int create_counters(const char* function, MPI_Win handle, int count) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  if (int err = check_value(entry, count, "notification_num")) return err;
  return finish(entry, win->window->notified_access().create(call_of(entry),
                                                             static_cast<std::uint32_t>(count)));
}

int free_counters(const char* function, MPI_Win handle) {
  Entry entry(function);
  WinObject* win = nullptr;
  if (int err = open_window(entry, handle, win)) return err;
  return finish(entry, win->window->notified_access().free(call_of(entry)));
}

/// A program that reads a counter in a loop lets others get on, and takes the messages by which it
/// may change: each time if there are such, else now and then, for a look takes much less.
constexpr std::uint32_t kReadsPerPoll = 8;

int read_counter(const char* function, MPI_Win handle, int index, MPI_Count* value) {
  Entry entry(function);
  OwnCounter counter;
  if (int err = own_counter(entry, handle, index, counter)) return err;
  if (int err = entry.not_null(value, "notification")) return err;
  Notifications& notifications = counter.notifications();
  OpenWindow& open = *counter.win->open;
  std::uint64_t now = notifications.value(counter.index);
  if (now == open.last_notified && (++open.vain_reads % kReadsPerPoll == 0 ||
                                    open.window->is_served() || entry.instance().locking())) {
    entry.progress().poll();
    now = notifications.value(counter.index);
    if (now == open.last_notified) entry.only_looked();
  }
  open.last_notified = now;
  *value = static_cast<MPI_Count>(now);
  return MPI_SUCCESS;
}

int set_counter(const char* function, MPI_Win handle, int index, MPI_Count value) {
  Entry entry(function);
  OwnCounter counter;
  if (int err = own_counter(entry, handle, index, counter)) return err;
  if (int err = check_value(entry, value, "notification")) return err;
  counter.notifications().waits().set(counter.index, static_cast<std::uint64_t>(value));
  return MPI_SUCCESS;
}

/// Inactive.
RequestObject* make_notify_request(Entry& entry, const OwnCounter& counter, MPI_Count count) {
  RequestObject* made = make_request(entry.instance(), RequestForm::notification, {});
  made->win = counter.win;
  counter.win->retain();
  made->peer = MPI_ANY_SOURCE;
  made->tag = static_cast<int>(counter.index);
  made->awaited = count;
  made->active = false;
  return made;
}

int request_of_value(const char* function, MPI_Win handle, int index, MPI_Count value,
                     MPI_Request* request) {
  Entry entry(function);
  OwnCounter counter;
  if (int err = own_counter(entry, handle, index, counter)) return err;
  if (int err = check_value(entry, value, "expected_value")) return err;
  if (int err = entry.not_null(request, "request")) return err;
  RequestObject* made = make_notify_request(entry, counter, value);
  made->active = true;
  *request = handle_of(made);
  return finish(entry, start_notify_request(*made));
}

int persistent_request(const char* function, MPI_Win handle, int source, int index, MPI_Count count,
                       MPI_Info info, MPI_Request* request) {
  Entry entry(function);
  OwnCounter counter;
  if (int err = own_counter(entry, handle, index, counter)) return err;
  if (source != MPI_ANY_SOURCE) {
    return entry.fail(MPI_ERR_RANK,
                      "source is {}; it must be MPI_ANY_SOURCE, for counters do not tell who has "
                      "added to them",
                      source);
  }
  if (count < 1) return entry.fail(MPI_ERR_COUNT, "count is {}; it must be 1 or more", count);
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(request, "request")) return err;
  RequestObject* made = make_notify_request(entry, counter, count);
  made->persistent = true;
  *request = handle_of(made);
  return MPI_SUCCESS;
}

}  // namespace

Expected<> start_notify_request(RequestObject& request) {
  Window* const window = request.win->window;
  if (window == nullptr) {
    return fail(MPI_ERR_WIN, "the window of the request has been freed");
  }
  NotifiedAccess& access = window->notified_access();
  if (auto fine = access.check(window->comm().rank, request.tag); !fine) return fine;
  access.counters()->waits().start(
      request.core, {static_cast<std::uint32_t>(request.tag),
                     static_cast<std::uint64_t>(request.awaited), request.persistent});
  return {};
}

void cancel_notify_request(RequestObject& request) {
  if (request.core.complete || request.win->window == nullptr) return;
  if (Notifications* const notifications = request.win->window->notified_access().counters()) {
    notifications->waits().cancel(request.core);
  }
}

}  // namespace remit

using namespace remit;

int PMPIX_Win_create_notify(MPI_Win win, int notification_num) try {
  return create_counters("MPIX_Win_create_notify", win, notification_num);
} catch (...) {
  return caught("MPIX_Win_create_notify", win);
}
REMIT_WEAK_X(Win_create_notify);

int PMPIX_Win_free_notify(MPI_Win win) try {
  return free_counters("MPIX_Win_free_notify", win);
} catch (...) {
  return caught("MPIX_Win_free_notify", win);
}
REMIT_WEAK_X(Win_free_notify);

int PMPIX_Win_get_notify(MPI_Win win, int notification_idx, MPI_Count* notification) try {
  return read_counter("MPIX_Win_get_notify", win, notification_idx, notification);
} catch (...) {
  return caught("MPIX_Win_get_notify", win);
}
REMIT_WEAK_X(Win_get_notify);

int PMPIX_Win_set_notify(MPI_Win win, int notification_idx, MPI_Count notification) try {
  return set_counter("MPIX_Win_set_notify", win, notification_idx, notification);
} catch (...) {
  return caught("MPIX_Win_set_notify", win);
}
REMIT_WEAK_X(Win_set_notify);

int PMPIX_Win_get_notify_request(MPI_Win win, int notification_idx, MPI_Count expected_value,
                                 MPI_Request* request) try {
  return request_of_value("MPIX_Win_get_notify_request", win, notification_idx, expected_value,
                          request);
} catch (...) {
  return caught("MPIX_Win_get_notify_request", win);
}
REMIT_WEAK_X(Win_get_notify_request);

int PMPIX_Notify_init(MPI_Win win, int source, int notification_idx, MPI_Count count, MPI_Info info,
                      MPI_Request* request) try {
  return persistent_request("MPIX_Notify_init", win, source, notification_idx, count, info,
                            request);
} catch (...) {
  return caught("MPIX_Notify_init", win);
}
REMIT_WEAK_X(Notify_init);
