// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Completion of nonblocking operations (MPI-5.0, sections 3.7.3 to 3.7.6, 3.8.4 and 3.9).
#include <algorithm>
#include <span>

#include "bindings/env/error_table.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/pt2pt/request_watcher.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/rma/notify_requests.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

RequestObject* object(MPI_Request handle) {
  return reinterpret_cast<RequestObject*>(handle);
}

/// Null handles and inactive persistent requests take no part in completion.
bool is_live(MPI_Request handle) {
  return handle != MPI_REQUEST_NULL && object(handle)->active;
}

bool is_done(MPI_Request handle) {
  return !is_live(handle) || object(handle)->complete();
}

/// The fast path for a message that had left when MPI_Isend returned. Takes no lock: there is
/// nothing to share.
[[gnu::always_inline]] inline bool take_sent(MPI_Request* request, MPI_Status* status) {
  Instance* instance = library().instance;
  if (instance == nullptr || request == nullptr ||
      *request != handle_of(&instance->requests.sent()))
    return false;
  set_status(status, OpStatus{});
  *request = MPI_REQUEST_NULL;
  return true;
}

/// A request without anything special about it that has succeeded: all that remains is to write its
/// status and to take it back.
[[gnu::always_inline]] inline bool is_finished_plain(MPI_Request handle) {
  const auto* request = object_of<RequestObject>(handle, ObjectKind::request);
  return request != nullptr && request->plain && request->core.complete &&
         request->core.status.error == MPI_SUCCESS;
}

[[gnu::always_inline]] inline void finish_plain(Instance& instance, MPI_Request& handle,
                                                MPI_Status* status) {
  RequestObject* request = object(handle);
  set_status(status, request->core.status);
  if (request != &instance.requests.sent()) destroy_plain(instance, request);
  handle = MPI_REQUEST_NULL;
}

int check_requests(Entry& entry, int count, const MPI_Request* requests) {
  if (int err = entry.count(count, "count")) return err;
  if (count > 0) {
    if (int err = entry.not_null(requests, "array_of_requests")) return err;
  }
  RequestObject* ignored = nullptr;
  for (int i = 0; i < count; ++i) {
    const MPI_Request handle = requests[i];
    if (handle == MPI_REQUEST_NULL ||
        object_of<RequestObject>(handle, ObjectKind::request) != nullptr) [[likely]]
      continue;
    return entry.request(handle, ignored);
  }
  return MPI_SUCCESS;
}

/// The status of a complete request that stays; that of a generalized one comes from its query
/// function (section 13.2), whose error this returns.
int read_status(const RequestObject& request, MPI_Status* status) {
  tell_watcher(request, MPIX_REQUEST_COMPLETE);
  if (request.form != RequestForm::generalized) {
    set_status(status, request.collective ? request.collective->work().request.status
                                          : request.core.status);
    return MPI_SUCCESS;
  }
  MPI_Status mine{};
  if (int err = request.query(request.extra_state, &mine)) return err;
  if (status != MPI_STATUS_IGNORE) {
    mine.MPI_ERROR = status->MPI_ERROR;
    *status = mine;
  }
  return MPI_SUCCESS;
}

/// As read_status(), and raises the error.
int read_and_report(Entry& entry, const RequestObject& request, MPI_Status* status) {
  const int error = read_status(request, status);
  return error == MPI_SUCCESS ? error : entry.fail(error, "{}", kCallbackFailed);
}

/// What is needed to report the failure of a request that may be gone by then.
struct Subject {
  Subject() = default;
  explicit Subject(const RequestObject& request)
      : comm(request.comm),
        win(request.win),
        file(request.file),
        peer(request.peer),
        form(request.form) {
    if (request.access != nullptr) words = explain_access(*request.access);
  }

  [[nodiscard]] std::string explain(Instance& instance, int error) const {
    if (form == RequestForm::generalized) return kCallbackFailed;
    if (form == RequestForm::file_access) return words;
    if (form == RequestForm::one_sided) return explain_one_sided(peer, error);
    return explain_failure(instance, comm.get(), peer, error);
  }
  /// What the failure is raised on; null: nothing.
  [[nodiscard]] ErrorTarget* error_target() const {
    if (file) return file.get();
    return win ? static_cast<ErrorTarget*>(win.get()) : comm.get();
  }

