// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the operations on windows have in common: their arguments, and their forms with a request.
#pragma once

#include "bindings/comm/comm_objects.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/rma/open_windows.hpp"

namespace remit {

/// A window whose memory is open. Errors found from now on are raised on it.
[[nodiscard]] inline int open_window(Entry& entry, MPI_Win handle, WinObject*& out) {
  if (int err = entry.win(handle, out)) return err;
  if (out->window != nullptr) [[likely]]
    return MPI_SUCCESS;
  return entry.fail(MPI_ERR_WIN, "win has no memory any more");
}

/// A buffer of this process, as an MPI function has it.
struct OriginBuffer {
  const void* address;
  MPI_Count count;
  MPI_Datatype type;
};

/// Where an operation goes, as an MPI function has it.
struct TargetPlace {
  int rank;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Datatype type;
};

/// The checked arguments of an operation on a window.
struct OperationArgs {
  WinObject* win = nullptr;
  WindowTarget target;

  /// MPI_PROC_NULL: nothing is to be done.
  [[nodiscard]] bool is_to_nobody() const { return target.rank == MPI_PROC_NULL; }
  [[nodiscard]] Window& window() const { return *win->window; }
  /// Bytes of data.
  [[nodiscard]] MPI_Count target_bytes() const { return target.count * target.type->size(); }
};

/// Window and target.
[[nodiscard]] int check_target(Entry& entry, const TargetPlace& place, MPI_Win win,
                               OperationArgs& out);
/// `name`: origin or result.
[[nodiscard]] int check_origin(Entry& entry, const OriginBuffer& buffer, const char* name,
                               View& out, const Datatype*& type);

/// MPI_ERR_TRUNCATE: `from` bytes do not fit into `to` (section 12.3.1). `what`, `where`: their
/// names.
[[nodiscard]] int check_fit(Entry& entry, MPI_Count from, const char* what, MPI_Count to,
                            const char* where, const OperationArgs& args);
[[nodiscard, gnu::cold]] int bad_displacement(Entry& entry, const OperationArgs& args);
/// In a dynamic window it is an address, which may have its highest bit set.
[[nodiscard]] inline int check_displacement(Entry& entry, const OperationArgs& args) {
  if (args.target.displacement >= 0 || args.is_to_nobody() ||
      args.win->create_flavor == MPI_WIN_FLAVOR_DYNAMIC) [[likely]]
    return MPI_SUCCESS;
  return bad_displacement(entry, args);
}
/// As many elements as have so many bytes, where there are more and elements are whole.
[[nodiscard]] inline MPI_Count shortened(MPI_Count count, const Datatype& type, MPI_Count bytes) {
  const MPI_Count element = type.size();
  if (element == 0 || bytes % element != 0) return count;
  return std::min(count, bytes / element);
}

/// Returns what the MPI function is to return. An operation that is over at once has changed memory
/// alone, for which no other thread of this process sleeps, but in waits for notifications and
/// signals: whoever has sent one says so behind this (CallGuard::note_change()).
[[nodiscard]] int finish_operation(Entry& entry, const OperationArgs& args,
                                   const Expected<>& started);

/// Keeps a type of an operation that has been started, if that may still be under way.
inline void keep_type(const OperationArgs& args, const Datatype* type) {
  if (type == nullptr || type->is_predefined() || !args.window().is_busy()) return;
  args.win->open->types.keep(args.target.rank, *type);
}

/// The request of an operation on a window, before that is started. Lets go of it if that fails.
class OperationRequest {
 public:
  /// `type`: of the memory of this process.
  OperationRequest(Instance& instance, const OperationArgs& args, const Datatype* type);
  ~OperationRequest();
  OperationRequest(const OperationRequest&) = delete;
  OperationRequest& operator=(const OperationRequest&) = delete;

  [[nodiscard]] Request* operation() { return &request_->core; }
  /// For the program, once the operation has been started.
  [[nodiscard]] MPI_Request hand_out();

 private:
  Instance& instance_;
  RequestObject* request_;
};

/// Whether a form with a request may be called: only while a target is locked (section 12.3.5).
[[nodiscard]] int check_requested(Entry& entry, const OperationArgs& args, MPI_Request* request);

/// Starts an operation by start(done), which those of WindowOperations are. `type`: of the memory
/// of this process, or null.
template <class Start>
int start_operation(Entry& entry, const OperationArgs& args, const Datatype* type, Start&& start) {
  if (args.is_to_nobody()) return MPI_SUCCESS;
  if (int err = finish_operation(entry, args, start(nullptr))) return err;
  keep_type(args, type);
  keep_type(args, args.target.type);
  return MPI_SUCCESS;
}

/// The same with a request.
template <class Start>
int start_requested(Entry& entry, const OperationArgs& args, const Datatype* type,
                    MPI_Request* request, Start&& start) {
  if (int err = check_requested(entry, args, request)) return err;
  if (args.is_to_nobody()) {
    *request = handle_of(&entry.instance().requests.sent());
    return MPI_SUCCESS;
  }
  OperationRequest made(entry.instance(), args, type);
  if (int err = finish_operation(entry, args, start(made.operation()))) return err;
  keep_type(args, args.target.type);
  *request = made.hand_out();
  return MPI_SUCCESS;
}

}  // namespace remit
