// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/callbacks.hpp"

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "bindings/fortran/handle_numbers.hpp"
#include "bindings/fortran/kept.hpp"
#include "bindings/fortran/raise.hpp"

namespace remit::fortran {

namespace {

// Operations.

/// Which Fortran procedure each C function of the pool calls. A place is free when its operation
/// was freed and nothing that is known holds it any more. C may hold it, too (a program that passes
/// the operation on), so the place that has been free for the longest time is used next.
class OpPool {
 public:
  static constexpr int kSize = 1024;
  /// The number of a place, which is free again when the last copy of this goes.
  using Hold = std::shared_ptr<const std::size_t>;

  OpPool() : free_(kSize) { std::iota(free_.begin(), free_.end(), 0); }

  /// Null: all are in use.
  Hold take(Procedure procedure) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    const std::size_t place = free_.front();
    free_.pop_front();
    procedures_[place] = procedure;
    return {new std::size_t(place), [this](const std::size_t* held) { give_back(held); }};
  }
  /// A handle that is made anew while it is thought to be in use was freed by C.
  void made(MPI_Op op, Hold place) {
    const std::lock_guard lock(mutex_);
    places_[op] = std::move(place);
  }
  /// The operation that had this place was freed. Another thread may have made one with the same
  /// handle since, which keeps its own.
  void freed(MPI_Op op, const Hold& place) {
    const std::lock_guard lock(mutex_);
    const auto known = places_.find(op);
    if (known != places_.end() && known->second == place) places_.erase(known);
  }
  /// Null: an operation of C.
  Hold hold(MPI_Op op) {
    const std::lock_guard lock(mutex_);
    const auto known = places_.find(op);
    return known == places_.end() ? nullptr : known->second;
  }
  /// For the functions of the pool, which run while their operation is in use: no lock.
  [[nodiscard]] Procedure procedure(int place) const {
    return procedures_[static_cast<std::size_t>(place)];
  }

 private:
  void give_back(const std::size_t* place) {
    const std::lock_guard lock(mutex_);
    free_.push_back(*place);
    delete place;
  }

  std::recursive_mutex mutex_;  // made() and freed() may give a place back
  std::array<Procedure, kSize> procedures_{};
  std::deque<std::size_t> free_;
  std::unordered_map<MPI_Op, Hold> places_;
};

OpPool& ops() {
  static auto* const all = new OpPool;  // operations may run while static objects go
  return *all;
}

template <class Count>
[[gnu::noinline]] void run_op(int place, void* in, void* inout, Count* length,
                              MPI_Datatype datatype) {
  using Function = void(void*, void*, Count*, int*);
  int type = number(datatype);
  reinterpret_cast<Function*>(ops().procedure(place))(in, inout, length, &type);
}
/// A user function of C for the place number `Place`, with int or MPI_Count.
template <class Count, int Place>
void user_function(void* in, void* inout, Count* length, MPI_Datatype* datatype) {
  run_op(Place, in, inout, length, *datatype);
}
template <class Count, int... Places>
constexpr auto user_functions(std::integer_sequence<int, Places...> /*places*/) {
  using Function = void (*)(void*, void*, Count*, MPI_Datatype*);
  return std::array<Function, sizeof...(Places)>{&user_function<Count, Places>...};
}

struct HeldOp final : Kept {
  explicit HeldOp(OpPool::Hold held) : place(std::move(held)) {}
  OpPool::Hold place;
};

// Error handlers.

int handler_of(MPI_Comm comm, MPI_Errhandler* out) {
  return comm == MPI_COMM_NULL ? MPI_ERR_COMM : PMPI_Comm_get_errhandler(comm, out);
}
int handler_of(MPI_Win win, MPI_Errhandler* out) {
  return win == MPI_WIN_NULL ? MPI_ERR_WIN : PMPI_Win_get_errhandler(win, out);
}
int handler_of(MPI_File file, MPI_Errhandler* out) {
  return PMPI_File_get_errhandler(file, out);
}
int handler_of(MPI_Session session, MPI_Errhandler* out) {
  return session == MPI_SESSION_NULL ? MPI_ERR_SESSION : PMPI_Session_get_errhandler(session, out);
}

/// The procedures of all error handlers for one kind of object. An error handler lives on after
/// MPI_Errhandler_free while objects have it, and those that are made of them inherit it, unseen
/// from here. So an entry stays until another error handler has the same handle: then the one
/// before is gone for certain.
template <class Handle>
class Errhandlers {
 public:
  template <class Create>
  static int create(Create make, Procedure procedure, MPI_Errhandler* errhandler) {
    const int error = make(&call, errhandler);
    if (error != MPI_SUCCESS) return error;
    Errhandlers& all = instance();
    const std::lock_guard lock(all.mutex_);
    all.latest_ = all.procedures_[*errhandler] = procedure;
    return MPI_SUCCESS;
  }

