// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Argument checks of collective calls, and the three ways to run them.
#include "bindings/coll/call.hpp"

#include "bindings/coll/logical_ops.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "collectives/algorithms.hpp"

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

/// Predefined types need not be held.
void hold_type(CollectiveCall& call, const Datatype* type) {
  if (!type->is_predefined()) call.hold.types.emplace_back(type);
}

/// A buffer of `count` elements, into the send or receive half of the arguments.
int check_send_half(CollectiveCall& call, const void* buffer, MPI_Count count, MPI_Datatype type) {
  View view{};
  if (int err = call.entry.buffer(buffer, count, type, view)) return err;
  call.args.send = buffer;
  call.args.send_count = count;
  call.args.send_type = call.entry.buffer_type();
  hold_type(call, call.args.send_type);
  return MPI_SUCCESS;
}

int check_recv_half(CollectiveCall& call, void* buffer, MPI_Count count, MPI_Datatype type) {
  View view{};
  if (int err = call.entry.buffer(buffer, count, type, view)) return err;
  call.args.recv = buffer;
  call.args.recv_count = count;
  call.args.recv_type = call.entry.buffer_type();
  hold_type(call, call.args.recv_type);
  return MPI_SUCCESS;
}

int check_counts(CollectiveCall& call, Counts counts, int members, const char* argument) {
  if (counts.null()) return call.entry.not_null(nullptr, argument);
  for (int i = 0; i < members; ++i) {
    if (counts[i] < 0) {
      return call.entry.fail(MPI_ERR_COUNT, "{}[{}] is {}; it must not be negative", argument, i,
                             counts[i]);
    }
  }
  return MPI_SUCCESS;
}

/// How the standard calls one side of a collective with a slot for each peer.
struct SlotNames {
  const char* buffer;
  const char* counts;
  const char* displs;
  const char* types;
  bool sending;
};
constexpr SlotNames kSendSlots{"sendbuf", "sendcounts", "sdispls", "sendtypes", true};
constexpr SlotNames kRecvSlots{"recvbuf", "recvcounts", "rdispls", "recvtypes", false};
/// Where only one side has slots.
constexpr SlotNames kScatterSlots{"sendbuf", "sendcounts", "displs", "", true};
constexpr SlotNames kGatherSlots{"recvbuf", "recvcounts", "displs", "", false};

/// Arrays of counts and displacements, one pair for each peer. There may be no neighbours.
int check_slots(CollectiveCall& call, const SlotNames& names, Counts counts, Counts displs) {
  const int slots = call.slots(names.sending);
  if (slots == 0) return MPI_SUCCESS;
  if (int err = check_counts(call, counts, slots, names.counts)) return err;
  return displs.null() ? call.entry.not_null(nullptr, names.displs) : MPI_SUCCESS;
}

/// No block is of more bytes than an MPI_Count holds, which values of an int cannot ask for.
template <class TypeOf>
int check_slot_sizes(CollectiveCall& call, const SlotNames& names, Counts counts,
                     TypeOf&& type_of) {
  const int slots = counts.wide() ? call.slots(names.sending) : 0;
  for (int i = 0; i < slots; ++i) {
    MPI_Count bytes = 0;
    if (__builtin_mul_overflow(counts[i], type_of(i).size(), &bytes)) {
      return call.entry.fail(MPI_ERR_COUNT, "{}[{}] is {}, too many elements of {} bytes",
                             names.counts, i, counts[i], type_of(i).size());
    }
  }
  return MPI_SUCCESS;
}

