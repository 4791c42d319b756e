// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// choice_buffer.hpp: buffers of Fortran calls, as C's calls take them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/fortran/descriptor.hpp"
#include "bindings/fortran/raise.hpp"
#include "mpi.h"

namespace remit::fortran {

struct BufferBlock;
struct BufferState;
class Row;
class Section;

/// What a call does with a buffer. A buffer that is written may be read, too (MPI_IN_PLACE).
enum class Access { read, write };

/// For how many processes a buffer has blocks: asked for only when it is a section.
struct Peers {
  enum class Kind {
    members,       ///< of the remote group, or of the communicator that has none
    sources,       ///< of a neighborhood collective: what it receives
    destinations,  ///< what it sends
  };
  MPI_Comm comm;
  Kind kind = Kind::members;

  [[nodiscard]] MPI_Count count() const;
};

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
  /// A buffer of `count` elements: sends, receives, a root's send buffer, RMA, files, MPI_Pack.
  ChoiceBuffer(const Descriptor& buf, void* address, MPI_Count count, MPI_Datatype type)
      : address_(address), count_(count), type_(type) {
    if (is_section(buf)) [[unlikely]]
      lay_over(buf);
  }

  /// A block of `count` elements for each peer: what MPI_Gather, MPI_Allgather and MPI_Alltoall
  /// receive and what MPI_Scatter and MPI_Alltoall send.
  static ChoiceBuffer blocks(const Descriptor& buf, void* address, MPI_Count count,
                             MPI_Datatype type, Peers peers, Access access) {
    ChoiceBuffer made(address, count, type);
    if (made.is_section(buf)) [[unlikely]]
      made.lay_blocks(buf, peers, access);
    return made;
  }

  /// MPI_Psend_init and MPI_Precv_init: `partitions` blocks of `count` elements.
  static ChoiceBuffer partitions(const Descriptor& buf, void* address, MPI_Count partitions,
                                 MPI_Count count, MPI_Datatype type) {
    ChoiceBuffer made(address, count, type);
    if (made.is_section(buf)) [[unlikely]]
      made.lay_partitions(buf, partitions);
    return made;
  }

  /// A buffer of a reduction: MPI_Reduce, MPI_Allreduce, MPI_Scan, MPI_Exscan, MPI_Reduce_local.
  static ChoiceBuffer reduced(const Descriptor& buf, void* address, MPI_Count count,
                              MPI_Datatype type, Access access) {
    ChoiceBuffer made(address, count, type);
    if (made.is_section(buf)) [[unlikely]]
      made.stage(buf, count, access);
    return made;
  }

  /// A buffer of MPI_Reduce_scatter_block (`count` elements a member), and of its relatives.
  static ChoiceBuffer reduced_blocks(const Descriptor& buf, void* address, MPI_Count count,
                                     MPI_Datatype type, MPI_Comm comm, Access access) {
    ChoiceBuffer made(address, count, type);
    if (made.is_section(buf)) [[unlikely]]
      made.stage_scattered(buf, comm, access);
    return made;
  }

  /// A buffer of MPI_Reduce_scatter (counts[i] elements for member i), and of its relatives. Count
  /// is int or MPI_Count.
  template <class Count>
  static ChoiceBuffer reduced_varying(const Descriptor& buf, void* address, const Count* counts,
                                      MPI_Datatype type, MPI_Comm comm, Access access) {
    ChoiceBuffer made(address, 0, type);
    if (made.is_section(buf)) [[unlikely]]
      made.stage_scattered(buf, counts, comm, access);
    return made;
  }

  /// Of peer i: counts[i] elements, displs[i] elements from the start: MPI_Gatherv and the other v
  /// collectives. (int, int) or (MPI_Count, MPI_Aint).
  template <class Count, class Displacement>
  static ChoiceBuffer varying(const Descriptor& buf, void* address, const Count* counts,
                              const Displacement* displs, MPI_Datatype type, Peers peers,
                              Access access) {
    ChoiceBuffer made(address, 0, type);
    if (made.is_section(buf)) [[unlikely]]
      made.lay_varying(buf, counts, displs, peers, access);
    return made;
  }