 private:
  static Errhandlers& instance() {
    static auto* const all = new Errhandlers;
    return *all;
  }
  /// The handler of C: it asks the object which of them it has. One that is no object yet
  /// (MPI_Session_init fails) has the latest.
  static void call(Handle* object, int* code, ...) {  // NOLINT(cert-dcl50-cpp): as C has it
    static thread_local bool asking = false;
    if (asking) return;  // an error while asking
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    asking = true;
    const bool known = handler_of(*object, &handler) == MPI_SUCCESS;
    asking = false;
    const Procedure procedure = known ? instance().find(handler) : instance().latest();
    if (known) PMPI_Errhandler_free(&handler);
    if (procedure == nullptr) return;
    int handle = number(*object);
    reinterpret_cast<void (*)(int*, int*)>(procedure)(&handle, code);
  }
  Procedure find(MPI_Errhandler handler) {
    const std::lock_guard lock(mutex_);
    const auto known = procedures_.find(handler);
    return known == procedures_.end() ? nullptr : known->second;
  }
  Procedure latest() {
    const std::lock_guard lock(mutex_);
    return latest_;
  }

  std::mutex mutex_;
  std::unordered_map<MPI_Errhandler, Procedure> procedures_;
  Procedure latest_ = nullptr;
};

// Generalized requests and data representations.

struct Grequest {
  Procedure query;
  Procedure free;
  Procedure cancel;
  MPI_Aint extra_state;
};

int query_grequest(void* state, MPI_Status* status) {
  auto& self = *static_cast<Grequest*>(state);
  int error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, MPI_Status*, int*)>(self.query)(&self.extra_state, status,
                                                                       &error);
  return error;
}
int free_grequest(void* state) {
  const std::unique_ptr<Grequest> self(static_cast<Grequest*>(state));  // the last call
  int error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, int*)>(self->free)(&self->extra_state, &error);
  return error;
}
int cancel_grequest(void* state, int complete) {
  auto& self = *static_cast<Grequest*>(state);
  int error = MPI_SUCCESS;
  reinterpret_cast<void (*)(MPI_Aint*, int*, int*)>(self.cancel)(&self.extra_state, &complete,
                                                                 &error);
  return error;
}

struct Datarep {
  Procedure read;
  Procedure write;
  Procedure extent;
  MPI_Aint extra_state;
};

template <class Count, Procedure Datarep::*Which>
int convert(void* userbuf, MPI_Datatype datatype, Count count, void* filebuf, MPI_Offset position,
            void* state) {
  using Function = void(void*, int*, Count*, void*, MPI_Offset*, MPI_Aint*, int*);
  auto& self = *static_cast<Datarep*>(state);
  int type = number(datatype);
  int error = MPI_SUCCESS;
  reinterpret_cast<Function*>(self.*Which)(userbuf, &type, &count, filebuf, &position,
                                           &self.extra_state, &error);
  return error;
}
int file_extent(MPI_Datatype datatype, MPI_Aint* extent, void* state) {
  auto& self = *static_cast<Datarep*>(state);
  int type = number(datatype);
  int error = MPI_SUCCESS;
  reinterpret_cast<void (*)(int*, MPI_Aint*, MPI_Aint*, int*)>(self.extent)(
      &type, extent, &self.extra_state, &error);
  return error;
}

