// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Argument checks of collective calls, and the three ways to run them.
#include "bindings/coll_call.hpp"

namespace remit {

namespace {

/// Which of a rooted operation's two sides has meaning at this process.
struct Sides {
  bool root;   ///< the arguments that count at the root only
  bool other;  ///< the arguments that count at everybody (intra) or at the other group (inter)
};

Sides sides(const CommObject& comm, int root) {
  if (!comm.core.is_inter()) return {comm.core.rank == root, true};
  return {root == MPI_ROOT, root != MPI_ROOT && root != MPI_PROC_NULL};
}

int start_check(CollectiveCall& call, CollectiveKind kind, MPI_Comm comm) {
  call.args.kind = kind;
  return call.entry.comm(comm, call.comm);
}

int start_rooted(CollectiveCall& call, CollectiveKind kind, int root, MPI_Comm comm) {
  if (int err = start_check(call, kind, comm)) return err;
  call.args.root = root;
  return call.entry.root(*call.comm, root);
}

/// A buffer of `count` elements, into the send or receive half of the arguments.
int check_send_half(CollectiveCall& call, const void* buffer, MPI_Count count, MPI_Datatype type) {
  View view{};
  if (int err = call.entry.buffer(buffer, count, type, view)) return err;
  call.args.send = buffer;
  call.args.send_count = count;
  call.args.send_type = call.entry.buffer_type();
  call.hold.types.emplace_back(call.args.send_type);
  return MPI_SUCCESS;
}

int check_recv_half(CollectiveCall& call, void* buffer, MPI_Count count, MPI_Datatype type) {
  View view{};
  if (int err = call.entry.buffer(buffer, count, type, view)) return err;
  call.args.recv = buffer;
  call.args.recv_count = count;
  call.args.recv_type = call.entry.buffer_type();
  call.hold.types.emplace_back(call.args.recv_type);
  return MPI_SUCCESS;
}

/// Arrays of counts and displacements, one pair for each peer.
int check_counts(CollectiveCall& call, Counts counts, Counts displs) {
  if (counts.null()) return call.entry.fail(MPI_ERR_ARG, "the array of counts is a null pointer");
  if (displs.null()) {
    return call.entry.fail(MPI_ERR_ARG, "the array of displacements is a null pointer");
  }
  for (int i = 0; i < call.comm->core.peers().size(); ++i) {
    if (counts[i] < 0) {
      return call.entry.fail(MPI_ERR_COUNT, "the count for rank {} is {}; it must not be negative",
                             i, counts[i]);
    }
  }
  return MPI_SUCCESS;
}

int check_send_vector(CollectiveCall& call, const void* buffer, Counts counts, Counts displs,
                      MPI_Datatype type) {
  if (int err = check_counts(call, counts, displs)) return err;
  if (int err = call.entry.datatype(type, call.args.send_type, "sendtype")) return err;
  call.args.send = buffer;
  call.args.send_counts = counts;
  call.args.send_displs = displs;
  call.hold.types.emplace_back(call.args.send_type);
  return MPI_SUCCESS;
}

int check_recv_vector(CollectiveCall& call, void* buffer, Counts counts, Counts displs,
                      MPI_Datatype type) {
  if (int err = check_counts(call, counts, displs)) return err;
  if (int err = call.entry.datatype(type, call.args.recv_type, "recvtype")) return err;
  call.args.recv = buffer;
  call.args.recv_counts = counts;
  call.args.recv_displs = displs;
  call.hold.types.emplace_back(call.args.recv_type);
  return MPI_SUCCESS;
}

/// MPI_IN_PLACE where it may stand; inter-communicators have no in-place form (section 6.2.3).
int take_in_place(CollectiveCall& call, const void* buffer, bool& in_place) {
  in_place = buffer == MPI_IN_PLACE;
  if (!in_place) return MPI_SUCCESS;
  if (call.comm->core.is_inter()) {
    return call.entry.fail(MPI_ERR_BUFFER, "MPI_IN_PLACE on an inter-communicator");
  }
  return MPI_SUCCESS;
}

int refuse_in_place(CollectiveCall& call, const void* buffer, const char* argument) {
  if (buffer != MPI_IN_PLACE) return MPI_SUCCESS;
  return call.entry.fail(MPI_ERR_BUFFER, "{} is MPI_IN_PLACE, which may not stand here", argument);
}

int check_op(CollectiveCall& call, MPI_Op op, const Datatype& type) {
  if (int err = call.entry.op(op, call.args.op)) return err;
  call.hold.op = Ref<const Op>(call.args.op);
  return call.entry.op_on(*call.args.op, type);
}

int check_aliasing(CollectiveCall& call, const void* send, const void* recv, MPI_Count count) {
  if (send != recv || count == 0 || send == MPI_BOTTOM) return MPI_SUCCESS;
  return call.entry.fail(MPI_ERR_BUFFER,
                         "sendbuf and recvbuf are the same address; use MPI_IN_PLACE");
}

}  // namespace

int check_barrier(CollectiveCall& call, MPI_Comm comm) {
  return start_check(call, CollectiveKind::barrier, comm);
}

int check_bcast(CollectiveCall& call, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::bcast, root, comm)) return err;
  if (root == MPI_PROC_NULL) return MPI_SUCCESS;
  return check_recv_half(call, buffer, count, type);
}

int check_gather(CollectiveCall& call, const void* send, MPI_Count send_count,
                 MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                 int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::gather, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  bool in_place = false;
  if (int err = take_in_place(call, here.root ? send : nullptr, in_place)) return err;
  call.args.send = send;
  if (here.other && !in_place) {
    if (int err = refuse_in_place(call, send, "sendbuf")) return err;
    if (int err = check_send_half(call, send, send_count, send_type)) return err;
  }
  if (!here.root) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  if (here.other && !in_place) {
    if (int err = check_aliasing(call, send, recv, send_count)) return err;
  }
  return check_recv_half(call, recv, recv_count, recv_type);
}

