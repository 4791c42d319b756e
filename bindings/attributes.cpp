// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Attribute caching (MPI-5.0, section 7.7): keyvals, attributes of communicators and datatypes, the
// predefined attributes of MPI_COMM_WORLD.
#include "bindings/attributes.hpp"

#include <algorithm>
#include <cstdint>

#include "bindings/entry.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using Function = void (*)();

/// The ABI's value of MPI_COMM_DUP_FN and its siblings (MPI-5.0, table 20.x): copy the value.
bool is_dup_function(Function copy) {
  return reinterpret_cast<std::uintptr_t>(copy) == 1;
}

/// The table of keys does not own them: a key that the user has freed (its `kind` says so) stays
/// usable as long as an attribute has it (MPI-5.0, section 7.7.2).
void release(Keyval* keyval) {
  if (--keyval->references != 0) return;
  if (Instance* instance = library().instance; instance != nullptr) {
    instance->keyvals.erase(keyval->id);
  }
  keyval->kind = ObjectKind::freed;
  delete keyval;
}

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
  return reinterpret_cast<MPI_Type_delete_attr_function*>(keyval.remove)(handle.type, keyval.id,
                                                                         value, keyval.extra_state);
}

std::vector<AttributeList::Entry>::iterator find(AttributeList& list, const Keyval* keyval) {
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
    auto it = find(list, last.keyval);
    if (it == list.entries.end()) continue;
    list.entries.erase(it);
    release(last.keyval);
  }
  return MPI_SUCCESS;
}

namespace {

int create_keyval(const char* function, Owner owner, Function copy, Function remove, int* id,
                  void* extra_state) {
  Entry entry(function);
  if (int err = entry.not_null(id, "keyval")) return err;
  Instance& instance = entry.instance();
  auto* keyval = new Keyval;
  keyval->owner = owner;
  keyval->id = instance.next_keyval++;
  keyval->copy = copy;
  keyval->remove = remove;
  keyval->extra_state = extra_state;
  instance.keyvals.emplace(keyval->id, keyval);
  *id = keyval->id;
  return MPI_SUCCESS;
}

/// Freeing it again is harmless while it is in use.
int free_keyval(const char* function, int* id) {
  Entry entry(function);
  if (int err = entry.not_null(id, "keyval")) return err;
  Instance& instance = entry.instance();
  auto it = instance.keyvals.find(*id);
  if (it == instance.keyvals.end()) {
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} is not a key created by the user", *id);
  }
  Keyval* keyval = it->second;
  if (keyval->kind != ObjectKind::freed) {
    keyval->kind = ObjectKind::freed;
    release(keyval);
  }
  *id = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int find_keyval(Entry& entry, Owner owner, int id, Keyval*& out) {
  auto& keyvals = entry.instance().keyvals;
  auto it = keyvals.find(id);
  if (it == keyvals.end()) {
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} is {}", id,
                      id == MPI_KEYVAL_INVALID ? "MPI_KEYVAL_INVALID"
                                               : "not a key created by the user, or was freed");
  }
  out = it->second;
  if (out->owner != owner) {
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} was created for another kind of object", id);
  }
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
  auto it = find(list, keyval);
  if (it != list.entries.end()) {
    // Setting again deletes the old value first, with its callback.
    if (int err = call_delete(*keyval, handle, it->value)) return delete_failed(entry, id, err);
    it = find(list, keyval);
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
  auto it = find(list, keyval);
  *flag = it != list.entries.end();
  if (*flag) *static_cast<void**>(value) = it->value;
  return MPI_SUCCESS;
}

int delete_attribute(Entry& entry, Owner owner, AttributeList& list, AttributeHandle handle,
                     int id) {
  Keyval* keyval = nullptr;
  if (int err = find_keyval(entry, owner, id, keyval)) return err;
  auto it = find(list, keyval);
  if (it == list.entries.end()) return MPI_SUCCESS;
  if (int err = call_delete(*keyval, handle, it->value)) return delete_failed(entry, id, err);
  it = find(list, keyval);
  if (it == list.entries.end()) return MPI_SUCCESS;
  list.entries.erase(it);
  release(keyval);
  return MPI_SUCCESS;
}

/// The value of a predefined attribute key, or null if the key is none or has no value.
int* predefined_attribute(Instance& instance, int id) {
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
      return &values.last_used_code;
    default:
      return nullptr;
  }
}

bool is_predefined_key(int id) {
  return id == MPI_TAG_UB || id == MPI_HOST || id == MPI_IO || id == MPI_WTIME_IS_GLOBAL ||
         id == MPI_UNIVERSE_SIZE || id == MPI_APPNUM || id == MPI_LASTUSEDCODE;
}

