// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The Sessions Model (MPI-5.0, section 11.3).
#include <optional>

#include "bindings/env/alloc_kinds.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/handles.hpp"
#include "bindings/process/thread_levels.hpp"
#include "bindings/process/users.hpp"
#include "bindings/pt2pt/bsend.hpp"
#include "bindings/weak.hpp"
#include "communicators/process_sets.hpp"
#include "runtime/launch_params.hpp"

namespace remit {

void SessionObject::release() {
  if (--references != 0) return;
  release_errhandler(errhandler);
  delete this;
}

namespace {

constexpr const char* kThreadLevel = "thread_level";
constexpr const char* kAllocKinds = "mpi_memory_alloc_kinds";

/// The level that `info` asks for; nothing if it has no such name. Without the key it is
/// MPI_THREAD_MULTIPLE: a session is mostly opened by a library, which does not know the threads of
/// the program around it.
std::optional<int> requested_level(const InfoObject* info) {
  const std::string* text = info == nullptr ? nullptr : value_of(*info, kThreadLevel);
  if (text == nullptr) return MPI_THREAD_MULTIPLE;
  return thread_level_named(*text);
}

/// A session, the name of a set, and what it names.
int find_pset(Entry& entry, MPI_Session session, const char* name, SessionObject*& object,
              std::shared_ptr<const Group>& group) {
  if (int err = entry.session(session, object)) return err;
  if (int err = entry.not_null(name, "pset_name")) return err;
  group = find_process_set(*entry.instance().process, name);
  if (group != nullptr) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_ARG,
                    "pset_name is '{}', which is no process set of this session "
                    "(MPI_Session_get_nth_pset lists them)",
                    name);
}

/// What MPI_Session_init was called with, checked. The handler for its errors is its argument.
struct SessionInit {
  MPI_Errhandler errhandler;
  const InfoObject* hints = nullptr;
  int level = MPI_THREAD_MULTIPLE;