int check_gatherv(CollectiveCall& call, const void* send, MPI_Count send_count,
                  MPI_Datatype send_type, void* recv, Counts recv_counts, Counts displs,
                  MPI_Datatype recv_type, int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::gatherv, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  bool in_place = false;
  if (int err = take_in_place(call, here.root ? send : nullptr, in_place)) return err;
  call.args.send = send;
  if (here.other && !in_place) {
    if (int err = refuse_in_place(call, send, "sendbuf")) return err;
    if (int err = check_send_half(call, send, send_count, send_type)) return err;
  }
  if (!here.root) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, recv, recv_counts, displs, recv_type);
}

int check_scatter(CollectiveCall& call, const void* send, MPI_Count send_count,
                  MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::scatter, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  bool in_place = false;
  if (int err = take_in_place(call, here.root ? recv : nullptr, in_place)) return err;
  call.args.recv = recv;
  if (here.other && !in_place) {
    if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
    if (int err = check_recv_half(call, recv, recv_count, recv_type)) return err;
  }
  if (!here.root) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  if (here.other && !in_place) {
    if (int err = check_aliasing(call, send, recv, recv_count)) return err;
  }
  return check_send_half(call, send, send_count, send_type);
}

int check_scatterv(CollectiveCall& call, const void* send, Counts send_counts, Counts displs,
                   MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                   int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::scatterv, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  bool in_place = false;
  if (int err = take_in_place(call, here.root ? recv : nullptr, in_place)) return err;
  call.args.recv = recv;
  if (here.other && !in_place) {
    if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
    if (int err = check_recv_half(call, recv, recv_count, recv_type)) return err;
  }
  if (!here.root) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  return check_send_vector(call, send, send_counts, displs, send_type);
}

int check_all_to_all(CollectiveCall& call, CollectiveKind kind, const void* send,
                     MPI_Count send_count, MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                     MPI_Datatype recv_type, MPI_Comm comm) {
  if (int err = start_check(call, kind, comm)) return err;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_half(call, send, send_count, send_type)) return err;
    if (int err = check_aliasing(call, send, recv, send_count)) return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_half(call, recv, recv_count, recv_type);
}

int check_allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count,
                     MPI_Datatype send_type, void* recv, Counts recv_counts, Counts displs,
                     MPI_Datatype recv_type, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::allgatherv, comm)) return err;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_half(call, send, send_count, send_type)) return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, recv, recv_counts, displs, recv_type);
}

int check_alltoallv(CollectiveCall& call, const void* send, Counts send_counts, Counts send_displs,
                    MPI_Datatype send_type, void* recv, Counts recv_counts, Counts recv_displs,
                    MPI_Datatype recv_type, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::alltoallv, comm)) return err;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_vector(call, send, send_counts, send_displs, send_type)) return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, recv, recv_counts, recv_displs, recv_type);
}

int check_reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                 MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::reduce, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  if (!here.root && !here.other) return MPI_SUCCESS;
  bool in_place = false;
  if (int err = take_in_place(call, here.root ? send : nullptr, in_place)) return err;
  call.args.send = send;
  if (here.other && !in_place) {
    if (int err = refuse_in_place(call, send, "sendbuf")) return err;
    if (int err = check_send_half(call, send, count, type)) return err;
  }
  if (here.root) {
    if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
    if (here.other && !in_place) {
      if (int err = check_aliasing(call, send, recv, count)) return err;
    }
    if (int err = check_recv_half(call, recv, count, type)) return err;
  } else {
    // The count and type are the same everywhere; the buffer has no meaning here.
    call.args.recv_count = call.args.send_count;
    call.args.recv_type = call.args.send_type;
  }
  return check_op(call, op, *call.args.recv_type);
}

int check_allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::allreduce, comm)) return err;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_half(call, send, count, type)) return err;
    if (int err = check_aliasing(call, send, recv, count)) return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  if (int err = check_recv_half(call, recv, count, type)) return err;
  return check_op(call, op, *call.args.recv_type);
}

int run_blocking(CollectiveCall& call) {
  const int code = run_collective(call.entry.engine(), call.comm->core, call.args);
  if (code == MPI_SUCCESS) [[likely]]
    return MPI_SUCCESS;
  return call.entry.fail(code, "{}",
                         explain_failure(call.entry.instance(), call.comm, MPI_ANY_SOURCE, code));
}

namespace {

RequestObject* make_collective_request(CollectiveCall& call) {
  MessageArgs args;
  args.comm = call.comm;
  RequestObject* request = make_request(call.entry.instance(), RequestForm::collective, args);
  request->hold = std::make_unique<CollectiveHold>(std::move(call.hold));
  request->collective =
      std::make_unique<Collective>(call.entry.engine(), call.comm->core, call.args);
  return request;
}

}  // namespace

int run_nonblocking(CollectiveCall& call, MPI_Request* request) {
  if (int err = call.entry.not_null(request, "request")) return err;
  RequestObject* made = make_collective_request(call);
  made->collective->start();
  *request = handle_of(made);
  return MPI_SUCCESS;
}

int make_persistent(CollectiveCall& call, MPI_Request* request) {
  if (int err = call.entry.not_null(request, "request")) return err;
  RequestObject* made = make_collective_request(call);
  made->persistent = true;
  made->active = false;
  *request = handle_of(made);
  return MPI_SUCCESS;
}

}  // namespace remit
