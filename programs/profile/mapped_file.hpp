// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Files that are one structure of the recorder's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/error.hpp"

namespace remit::profiles {

/// Maps a file of exactly so many bytes, for reading. No copy: what a process that still runs
/// stores is seen here. The error names the file and says that it is no `what` of this version.
[[nodiscard]] Expected<std::shared_ptr<const void>> map_whole_file(const std::string& path,
                                                                   std::size_t bytes,
                                                                   const char* what);

/// The same as the structure that it is; what is in it is for the caller to check.
template <class Structure>
[[nodiscard]] Expected<std::shared_ptr<const Structure>> map_as(const std::string& path,
                                                                const char* what) {
  Expected<std::shared_ptr<const void>> mapped = map_whole_file(path, sizeof(Structure), what);
  if (!mapped) return tl::unexpected(std::move(mapped.error()));
  return std::static_pointer_cast<const Structure>(std::move(*mapped));
}

}  // namespace remit::profiles
