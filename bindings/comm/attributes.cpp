// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Attribute caching (MPI-5.0, section 7.7): keyvals, attributes of communicators, datatypes and
// windows, the attributes that communicators and windows are born with.
#include "bindings/comm/attributes.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "bindings/entry.hpp"
#include "bindings/env/error_book.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using KeyvalFunction = void (*)();

/// The ABI's value of MPI_COMM_DUP_FN and its siblings (MPI-5.0, table 20.x): copy the value.
bool is_dup_function(KeyvalFunction copy) {
  return reinterpret_cast<std::uintptr_t>(copy) == 1;
}

void release(Keyval* keyval) {
  if (--keyval->references != 0) return;
  if (Instance* instance = library().instance; instance != nullptr) {
    instance->keyvals.remove(*keyval);
  }
  keyval->kind = ObjectKind::freed;
  delete keyval;
}

/// Of communicators and datatypes; there is no way to duplicate a window.
int call_copy(const Keyval& keyval, AttributeHandle old, void* value, void** result, int* flag) {
  if (keyval.copy == nullptr) return MPI_SUCCESS;
  if (is_dup_function(keyval.copy)) {
    *result = value;
    *flag = 1;
    return MPI_SUCCESS;
  }
  if (keyval.owner == Owner::comm) {
    return reinterpret_cast<MPI_Comm_copy_attr_function*>(keyval.copy)(
        old.comm, keyval.id, keyval.extra_state, value, result, flag);
  }
  return reinterpret_cast<MPI_Type_copy_attr_function*>(keyval.copy)(
      old.type, keyval.id, keyval.extra_state, value, result, flag);
}

int call_delete(const Keyval& keyval, AttributeHandle handle, void* value) {
  if (keyval.remove == nullptr) return MPI_SUCCESS;
  if (keyval.owner == Owner::comm) {
    return reinterpret_cast<MPI_Comm_delete_attr_function*>(keyval.remove)(
        handle.comm, keyval.id, value, keyval.extra_state);
  }
  if (keyval.owner == Owner::win) {
    return reinterpret_cast<MPI_Win_delete_attr_function*>(keyval.remove)(
        handle.win, keyval.id, value, keyval.extra_state);
  }
  return reinterpret_cast<MPI_Type_delete_attr_function*>(keyval.remove)(handle.type, keyval.id,
                                                                         value, keyval.extra_state);
}

std::vector<AttributeList::Entry>::iterator find_attribute(AttributeList& list,
                                                           const Keyval* keyval) {
  return std::find_if(list.entries.begin(), list.entries.end(),
                      [=](const AttributeList::Entry& e) { return e.keyval == keyval; });
}

}  // namespace

int copy_attributes(const AttributeList& from, Owner /*owner*/, AttributeHandle old,
                    AttributeList& to) {
  // A callback may change the attributes that are being copied, or free their keys.
  const std::vector<AttributeList::Entry> all = from.entries;
  for (const AttributeList::Entry& entry : all) ++entry.keyval->references;
  int code = MPI_SUCCESS;
  for (const AttributeList::Entry& entry : all) {
    void* value = nullptr;
    int flag = 0;
    if (code == MPI_SUCCESS) code = call_copy(*entry.keyval, old, entry.value, &value, &flag);
    if (code == MPI_SUCCESS && flag != 0) {
      to.entries.push_back({entry.keyval, value});  // with the reference
    } else {
      release(entry.keyval);
    }
  }
  return code;
}

int delete_all_attributes(AttributeList& list, Owner /*owner*/, AttributeHandle handle) {
  while (!list.entries.empty()) {
    const AttributeList::Entry last = list.entries.back();
    if (int err = call_delete(*last.keyval, handle, last.value)) return err;
    // The callback may have changed the list.
    auto it = find_attribute(list, last.keyval);
    if (it == list.entries.end()) continue;
    list.entries.erase(it);
    release(last.keyval);
  }
  return MPI_SUCCESS;
}

