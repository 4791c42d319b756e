// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Info objects (MPI-5.0, chapter 10). They work before MPI_Init and after MPI_Finalize too.
#include <algorithm>
#include <cstring>

#include "bindings/env/errors.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/handles.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

/// Info calls may come at any time: an info object belongs to whoever made it.
class InfoCall : public AnyTimeCall {
 public:
  using AnyTimeCall::AnyTimeCall;

  int info(MPI_Info handle, InfoObject*& out) const {
    out = info_of(handle);
    if (out != nullptr) return MPI_SUCCESS;
    return fail(MPI_ERR_INFO, "info {} is not an info object{}", static_cast<const void*>(handle),
                handle == MPI_INFO_NULL ? " (MPI_INFO_NULL)" : " (freed already?)");
  }

  /// One that the call changes.
  int own_info(MPI_Info handle, InfoObject*& out) const {
    if (int err = info(handle, out)) return err;
    if (handle != MPI_INFO_ENV) return MPI_SUCCESS;
    return fail(MPI_ERR_INFO, "info is MPI_INFO_ENV, which cannot be changed or freed");
  }

  int key(const char* key) const {
    if (key == nullptr || *key == '\0') {
      return fail(MPI_ERR_INFO_KEY, "the key is {}", key == nullptr ? "a null pointer" : "empty");
    }
    if (std::strlen(key) >= MPI_MAX_INFO_KEY) {
      return fail(MPI_ERR_INFO_KEY, "the key has {} characters; at most {} are allowed",
                  std::strlen(key), MPI_MAX_INFO_KEY - 1);
    }
    return MPI_SUCCESS;
  }
};

auto find_key(InfoObject& info, const char* key) {
  return std::find_if(info.entries.begin(), info.entries.end(),
                      [=](const auto& entry) { return entry.first == key; });
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Info_create(MPI_Info* info) try {
  const InfoCall call("MPI_Info_create");
  if (int err = call.not_null(info, "info")) return err;
  *info = handle_of(new InfoObject);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_create");
}
REMIT_WEAK(Info_create);

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) try {
  const InfoCall call("MPI_Info_dup");
  InfoObject* old = nullptr;
  if (int err = call.info(info, old)) return err;
  if (int err = call.not_null(newinfo, "newinfo")) return err;
  auto* made = new InfoObject;
  made->entries = old->entries;
  *newinfo = handle_of(made);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_dup");
}
REMIT_WEAK(Info_dup);

int PMPI_Info_free(MPI_Info* info) try {
  const InfoCall call("MPI_Info_free");
  if (int err = call.not_null(info, "info")) return err;
  InfoObject* object = nullptr;
  if (int err = call.own_info(*info, object)) return err;
  object->kind = ObjectKind::freed;
  delete object;
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_free");
}
REMIT_WEAK(Info_free);

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) try {
  const InfoCall call("MPI_Info_set");
  InfoObject* object = nullptr;
  if (int err = call.own_info(info, object)) return err;
  if (int err = call.key(key)) return err;
  if (value == nullptr || std::strlen(value) >= MPI_MAX_INFO_VAL) {
    return call.fail(MPI_ERR_INFO_VALUE, "the value of {} is {}", key,
                     value == nullptr ? "a null pointer" : "too long");
  }
  auto it = find_key(*object, key);
  if (it != object->entries.end()) {
    it->second = value;
  } else {
    object->entries.emplace_back(key, value);
  }
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_set");
}
REMIT_WEAK(Info_set);

int PMPI_Info_delete(MPI_Info info, const char* key) try {
  const InfoCall call("MPI_Info_delete");
  InfoObject* object = nullptr;
  if (int err = call.own_info(info, object)) return err;
  if (int err = call.key(key)) return err;
  auto it = find_key(*object, key);
  if (it == object->entries.end()) {
    return call.fail(MPI_ERR_INFO_NOKEY, "the key {} is not set", key);
  }
  object->entries.erase(it);
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_delete");
}
REMIT_WEAK(Info_delete);

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) try {
  const InfoCall call("MPI_Info_get_nkeys");
  InfoObject* object = nullptr;
  if (int err = call.info(info, object)) return err;
  if (int err = call.not_null(nkeys, "nkeys")) return err;
  *nkeys = static_cast<int>(object->entries.size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_get_nkeys");
}
REMIT_WEAK(Info_get_nkeys);

int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) try {
  const InfoCall call("MPI_Info_get_nthkey");
  InfoObject* object = nullptr;
  if (int err = call.info(info, object)) return err;
  if (int err = call.not_null(key, "key")) return err;
  if (n < 0 || static_cast<std::size_t>(n) >= object->entries.size()) {
    return call.fail(MPI_ERR_ARG, "n is {}; the info object has {} keys", n,
                     object->entries.size());
  }
  std::strcpy(key, object->entries[static_cast<std::size_t>(n)].first.c_str());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_get_nthkey");
}
REMIT_WEAK(Info_get_nthkey);

int PMPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) try {
  const InfoCall call("MPI_Info_get_string");
  InfoObject* object = nullptr;
  if (int err = call.info(info, object)) return err;
  if (int err = call.key(key)) return err;
  if (int err = call.not_null(buflen, "buflen")) return err;
  if (int err = call.not_null(flag, "flag")) return err;
  auto it = find_key(*object, key);
  const bool found = it != object->entries.end();
  if (found && *buflen > 0) {
    if (int err = call.not_null(value, "value")) return err;
    copy_cut(it->second, value, *buflen);
  }
  *flag = found;
  if (!found) return MPI_SUCCESS;
  *buflen = static_cast<int>(it->second.size()) + 1;  // with the terminator (section 10)
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_get_string");
}
REMIT_WEAK(Info_get_string);

// Deprecated since MPI-4.0; valuelen excludes the terminator.
int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) try {
  const InfoCall call("MPI_Info_get");
  InfoObject* object = nullptr;
  if (int err = call.info(info, object)) return err;
  if (int err = call.key(key)) return err;
  if (int err = call.not_null(flag, "flag")) return err;
  if (valuelen < 0) return call.fail(MPI_ERR_ARG, "valuelen is {}", valuelen);
  auto it = find_key(*object, key);
  *flag = it != object->entries.end();
  if (!*flag) return MPI_SUCCESS;
  if (int err = call.not_null(value, "value")) return err;
  const std::size_t n = std::min(it->second.size(), static_cast<std::size_t>(valuelen));
  std::memcpy(value, it->second.data(), n);
  value[n] = '\0';
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_get");
}
REMIT_WEAK(Info_get);

int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) try {
  const InfoCall call("MPI_Info_get_valuelen");
  InfoObject* object = nullptr;
  if (int err = call.info(info, object)) return err;
  if (int err = call.key(key)) return err;
  if (int err = call.not_null(valuelen, "valuelen")) return err;
  if (int err = call.not_null(flag, "flag")) return err;
  auto it = find_key(*object, key);
  *flag = it != object->entries.end();
  if (*flag) *valuelen = static_cast<int>(it->second.size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Info_get_valuelen");
}
REMIT_WEAK(Info_get_valuelen);
