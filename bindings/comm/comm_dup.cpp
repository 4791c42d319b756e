// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Duplicates of communicators (MPI-5.0, section 7.4.2). Hints are not inherited; the forms with
// info are given them.
#include "bindings/comm/attributes.hpp"
#include "bindings/comm/comm_objects.hpp"
#include "bindings/handles.hpp"
#include "bindings/pt2pt/requests.hpp"
#include "bindings/weak.hpp"
#include "communicators/agreement.hpp"

namespace remit {

namespace {

/// A duplicate, but for its attributes. The context may still be unknown.
CommObject* make_duplicate(const CommObject& comm, ContextId context, const CommHints& hints) {
  CommObject* made = make_comm(
      inherited_from(comm), make_core(context, comm.core.rank, comm.core.local, comm.core.remote));
  made->topology = comm.topology;
  made->hints = hints;
  return made;
}

/// Copies the attributes; if a callback fails, nothing is left of the duplicate.
int copy_to_duplicate(Entry& entry, CommObject& comm, CommObject* made, MPI_Comm* newcomm) {
  const int code = copy_attributes(comm.attributes, Owner::comm, comm.handle, made->attributes);
  if (code == MPI_SUCCESS) {
    *newcomm = made->handle;
    return MPI_SUCCESS;
  }
  delete_all_attributes(made->attributes, Owner::comm, made->handle);
  release(made);
  *newcomm = MPI_COMM_NULL;
  return entry.fail(code, "an attribute copy function returned an error");
}

int check(Entry& entry, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, CommObject*& c,
          CommHints& hints) {
  if (int err = entry.comm(comm, c)) return err;
  if (int err = read_hints(entry, info, hints)) return err;
  return entry.not_null(newcomm, "newcomm");
}

int duplicate(const char* function, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  Entry entry(function);
  CommObject* c = nullptr;
  CommHints hints;
  if (int err = check(entry, comm, info, newcomm, c, hints)) return err;
  const auto context = agree_on_context(call_of(entry), parent_of(*c));
  if (!context) return entry.fail(context.error());
  return copy_to_duplicate(entry, *c, make_duplicate(*c, *context, hints), newcomm);
}

/// What an agreement under way writes to; it lives as long as its request.
struct PendingDuplicate {
  PendingDuplicate(ContextIds& ids, CommObject* m) : made(m), agreement(ids, false, &m->core) {
    retain(made);
  }
  ~PendingDuplicate() { release(made); }
  PendingDuplicate(const PendingDuplicate&) = delete;
  PendingDuplicate& operator=(const PendingDuplicate&) = delete;

  CommObject* made;
  ContextAgreement agreement;
};

RequestObject* start_duplicate(Entry& entry, CommObject& comm, CommObject* made) {
  Instance& instance = entry.instance();
  MessageArgs args;
  args.comm = &comm;
  RequestObject* request = make_request(instance, RequestForm::collective, args);
  auto pending = std::make_shared<PendingDuplicate>(instance.comms->contexts(), made);
  CollectiveArgs agree;
  agree.kind = CollectiveKind::agree;
  agree.recv = &pending->agreement;
  CollectiveHold hold;
  hold.kept = std::move(pending);
  request->collective =
      std::make_unique<HeldCollective>(entry.engine(), comm.core, agree, std::move(hold));
  request->collective->work().start();
  return request;
}

int start_to_duplicate(const char* function, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                       MPI_Request* request) {
  Entry entry(function);
  CommObject* c = nullptr;
  CommHints hints;
  if (int err = check(entry, comm, info, newcomm, c, hints)) return err;
  if (int err = entry.not_null(request, "request")) return err;
  CommObject* made = make_duplicate(*c, 0, hints);
  RequestObject* pending = start_duplicate(entry, *c, made);
  if (int err = copy_to_duplicate(entry, *c, made, newcomm)) {
    // The other members go on; so must this one.
    pending->freed = true;
    entry.instance().requests.orphans.push_back(pending);
    *request = MPI_REQUEST_NULL;
    return err;
  }
  *request = handle_of(pending);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) try {
  return duplicate("MPI_Comm_dup", comm, MPI_INFO_NULL, newcomm);
} catch (...) {
  return caught("MPI_Comm_dup", comm);
}
REMIT_WEAK(Comm_dup);

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) try {
  return duplicate("MPI_Comm_dup_with_info", comm, info, newcomm);
} catch (...) {
  return caught("MPI_Comm_dup_with_info", comm);
}
REMIT_WEAK(Comm_dup_with_info);

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) try {
  return start_to_duplicate("MPI_Comm_idup", comm, MPI_INFO_NULL, newcomm, request);
} catch (...) {
  return caught("MPI_Comm_idup", comm);
}
REMIT_WEAK(Comm_idup);

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                             MPI_Request* request) try {
  return start_to_duplicate("MPI_Comm_idup_with_info", comm, info, newcomm, request);
} catch (...) {
  return caught("MPI_Comm_idup_with_info", comm);
}
REMIT_WEAK(Comm_idup_with_info);
