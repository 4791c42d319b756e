// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// marshal.hpp: arguments of Fortran as C has them, and back. What is small is converted on the
// stack: an entry takes no lock, and memory only for long arrays. All is called from the entries of
// libmpifort_abi (abi/fortran_entries.py), by any thread.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "bindings/fortran/handle_numbers.hpp"
#include "bindings/fortran/sentinels.hpp"
#include "bindings/fortran/strings.hpp"

/// The second name of an entry that serves two interfaces.
#define REMIT_ALIAS(name, entry) extern __typeof__(entry) name __attribute__((alias(#entry)))

namespace remit::fortran {

/// IERROR may be left out in the mpi_f08 module.
inline void set(int* ierror, int error) {
  if (ierror != nullptr) *ierror = error;
}

/// Says that there is no memory to convert arguments in, and ends the program.
[[noreturn]] void out_of_memory();

/// An array of C for the time of a call: on the stack unless it is long.
template <class T, int kInline>
class Scratch {
 public:
  explicit Scratch(int size) : size_(std::max(size, 0)), at_(inline_) {
    if (size_ > kInline) {
      at_ = new (std::nothrow) T[static_cast<unsigned>(size_)];
      if (at_ == nullptr) out_of_memory();
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (at_ != inline_) delete[] at_;
  }

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] T* data() { return at_; }
  T& operator[](int i) { return at_[i]; }
  const T& operator[](int i) const { return at_[i]; }

 private:
  int size_;
  T* at_;
  T inline_[kInline];
};

/// A handle that C reads through a pointer.
template <class H>
class HandleIn {
 public:
  explicit HandleIn(const int* fortran) : handle_(handle<H>(*fortran)) {}
  [[nodiscard]] H* address() { return &handle_; }

 private:
  H handle_;
};

/// A handle that C makes. Where C has failed, the variable of the program stays as it was.
template <class H>
class HandleOut {
 public:
  explicit HandleOut(int* fortran) : fortran_(fortran) {}
  HandleOut(const HandleOut&) = delete;
  HandleOut& operator=(const HandleOut&) = delete;
  ~HandleOut() {
    if (handle_ != nullptr) *fortran_ = number(handle_);
  }
  [[nodiscard]] H* address() { return &handle_; }

 private:
  int* fortran_;
  H handle_ = nullptr;
};

/// A handle that C may change.
template <class H>
class HandleInout {
 public:
  explicit HandleInout(int* fortran)
      : fortran_(fortran), before_(handle<H>(*fortran)), handle_(before_) {}
  HandleInout(const HandleInout&) = delete;
  HandleInout& operator=(const HandleInout&) = delete;
  ~HandleInout() {
    if (handle_ != before_) *fortran_ = number(handle_);
  }
  [[nodiscard]] H* address() { return &handle_; }
  [[nodiscard]] H before() const { return before_; }

 private:
  int* fortran_;
  H before_;
  H handle_;
};

inline constexpr int kFewHandles = 32;

/// Handles that C reads during a call.
template <class H>
class HandlesIn {
 public:
  HandlesIn(const int* fortran, int size) : handles_(size) {
    for (int i = 0; i < handles_.size(); ++i) handles_[i] = handle<H>(fortran[i]);
  }
  [[nodiscard]] H* array() { return handles_.data(); }
  [[nodiscard]] int size() const { return handles_.size(); }
  [[nodiscard]] H before(int i) const { return handles_[i]; }

 private:
  Scratch<H, kFewHandles> handles_;
};

/// Handles that C makes: as many as it wants to of this many.
template <class H>
class HandlesOut {
 public:
  HandlesOut(int* fortran, int size) : fortran_(fortran), handles_(size) {
    for (int i = 0; i < handles_.size(); ++i) handles_[i] = nullptr;
  }
  HandlesOut(const HandlesOut&) = delete;
  HandlesOut& operator=(const HandlesOut&) = delete;
  ~HandlesOut() {
    for (int i = 0; i < handles_.size(); ++i) {
      if (handles_[i] != nullptr) fortran_[i] = number(handles_[i]);
    }
  }
  [[nodiscard]] H* array() { return handles_.data(); }

 private:
  int* fortran_;
  Scratch<H, kFewHandles> handles_;
};

/// Handles that C may change. Most often all of them become null handles; those that stay are not
/// looked up again.
template <class H>
class HandlesInout {
 public:
  HandlesInout(int* fortran, int size) : fortran_(fortran), handles_(size), before_(size) {
    for (int i = 0; i < handles_.size(); ++i) {
      before_[i] = handle<H>(fortran[i]);
      handles_[i] = before_[i];
    }
  }
  HandlesInout(const HandlesInout&) = delete;
  HandlesInout& operator=(const HandlesInout&) = delete;
  ~HandlesInout() {
    for (int i = 0; i < handles_.size(); ++i) {
      if (handles_[i] != before_[i]) fortran_[i] = number(handles_[i]);
    }
  }
  [[nodiscard]] H* array() { return handles_.data(); }
  [[nodiscard]] int size() const { return handles_.size(); }
  [[nodiscard]] H before(int i) const { return before_[i]; }

