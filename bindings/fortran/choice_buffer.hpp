// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// choice_buffer.hpp: buffers of Fortran calls, as C's calls take them.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/fortran/descriptor.hpp"
#include "bindings/fortran/peers.hpp"
#include "bindings/fortran/raise.hpp"
#include "mpi.h"

namespace remit::fortran {

struct BufferBlock;
struct BufferState;
class Section;
struct TypeRoom;

/// What a call does with a buffer. A buffer that is written may be read, too (MPI_IN_PLACE).
enum class Access { read, write };

// What a buffer is to its call, beside (buf, count, datatype).

/// `count` elements: sends, receives, a root's send buffer, RMA, files, MPI_Pack.
struct Elements {};
/// A block of `count` elements for each peer: what MPI_Gather, MPI_Allgather and MPI_Alltoall
/// receive and what MPI_Scatter and MPI_Alltoall send.
struct Blocks {
  Peers peers;
  Access access;
};
/// MPI_Psend_init and MPI_Precv_init: so many blocks of `count` elements.
struct Partitions {
  MPI_Count partitions;
};
/// `count` elements that are no message: reductions, and packed data as MPI_BYTE.
struct Operand {
  Access access;
};
/// Counts or displacements of a call: int, MPI_Count or MPI_Aint.
class Numbers {
 public:
  template <class Integer>
  Numbers(const Integer* at) : at_(at), are_ints_(sizeof(Integer) == sizeof(int)) {}
  [[nodiscard]] bool are_given() const { return at_ != nullptr; }
  MPI_Count operator[](std::size_t i) const {
    return are_ints_ ? static_cast<const int*>(at_)[i] : static_cast<const MPI_Count*>(at_)[i];
  }

 private:
  const void* at_;
  bool are_ints_;
};
/// MPI_Reduce_scatter and its relatives: counts[i] elements for member i; MPI_Reduce_scatter_block
/// without counts: `count` for each.
struct ScatteredOperand {
  Numbers counts;
  MPI_Comm comm;
  Access access;
  bool whole;  ///< those of all members are in it, not this member's alone
};
/// Of peer i: counts[i] elements of types[i], displs[i] *bytes* from the start, as the standard has
/// it for MPI_Alltoallw; without types displs[i] elements of the buffer's datatype.
struct VaryingBlocks {
  Numbers counts;
  Numbers displs;
  const MPI_Datatype* types;
  Peers peers;
  Access access;
};
/// Memory that MPI keeps: MPI_Win_create, MPI_Win_attach, MPI_Buffer_attach and their relatives. A
/// section that is not contiguous is an error.
struct Memory {};

using BufferUse =
    std::variant<Elements, Blocks, Partitions, Operand, ScatteredOperand, VaryingBlocks, Memory>;

/// A buffer of a Fortran call, (buf, count, datatype), turned into what the C function takes. The
/// meaning is that of the standard: the elements of the array section `buf`, in array element
/// order, as if they lay one behind the other; `count` and `datatype` apply to that. A whole array
/// costs a comparison a dimension. A section becomes a datatype over its place in memory, wherever
/// one can say it: then nothing is copied. Where it cannot (reductions, many v- and w-collectives),
/// the part that the call uses is copied to memory in a row, and copied back.
///
/// Make one for each buffer, return raise() if !ok(), call the C function with address(),
/// count() and type(), and let it go out of scope: then what was written is copied back. After a
/// call that gives a request call keep_until(request, persistent) before. Counts and displacements
/// that are arrays are handed to C as they are.
///
/// `address` is what the sentinels make of buf's base address. If it is another one (MPI_BOTTOM,
/// MPI_IN_PLACE), it is handed on with count and datatype. Buffers that are not significant on
/// this rank are passed in the same way: with any other address, for instance nullptr.
class ChoiceBuffer {
 public:
  template <class Use = Elements>
  [[gnu::always_inline]] ChoiceBuffer(const Descriptor& buf, void* address, MPI_Count count,
                                      MPI_Datatype type, const Use& use = {})
      : address_(address), count_(count), type_(type) {
    if (!buf.is_plainly_contiguous() && address == buf.base_addr) [[unlikely]]
      lay(buf, BufferUse(use));
  }
  ~ChoiceBuffer() {
    if (state_ != nullptr) [[unlikely]]
      release();
  }
  ChoiceBuffer(const ChoiceBuffer&) = delete;
  ChoiceBuffer& operator=(const ChoiceBuffer&) = delete;

  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] MPI_Count count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

  /// Whether C's function may be called.
  [[nodiscard]] bool ok() const { return state_ == nullptr || !failed(); }
  /// Tells the error that !ok() means, as fortran::raise() does. `argument` is the buffer's name.
  [[nodiscard]] int raise(const Subject& subject, const char* function, const char* argument) const;

  /// The operation goes on after the call: what it uses is kept until `request` is done.
  void keep_until(MPI_Request request, bool persistent) {
    if (state_ != nullptr) [[unlikely]]
      keep_state(request, persistent);
  }

 private:
  BufferState& state();
  [[nodiscard]] bool failed() const;
  void release();
  void keep_state(MPI_Request request, bool persistent);
  void fail(int error_class, std::string words);

  void lay(const Descriptor& buf, const BufferUse& use);
  void lay_as(const Descriptor& buf, Elements use);
  void lay_as(const Descriptor& buf, Blocks use);
  void lay_as(const Descriptor& buf, Partitions use);
  void lay_as(const Descriptor& buf, Operand use);
  void lay_as(const Descriptor& buf, const ScatteredOperand& use);
  void lay_as(const Descriptor& buf, const VaryingBlocks& use);
  void lay_as(const Descriptor& buf, Memory use);
  /// False: one would have to copy, and `fallback` does not say how. The errors are noted.
  bool lay_equal(const Descriptor& buf, MPI_Count blocks, const Access* fallback);
  void stage(const Descriptor& buf, MPI_Count read, MPI_Count written, Access access);
  bool reaches_outside(const Section& section, const BufferBlock& block, const TypeRoom& room,
                       const std::string& which);
  void take_type(const Section& section, MPI_Count per_run, MPI_Aint extent);
  void take_row(const Section& section, MPI_Count bytes, const std::vector<BufferBlock>& read,
                const std::vector<BufferBlock>& written);

  void* address_;
  MPI_Count count_;
  MPI_Datatype type_;
  BufferState* state_ = nullptr;  ///< of a section only
};

}  // namespace remit::fortran
