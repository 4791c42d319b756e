// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// marshal.hpp: arguments of Fortran as C has them, and back. What is small is converted on the
// stack: an entry takes no lock, and memory only for long arrays. All is called from the entries of
// libmpifort_abi (abi/fortran_entries.py), by any thread.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <new>
#include <type_traits>

#include "bindings/fortran/handle_numbers.hpp"
#include "bindings/fortran/kept.hpp"
#include "bindings/fortran/sentinels.hpp"
#include "bindings/fortran/strings.hpp"

/// The second name of an entry that serves two interfaces.
#define REMIT_ALIAS(name, entry) extern __typeof__(entry) name __attribute__((alias(#entry)))

namespace remit::fortran {

/// IERROR may be left out in the mpi_f08 module.
inline void set(int* ierror, int error) {
  if (ierror != nullptr) *ierror = error;
}

/// What C has returned, from an entry that stays on the stack meanwhile, so that tools which walk
/// up from C's function find one frame of this library: the compiler cannot see that nothing
/// follows.
template <class T>
inline T with_a_frame(T result) {
  asm volatile("");
  return result;
}

/// Says that there is no memory to convert arguments in, and ends the program.
[[noreturn]] void out_of_memory();

/// An array of C for the time of a call: on the stack unless it is long.
template <class T, int kInline>
class Scratch {
 public:
  explicit Scratch(int size) : at_(inline_) {
    if (size > kInline) {
      at_ = new (std::nothrow) T[static_cast<unsigned>(size)];
      if (at_ == nullptr) out_of_memory();
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (at_ != inline_) delete[] at_;
  }
  [[nodiscard]] T* data() { return at_; }
  [[nodiscard]] const T* data() const { return at_; }

 private:
  T* at_;
  T inline_[kInline];
};
/// One value, which costs no more than itself.
template <class T>
class Scratch<T, 1> {
 public:
  explicit Scratch(int /*size*/) {}
  [[nodiscard]] T* data() { return &value_; }
  [[nodiscard]] const T* data() const { return &value_; }

 private:
  T value_;
};

// How a value of Fortran becomes one of C, and back. kUnset is a value that C never stores.

template <class H>
struct HandleCodec {
  using Value = H;
  static constexpr H kUnset = nullptr;
  static H in(int fortran) { return handle<H>(fortran); }
  static int out(H value) { return number(value); }
};
/// LOGICAL. Compilers look at the lowest bit, or for zero, and store 1 or -1; 1 is right for all.
struct LogicalCodec {
  using Value = int;
  static constexpr int kUnset = INT_MIN;
  static int in(int fortran) { return fortran & 1; }
  static int out(int value) { return value != 0 ? 1 : 0; }
};
inline int truth(int logical) {
  return LogicalCodec::in(logical);
}
/// Indices into arrays of requests, which begin at one.
struct IndexCodec {
  using Value = int;
  static constexpr int kUnset = INT_MIN;
  static int out(int value) { return value == MPI_UNDEFINED ? MPI_UNDEFINED : value + 1; }
};

/// One value or an array, which C reads, or makes, or may change. What C has left alone, as after
/// an error, stays as it was in the program, and is not looked up again.
template <class Codec, bool kReads, bool kWrites, int kInline>
class Converted {
 public:
  using Value = typename Codec::Value;
  using Variable = std::conditional_t<kWrites, int, const int>;

  explicit Converted(Variable* fortran, int size = 1)
      : fortran_(fortran), size_(size), values_(size), before_(kBoth ? size : 0) {
    for (int i = 0; i < size; ++i) {
      if constexpr (kReads) values_.data()[i] = Codec::in(fortran[i]);
      if constexpr (!kReads) values_.data()[i] = Codec::kUnset;
      if constexpr (kBoth) before_.data()[i] = values_.data()[i];
    }
  }
  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;
  ~Converted() {
    if constexpr (kWrites) {
      for (int i = 0; i < size_; ++i) {
        if (value(i) != before(i)) fortran_[i] = Codec::out(value(i));
      }
    }
  }

  /// For C.
  [[nodiscard]] Value* data() { return values_.data(); }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] Value value(int i = 0) const { return values_.data()[i]; }
  [[nodiscard]] Value before(int i = 0) const {
    if constexpr (!kReads) return Codec::kUnset;
    return kBoth ? before_.data()[i] : value(i);
  }

