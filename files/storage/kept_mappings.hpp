// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Mappings of a file that stay from one transfer to the next.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "files/storage/file_system.hpp"
#include "runtime/os/os.hpp"

namespace remit {

/// A part of a file that is mapped.
struct MappedExtent {
  static constexpr std::int64_t kBytes = std::int64_t{32} << 20;

  shm::Mapping memory;      ///< kBytes of it, of which the file need not have all
  std::int64_t offset = 0;  ///< in the file, a multiple of kBytes
  /// Pages that this process has asked for; the kernel may have taken them back.
  std::array<std::atomic<bool>, static_cast<std::size_t>(kBytes / kFilePage)> given_out{};
};

/// The parts of one file that were mapped last. They are kept because the time that a store takes
/// is that of its page's first fault, and a page of a new mapping faults again. So that they do not
/// grow with the file, one is given up for another. What the kernel does to a file it does to its
/// mappings: nothing need be given up when a file is made shorter or written back. Any thread.
class KeptMappings {
 public:
  using Extent = std::shared_ptr<MappedExtent>;

  /// The one that has a byte of the file. `is_writable` is the same in each call. Null: it cannot
  /// be mapped. Throws std::bad_alloc. The mutex is not held while the kernel maps or unmaps.
  [[nodiscard]] Extent get(int fd, std::int64_t offset, bool is_writable);
  /// Keeps none any more.
  void clear();

 private:
  static constexpr std::size_t kMost = 8;

  std::mutex mutex_;
  std::array<Extent, kMost> kept_;
};

}  // namespace remit