 private:
  int* fortran_;
  Scratch<H, kFewHandles> handles_;
  Scratch<H, kFewHandles> before_;
};

/// An array with these values that nobody frees: the one that was made for the same values before,
/// if there is one. So there are as many as a program uses different ones. Takes a lock.
const MPI_Datatype* kept_types(const MPI_Datatype* types, int count);

/// Datatypes that C may read until an operation is complete, which starts with this call.
template <class H>
class KeptHandlesIn {
 public:
  KeptHandlesIn(const int* fortran, int size) {
    HandlesIn<H> handles(fortran, size);
    kept_ = kept_types(handles.array(), size);
  }
  [[nodiscard]] const H* array() const { return kept_; }

 private:
  const H* kept_;
};

// LOGICAL. Compilers look at the lowest bit, or for zero, and store 1 or -1; 1 is right for all.

inline int truth(int logical) {
  return logical & 1;
}

/// A LOGICAL that C sets. Where C has failed, the variable of the program stays as it was.
class LogicalOut {
 public:
  explicit LogicalOut(int* fortran) : fortran_(fortran) {}
  LogicalOut(const LogicalOut&) = delete;
  LogicalOut& operator=(const LogicalOut&) = delete;
  ~LogicalOut() {
    if (value_ != kUnset) *fortran_ = value_ != 0 ? 1 : 0;
  }
  [[nodiscard]] int* address() { return &value_; }
  [[nodiscard]] bool is_true() const { return value_ > 0; }

 private:
  static constexpr int kUnset = -2;
  int* fortran_;
  int value_ = kUnset;
};

inline constexpr int kFewLogicals = 16;

/// Several that C reads.
class LogicalsIn {
 public:
  LogicalsIn(const int* fortran, int size) : values_(size) {
    for (int i = 0; i < values_.size(); ++i) values_[i] = truth(fortran[i]);
  }
  [[nodiscard]] int* array() { return values_.data(); }

 private:
  Scratch<int, kFewLogicals> values_;
};

/// `size` that C may set, of which it sets `used` or as many as there are; the others stay as they
/// were (MPI-5.0, section 8.5.5).
class LogicalsOut {
 public:
  LogicalsOut(int* fortran, int size, int used)
      : fortran_(fortran), used_(std::min(size, used)), values_(size) {
    for (int i = 0; i < used_; ++i) values_[i] = truth(fortran[i]);
  }
  LogicalsOut(const LogicalsOut&) = delete;
  LogicalsOut& operator=(const LogicalsOut&) = delete;
  ~LogicalsOut() {
    for (int i = 0; i < used_; ++i) fortran_[i] = values_[i] != 0 ? 1 : 0;
  }
  [[nodiscard]] int* array() { return values_.data(); }

 private:
  int* fortran_;
  int used_;
  Scratch<int, kFewLogicals> values_;
};

// Indices into arrays of requests, which begin at one.

/// One that C sets.
class IndexOut {
 public:
  explicit IndexOut(int* fortran) : fortran_(fortran) {}
  IndexOut(const IndexOut&) = delete;
  IndexOut& operator=(const IndexOut&) = delete;
  ~IndexOut() { *fortran_ = index_ == MPI_UNDEFINED ? MPI_UNDEFINED : index_ + 1; }
  [[nodiscard]] int* address() { return &index_; }
  /// As C has it; MPI_UNDEFINED: none.
  [[nodiscard]] int index() const { return index_; }

 private:
  int* fortran_;
  int index_ = MPI_UNDEFINED;
};

/// Several, in the program's array; C says how many in `count`.
class IndicesOut {
 public:
  IndicesOut(int* fortran, int* count) : fortran_(fortran), count_(count) { *count = 0; }
  IndicesOut(const IndicesOut&) = delete;
  IndicesOut& operator=(const IndicesOut&) = delete;
  ~IndicesOut() {
    for (int i = 0; i < *count_; ++i) ++fortran_[i];  // MPI_UNDEFINED is negative
  }

 private:
  int* fortran_;
  const int* count_;
};

// How long arrays are whose length no argument says. Zero for what the call itself will refuse.

/// The dimensions of a grid.
int cart_dims(int comm);
/// With how many processes an all-to-all exchanges data.
int peers(int comm);
/// The same for neighborhoods.
struct Neighbors {
  int in = 0;
  int out = 0;
};
Neighbors neighbors(int comm);

}  // namespace remit::fortran