bool is_no_conversion(Procedure procedure) {
  return procedure == mpi_conversion_fn_null_ || procedure == mpi_conversion_fn_null_c_;
}

}  // namespace

template <class Count>
int op_create(int (*create)(void (*)(void*, void*, Count*, MPI_Datatype*), int, MPI_Op*),
              Procedure user_fn, int commute, MPI_Op* op) {
  static constexpr auto kFunctions =
      user_functions<Count>(std::make_integer_sequence<int, OpPool::kSize>());
  OpPool::Hold place = ops().take(user_fn);
  if (place == nullptr) {
    return raise(Subject(), MPI_ERR_OTHER,
                 std::is_same_v<Count, int> ? "MPI_Op_create" : "MPI_Op_create_c",
                 std::to_string(OpPool::kSize) +
                     " operations made in Fortran are in use: free those that are not needed with "
                     "MPI_Op_free, and complete what uses them");
  }
  const int error = create(kFunctions[*place], commute, op);
  if (error == MPI_SUCCESS) ops().made(*op, std::move(place));
  return error;
}
template int op_create(decltype(&MPI_Op_create), Procedure, int, MPI_Op*);
template int op_create(decltype(&MPI_Op_create_c), Procedure, int, MPI_Op*);

int op_free(decltype(&MPI_Op_free) free, MPI_Op* op) {
  const MPI_Op before = *op;
  const OpPool::Hold place = ops().hold(before);
  const int error = free(op);
  if (error == MPI_SUCCESS && place != nullptr) ops().freed(before, place);
  return error;
}
void detail::hold_user_op(MPI_Op op, MPI_Request request, bool persistent) {
  OpPool::Hold place = ops().hold(op);
  if (place != nullptr) keep(request, persistent, std::make_unique<HeldOp>(std::move(place)));
}

template <class Handle>
int create_errhandler(int (*create)(void (*)(Handle*, int*, ...), MPI_Errhandler*),
                      Procedure user_fn, MPI_Errhandler* errhandler) {
  return Errhandlers<Handle>::create(create, user_fn, errhandler);
}
template int create_errhandler(decltype(&MPI_Comm_create_errhandler), Procedure, MPI_Errhandler*);
template int create_errhandler(decltype(&MPI_File_create_errhandler), Procedure, MPI_Errhandler*);
template int create_errhandler(decltype(&MPI_Session_create_errhandler), Procedure,
                               MPI_Errhandler*);
template int create_errhandler(decltype(&MPI_Win_create_errhandler), Procedure, MPI_Errhandler*);

int grequest_start(decltype(&MPI_Grequest_start) start, Procedure query_fn, Procedure free_fn,
                   Procedure cancel_fn, MPI_Aint extra_state, MPI_Request* request) {
  auto state = std::make_unique<Grequest>(Grequest{query_fn, free_fn, cancel_fn, extra_state});
  const int error = start(query_grequest, free_grequest, cancel_grequest, state.get(), request);
  if (error == MPI_SUCCESS) static_cast<void>(state.release());  // free_grequest() has it
  return error;
}

template <class Count>
int register_datarep(int (*call)(const char*, Conversion<Count>*, Conversion<Count>*,
                                 MPI_Datarep_extent_function*, void*),
                     const char* datarep, Procedure read_conversion_fn,
                     Procedure write_conversion_fn, Procedure dtype_file_extent_fn,
                     MPI_Aint extra_state) {
  auto self = std::make_unique<Datarep>(
      Datarep{read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state});
  const int error =
      call(datarep, is_no_conversion(self->read) ? nullptr : &convert<Count, &Datarep::read>,
           is_no_conversion(self->write) ? nullptr : &convert<Count, &Datarep::write>, file_extent,
           self.get());
  if (error == MPI_SUCCESS) static_cast<void>(self.release());  // stays as long as the program
  return error;
}
template int register_datarep(decltype(&MPI_Register_datarep), const char*, Procedure, Procedure,
                              Procedure, MPI_Aint);
template int register_datarep(decltype(&MPI_Register_datarep_c), const char*, Procedure, Procedure,
                              Procedure, MPI_Aint);

}  // namespace remit::fortran
