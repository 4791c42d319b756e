// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// external32, the data representation that all MPI libraries and machines share (MPI-5.0, 14.5.2).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "runtime/error.hpp"

namespace remit {

struct External32Part;

/// The elements of a datatype in external32, of buffers that are converted part by part. Immutable;
/// any thread.
class External32 {
 public:
  explicit External32(const Datatype& datatype);

  /// Bytes of one element; -1: more than 63 bits can say, and then nothing can be converted in
  /// parts.
  [[nodiscard]] MPI_Count size() const;

  /// Converts the elements of `view`, which are of the datatype, from their external byte `from`
  /// on, with which a number begins, into `out`: as many whole numbers as fit. Returns the bytes.
  /// MPI_ERR_CONVERSION if external32 has too few bytes for a value (it has 4 for MPI_LONG, 2 for
  /// MPI_WCHAR); `out` is then undefined.
  [[nodiscard]] Expected<std::size_t> pack(const View& view, MPI_Count from,
                                           std::span<std::byte> out) const;
  /// The inverse: as many whole numbers as `in` has. Returns their bytes.
  std::size_t unpack(const View& view, MPI_Count from, std::span<const std::byte> in) const;

 private:
  std::shared_ptr<const External32Part> one_;  ///< null: no bytes
};

/// Bytes of `count` elements in external32. MPI_ERR_COUNT where 63 bits cannot say it.
[[nodiscard]] Expected<MPI_Count> external32_size(MPI_Count count, const Datatype& datatype);

/// Converts all elements of `view`, which are of `datatype`, into `out`: external32_size() bytes.
/// Errors as of External32::pack().
[[nodiscard]] Expected<> pack_external32(const View& view, const Datatype& datatype,
                                         std::span<std::byte> out);

/// The inverse; `in` is external32_size() bytes.
void unpack_external32(const View& view, const Datatype& datatype, std::span<const std::byte> in);

}  // namespace remit