/// A null buffer is MPI_BOTTOM: fine where the types or displacements make absolute addresses of
/// it. type_of(i) is the type of slot i and unit_of(i) the bytes of one displacement.
template <class TypeOf, class UnitOf>
int check_slot_buffer(CollectiveCall& call, const SlotNames& names, const void* buffer,
                      Counts counts, Counts displs, TypeOf&& type_of, UnitOf&& unit_of) {
  if (int err = check_slot_sizes(call, names, counts, type_of)) return err;
  if (buffer != nullptr) [[likely]]
    return MPI_SUCCESS;
  constexpr std::uintptr_t kFirstAddress = 65536;  // as vm.mmap_min_addr: nothing is below
  const int slots = call.slots(names.sending);
  for (int i = 0; i < slots; ++i) {
    const Datatype& type = type_of(i);
    if (counts[i] == 0 || type.size() == 0) continue;
    const std::uintptr_t address =
        static_cast<std::uintptr_t>(displs[i]) * static_cast<std::uintptr_t>(unit_of(i)) +
        static_cast<std::uintptr_t>(type.true_lb());
    if (address >= kFirstAddress) continue;
    return call.entry.fail(MPI_ERR_BUFFER, "{} is a null pointer, but {}[{}] is {}", names.buffer,
                           names.counts, i, counts[i]);
  }
  return MPI_SUCCESS;
}

/// As above, for one type whose extent is the unit of displacements.
int check_slot_buffer(CollectiveCall& call, const SlotNames& names, const void* buffer,
                      Counts counts, Counts displs, const Datatype& type) {
  return check_slot_buffer(
      call, names, buffer, counts, displs, [&](int) -> const Datatype& { return type; },
      [&](int) { return type.extent(); });
}

/// As above, for a type of each slot and displacements in bytes.
int check_slot_buffer(CollectiveCall& call, const SlotNames& names, const void* buffer,
                      Counts counts, Counts displs, const std::vector<const Datatype*>& types) {
  return check_slot_buffer(
      call, names, buffer, counts, displs,
      [&](int i) -> const Datatype& { return *types[static_cast<std::size_t>(i)]; },
      [](int) { return 1; });
}

int check_send_vector(CollectiveCall& call, const SlotNames& names, const void* buffer,
                      Counts counts, Counts displs, MPI_Datatype type) {
  if (int err = check_slots(call, names, counts, displs)) return err;
  if (int err = call.entry.datatype(type, call.args.send_type, "sendtype")) return err;
  if (int err = check_slot_buffer(call, names, buffer, counts, displs, *call.args.send_type)) {
    return err;
  }
  call.args.send = buffer;
  call.args.send_counts = counts;
  call.args.send_displs = displs;
  hold_type(call, call.args.send_type);
  return MPI_SUCCESS;
}

int check_recv_vector(CollectiveCall& call, const SlotNames& names, void* buffer, Counts counts,
                      Counts displs, MPI_Datatype type) {
  if (int err = check_slots(call, names, counts, displs)) return err;
  if (int err = call.entry.datatype(type, call.args.recv_type, "recvtype")) return err;
  if (int err = check_slot_buffer(call, names, buffer, counts, displs, *call.args.recv_type)) {
    return err;
  }
  call.args.recv = buffer;
  call.args.recv_counts = counts;
  call.args.recv_displs = displs;
  hold_type(call, call.args.recv_type);
  return MPI_SUCCESS;
}

/// An array of types, one for each peer. A peer with count 0 may have MPI_DATATYPE_NULL, which
/// other MPIs accept.
int check_types(CollectiveCall& call, const SlotNames& names, Counts counts,
                const MPI_Datatype* types, std::vector<const Datatype*>& out) {
  const int slots = call.slots(names.sending);
  if (slots == 0) return MPI_SUCCESS;
  if (int err = call.entry.not_null(static_cast<const void*>(types), names.types)) return err;
  out.reserve(static_cast<std::size_t>(slots));
  for (int i = 0; i < slots; ++i) {
    const Datatype* type = &predefined(MPI_BYTE);
    if (counts[i] != 0 || types[i] != MPI_DATATYPE_NULL) {
      const std::string name = fmt::format("{}[{}]", names.types, i);
      if (int err = call.entry.datatype(types[i], type, name.c_str())) return err;
    }
    out.push_back(type);
    hold_type(call, type);
  }
  return MPI_SUCCESS;
}

/// Slots with a type each.
int check_send_typed(CollectiveCall& call, const void* buffer, Counts counts, Counts displs,
                     const MPI_Datatype* types) {
  std::vector<const Datatype*>& held = call.hold.send_types;
  if (int err = check_slots(call, kSendSlots, counts, displs)) return err;
  if (int err = check_types(call, kSendSlots, counts, types, held)) return err;
  if (int err = check_slot_buffer(call, kSendSlots, buffer, counts, displs, held)) return err;
  call.args.send = buffer;
  call.args.send_counts = counts;
  call.args.send_displs = displs;
  call.args.send_types = held.data();
  return MPI_SUCCESS;
}

