// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Arguments that are numbers and addresses.
#pragma once

#include "bindings/call_errors.hpp"

namespace remit {

/// Checks of a call's counts, ranks, tags, roots and pointers. They return MPI_SUCCESS or the code
/// that the function must return (the error handler has been called by then). Inline where they
/// stand on the path of messages, with what is wrong in functions of its own.
class ValueChecks : public CallErrors {
 public:
  int not_null(const void* pointer, const char* argument) {
    return pointer != nullptr ? MPI_SUCCESS : bad_pointer(argument);
  }
  int count(MPI_Count count, const char* argument = "count") {
    return count >= 0 ? MPI_SUCCESS : bad_count(count, argument);
  }
  /// A destination: a rank of `comm` or MPI_PROC_NULL.
  int destination(const CommObject& comm, int rank) {
    const bool fine = static_cast<unsigned>(rank) < static_cast<unsigned>(peers(comm));
    return fine || rank == MPI_PROC_NULL ? MPI_SUCCESS : bad_rank(comm, rank, false);
  }
  int source(const CommObject& comm, int rank) {
    const bool fine = static_cast<unsigned>(rank) < static_cast<unsigned>(peers(comm));
    return fine || rank == MPI_PROC_NULL || rank == MPI_ANY_SOURCE ? MPI_SUCCESS
                                                                   : bad_rank(comm, rank, true);
  }
  int send_tag(int tag) { return tag >= 0 ? MPI_SUCCESS : bad_tag(tag); }
  int receive_tag(int tag) { return tag >= 0 || tag == MPI_ANY_TAG ? MPI_SUCCESS : bad_tag(tag); }
  int root(const CommObject& comm, int root);
  /// The target of an operation: a rank of a window of so many members, or MPI_PROC_NULL.
  int target(int members, int rank, const char* argument = "target_rank") {
    const bool fine = static_cast<unsigned>(rank) < static_cast<unsigned>(members);
    return fine || rank == MPI_PROC_NULL ? MPI_SUCCESS : bad_target(members, rank, argument);
  }
  /// What a synchronization call asserts: bits of `known` (MPI-5.0, section 12.5.5).
  int assertion(int assertion, int known) {
    return (assertion & ~known) == 0 ? MPI_SUCCESS : bad_assertion(assertion, known);
  }
  /// Bytes of a window's memory.
  int window_bytes(MPI_Aint bytes);

  /// MPI_BOTTOM and MPI_IN_PLACE are no addresses of data.
  static bool is_special(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) <=
           reinterpret_cast<std::uintptr_t>(MPI_IN_PLACE);
  }

 protected:
  using CallErrors::CallErrors;

  /// Whether the user has switched the checks off (see check_arguments_param).
  [[nodiscard, gnu::cold]] bool unchecked() const;

 private:
  static int peers(const CommObject& comm) { return comm.core.peers().size(); }
  [[gnu::cold]] int bad_pointer(const char* argument);
  [[gnu::cold]] int bad_count(MPI_Count count, const char* argument);
  [[gnu::cold]] int bad_rank(const CommObject& comm, int rank, bool receive);
  [[gnu::cold]] int bad_tag(int tag);
  [[gnu::cold]] int bad_target(int members, int rank, const char* argument);
  [[gnu::cold]] int bad_assertion(int assertion, int known);
};

}  // namespace remit
