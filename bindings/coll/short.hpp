// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking collectives of a few bytes on a communicator that has a board: the fast path. What is
// out of the ordinary, and what is wrong, is left to the general form (call.hpp).
#pragma once

#include "bindings/coll/call.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "collectives/board/board.hpp"
#include "collectives/board/board_short.hpp"

namespace remit {

/// A communicator, and the lines of its board on which a call takes its short form; null: it does
/// not, and is left to the general form.
struct ShortPath {
  CommObject* comm = nullptr;
  BoardLines* lines = nullptr;
  explicit operator bool() const { return lines != nullptr; }
};

/// Whether a plain operation on so many bytes takes its short form, and has nothing else to do.
[[nodiscard, gnu::always_inline]] inline ShortPath short_path_of(const Entry& entry, MPI_Comm comm,
                                                                 CollectiveKind kind,
                                                                 std::size_t bytes) {
  CommObject* object = entry.instance().comm(comm);
  if (object == nullptr) return {};
  return {object, short_path(object->core, kind, bytes)};
}

[[nodiscard]] inline bool is_member(const CommObject& comm, int rank) {
  return static_cast<unsigned>(rank) < static_cast<unsigned>(comm.core.size());
}

/// Bytes of a plain buffer that fit a line of a board, or 0.
[[nodiscard, gnu::always_inline]] inline std::size_t short_bytes(const Entry& entry,
                                                                 const void* buffer,
                                                                 MPI_Count count,
                                                                 MPI_Datatype type) {
  if (Entry::is_special(buffer)) return 0;
  const std::size_t bytes =
      static_cast<std::size_t>(count) * entry.instance().plain.bytes(count, type);
  return bytes <= BoardSegment::kInline ? bytes : 0;
}

/// Bytes of a plain send and a plain receive buffer that are as long as each other and not one, if
/// they fit a line of a board; else 0.
[[nodiscard, gnu::always_inline]] inline std::size_t short_bytes_of_both(
    const Entry& entry, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
    const void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype) {
  const std::size_t bytes = short_bytes(entry, recvbuf, recvcount, recvtype);
  const bool same = sendbuf != recvbuf && bytes == short_bytes(entry, sendbuf, sendcount, sendtype);
  return same ? bytes : 0;
}

/// Runs `operation(lines, subject)` to its end.
template <class Operation>
int run_short(Entry& entry, const ShortPath& path, CollectiveKind kind, Operation operation) {
  CommObject& comm = *path.comm;
  entry.raise_on(comm);
  const CollectiveWait subject(entry, comm, kind);
  ++comm.core.collective_sequence;
  return end_blocking(entry, comm, operation(*path.lines, &subject));
}

/// The arguments of a reduction whose operation and type are predefined and whose vector fits a
/// line; its kernel is null else. `has_result`: recvbuf has a meaning here.
[[nodiscard, gnu::always_inline]] inline ShortVector short_vector(Entry& entry, const void* sendbuf,
                                                                  void* recvbuf, MPI_Count count,
                                                                  MPI_Datatype type, MPI_Op op,
                                                                  bool has_result) {
  ShortVector v;
  v.mine = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  v.result = recvbuf;
  v.bytes = short_bytes(entry, v.mine, count, type);
  v.elements = static_cast<std::size_t>(count);
  if (v.bytes == 0 || sendbuf == recvbuf || (has_result && Entry::is_special(recvbuf)) ||
      (sendbuf == MPI_IN_PLACE && !has_result)) {
    return v;
  }
  v.kernel = entry.instance().plain.kernel(op, type);
  return v;
}

}  // namespace remit