namespace {

int create_keyval(const char* function, Owner owner, KeyvalFunction copy, KeyvalFunction remove,
                  int* id, void* extra_state) {
  Entry entry(function);
  if (int err = entry.not_null(id, "keyval")) return err;
  auto keyval = std::make_unique<Keyval>();
  keyval->owner = owner;
  keyval->copy = copy;
  keyval->remove = remove;
  keyval->extra_state = extra_state;
  entry.instance().keyvals.add(*keyval);
  *id = keyval.release()->id;
  return MPI_SUCCESS;
}

/// Whether objects of this kind are born with an attribute of this key.
bool is_predefined_key(Owner owner, int id) {
  switch (id) {
    case MPI_TAG_UB:
    case MPI_HOST:
    case MPI_IO:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_UNIVERSE_SIZE:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
      return owner == Owner::comm;
    case MPI_WIN_BASE:
    case MPI_WIN_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
      return owner == Owner::win;
    default:
      return false;
  }
}

/// A key that the user created, for a change.
int find_keyval(Entry& entry, Owner owner, int id, Keyval*& out) {
  out = entry.instance().keyvals.find(id);
  if (out == nullptr) {
    if (is_predefined_key(owner, id)) {
      return entry.fail(MPI_ERR_KEYVAL, "keyval {} is a predefined attribute, which is read-only",
                        id);
    }
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} is {}", id,
                      id == MPI_KEYVAL_INVALID ? "MPI_KEYVAL_INVALID"
                                               : "not a key created by the user, or was freed");
  }
  if (out->owner != owner) {
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} was created for another kind of object", id);
  }
  return MPI_SUCCESS;
}

/// Freeing it again is harmless while it is in use.
int free_keyval(const char* function, Owner owner, int* id) {
  Entry entry(function);
  if (int err = entry.not_null(id, "keyval")) return err;
  Keyval* keyval = nullptr;
  if (int err = find_keyval(entry, owner, *id, keyval)) return err;
  if (keyval->kind != ObjectKind::freed) {
    keyval->kind = ObjectKind::freed;
    release(keyval);
  }
  *id = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

/// Attributes of a key that was freed can be deleted, but nothing else.
int find_unfreed(Entry& entry, Owner owner, int id, Keyval*& out) {
  if (int err = find_keyval(entry, owner, id, out)) return err;
  if (out->kind != ObjectKind::freed) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_KEYVAL, "keyval {} was freed", id);
}

int delete_failed(Entry& entry, int id, int code) {
  return entry.fail(code, "the delete function of keyval {} returned an error; the attribute stays",
                    id);
}

int set_attribute(Entry& entry, Owner owner, AttributeList& list, AttributeHandle handle, int id,
                  void* value) {
  Keyval* keyval = nullptr;
  if (int err = find_unfreed(entry, owner, id, keyval)) return err;
  auto it = find_attribute(list, keyval);
  if (it != list.entries.end()) {
    // Setting again deletes the old value first, with its callback.
    if (int err = call_delete(*keyval, handle, it->value)) return delete_failed(entry, id, err);
    it = find_attribute(list, keyval);
    if (it != list.entries.end()) {
      it->value = value;
      return MPI_SUCCESS;
    }
  }
  ++keyval->references;
  list.entries.push_back({keyval, value});
  return MPI_SUCCESS;
}

int get_attribute(Entry& entry, Owner owner, AttributeList& list, int id, void* value, int* flag) {
  if (int err = entry.not_null(value, "attribute_val")) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  Keyval* keyval = nullptr;
  if (int err = find_unfreed(entry, owner, id, keyval)) return err;
  auto it = find_attribute(list, keyval);
  *flag = it != list.entries.end();
  if (*flag) *static_cast<void**>(value) = it->value;
  return MPI_SUCCESS;
}

int delete_attribute(Entry& entry, Owner owner, AttributeList& list, AttributeHandle handle,
                     int id) {
  Keyval* keyval = nullptr;
  if (int err = find_keyval(entry, owner, id, keyval)) return err;
  auto it = find_attribute(list, keyval);
  if (it == list.entries.end()) return MPI_SUCCESS;
  if (int err = call_delete(*keyval, handle, it->value)) return delete_failed(entry, id, err);
  it = find_attribute(list, keyval);
  if (it == list.entries.end()) return MPI_SUCCESS;
  list.entries.erase(it);
  release(keyval);
  return MPI_SUCCESS;
}

/// Where the attributes of an object are.
int attributes_of(Entry& entry, MPI_Comm comm, AttributeList*& out) {
  CommObject* object = nullptr;
  if (int err = entry.comm(comm, object)) return err;
  out = &object->attributes;
  return MPI_SUCCESS;
}
int attributes_of(Entry& entry, MPI_Datatype datatype, AttributeList*& out) {
  const Datatype* object = nullptr;
  if (int err = entry.any_datatype(datatype, object)) return err;
  out = &entry.instance().type_notes.attributes[object];
  return MPI_SUCCESS;
}
int attributes_of(Entry& entry, MPI_Win win, AttributeList*& out) {
  WinObject* object = nullptr;
  if (int err = entry.win(win, object)) return err;
  out = &object->attributes;
  return MPI_SUCCESS;
}