  /// Of peer i: counts[i] elements of types[i], displs[i] *bytes* from the start, as the standard
  /// has it: MPI_Alltoallw, MPI_Neighbor_alltoallw. (int, int), (int, MPI_Aint) or
  /// (MPI_Count, MPI_Aint).
  template <class Count, class Displacement>
  static ChoiceBuffer varying_types(const Descriptor& buf, void* address, const Count* counts,
                                    const Displacement* displs, const MPI_Datatype* types,
                                    Peers peers, Access access) {
    ChoiceBuffer made(address, 0, MPI_BYTE);
    if (made.is_section(buf)) [[unlikely]] {
      made.stage_types(buf, counts, displs, types, peers, access);
    }
    return made;
  }

  /// Packed data, `size` bytes: outbuf of MPI_Pack, inbuf of MPI_Unpack and of the _external ones.
  static ChoiceBuffer packed(const Descriptor& buf, void* address, MPI_Count size, Access access) {
    ChoiceBuffer made(address, size, MPI_BYTE);
    if (made.is_section(buf)) [[unlikely]]
      made.stage(buf, size, access);
    return made;
  }

  /// Memory that MPI keeps: MPI_Win_create, MPI_Win_attach, MPI_Buffer_attach and their relatives.
  /// A section that is not contiguous is an error.
  static ChoiceBuffer memory(const Descriptor& buf, void* address) {
    ChoiceBuffer made(address, 0, MPI_BYTE);
    if (made.is_section(buf)) [[unlikely]]
      made.refuse_section(buf);
    return made;
  }

  ~ChoiceBuffer() {
    if (state_ != nullptr) [[unlikely]]
      release();
  }
  ChoiceBuffer(ChoiceBuffer&& other) noexcept
      : address_(other.address_),
        count_(other.count_),
        type_(other.type_),
        state_(std::exchange(other.state_, nullptr)) {}
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
  ChoiceBuffer(void* address, MPI_Count count, MPI_Datatype type)
      : address_(address), count_(count), type_(type) {}

  [[nodiscard]] bool is_section(const Descriptor& buf) const {
    return !buf.is_plainly_contiguous() && address_ == buf.base_addr;
  }
  BufferState& state();
  [[nodiscard]] bool failed() const;
  void release();
  void keep_state(MPI_Request request, bool persistent);
  void fail(int error_class, std::string words);
  template <class Step>
  void guarded(Step step);
  bool take_type(const Section& section, MPI_Count per_run, MPI_Aint extent);
  void take_row(std::unique_ptr<Row> row);

  void lay_over(const Descriptor& buf);
  void lay_blocks(const Descriptor& buf, Peers peers, Access access);
  void lay_partitions(const Descriptor& buf, MPI_Count partitions);
  /// False: one would have to copy, and `fallback` does not say how. The errors are noted.
  bool lay_equal(const Descriptor& buf, MPI_Count blocks, const Access* fallback);
  template <class Count, class Displacement>
  void lay_varying(const Descriptor& buf, const Count* counts, const Displacement* displs,
                   Peers peers, Access access);
  void stage(const Descriptor& buf, MPI_Count count, Access access);
  void stage_parts(const Descriptor& buf, MPI_Count read, MPI_Count written, Access access);
  void stage_scattered(const Descriptor& buf, MPI_Comm comm, Access access);
  template <class Count>
  void stage_scattered(const Descriptor& buf, const Count* counts, MPI_Comm comm, Access access);
  template <class Count, class Displacement>
  void stage_types(const Descriptor& buf, const Count* counts, const Displacement* displs,
                   const MPI_Datatype* types, Peers peers, Access access);
  void stage_blocks(const Descriptor& buf, const std::vector<BufferBlock>& blocks, Access access,
                    bool one_type);
  void refuse_section(const Descriptor& buf);

  void* address_;
  MPI_Count count_;
  MPI_Datatype type_;
  BufferState* state_ = nullptr;  ///< of a section only
};

}  // namespace remit::fortran
