// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/attributes.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bindings/fortran/handle_numbers.hpp"

namespace remit::fortran {

namespace {

/// The integers that Fortran has cached. C gets the address of such a cell as the attribute, and by
/// this address it is known again. The callbacks of Fortran's keyvals end cells. Those
/// under keyvals of C stay, for C's callbacks may have copied their addresses.
class Cells {
 public:
  void* make(MPI_Aint value) {
    auto cell = std::make_unique<MPI_Aint>(value);
    const std::lock_guard lock(mutex_);
    cells_.insert(cell.get());
    return cell.release();
  }
  [[nodiscard]] bool is_cell(const void* attribute) {
    const std::lock_guard lock(mutex_);
    return cells_.count(attribute) != 0;
  }
  [[nodiscard]] MPI_Aint value_of(const void* attribute) {
    if (is_cell(attribute)) return *static_cast<const MPI_Aint*>(attribute);
    return reinterpret_cast<MPI_Aint>(attribute);
  }
  void end(void* attribute) {
    const std::lock_guard lock(mutex_);
    if (cells_.erase(attribute) != 0) delete static_cast<MPI_Aint*>(attribute);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<const void*> cells_;
};

Cells& cells() {
  static auto* const all = new Cells;  // MPI_Finalize may come while static objects go
  return *all;
}

/// What C's callbacks find behind a keyval that Fortran made. It stays as long as the program: the
/// keyval lives on after it was freed while objects have the attribute, and nobody says how long.
struct Keyval {
  Procedure copy;   ///< null: nothing is copied
  Procedure end;    ///< null: nothing to do
  bool duplicates;  ///< MPI_COMM_DUP_FN and its kin; not `copy` then
  MPI_Aint extra_state;
};

/// Value is MPI_Aint, or int for MPI-1.
template <class Handle, class Value>
int copy_attribute(Handle object, int keyval, void* state, void* in, void* out, int* flag) {
  using Function = void(int*, int*, Value*, Value*, Value*, int*, int*);
  const Keyval& self = *static_cast<Keyval*>(state);
  const MPI_Aint value = cells().value_of(in);
  MPI_Aint copied = value;
  *flag = self.duplicates ? 1 : 0;
  if (self.copy != nullptr) {
    int handle = number(object);
    auto extra = static_cast<Value>(self.extra_state);
    auto value_in = static_cast<Value>(value);
    auto value_out = value_in;
    int error = MPI_SUCCESS;
    reinterpret_cast<Function*>(self.copy)(&handle, &keyval, &extra, &value_in, &value_out, flag,
                                           &error);
    if (error != MPI_SUCCESS) return error;
    *flag &= 1;  // the lowest bit is what all compilers have in a LOGICAL
    if (value_out != value_in) copied = value_out;
  }
  // What C has set, and what is handed on as it is, C finds there as it is.
  const bool is_new = cells().is_cell(in) || copied != value;
  if (*flag != 0) *static_cast<void**>(out) = is_new ? cells().make(copied) : in;
  return MPI_SUCCESS;
}

template <class Handle, class Value>
int delete_attribute(Handle object, int keyval, void* attribute, void* state) {
  using Function = void(int*, int*, Value*, Value*, int*);
  const Keyval& self = *static_cast<Keyval*>(state);
  if (self.end != nullptr) {
    int handle = number(object);
    auto extra = static_cast<Value>(self.extra_state);
    auto value = static_cast<Value>(cells().value_of(attribute));
    int error = MPI_SUCCESS;
    reinterpret_cast<Function*>(self.end)(&handle, &keyval, &value, &extra, &error);
    if (error != MPI_SUCCESS) return error;  // the attribute stays
  }
  cells().end(attribute);
  return MPI_SUCCESS;
}

/// For ever, but not lost.
void keep_keyval(std::unique_ptr<Keyval> keyval) {
  static std::mutex mutex;
  static auto* const all = new std::vector<std::unique_ptr<Keyval>>;
  const std::lock_guard lock(mutex);
  all->push_back(std::move(keyval));
}

bool is_any_of(Procedure procedure, std::initializer_list<Procedure> predefined) {
  return std::find(predefined.begin(), predefined.end(), procedure) != predefined.end();
}

/// Predefined attributes: C has a pointer to the value.
bool points_to_int(MPI_Comm /*comm*/, int keyval) {
  return keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE;
}
bool points_to_int(MPI_Win /*win*/, int keyval) {
  return keyval == MPI_WIN_DISP_UNIT || keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}
bool points_to_int(MPI_Datatype /*type*/, int /*keyval*/) {
  return false;
}

}  // namespace

/// Copy and delete functions of C even where the predefined ones are meant, for the cells.
template <class Handle, class Value>
int create_keyval(int (*call)(int (*)(Handle, int, void*, void*, void*, int*),
                              int (*)(Handle, int, void*, void*), int*, void*),
                  Procedure copy_fn, Procedure delete_fn, int* keyval, Value extra_state) {
  const bool duplicates =
      is_any_of(copy_fn, {mpi_comm_dup_fn_, mpi_type_dup_fn_, mpi_win_dup_fn_, mpi_dup_fn_});
  const bool copies_nothing = is_any_of(copy_fn, {mpi_comm_null_copy_fn_, mpi_type_null_copy_fn_,
                                                  mpi_win_null_copy_fn_, mpi_null_copy_fn_});
  const bool ends_nothing =
      is_any_of(delete_fn, {mpi_comm_null_delete_fn_, mpi_type_null_delete_fn_,
                            mpi_win_null_delete_fn_, mpi_null_delete_fn_});
  auto self =
      std::make_unique<Keyval>(Keyval{duplicates || copies_nothing ? nullptr : copy_fn,
                                      ends_nothing ? nullptr : delete_fn, duplicates, extra_state});
  const int error =
      call(copy_attribute<Handle, Value>, delete_attribute<Handle, Value>, keyval, self.get());
  if (error == MPI_SUCCESS) keep_keyval(std::move(self));
  return error;
}
template int create_keyval(decltype(&MPI_Comm_create_keyval), Procedure, Procedure, int*, MPI_Aint);
template int create_keyval(decltype(&MPI_Type_create_keyval), Procedure, Procedure, int*, MPI_Aint);
template int create_keyval(decltype(&MPI_Win_create_keyval), Procedure, Procedure, int*, MPI_Aint);
template int create_keyval(decltype(&MPI_Keyval_create), Procedure, Procedure, int*, int);

template <class Handle>
int set_attr(int (*call)(Handle, int, void*), Handle object, int keyval, MPI_Aint value) {
  void* const cell = cells().make(value);
  const int error = call(object, keyval, cell);
  if (error != MPI_SUCCESS) cells().end(cell);
  return error;
}
template int set_attr(decltype(&MPI_Comm_set_attr), MPI_Comm, int, MPI_Aint);
template int set_attr(decltype(&MPI_Type_set_attr), MPI_Datatype, int, MPI_Aint);
template int set_attr(decltype(&MPI_Win_set_attr), MPI_Win, int, MPI_Aint);

template <class Handle, class Value>
int get_attr(int (*call)(Handle, int, void*, int*), Handle object, int keyval, Value* value,
             int* flag) {
  void* attribute = nullptr;
  const int error = call(object, keyval, static_cast<void*>(&attribute), flag);
  if (error != MPI_SUCCESS || *flag == 0) return error;
  if (points_to_int(object, keyval)) {
    *value = *static_cast<const int*>(attribute);
  } else if (std::is_same_v<Handle, MPI_Win> && keyval == MPI_WIN_SIZE) {
    *value = *static_cast<const MPI_Aint*>(attribute);
  } else {
    *value = static_cast<Value>(cells().value_of(attribute));
  }
  return MPI_SUCCESS;
}
template int get_attr(decltype(&MPI_Comm_get_attr), MPI_Comm, int, MPI_Aint*, int*);
template int get_attr(decltype(&MPI_Comm_get_attr), MPI_Comm, int, int*, int*);
template int get_attr(decltype(&MPI_Type_get_attr), MPI_Datatype, int, MPI_Aint*, int*);
template int get_attr(decltype(&MPI_Win_get_attr), MPI_Win, int, MPI_Aint*, int*);

}  // namespace remit::fortran