int check_recv_typed(CollectiveCall& call, void* buffer, Counts counts, Counts displs,
                     const MPI_Datatype* types) {
  std::vector<const Datatype*>& held = call.hold.recv_types;
  if (int err = check_slots(call, kRecvSlots, counts, displs)) return err;
  if (int err = check_types(call, kRecvSlots, counts, types, held)) return err;
  if (int err = check_slot_buffer(call, kRecvSlots, buffer, counts, displs, held)) return err;
  call.args.recv = buffer;
  call.args.recv_counts = counts;
  call.args.recv_displs = displs;
  call.args.recv_types = held.data();
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

/// The side of gather and gatherv that every member has: the send half. `in_place` says that the
/// root's data is in its place already.
int check_gather_members(CollectiveCall& call, const Sides& here, const void* send, MPI_Count count,
                         MPI_Datatype type, bool& in_place) {
  if (int err = take_in_place(call, here.root ? send : nullptr, in_place)) return err;
  call.args.send = send;
  if (!here.other || in_place) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  return check_send_half(call, send, count, type);
}

/// The side of scatter and scatterv that every member has: the receive half.
int check_scatter_members(CollectiveCall& call, const Sides& here, void* recv, MPI_Count count,
                          MPI_Datatype type, bool& in_place) {
  if (int err = take_in_place(call, here.root ? recv : nullptr, in_place)) return err;
  call.args.recv = recv;
  if (!here.other || in_place) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_half(call, recv, count, type);
}

int check_op(CollectiveCall& call, MPI_Op op, const Datatype& type) {
  if (int err = call.entry.op(op, call.args.op)) return err;
  if (int err = call.entry.op_on(*call.args.op, type)) return err;
  call.args.op = with_fortran_booleans(*call.args.op, type);
  call.hold.op = Ref<const Op>(call.args.op);
  return MPI_SUCCESS;
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
  if (int err = refuse_in_place(call, buffer, "buffer")) return err;
  return check_recv_half(call, buffer, count, type);
}

int check_gather(CollectiveCall& call, const void* send, MPI_Count send_count,
                 MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                 int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::gather, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  bool in_place = false;
  if (int err = check_gather_members(call, here, send, send_count, send_type, in_place)) return err;
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
  if (int err = check_gather_members(call, here, send, send_count, send_type, in_place)) return err;
  if (!here.root) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, kGatherSlots, recv, recv_counts, displs, recv_type);
}

int check_scatter(CollectiveCall& call, const void* send, MPI_Count send_count,
                  MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm) {
  if (int err = start_rooted(call, CollectiveKind::scatter, root, comm)) return err;
  const Sides here = sides(*call.comm, root);
  bool in_place = false;
  if (int err = check_scatter_members(call, here, recv, recv_count, recv_type, in_place))
    return err;
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
  if (int err = check_scatter_members(call, here, recv, recv_count, recv_type, in_place))
    return err;
  if (!here.root) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  return check_send_vector(call, kScatterSlots, send, send_counts, displs, send_type);
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
  return check_recv_vector(call, kGatherSlots, recv, recv_counts, displs, recv_type);
}

int check_alltoallv(CollectiveCall& call, const void* send, Counts send_counts, Counts send_displs,
                    MPI_Datatype send_type, void* recv, Counts recv_counts, Counts recv_displs,
                    MPI_Datatype recv_type, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::alltoallv, comm)) return err;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_vector(call, kSendSlots, send, send_counts, send_displs, send_type)) {
      return err;
    }
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, kRecvSlots, recv, recv_counts, recv_displs, recv_type);
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

int check_alltoallw(CollectiveCall& call, const void* send, Counts send_counts, Counts send_displs,
                    const MPI_Datatype* send_types, void* recv, Counts recv_counts,
                    Counts recv_displs, const MPI_Datatype* recv_types, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::alltoallw, comm)) return err;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_typed(call, send, send_counts, send_displs, send_types)) return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_typed(call, recv, recv_counts, recv_displs, recv_types);
}

