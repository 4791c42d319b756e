// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Stores into a mapping of a file, and loads out of it, of which a fault of the mapping is an error
// and not the end.
#pragma once

#include <sys/uio.h>

#include <csignal>
#include <cstddef>
#include <span>

namespace remit {

/// While one of them lives, the thread that made it may use mappings of files whose pages
/// somebody else can take away (a file is made shorter) or for which there may be no room: what the
/// kernel tells by SIGBUS ends the copy then. Faults of others go to whoever handled the signal
/// before, and that is so again when the last one is gone. Any thread; made and destroyed by one.
class MappedStores {
 public:
  MappedStores();
  ~MappedStores();
  MappedStores(const MappedStores&) = delete;
  MappedStores& operator=(const MappedStores&) = delete;

  /// Copies bytes that follow each other to `targets`, which lie in `mapping`. False: not all could
  /// be stored; some may have been.
  [[nodiscard]] bool copy(std::span<const std::byte> mapping, std::span<const iovec> targets,
                          const std::byte* from) const;
  /// The reverse.
  [[nodiscard]] bool copy_back(std::span<const std::byte> mapping, std::span<const iovec> sources,
                               std::byte* to) const;

 private:
  template <class Copy>
  bool guarded(std::span<const std::byte> mapping, Copy copy) const;

  bool counts_ = false;   ///< among those for whom the signal is handled
  bool handles_ = false;  ///< else nothing is stored
  sigset_t before_ = {};  ///< what the thread has blocked
};

}  // namespace remit
