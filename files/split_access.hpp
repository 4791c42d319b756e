// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A split collective access, between its begin and its end (MPI-5.0, section 14.4.5).
#pragma once

#include <memory>

#include "datatype/datatype.hpp"
#include "datatype/ref.hpp"
#include "files/file_operation.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// An operation without a request of the program's. A file has one at most.
struct SplitAccess {
  /// `begun_by`: the MPI function, whose end has to follow. `type`: that of the memory.
  SplitAccess(const char* own_begun_by, const void* own_buffer, const Datatype& own_type,
              std::shared_ptr<File> file, DataAccess access)
      : begun_by(own_begun_by),
        buffer(own_buffer),
        type(&own_type),
        operation(std::move(file), std::move(access), true, done) {}

  const char* begun_by;  ///< a constant
  const void* buffer;    ///< which is to be given to the end, too
  Ref<const Datatype> type;
  Request done{RequestKind::collective};
  FileOperation operation;
};

}  // namespace remit
