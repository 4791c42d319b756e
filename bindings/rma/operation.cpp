// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The arguments of operations on windows (MPI-5.0, section 12.3), and their requests.
#include "bindings/rma/operation.hpp"

#include <utility>

namespace remit {

int check_target(Entry& entry, const TargetPlace& place, MPI_Win win, OperationArgs& out) {
  if (int err = open_window(entry, win, out.win)) return err;
  const int members = out.window().members().size();
  if (int err = entry.target(members, place.rank)) return err;
  if (int err = entry.count(place.count, "target_count")) return err;
  const Datatype* type = nullptr;
  if (int err = entry.datatype(place.type, type, "target_datatype")) return err;
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(place.count, type->size(), &bytes)) {
    return entry.fail(MPI_ERR_COUNT, "target_count is {}, too large for elements of {} bytes",
                      place.count, type->size());
  }
  out.target = {place.rank, place.displacement, place.count, type};
  return check_displacement(entry, out);
}

int bad_displacement(Entry& entry, const OperationArgs& args) {
  return entry.fail(MPI_ERR_DISP,
                    "target_disp is {}, of {} bytes at rank {}; it must not be negative",
                    args.target.displacement, args.target_bytes(), args.target.rank);
}

int check_origin(Entry& entry, const OriginBuffer& buffer, const char* name, View& out,
                 const Datatype*& type) {
  const bool is_result = name[0] == 'r';
  if (int err = entry.count(buffer.count, is_result ? "result_count" : "origin_count")) return err;
  if (int err =
          entry.datatype(buffer.type, type, is_result ? "result_datatype" : "origin_datatype")) {
    return err;
  }
  return entry.buffer(buffer.address, buffer.count, buffer.type, out);
}

int check_fit(Entry& entry, MPI_Count from, const char* what, MPI_Count to, const char* where,
              const OperationArgs& args) {
  if (from <= to) [[likely]]
    return MPI_SUCCESS;
  return entry.fail(MPI_ERR_TRUNCATE,
                    "the {} has {} bytes, but the {} only {} (target rank {}, displacement {})",
                    what, from, where, to, args.target.rank, args.target.displacement);
}

int finish_operation(Entry& entry, const OperationArgs& args, const Expected<>& started) {
  if (started) [[likely]] {
    if (!args.window().is_busy()) entry.changed_nothing();
    return MPI_SUCCESS;
  }
  if (started.error().code == MPI_ERR_RMA_SYNC) return entry.fail(started.error());
  return entry.fail(started.error().code, "{} (target rank {}, displacement {}, {} bytes)",
                    started.error().message, args.target.rank, args.target.displacement,
                    args.target_bytes());
}

int check_requested(Entry& entry, const OperationArgs& args, MPI_Request* request) {
  if (int err = entry.not_null(request, "request")) return err;
  if (args.is_to_nobody() || args.window().epochs().is_passive()) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_RMA_SYNC,
                    "an operation on rank {} with a request needs its lock (MPI_Win_lock or "
                    "MPI_Win_lock_all)",
                    args.target.rank);
}

OperationRequest::OperationRequest(Instance& instance, const OperationArgs& args,
                                   const Datatype* type)
    : instance_(instance), request_(make_request(instance, RequestForm::one_sided, {})) {
  request_->win = args.win;
  args.win->retain();
  request_->peer = args.target.rank;
  request_->datatype = Ref<const Datatype>(type);
}

OperationRequest::~OperationRequest() {
  if (request_ != nullptr) destroy_request(instance_, request_);
}

MPI_Request OperationRequest::hand_out() {
  const Request& core = request_->core;
  if (core.complete && core.status.error == MPI_SUCCESS) {
    return handle_of(&instance_.requests.sent());
  }
  return handle_of(std::exchange(request_, nullptr));
}

}  // namespace remit