int comm_set_attr(const char* function, MPI_Comm comm, int id, void* value) {
  Entry entry(function);
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (is_predefined_key(id)) {
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} is a predefined attribute, which is read-only",
                      id);
  }
  return set_attribute(entry, Owner::comm, c->attributes, comm, id, value);
}

int comm_get_attr(const char* function, MPI_Comm comm, int id, void* value, int* flag) {
  Entry entry(function);
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (!is_predefined_key(id)) {
    return get_attribute(entry, Owner::comm, c->attributes, id, value, flag);
  }
  if (int err = entry.not_null(value, "attribute_val")) return err;
  if (int err = entry.not_null(flag, "flag")) return err;
  int* found = predefined_attribute(entry.instance(), id);
  *flag = found != nullptr;
  if (found != nullptr) *static_cast<void**>(value) = found;
  return MPI_SUCCESS;
}

int comm_delete_attr(const char* function, MPI_Comm comm, int id) {
  Entry entry(function);
  CommObject* c = nullptr;
  if (int err = entry.comm(comm, c)) return err;
  if (is_predefined_key(id)) {
    return entry.fail(MPI_ERR_KEYVAL, "keyval {} is a predefined attribute, which is read-only",
                      id);
  }
  return delete_attribute(entry, Owner::comm, c->attributes, comm, id);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy,
                            MPI_Comm_delete_attr_function* remove, int* keyval, void* extra_state) {
  return create_keyval("MPI_Comm_create_keyval", Owner::comm, reinterpret_cast<Function>(copy),
                       reinterpret_cast<Function>(remove), keyval, extra_state);
}
REMIT_WEAK(Comm_create_keyval);

int PMPI_Comm_free_keyval(int* keyval) {
  return free_keyval("MPI_Comm_free_keyval", keyval);
}
REMIT_WEAK(Comm_free_keyval);

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  return comm_set_attr("MPI_Comm_set_attr", comm, keyval, value);
}
REMIT_WEAK(Comm_set_attr);

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  return comm_get_attr("MPI_Comm_get_attr", comm, keyval, value, flag);
}
REMIT_WEAK(Comm_get_attr);

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  return comm_delete_attr("MPI_Comm_delete_attr", comm, keyval);
}
REMIT_WEAK(Comm_delete_attr);

// The forms deprecated since MPI-2.0.

int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* keyval,
                       void* extra_state) {
  return create_keyval("MPI_Keyval_create", Owner::comm, reinterpret_cast<Function>(copy),
                       reinterpret_cast<Function>(remove), keyval, extra_state);
}
REMIT_WEAK(Keyval_create);

int PMPI_Keyval_free(int* keyval) {
  return free_keyval("MPI_Keyval_free", keyval);
}
REMIT_WEAK(Keyval_free);

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* value) {
  return comm_set_attr("MPI_Attr_put", comm, keyval, value);
}
REMIT_WEAK(Attr_put);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  return comm_get_attr("MPI_Attr_get", comm, keyval, value, flag);
}
REMIT_WEAK(Attr_get);

int PMPI_Attr_delete(MPI_Comm comm, int keyval) {
  return comm_delete_attr("MPI_Attr_delete", comm, keyval);
}
REMIT_WEAK(Attr_delete);

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy,
                            MPI_Type_delete_attr_function* remove, int* keyval, void* extra_state) {
  return create_keyval("MPI_Type_create_keyval", Owner::type, reinterpret_cast<Function>(copy),
                       reinterpret_cast<Function>(remove), keyval, extra_state);
}
REMIT_WEAK(Type_create_keyval);

int PMPI_Type_free_keyval(int* keyval) {
  return free_keyval("MPI_Type_free_keyval", keyval);
}
REMIT_WEAK(Type_free_keyval);

int PMPI_Type_set_attr(MPI_Datatype datatype, int keyval, void* value) {
  Entry entry("MPI_Type_set_attr");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  return set_attribute(entry, Owner::type, entry.instance().type_attributes[type], datatype, keyval,
                       value);
}
REMIT_WEAK(Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype datatype, int keyval, void* value, int* flag) {
  Entry entry("MPI_Type_get_attr");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  return get_attribute(entry, Owner::type, entry.instance().type_attributes[type], keyval, value,
                       flag);
}
REMIT_WEAK(Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int keyval) {
  Entry entry("MPI_Type_delete_attr");
  const Datatype* type = nullptr;
  if (int err = entry.any_datatype(datatype, type)) return err;
  return delete_attribute(entry, Owner::type, entry.instance().type_attributes[type], datatype,
                          keyval);
}
REMIT_WEAK(Type_delete_attr);