  Ref<CommObject> comm;
  Ref<WinObject> win;
  Ref<FileObject> file;
  std::string words;  ///< of a failed access to `file`
  int peer = MPI_PROC_NULL;
  RequestForm form = RequestForm::no_operation;
};

/// Finishes one request and reports its error through its communicator's handler.
int finish_and_report(Entry& entry, MPI_Request& handle, MPI_Status* status) {
  const Subject subject(*object(handle));
  const int error = finish_request(entry.instance(), handle, status);
  if (error == MPI_SUCCESS) return error;
  return raise_error(subject.error_target(), error, entry.function(),
                     subject.explain(entry.instance(), error));
}

/// Destroys a complete request; its error, of a callback, is raised on no communicator.
int destroy_and_report(Entry& entry, RequestObject* request) {
  const int error = destroy_request(entry.instance(), request);
  return error == MPI_SUCCESS ? error
                              : raise_error(nullptr, error, entry.function(), kCallbackFailed);
}

/// The name of an error's class.
const char* name_of_error(int code) {
  return error_class_name(error_class_of(code));
}

/// Finishes requests of an array, in the order of their statuses. A failure makes the whole call
/// MPI_ERR_IN_STATUS, and only then are the MPI_ERROR fields written (section 3.2.5).
class ArrayFinisher {
 public:
  ArrayFinisher(Entry& entry, MPI_Status* statuses) : entry_(entry), statuses_(statuses) {}

  /// `at` is the index of the status.
  void finish(MPI_Request& handle, int at) {
    MPI_Status* status = statuses_ == MPI_STATUSES_IGNORE ? nullptr : statuses_ + at;
    if (handle == MPI_REQUEST_NULL) return set_empty(status);
    if (first_error_ == MPI_SUCCESS && take_sent(&handle, status)) return;
    if (object(handle)->kind != ObjectKind::request) return refuse_twice(status, at);
    const Subject subject(*object(handle));
    const int error = finish_request(entry_.instance(), handle, status);
    if (error != MPI_SUCCESS && first_error_ == MPI_SUCCESS) {
      if (status != nullptr) {
        for (int i = 0; i < at; ++i) statuses_[i].MPI_ERROR = MPI_SUCCESS;
      }
      first_error_ = error;
      failed_ = subject;
      detail_ = subject.explain(entry_.instance(), error);
    }
    if (status != nullptr && first_error_ != MPI_SUCCESS) status->MPI_ERROR = error;
  }

  /// The array names one request twice, and its first appearance has used it up.
  [[gnu::cold]] void refuse_twice(MPI_Status* status, int at) {
    if (first_error_ == MPI_SUCCESS) {
      if (status != nullptr) {
        for (int i = 0; i < at; ++i) statuses_[i].MPI_ERROR = MPI_SUCCESS;
      }
      first_error_ = MPI_ERR_REQUEST;
      detail_ = "a request is in the array twice";
    }
    if (status != nullptr) status->MPI_ERROR = MPI_ERR_REQUEST;
  }

  [[nodiscard]] bool failed() const { return first_error_ != MPI_SUCCESS; }

  int report() {
    if (first_error_ == MPI_SUCCESS) return MPI_SUCCESS;
    return raise_error(failed_.error_target(), MPI_ERR_IN_STATUS, entry_.function(),
                       fmt::format("{}: {}", name_of_error(first_error_), detail_));
  }

 private:
  Entry& entry_;
  MPI_Status* statuses_;
  int first_error_ = MPI_SUCCESS;
  Subject failed_;
  std::string detail_;
};

/// The first live and complete request, or -1.
int find_done(std::span<const MPI_Request> requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_live(requests[i]) && object(requests[i])->complete()) return static_cast<int>(i);
  }
  return -1;
}

bool any_live(std::span<const MPI_Request> requests) {
  return std::any_of(requests.begin(), requests.end(), is_live);
}

/// Whether done() is true, now or after one poll. If not, the call has only looked: for all of the
/// requests, or for `any` of them.
template <class Done>
bool look_at_requests(Entry& entry, std::span<const MPI_Request> requests, bool any, Done&& done) {
  if (entry.progress().look(done, RequestsWait(entry, requests, any))) return true;
  entry.only_looked();
  return false;
}

