// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The arguments of each kind of operation on a window (MPI-5.0, section 12.3). The checks return
// what the MPI function is to return.
#pragma once

#include "bindings/rma/operation.hpp"

namespace remit {

enum class Move : std::uint8_t { put, get };

/// The checked arguments of a transfer.
struct MoveArgs : OperationArgs {
  View origin{};
  const Datatype* origin_type = nullptr;
};

/// What arrives must fit, and may be less: then less is copied.
[[nodiscard]] int check_move(Entry& entry, Move move, const OriginBuffer& origin,
                             const TargetPlace& place, MPI_Win win, MoveArgs& out);

/// Starts it.
template <Move move>
[[nodiscard]] Expected<> start_move(const MoveArgs& args, Request* done) {
  WindowOperations& operations = args.window().operations();
  return move == Move::put ? operations.put(args.origin, args.target, done)
                           : operations.get(args.origin, args.target, done);
}

/// The checked arguments of an accumulate.
struct AccumulateArgs : OperationArgs {
  const Op* op = nullptr;
  View origin{};
  const Datatype* origin_type = nullptr;  ///< null: MPI_NO_OP, nothing comes from the origin
  View result{};
  const Datatype* result_type = nullptr;  ///< null: nobody wants the result

  [[nodiscard]] const View* origin_or_null() const {
    return origin_type != nullptr ? &origin : nullptr;
  }
  [[nodiscard]] const View* result_or_null() const {
    return result_type != nullptr ? &result : nullptr;
  }
  /// No element on any side, so that it does not matter what they are.
  [[nodiscard]] bool is_empty() const {
    return target_bytes() == 0 && (origin_type == nullptr || origin.size() == 0) &&
           (result_type == nullptr || result.size() == 0);
  }
};

/// `result` is null where nobody wants it.
[[nodiscard]] int check_accumulate(Entry& entry, const OriginBuffer& origin,
                                   const OriginBuffer* result, const TargetPlace& place, MPI_Op op,
                                   MPI_Win win, AccumulateArgs& out);

/// A predefined operation; MPI_NO_OP only where there is a result.
[[nodiscard]] int check_accumulate_op(Entry& entry, MPI_Op handle, bool with_result,
                                      const Op*& out);

/// Window and target of an operation on one element of a predefined type.
[[nodiscard]] int check_single(Entry& entry, MPI_Datatype datatype, int rank, MPI_Aint displacement,
                               MPI_Win win, OperationArgs& out);
/// The address of one element of this process.
[[nodiscard]] inline int check_single_buffer(Entry& entry, const void* address, MPI_Datatype type) {
  if (!Entry::is_special(address)) [[likely]]
    return MPI_SUCCESS;
  View ignored{};
  return entry.buffer(address, 1, type, ignored);
}

/// A predefined type, also one that MPI_Type_create_f90_integer and its like return.
[[nodiscard]] int check_element_type(Entry& entry, MPI_Datatype handle, const Datatype*& out);

}  // namespace remit