namespace {

/// The buffers of a reduction whose input vector has `total` elements and whose result here has
/// `own`; in place the receive buffer holds the input.
int check_blocks(CollectiveCall& call, const void* send, void* recv, MPI_Count total, MPI_Count own,
                 MPI_Datatype type, MPI_Op op) {
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_half(call, send, total, type)) return err;
    if (int err = check_aliasing(call, send, recv, total)) return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  if (int err = check_recv_half(call, recv, in_place ? total : own, type)) return err;
  call.args.send_count = total;
  call.args.recv_count = own;
  return check_op(call, op, *call.args.recv_type);
}

}  // namespace

int check_reduce_scatter(CollectiveCall& call, const void* send, void* recv, Counts recv_counts,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::reduce_scatter, comm)) return err;
  const CommCore& core = call.comm->core;
  if (int err = check_counts(call, recv_counts, core.size(), "recvcounts")) return err;
  MPI_Count total = 0;
  for (int i = 0; i < core.size(); ++i) {
    if (__builtin_add_overflow(total, recv_counts[i], &total)) {
      return call.entry.fail(MPI_ERR_COUNT, "the sum of recvcounts is too large");
    }
  }
  call.args.recv_counts = recv_counts;
  return check_blocks(call, send, recv, total, recv_counts[core.rank], type, op);
}

int check_reduce_scatter_block(CollectiveCall& call, const void* send, void* recv,
                               MPI_Count recv_count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (int err = start_check(call, CollectiveKind::reduce_scatter_block, comm)) return err;
  if (int err = call.entry.count(recv_count, "recvcount")) return err;
  const int ranks = call.comm->core.size();
  MPI_Count total = 0;
  if (__builtin_mul_overflow(recv_count, ranks, &total)) {
    return call.entry.fail(MPI_ERR_COUNT, "recvcount is {}, too large for {} ranks", recv_count,
                           ranks);
  }
  return check_blocks(call, send, recv, total, recv_count, type, op);
}

int check_scan(CollectiveCall& call, CollectiveKind kind, const void* send, void* recv,
               MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (int err = call.entry.intra_comm(comm, call.comm)) return err;
  call.args.kind = kind;
  // The first member's result of exscan is undefined: it may have no memory for one.
  const bool no_result = kind == CollectiveKind::exscan && call.comm->core.rank == 0;
  bool in_place = false;
  if (int err = take_in_place(call, send, in_place)) return err;
  call.args.send = send;
  if (!in_place) {
    if (int err = check_send_half(call, send, count, type)) return err;
    if (!no_result) {
      if (int err = check_aliasing(call, send, recv, count)) return err;
    }
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  if (no_result && !in_place) {
    call.args.recv_count = call.args.send_count;
    call.args.recv_type = call.args.send_type;
  } else if (int err = check_recv_half(call, recv, count, type)) {
    return err;
  }
  return check_op(call, op, *call.args.recv_type);
}

namespace {

Neighborhood neighbors_in(const Topology& topology, int rank) {
  Neighborhood made;
  if (const auto* grid = std::get_if<Grid>(&topology)) {
    made.opposite = true;
    for (int i = 0; i < static_cast<int>(grid->dimensions.size()); ++i) {
      made.sources.push_back(grid->neighbor(rank, i, -1));
      made.sources.push_back(grid->neighbor(rank, i, 1));
    }
    made.destinations = made.sources;
  } else if (const auto* graph = std::get_if<Graph>(&topology)) {
    const std::span<const int> neighbors = graph->neighbors(rank);
    made.sources.assign(neighbors.begin(), neighbors.end());
    made.destinations = made.sources;
  } else {
    const auto& own = std::get<DistributedGraph>(topology);
    made.sources = own.sources;
    made.destinations = own.destinations;
  }
  return made;
}

int start_neighbors(CollectiveCall& call, CollectiveKind kind, MPI_Comm handle) {
  call.args.kind = kind;
  if (int err = call.entry.comm(handle, call.comm)) return err;
  CommObject& comm = *call.comm;
  if (comm.topology == nullptr) {
    return call.entry.fail(MPI_ERR_TOPOLOGY,
                           "comm {} has no topology, so that nobody is a neighbour", comm.name);
  }
  if (comm.neighborhood == nullptr) {
    comm.neighborhood =
        std::make_unique<const Neighborhood>(neighbors_in(*comm.topology, comm.core.rank));
  }
  call.args.neighbors = comm.neighborhood.get();
  return MPI_SUCCESS;
}

/// Where there is no neighbour, the arguments of that side have no meaning.
int check_blocks_to(CollectiveCall& call, const void* send, MPI_Count count, MPI_Datatype type) {
  if (call.slots(true) == 0) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  return check_send_half(call, send, count, type);
}

}  // namespace

int check_neighbors(CollectiveCall& call, CollectiveKind kind, const void* send,
                    MPI_Count send_count, MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                    MPI_Datatype recv_type, MPI_Comm comm) {
  if (int err = start_neighbors(call, kind, comm)) return err;
  if (int err = check_blocks_to(call, send, send_count, send_type)) return err;
  if (call.slots(false) == 0) return MPI_SUCCESS;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_half(call, recv, recv_count, recv_type);
}

int check_neighbor_allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count,
                              MPI_Datatype send_type, void* recv, Counts recv_counts, Counts displs,
                              MPI_Datatype recv_type, MPI_Comm comm) {
  if (int err = start_neighbors(call, CollectiveKind::neighbor_allgatherv, comm)) return err;
  if (int err = check_blocks_to(call, send, send_count, send_type)) return err;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, kGatherSlots, recv, recv_counts, displs, recv_type);
}

