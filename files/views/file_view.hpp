// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which bytes of a file a process sees, and in which order (MPI-5.0, section 14.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "runtime/error.hpp"

namespace remit {

class DataRepresentation;

/// Bytes [offset, offset + length) of a file.
struct FileRun {
  std::int64_t offset = 0;
  std::int64_t length = 0;

  friend bool operator==(const FileRun&, const FileRun&) = default;
};

/// A view of a file: from `displacement` on the filetype repeats, an extent apart, and the view's
/// bytes are those of these tiles, in the order of their type maps. A view is the layout of the
/// filetype, and the file's addresses are memory to it: nothing is flattened, a view of millions
/// of blocks is as small as the datatype.
///
/// Bytes and types are those in the file: where the data representation has other sizes than
/// memory has, the view is made of other layouts than the types' own.
///
/// Immutable; cheap to copy (copies share everything). All that is const may be called by any
/// thread. A copy holds references to its types, which are not counted atomically: views are made,
/// copied and end in the thread that holds the MPI process; other threads get a reference.
class FileView {
 public:
  /// All bytes from the beginning of the file on.
  FileView();

  /// A view in the native representation. MPI_ERR_ARG and MPI_ERR_TYPE, with words that name the
  /// argument and the remedy, for what section 14.3 forbids: types that are not committed,
  /// displacements that are negative or decrease, a filetype that is not made of whole etypes, with
  /// holes that are multiples of their extent, bytes that a filetype has twice where the file is
  /// open for writing (`writable`), and places beyond 2^63 - 1. Where single elements of mixed
  /// sizes overlap, their order inside one run of bytes is not looked at.
  [[nodiscard]] static Expected<FileView> make(std::int64_t displacement, const Datatype& etype,
                                               const Datatype& filetype, bool writable);
  /// The same in any representation: displacements of portable types (section 2.4) are scaled to
  /// the sizes in the file, those in bytes are taken as they are (section 14.5).
  [[nodiscard]] static Expected<FileView> make(std::int64_t displacement, const Datatype& etype,
                                               const Datatype& filetype, bool writable,
                                               const DataRepresentation& representation);

  [[nodiscard]] std::int64_t displacement() const;
  /// As the program gave them.
  [[nodiscard]] const Datatype& etype() const;
  [[nodiscard]] const Datatype& filetype() const;
  /// Bytes of an etype in the file; 1 where the etype has none, so that it can divide.
  [[nodiscard]] std::int64_t etype_size() const;

  /// True if the filetype has no bytes: nothing can be read or written.
  [[nodiscard]] bool is_empty() const;
  /// True if all bytes are one run of the file, which begins at file_offset(0).
  [[nodiscard]] bool is_contiguous() const;
  /// True if offsets in the file ascend with the bytes of the view. False where a filetype has
  /// bytes twice, or where an extent below the true extent lets tiles interleave.
  [[nodiscard]] bool is_ordered() const;
  /// Mean length of the runs of a tile, for choosing how to transfer.
  [[nodiscard]] std::int64_t mean_run() const;

  /// The view's bytes that have an offset below 2^63; 0 if the view is empty.
  [[nodiscard]] std::int64_t bytes() const;
  /// The view's byte where the etype of number `etypes` begins. MPI_ERR_ARG if that is negative or
  /// not below bytes(). (An empty view has the position 0 alone.)
  [[nodiscard]] Expected<std::int64_t> byte_of(std::int64_t etypes) const;
  /// MPI_ERR_ARG if the view has no bytes [from, from + bytes), with words. Nothing is always
  /// there. Who transfers has asked; the functions below need it to be so.
  [[nodiscard]] Expected<> require(std::int64_t from, std::int64_t bytes) const;

  /// Where a byte of the view lies in the file, in O(depth of the filetype + log n). Of an empty
  /// view the displacement; INT64_MAX for what is not below bytes().
  [[nodiscard]] std::int64_t file_offset(std::int64_t view_byte) const;
  /// How many of the view's bytes lie below an offset of the file, in O(depth + log n). Ordered
  /// views only.
  [[nodiscard]] std::int64_t bytes_below(std::int64_t file_offset) const;
  /// The end of a file of so many bytes, in etypes: the first in the order of the view that begins
  /// at or behind it. 0 for an empty view.
  [[nodiscard]] std::int64_t seek_end(std::int64_t file_size) const;

  /// Runs of the file from byte `from` of the view on, in the view's order, neighbours merged: as
  /// many as fit `out`, at most `bytes` bytes. Returns how many; `taken` is what they hold.
  std::size_t runs(std::int64_t from, std::int64_t bytes, std::span<FileRun> out,
                   std::int64_t* taken) const;
  /// The part of the file from the lowest to the highest of bytes [from, from + bytes); of length
  /// 0 for none. May be longer where the filetype has bytes twice.
  [[nodiscard]] FileRun span(std::int64_t from, std::int64_t bytes) const;

  /// The view as a message buffer, in a memory where byte 0 of the file would be at `file_begin`
  /// (which may lie outside of any memory: window - offset of the window). Packed bytes [from, to)
  /// are the view's. Refers to the layout that this view and its copies share.
  [[nodiscard]] View in_memory(std::uintptr_t file_begin) const;

 private:
  struct Parts;

  explicit FileView(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

}  // namespace remit