  int fail(int code, const std::string& words) const {
    return raise_error_with(errhandler, nullptr, code, "MPI_Session_init", words);
  }
  int check(MPI_Info info, const MPI_Session* session);
};

int SessionInit::check(MPI_Info info, const MPI_Session* session) {
  if (const std::string problem = session_errhandler_problem(errhandler); !problem.empty()) {
    return raise_error(nullptr, MPI_ERR_ERRHANDLER, "MPI_Session_init", problem);
  }
  if (session == nullptr) return fail(MPI_ERR_ARG, "argument session is a null pointer");
  if (info != MPI_INFO_NULL) {
    hints = info_of(info);
    if (hints == nullptr) {
      return fail(MPI_ERR_INFO, fmt::format("info {} is not an info object (freed already?)",
                                            static_cast<const void*>(info)));
    }
  }
  const std::optional<int> asked = requested_level(hints);
  if (!asked) {
    return fail(MPI_ERR_INFO_VALUE,
                fmt::format("thread_level in info is '{}'; it must be the name of a level, as "
                            "MPI_THREAD_MULTIPLE",
                            *value_of(*hints, kThreadLevel)));
  }
  level = *asked;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) try {
  SessionInit init{errhandler};
  if (int err = init.check(info, session)) return err;
  const auto joined = join_instance("MPI_Session_init", init.level, true);
  if (!joined) return init.fail(joined.error().code, joined.error().message);
  const std::string* kinds = init.hints == nullptr ? nullptr : value_of(*init.hints, kAllocKinds);
  if (kinds == nullptr) kinds = &(*joined)->process->params().text(memory_alloc_kinds_param);
  retain_errhandler(errhandler);
  auto* made = new SessionObject(errhandler, init.level);
  made->memory_alloc_kinds = supported_alloc_kinds(*kinds);
  *session = handle_of(made);
  const Entry entry("MPI_Session_init");
  entry.instance().process->events().raise(EventKind::session_opened, init.level);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Session_init");
}
REMIT_WEAK(Session_init);

int PMPI_Session_finalize(MPI_Session* session) try {
  const char* const function = "MPI_Session_finalize";
  {
    Entry entry(function);
    if (int err = entry.not_null(session, "session")) return err;
    SessionObject* object = nullptr;
    if (int err = entry.session(*session, object)) return err;
    entry.instance().process->events().raise(EventKind::session_closed, object->thread_level);
    let_leave(entry, {object->bsend.get()});
    object->kind = ObjectKind::freed;
    object->release();
    *session = MPI_SESSION_NULL;
  }
  leave_instance(function);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Session_finalize");
}
REMIT_WEAK(Session_finalize);

int PMPI_Session_get_info(MPI_Session session, MPI_Info* info_used) try {
  Entry entry("MPI_Session_get_info");
  SessionObject* object = nullptr;
  if (int err = entry.session(session, object)) return err;
  if (int err = entry.not_null(info_used, "info_used")) return err;
  auto* made = new InfoObject;
  made->entries.emplace_back(kThreadLevel, thread_level_name(object->thread_level));
  made->entries.emplace_back(kAllocKinds, object->memory_alloc_kinds);
  *info_used = handle_of(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Session_get_info", session);
}
REMIT_WEAK(Session_get_info);

int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int* npset_names) try {
  Entry entry("MPI_Session_get_num_psets");
  SessionObject* object = nullptr;
  if (int err = entry.session(session, object)) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(npset_names, "npset_names")) return err;
  *npset_names = static_cast<int>(process_sets(*entry.instance().process).size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Session_get_num_psets", session);
}
REMIT_WEAK(Session_get_num_psets);

int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int* pset_len,
                              char* pset_name) try {
  Entry entry("MPI_Session_get_nth_pset");
  SessionObject* object = nullptr;
  if (int err = entry.session(session, object)) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(pset_len, "pset_len")) return err;
  if (*pset_len < 0) {
    return entry.fail(MPI_ERR_ARG, "pset_len is {}; it must not be negative", *pset_len);
  }
  const std::vector<ProcessSet> sets = process_sets(*entry.instance().process);
  if (n < 0 || static_cast<std::size_t>(n) >= sets.size()) {
    return entry.fail(MPI_ERR_ARG, "n is {}; the session has {} process sets", n, sets.size());
  }
  const std::string& name = sets[static_cast<std::size_t>(n)].name;
  if (*pset_len > 0) {
    if (int err = entry.not_null(pset_name, "pset_name")) return err;
    copy_cut(name, pset_name, *pset_len);
  }
  *pset_len = static_cast<int>(name.size()) + 1;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Session_get_nth_pset", session);
}
REMIT_WEAK(Session_get_nth_pset);

int PMPI_Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) try {
  Entry entry("MPI_Session_get_pset_info");
  SessionObject* object = nullptr;
  std::shared_ptr<const Group> group;
  if (int err = find_pset(entry, session, pset_name, object, group)) return err;
  if (int err = entry.not_null(info, "info")) return err;
  auto* made = new InfoObject;
  made->entries.emplace_back("mpi_size", std::to_string(group->size()));
  *info = handle_of(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Session_get_pset_info", session);
}
REMIT_WEAK(Session_get_pset_info);

int PMPI_Group_from_session_pset(MPI_Session session, const char* pset_name,
                                 MPI_Group* newgroup) try {
  Entry entry("MPI_Group_from_session_pset");
  SessionObject* object = nullptr;
  std::shared_ptr<const Group> group;
  if (int err = find_pset(entry, session, pset_name, object, group)) return err;
  if (int err = entry.not_null(newgroup, "newgroup")) return err;
  *newgroup = handle_of(new GroupObject(std::move(group), Ref<SessionObject>(object)));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Group_from_session_pset", session);
}
REMIT_WEAK(Group_from_session_pset);