int check_neighbor_alltoallv(CollectiveCall& call, const void* send, Counts send_counts,
                             Counts send_displs, MPI_Datatype send_type, void* recv,
                             Counts recv_counts, Counts recv_displs, MPI_Datatype recv_type,
                             MPI_Comm comm) {
  if (int err = start_neighbors(call, CollectiveKind::neighbor_alltoallv, comm)) return err;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  if (int err = check_send_vector(call, kSendSlots, send, send_counts, send_displs, send_type)) {
    return err;
  }
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_vector(call, kRecvSlots, recv, recv_counts, recv_displs, recv_type);
}

int check_neighbor_alltoallw(CollectiveCall& call, const void* send, Counts send_counts,
                             Counts send_displs, const MPI_Datatype* send_types, void* recv,
                             Counts recv_counts, Counts recv_displs, const MPI_Datatype* recv_types,
                             MPI_Comm comm) {
  if (int err = start_neighbors(call, CollectiveKind::neighbor_alltoallw, comm)) return err;
  if (int err = refuse_in_place(call, send, "sendbuf")) return err;
  if (int err = check_send_typed(call, send, send_counts, send_displs, send_types)) return err;
  if (int err = refuse_in_place(call, recv, "recvbuf")) return err;
  return check_recv_typed(call, recv, recv_counts, recv_displs, recv_types);
}

int run_blocking(CollectiveCall& call) {
  const CollectiveWait subject(call.entry, *call.comm, call.args.kind);
  const int code = run_collective(call.entry.engine(), call.comm->core, call.args, &subject);
  return end_blocking(call.entry, *call.comm, code);
}

int report_collective(Entry& entry, const CommObject& comm, int code) {
  return entry.fail(code, "{}", explain_failure(entry.instance(), &comm, MPI_ANY_SOURCE, code));
}

namespace {

RequestObject* make_collective_request(CollectiveCall& call) {
  MessageArgs args;
  args.comm = call.comm;
  RequestObject* request = make_request(call.entry.instance(), RequestForm::collective, args);
  // Of a reduce_scatter each member of the own group has a count, also on an inter-communicator.
  const bool by_member = call.args.kind == CollectiveKind::reduce_scatter;
  request->collective = std::make_unique<HeldCollective>(
      call.entry.engine(), call.comm->core, call.args, std::move(call.hold), call.slots(true),
      by_member ? call.comm->core.size() : call.slots(false));
  return request;
}

}  // namespace

int run_nonblocking(CollectiveCall& call, MPI_Request* request) {
  if (int err = call.entry.not_null(request, "request")) return err;
  RequestObject* made = make_collective_request(call);
  made->collective->work().start();
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