bool look_for_all(Entry& entry, std::span<const MPI_Request> requests) {
  return look_at_requests(entry, requests, false,
                          [=] { return std::all_of(requests.begin(), requests.end(), is_done); });
}

/// MPI_Testany and MPI_Request_get_status_any, which differ in what take(index) does.
template <class Take>
int look_for_any(Entry& entry, std::span<const MPI_Request> requests, int* index, int* flag,
                 MPI_Status* status, Take&& take) {
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (!any_live(requests)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  int found = -1;
  *flag =
      look_at_requests(entry, requests, true, [&] { return (found = find_done(requests)) >= 0; });
  if (!*flag) return MPI_SUCCESS;
  *index = found;
  return take(found);
}

/// Reads the statuses of complete requests of an array that stay. As when they are finished, only
/// if one failed the MPI_ERROR fields are written and the call is MPI_ERR_IN_STATUS.
class ArrayReader {
 public:
  ArrayReader(Entry& entry, MPI_Status* statuses) : entry_(entry), statuses_(statuses) {}

  /// `at` is the index of the status.
  void read(MPI_Request handle, int at) {
    MPI_Status* status = statuses_ == MPI_STATUSES_IGNORE ? nullptr : statuses_ + at;
    if (!is_live(handle)) return set_empty(status);
    int error = read_status(*object(handle), status);
    if (error == MPI_SUCCESS) error = object(handle)->operation().status.error;
    if (error != MPI_SUCCESS && first_error_ == MPI_SUCCESS) {
      first_error_ = error;
      failed_ = object(handle);
      for (int i = 0; i < at && status != nullptr; ++i) statuses_[i].MPI_ERROR = MPI_SUCCESS;
    }
    if (status != nullptr && first_error_ != MPI_SUCCESS) status->MPI_ERROR = error;
  }

  int report() {
    if (first_error_ == MPI_SUCCESS) return MPI_SUCCESS;
    const std::string words = Subject(*failed_).explain(entry_.instance(), first_error_);
    return raise_error(failed_->error_target(), MPI_ERR_IN_STATUS, entry_.function(),
                       fmt::format("{}: {}", name_of_error(first_error_), words));
  }

 private:
  Entry& entry_;
  MPI_Status* statuses_;
  int first_error_ = MPI_SUCCESS;
  RequestObject* failed_ = nullptr;
};

/// Finishes every live and complete request of the array; indices and statuses are packed.
int finish_some(Entry& entry, std::span<MPI_Request> requests, int* outcount, int indices[],
                MPI_Status* statuses) {
  ArrayFinisher finisher(entry, statuses);
  int found = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!is_live(requests[i]) || !object(requests[i])->complete()) continue;
    indices[found] = static_cast<int>(i);
    finisher.finish(requests[i], found);
    ++found;
  }
  *outcount = found;
  return finisher.report();
}