constexpr Owner owner_of(MPI_Comm /*comm*/) {
  return Owner::comm;
}
constexpr Owner owner_of(MPI_Datatype /*datatype*/) {
  return Owner::type;
}
constexpr Owner owner_of(MPI_Win /*win*/) {
  return Owner::win;
}

/// The value of a predefined key on an object that is valid, or null if it has none.
void* predefined_attribute(Instance& instance, MPI_Comm /*comm*/, int id) {
  PredefinedAttributes& values = instance.predefined_attributes;
  switch (id) {
    case MPI_TAG_UB:
      return &values.tag_ub;
    case MPI_HOST:
      return &values.host;
    case MPI_IO:
      return &values.io;
    case MPI_WTIME_IS_GLOBAL:
      return &values.wtime_is_global;
    case MPI_UNIVERSE_SIZE:
      return values.universe_size > 0 ? &values.universe_size : nullptr;
    case MPI_APPNUM:
      return values.app_number >= 0 ? &values.app_number : nullptr;
    case MPI_LASTUSEDCODE:
      return error_book().last_used();
    default:
      return nullptr;
  }
}
void* predefined_attribute(Instance& /*instance*/, MPI_Datatype /*datatype*/, int /*id*/) {
  return nullptr;
}
void* predefined_attribute(Instance& /*instance*/, MPI_Win win, int id) {
  auto* object = object_of<WinObject>(win, ObjectKind::win);
  switch (id) {
    case MPI_WIN_BASE:
      return object->base;
    case MPI_WIN_SIZE:
      return &object->size;
    case MPI_WIN_DISP_UNIT:
      return &object->displacement_unit;
    case MPI_WIN_CREATE_FLAVOR:
      return &object->create_flavor;
    case MPI_WIN_MODEL:
      return &object->model;
    default:
      return nullptr;
  }
}

template <class Handle>
int set_attr(const char* function, Handle handle, int id, void* value) {
  Entry entry(function);
  AttributeList* list = nullptr;
  if (int err = attributes_of(entry, handle, list)) return err;
  return set_attribute(entry, owner_of(handle), *list, handle, id, value);
}

template <class Handle>
int get_attr(const char* function, Handle handle, int id, void* value, int* flag) {
  Entry entry(function);
  AttributeList* list = nullptr;
  if (int err = attributes_of(entry, handle, list)) return err;
  if (!is_predefined_key(owner_of(handle), id)) {
    return get_attribute(entry, owner_of(handle), *list, id, value, flag);
  }
  if (int err = entry.not_null(value, "attribute_val")) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  void* found = predefined_attribute(entry.instance(), handle, id);
  *flag = found != nullptr || id == MPI_WIN_BASE;  // a window without memory has base 0
  if (*flag != 0) *static_cast<void**>(value) = found;
  return MPI_SUCCESS;
}

template <class Handle>
int delete_attr(const char* function, Handle handle, int id) {
  Entry entry(function);
  AttributeList* list = nullptr;
  if (int err = attributes_of(entry, handle, list)) return err;
  return delete_attribute(entry, owner_of(handle), *list, handle, id);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy,
                            MPI_Comm_delete_attr_function* remove, int* keyval,
                            void* extra_state) try {
  return create_keyval("MPI_Comm_create_keyval", Owner::comm,
                       reinterpret_cast<KeyvalFunction>(copy),
                       reinterpret_cast<KeyvalFunction>(remove), keyval, extra_state);
} catch (...) {
  return caught("MPI_Comm_create_keyval");
}
REMIT_WEAK(Comm_create_keyval);

int PMPI_Comm_free_keyval(int* keyval) try {
  return free_keyval("MPI_Comm_free_keyval", Owner::comm, keyval);
} catch (...) {
  return caught("MPI_Comm_free_keyval");
}
REMIT_WEAK(Comm_free_keyval);

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) try {
  return set_attr("MPI_Comm_set_attr", comm, keyval, value);
} catch (...) {
  return caught("MPI_Comm_set_attr", comm);
}
REMIT_WEAK(Comm_set_attr);

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) try {
  return get_attr("MPI_Comm_get_attr", comm, keyval, value, flag);
} catch (...) {
  return caught("MPI_Comm_get_attr", comm);
}
REMIT_WEAK(Comm_get_attr);

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval) try {
  return delete_attr("MPI_Comm_delete_attr", comm, keyval);
} catch (...) {
  return caught("MPI_Comm_delete_attr", comm);
}
REMIT_WEAK(Comm_delete_attr);

