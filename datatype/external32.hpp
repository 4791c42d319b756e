// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// external32, the data representation that all MPI libraries and machines share (MPI-5.0, 14.5.2).
#pragma once

#include <cstddef>
#include <span>

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Bytes of `count` elements in external32. MPI_ERR_COUNT where 63 bits cannot say it.
[[nodiscard]] Expected<MPI_Count> external32_size(MPI_Count count, const Datatype& datatype);

/// Converts the elements of `view`, which are of `datatype`, into `out`: external32_size() bytes.
/// MPI_ERR_CONVERSION if external32 has too few bytes for a value (it has 4 for MPI_LONG, 2 for
/// MPI_WCHAR); `out` is then undefined.
[[nodiscard]] Expected<> pack_external32(const View& view, const Datatype& datatype,
                                         std::span<std::byte> out);

/// The inverse; `in` is external32_size() bytes.
void unpack_external32(const View& view, const Datatype& datatype, std::span<const std::byte> in);

}  // namespace remit