int start_one(Entry& entry, MPI_Request request) {
  RequestObject* started = nullptr;
  if (int err = entry.request(request, started)) return err;
  if (!started->persistent || started->active) {
    return entry.fail(MPI_ERR_REQUEST,
                      "the request is {}; only an inactive persistent request can "
                      "be started",
                      started->persistent ? "active already" : "not persistent");
  }
  if (int err = start_request(entry.instance(), *started)) {
    if (started->form == RequestForm::notification) {
      return entry.fail(err, "counter {} of the window, or the window, has been freed",
                        started->tag);
    }
    const BsendBuffer& bsend = bsend_buffer(entry.instance(), *started->comm);
    return entry.fail(err, "{}", bsend.explain(started->view));
  }
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Wait(MPI_Request* request, MPI_Status* status) try {
  if (take_sent(request, status)) return MPI_SUCCESS;
  Entry entry("MPI_Wait");
  if (int err = check_requests(entry, 1, request)) return err;
  if (!is_live(*request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  RequestObject* waited = object(*request);
  const RequestsWait subject(entry, {request, 1}, false);
  entry.progress().wait([=] { return waited->complete(); }, &subject);
  entry.engine().links().settle(&subject);
  if (is_finished_plain(*request)) {
    finish_plain(entry.instance(), *request, status);
    return MPI_SUCCESS;
  }
  return finish_and_report(entry, *request, status);
} catch (...) {
  return caught("MPI_Wait");
}
REMIT_WEAK(Wait);

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) try {
  if (flag != nullptr && take_sent(request, status)) {
    *flag = 1;
    return MPI_SUCCESS;
  }
  Entry entry("MPI_Test");
  if (int err = check_requests(entry, 1, request)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = 1;
  if (!is_live(*request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  RequestObject* tested = object(*request);
  *flag = look_at_requests(entry, {request, 1}, false, [=] { return tested->complete(); });
  return *flag ? finish_and_report(entry, *request, status) : MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Test");
}
REMIT_WEAK(Test);

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) try {
  Entry entry("MPI_Waitall");
  int done = 0;  // requests at the beginning that are complete
  while (requests != nullptr && done < count && is_finished_plain(requests[done])) ++done;
  if (int err = done == count ? MPI_SUCCESS : check_requests(entry, count, requests)) return err;
  auto all_done = [requests, count, &done] {
    while (done < count && (is_finished_plain(requests[done]) || is_done(requests[done]))) ++done;
    return done == count;
  };
  if (done != count) {
    const RequestsWait subject(entry, {requests, static_cast<std::size_t>(count)}, false);
    entry.progress().wait(all_done, &subject);
    entry.engine().links().settle(&subject);
  }
  ArrayFinisher finisher(entry, statuses);
  for (int i = 0; i < count; ++i) {
    if (is_finished_plain(requests[i]) && !finisher.failed()) [[likely]] {
      finish_plain(entry.instance(), requests[i],
                   statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + i);
    } else {
      finisher.finish(requests[i], i);
    }
  }
  return finisher.report();
} catch (...) {
  return caught("MPI_Waitall");
}
REMIT_WEAK(Waitall);

int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) try {
  Entry entry("MPI_Testall");
  if (int err = check_requests(entry, count, requests)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = look_for_all(entry, {requests, static_cast<std::size_t>(count)});
  if (!*flag) return MPI_SUCCESS;
  ArrayFinisher finisher(entry, statuses);
  for (int i = 0; i < count; ++i) finisher.finish(requests[i], i);
  return finisher.report();
} catch (...) {
  return caught("MPI_Testall");
}
REMIT_WEAK(Testall);

int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) try {
  Entry entry("MPI_Waitany");
  if (int err = check_requests(entry, count, requests)) return err;
  if (int err = entry.not_null(index, "index")) return err;
  const std::span<const MPI_Request> all(requests, static_cast<std::size_t>(count));
  *index = MPI_UNDEFINED;
  if (!any_live(all)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  int found = -1;
  const RequestsWait subject(entry, all, true);
  entry.progress().wait([&] { return (found = find_done(all)) >= 0; }, &subject);
  *index = found;
  return finish_and_report(entry, requests[found], status);
} catch (...) {
  return caught("MPI_Waitany");
}
REMIT_WEAK(Waitany);

int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) try {
  Entry entry("MPI_Testany");
  if (int err = check_requests(entry, count, requests)) return err;
  if (int err = entry.not_null(index, "index")) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  return look_for_any(entry, {requests, static_cast<std::size_t>(count)}, index, flag, status,
                      [&](int found) { return finish_and_report(entry, requests[found], status); });
} catch (...) {
  return caught("MPI_Testany");
}
REMIT_WEAK(Testany);

int PMPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                  MPI_Status statuses[]) try {
  Entry entry("MPI_Waitsome");
  if (int err = check_requests(entry, incount, requests)) return err;
  if (int err = entry.not_null(outcount, "outcount")) return err;
  const std::span<MPI_Request> all(requests, static_cast<std::size_t>(incount));
  if (!any_live(all)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (int err = entry.not_null(indices, "array_of_indices")) return err;
  const RequestsWait subject(entry, all, true);
  entry.progress().wait([&] { return find_done(all) >= 0; }, &subject);
  return finish_some(entry, all, outcount, indices, statuses);
} catch (...) {
  return caught("MPI_Waitsome");
}
REMIT_WEAK(Waitsome);

int PMPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                  MPI_Status statuses[]) try {
  Entry entry("MPI_Testsome");
  if (int err = check_requests(entry, incount, requests)) return err;
  if (int err = entry.not_null(outcount, "outcount")) return err;
  const std::span<MPI_Request> all(requests, static_cast<std::size_t>(incount));
  if (!any_live(all)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (int err = entry.not_null(indices, "array_of_indices")) return err;
  if (!look_at_requests(entry, all, true, [&] { return find_done(all) >= 0; })) {
    *outcount = 0;
    return MPI_SUCCESS;
  }
  return finish_some(entry, all, outcount, indices, statuses);
} catch (...) {
  return caught("MPI_Testsome");
}
REMIT_WEAK(Testsome);

int PMPI_Request_free(MPI_Request* request) try {
  Entry entry("MPI_Request_free");
  if (int err = entry.not_null(request, "request")) return err;
  RequestObject* freed = nullptr;
  if (int err = entry.request(*request, freed)) return err;
  if (freed->active && freed->partitioned && freed->partitioned->sends()) {
    if (!static_cast<PartitionedSend&>(*freed->partitioned).all_ready()) {
      return entry.fail(MPI_ERR_REQUEST,
                        "the request is a partitioned send under way, and not all of its "
                        "partitions are ready: nothing could make them so later");
    }
  }
  *request = MPI_REQUEST_NULL;
  if (freed->active && freed->form == RequestForm::notification) cancel_notify_request(*freed);
  if (freed->complete() && may_destroy(*freed)) return destroy_and_report(entry, freed);
  freed->freed = true;
  freed->persistent = false;
  entry.instance().requests.orphans.push_back(freed);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Request_free");
}
REMIT_WEAK(Request_free);

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) try {
  Entry entry("MPI_Request_get_status");
  if (int err = check_requests(entry, 1, &request)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = 1;
  if (!is_live(request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  *flag = look_at_requests(entry, {&request, 1}, false, [=] { return is_done(request); });
  if (!*flag) return MPI_SUCCESS;
  return read_and_report(entry, *object(request), status);
} catch (...) {
  return caught("MPI_Request_get_status");
}
REMIT_WEAK(Request_get_status);

int PMPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag,
                                MPI_Status statuses[]) try {
  Entry entry("MPI_Request_get_status_all");
  if (int err = check_requests(entry, count, requests)) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  *flag = look_for_all(entry, {requests, static_cast<std::size_t>(count)});
  if (!*flag) return MPI_SUCCESS;
  ArrayReader reader(entry, statuses);
  for (int i = 0; i < count; ++i) reader.read(requests[i], i);
  return reader.report();
} catch (...) {
  return caught("MPI_Request_get_status_all");
}
REMIT_WEAK(Request_get_status_all);

int PMPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                                MPI_Status* status) try {
  Entry entry("MPI_Request_get_status_any");
  if (int err = check_requests(entry, count, requests)) return err;
  if (int err = entry.not_null(index, "index")) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  return look_for_any(
      entry, {requests, static_cast<std::size_t>(count)}, index, flag, status,
      [&](int found) { return read_and_report(entry, *object(requests[found]), status); });
} catch (...) {
  return caught("MPI_Request_get_status_any");
}
REMIT_WEAK(Request_get_status_any);

int PMPI_Request_get_status_some(int incount, const MPI_Request requests[], int* outcount,
                                 int indices[], MPI_Status statuses[]) try {
  Entry entry("MPI_Request_get_status_some");
  if (int err = check_requests(entry, incount, requests)) return err;
  if (int err = entry.not_null(outcount, "outcount")) return err;
  const std::span<const MPI_Request> all(requests, static_cast<std::size_t>(incount));
  *outcount = MPI_UNDEFINED;
  if (!any_live(all)) return MPI_SUCCESS;
  if (int err = entry.not_null(indices, "array_of_indices")) return err;
  *outcount = 0;
  if (!look_at_requests(entry, all, true, [&] { return find_done(all) >= 0; })) return MPI_SUCCESS;
  ArrayReader reader(entry, statuses);
  for (int i = 0; i < incount; ++i) {
    if (!is_live(requests[i]) || !object(requests[i])->complete()) continue;
    indices[*outcount] = i;
    reader.read(requests[i], (*outcount)++);
  }
  return reader.report();
} catch (...) {
  return caught("MPI_Request_get_status_some");
}
REMIT_WEAK(Request_get_status_some);

int PMPI_Start(MPI_Request* request) try {
  Entry entry("MPI_Start");
  if (int err = entry.not_null(request, "request")) return err;
  return start_one(entry, *request);
} catch (...) {
  return caught("MPI_Start");
}
REMIT_WEAK(Start);

int PMPI_Startall(int count, MPI_Request requests[]) try {
  Entry entry("MPI_Startall");
  if (int err = entry.count(count, "count")) return err;
  if (count > 0) {
    if (int err = entry.not_null(requests, "array_of_requests")) return err;
  }
  for (int i = 0; i < count; ++i) {
    if (int err = start_one(entry, requests[i])) return err;
  }
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Startall");
}
REMIT_WEAK(Startall);

int PMPI_Cancel(MPI_Request* request) try {
  Entry entry("MPI_Cancel");
  if (int err = entry.not_null(request, "request")) return err;
  RequestObject* cancelled = nullptr;
  if (int err = entry.request(*request, cancelled)) return err;
  if (!cancelled->active) {
    return entry.fail(MPI_ERR_REQUEST, "the request is inactive: there is nothing to cancel");
  }
  if (cancelled->sending) {
    return entry.fail(MPI_ERR_REQUEST, "a send-receive cannot be cancelled");
  }
  if (cancelled->partitioned) {
    return entry.fail(MPI_ERR_REQUEST, "a partitioned operation cannot be cancelled");
  }
  if (cancelled->form == RequestForm::flush) {
    return entry.fail(MPI_ERR_REQUEST, "the flush of a buffer cannot be cancelled");
  }
  if (cancelled->form == RequestForm::one_sided) {
    return entry.fail(MPI_ERR_REQUEST, "an operation on a window cannot be cancelled");
  }
  if (cancelled->form == RequestForm::file_access) {
    return entry.fail(MPI_ERR_REQUEST, "an access to a file cannot be cancelled");
  }
  if (cancelled->collective) {
    return entry.fail(MPI_ERR_REQUEST, "a collective operation cannot be cancelled");
  }
  if (cancelled->form == RequestForm::generalized) {
    if (cancelled->cancel_function == nullptr) return MPI_SUCCESS;
    if (int err = cancelled->cancel_function(cancelled->extra_state, cancelled->core.complete)) {
      return entry.fail(err, "the cancel function of a generalized request returned an error");
    }
    return MPI_SUCCESS;
  }
  if (cancelled->form == RequestForm::notification) {
    cancel_notify_request(*cancelled);
    return MPI_SUCCESS;
  }
  if (!cancelled->core.complete) entry.engine().cancel(cancelled->core);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Cancel");
}
REMIT_WEAK(Cancel);

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) try {
  if (int err = check_pointer(status, "MPI_Test_cancelled", "status")) return err;
  if (int err = check_pointer(flag, "MPI_Test_cancelled", "flag")) return err;
  *flag = status_cancelled(*status);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Test_cancelled");
}
REMIT_WEAK(Test_cancelled);

int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                        MPI_Request* request) try {
  Entry entry("MPI_Grequest_start");
  if (int err = entry.not_null(reinterpret_cast<const void*>(query_fn), "query_fn")) return err;
  if (int err = entry.not_null(request, "request")) return err;
  RequestObject* made = make_request(entry.instance(), RequestForm::generalized, {});
  made->query = query_fn;
  made->free_function = free_fn;
  made->cancel_function = cancel_fn;
  made->extra_state = extra_state;
  *request = handle_of(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Grequest_start");
}
REMIT_WEAK(Grequest_start);

int PMPI_Grequest_complete(MPI_Request request) try {
  Entry entry("MPI_Grequest_complete");
  RequestObject* completed = nullptr;
  if (int err = entry.request(request, completed)) return err;
  if (completed->form != RequestForm::generalized) {
    return entry.fail(MPI_ERR_REQUEST, "the request is not a generalized one");
  }
  completed->core.complete = true;
  if (!completed->freed) return MPI_SUCCESS;
  // Freed by its user before: its free function is called now (section 13.2).
  std::erase(entry.instance().requests.orphans, completed);
  return destroy_and_report(entry, completed);
} catch (...) {
  return caught("MPI_Grequest_complete");
}
REMIT_WEAK(Grequest_complete);