// The forms deprecated since MPI-2.0.

int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* keyval,
                       void* extra_state) try {
  return create_keyval("MPI_Keyval_create", Owner::comm, reinterpret_cast<KeyvalFunction>(copy),
                       reinterpret_cast<KeyvalFunction>(remove), keyval, extra_state);
} catch (...) {
  return caught("MPI_Keyval_create");
}
REMIT_WEAK(Keyval_create);

int PMPI_Keyval_free(int* keyval) try {
  return free_keyval("MPI_Keyval_free", Owner::comm, keyval);
} catch (...) {
  return caught("MPI_Keyval_free");
}
REMIT_WEAK(Keyval_free);

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* value) try {
  return set_attr("MPI_Attr_put", comm, keyval, value);
} catch (...) {
  return caught("MPI_Attr_put", comm);
}
REMIT_WEAK(Attr_put);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) try {
  return get_attr("MPI_Attr_get", comm, keyval, value, flag);
} catch (...) {
  return caught("MPI_Attr_get", comm);
}
REMIT_WEAK(Attr_get);

int PMPI_Attr_delete(MPI_Comm comm, int keyval) try {
  return delete_attr("MPI_Attr_delete", comm, keyval);
} catch (...) {
  return caught("MPI_Attr_delete", comm);
}
REMIT_WEAK(Attr_delete);

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy,
                            MPI_Type_delete_attr_function* remove, int* keyval,
                            void* extra_state) try {
  return create_keyval("MPI_Type_create_keyval", Owner::type,
                       reinterpret_cast<KeyvalFunction>(copy),
                       reinterpret_cast<KeyvalFunction>(remove), keyval, extra_state);
} catch (...) {
  return caught("MPI_Type_create_keyval");
}
REMIT_WEAK(Type_create_keyval);

int PMPI_Type_free_keyval(int* keyval) try {
  return free_keyval("MPI_Type_free_keyval", Owner::type, keyval);
} catch (...) {
  return caught("MPI_Type_free_keyval");
}
REMIT_WEAK(Type_free_keyval);

int PMPI_Type_set_attr(MPI_Datatype datatype, int keyval, void* value) try {
  return set_attr("MPI_Type_set_attr", datatype, keyval, value);
} catch (...) {
  return caught("MPI_Type_set_attr");
}
REMIT_WEAK(Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype datatype, int keyval, void* value, int* flag) try {
  return get_attr("MPI_Type_get_attr", datatype, keyval, value, flag);
} catch (...) {
  return caught("MPI_Type_get_attr");
}
REMIT_WEAK(Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int keyval) try {
  return delete_attr("MPI_Type_delete_attr", datatype, keyval);
} catch (...) {
  return caught("MPI_Type_delete_attr");
}
REMIT_WEAK(Type_delete_attr);

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove,
                           int* keyval, void* extra_state) try {
  return create_keyval("MPI_Win_create_keyval", Owner::win, reinterpret_cast<KeyvalFunction>(copy),
                       reinterpret_cast<KeyvalFunction>(remove), keyval, extra_state);
} catch (...) {
  return caught("MPI_Win_create_keyval");
}
REMIT_WEAK(Win_create_keyval);

int PMPI_Win_free_keyval(int* keyval) try {
  return free_keyval("MPI_Win_free_keyval", Owner::win, keyval);
} catch (...) {
  return caught("MPI_Win_free_keyval");
}
REMIT_WEAK(Win_free_keyval);

int PMPI_Win_set_attr(MPI_Win win, int keyval, void* value) try {
  return set_attr("MPI_Win_set_attr", win, keyval, value);
} catch (...) {
  return caught("MPI_Win_set_attr", win);
}
REMIT_WEAK(Win_set_attr);

int PMPI_Win_get_attr(MPI_Win win, int keyval, void* value, int* flag) try {
  return get_attr("MPI_Win_get_attr", win, keyval, value, flag);
} catch (...) {
  return caught("MPI_Win_get_attr", win);
}
REMIT_WEAK(Win_get_attr);

int PMPI_Win_delete_attr(MPI_Win win, int keyval) try {
  return delete_attr("MPI_Win_delete_attr", win, keyval);
} catch (...) {
  return caught("MPI_Win_delete_attr", win);
}
REMIT_WEAK(Win_delete_attr);
