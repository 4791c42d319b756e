// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The Sessions Model (MPI-5.0, section 11.3).
#include <string_view>

#include "bindings/bsend.hpp"
#include "bindings/handles.hpp"
#include "bindings/users.hpp"
#include "bindings/weak.hpp"

namespace remit {

void SessionObject::release() {
  if (--references != 0) return;
  release_errhandler(errhandler);
  delete this;
}

namespace {

/// The processes of a set by its name; null if there is none of that name.
std::shared_ptr<const Group> find_pset(const Instance& instance, std::string_view name) {
  const Process& process = *instance.process;
  if (name == "mpi://WORLD") return Group::regular(0, 1, process.size());
  if (name == "mpi://SELF") {
    return Group::regular(static_cast<ProcId>(process.rank()), 1, 1);
  }
  return nullptr;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Session_init(MPI_Info /*info*/, MPI_Errhandler errhandler, MPI_Session* session) {
  const char* const function = "MPI_Session_init";
  if (session == nullptr) {
    return raise_error_with(errhandler, {}, MPI_ERR_ARG, function, "session is a null pointer");
  }
  const auto joined = join_instance(function, MPI_THREAD_MULTIPLE);
  if (!joined) {
    return raise_error_with(errhandler, {}, joined.error().code, function, joined.error().message);
  }
  retain_errhandler(errhandler);
  *session = handle_of(new SessionObject(errhandler, MPI_THREAD_MULTIPLE));
  return MPI_SUCCESS;
}
REMIT_WEAK(Session_init);

int PMPI_Session_finalize(MPI_Session* session) {
  {
    Entry entry("MPI_Session_finalize");
    if (int err = entry.not_null(session, "session")) return err;
    SessionObject* object = nullptr;
    if (int err = entry.session(*session, object)) return err;
    if (object->bsend != nullptr) object->bsend->abandon(entry.instance());
    object->kind = ObjectKind::freed;
    object->release();
    *session = MPI_SESSION_NULL;
  }
  leave_instance("MPI_Session_finalize");
  return MPI_SUCCESS;
}
REMIT_WEAK(Session_finalize);

int PMPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  Entry entry("MPI_Group_from_session_pset");
  SessionObject* object = nullptr;
  if (int err = entry.session(session, object)) return err;
  if (int err = entry.not_null(pset_name, "pset_name")) return err;
  if (int err = entry.not_null(newgroup, "newgroup")) return err;
  auto group = find_pset(entry.instance(), pset_name);
  if (group == nullptr) {
    return entry.fail(MPI_ERR_ARG, "there is no process set '{}'", pset_name);
  }
  *newgroup = handle_of(new GroupObject(std::move(group), Ref<SessionObject>(object)));
  return MPI_SUCCESS;
}
REMIT_WEAK(Group_from_session_pset);
