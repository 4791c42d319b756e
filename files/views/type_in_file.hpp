// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Datatypes as they lie in files whose predefined types have other sizes than in memory.
#pragma once

#include <cstdint>
#include <functional>

#include "datatype/datatype.hpp"
#include "datatype/ref.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Bytes of a predefined type that is no pair in a file.
using SizeInFile = std::function<Expected<std::int64_t>(const Datatype&)>;

struct TypeInFile {
  Ref<const Datatype> type;
  /// True if all predefined types are as many bytes as in memory.
  bool has_memory_sizes = true;
};

/// The datatype whose elements are what a file has of those of `datatype` (MPI-5.0, section 14.5):
/// made by the same constructors of predefined types of other sizes, without alignment. So
/// displacements in elements are scaled, those in bytes are as they were given. Packed bytes are
/// those of the elements, one behind the other; basic elements are as many. Pairs are a value and
/// an index without a gap. Each type in it is looked at once. Errors: those of `size`,
/// MPI_ERR_ARG if 63 bits do not suffice. The thread that holds the MPI process.
[[nodiscard]] Expected<TypeInFile> make_type_in_file(const Datatype& datatype,
                                                     const SizeInFile& size);

}  // namespace remit