 private:
  static constexpr bool kBoth = kReads && kWrites;
  Variable* fortran_;
  int size_;
  Scratch<Value, kInline> values_;
  Scratch<Value, kBoth ? kInline : 1> before_;
};

inline constexpr int kFew = 32;
template <class H>
using HandleIn = Converted<HandleCodec<H>, true, false, 1>;
template <class H>
using HandleOut = Converted<HandleCodec<H>, false, true, 1>;
template <class H>
using HandleInout = Converted<HandleCodec<H>, true, true, 1>;
template <class H>
using HandlesIn = Converted<HandleCodec<H>, true, false, kFew>;
template <class H>
using HandlesOut = Converted<HandleCodec<H>, false, true, kFew>;
template <class H>
using HandlesInout = Converted<HandleCodec<H>, true, true, kFew>;
using LogicalOut = Converted<LogicalCodec, false, true, 1>;
using LogicalsIn = Converted<LogicalCodec, true, false, kFew>;
using LogicalsOut = Converted<LogicalCodec, false, true, kFew>;
using IndexOut = Converted<IndexCodec, false, true, 1>;
using IndicesOut = Converted<IndexCodec, false, true, kFew>;

/// An array with these values that nobody frees: the one that was made for the same values before,
/// if there is one. So there are as many as a program uses different ones. Takes a lock.
const MPI_Datatype* kept_types(const MPI_Datatype* types, int count);

/// Datatypes that C may read until an operation is complete, which starts with this call.
template <class H>
class KeptHandlesIn {
 public:
  KeptHandlesIn(const int* fortran, int size)
      : kept_(kept_types(HandlesIn<H>(fortran, size).data(), size)) {}
  [[nodiscard]] const H* data() const { return kept_; }

 private:
  const H* kept_;
};

/// Where a buffer was that C detaches. mpi_f08 has MPI_BUFFER_AUTOMATIC as the address of that
/// variable (MPI-5.0, section 3.6); the mpi module and mpif.h do not say where it was.
class DetachedOut {
 public:
  DetachedOut(void* fortran, bool told) : fortran_(told ? static_cast<void**>(fortran) : nullptr) {}
  DetachedOut(const DetachedOut&) = delete;
  DetachedOut& operator=(const DetachedOut&) = delete;
  ~DetachedOut() {
    if (fortran_ == nullptr || buffer_ == this) return;
    *fortran_ =
        buffer_ == MPI_BUFFER_AUTOMATIC ? const_cast<int*>(&remit_buffer_automatic_) : buffer_;
  }
  [[nodiscard]] void** data() { return &buffer_; }

 private:
  void** fortran_;
  void* buffer_ = this;  ///< no buffer, until C has written one
};

// What waits for requests to complete (bindings/fortran/kept.hpp) is told by the entries of the
// calls that complete them. It costs a load where nothing waits.

/// Before MPI_Start and MPI_Startall.
template <class Requests>
inline void started(const Requests& requests) {
  if (!any_kept()) return;
  for (int i = 0; i < requests.size(); ++i) request_starts(requests.before(i));
}
/// After MPI_Request_free.
inline void freed(const HandleInout<MPI_Request>& request) {
  request_freed(request.before());
}
/// After a call that completes all of these, or says in `flag` whether they are complete.
template <class Requests>
inline void completed(const Requests& requests) {
  if (!any_kept()) return;
  for (int i = 0; i < requests.size(); ++i) request_completed(requests.before(i));
}
template <class Requests>
inline void completed(const Requests& requests, const LogicalOut& flag) {
  if (flag.value() > 0) completed(requests);
}
inline void completed(MPI_Request request, const LogicalOut& flag) {
  if (flag.value() > 0) request_completed(request);
}
/// After a call that completes those with these indices, which are C's.
template <class Requests, int kInline>
inline void completed(const Requests& requests,
                      const Converted<IndexCodec, false, true, kInline>& indices) {
  if (!any_kept()) return;
  for (int i = 0; i < indices.size(); ++i) {
    if (indices.value(i) >= 0) request_completed(requests.before(indices.value(i)));
  }
}

}  // namespace remit::fortran
