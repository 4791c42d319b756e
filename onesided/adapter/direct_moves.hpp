// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Puts and gets of windows that a device makes by itself, without the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "links/links.hpp"
#include "links/offered_memory.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// Bytes from which they are worth the registration of the origin's memory.
inline constexpr std::size_t kDirectFrom = 8192;

/// Those of all windows of a process that are under way, by their cookies. The thread that drives
/// the links.
class DirectMoves {
 public:
  DirectMoves(Progress& progress, Links& links) : progress_(progress), links_(links) {}

  /// Contiguous bytes of this process and of memory that a target has offered.
  struct Move {
    OpKind kind = OpKind::put;
    std::uint32_t window = 0;
    ProcId proc{};
    std::byte* local = nullptr;
    std::size_t bytes = 0;
    std::span<const std::byte> keys;  ///< the target's
    std::uint64_t offset = 0;         ///< in its memory
    Request* done = nullptr;          ///< completed with the move
  };
  /// Whether the device that the process is reached by moves data in that direction.
  [[nodiscard]] bool can(OpKind kind, ProcId proc) const;
  /// Starts a move. False: the device cannot make it, and nothing was done.
  [[nodiscard]] bool start(const Move& move);
  /// Starts what ends when all puts to the process that were started before are visible there.
  void confirm(std::uint32_t window, ProcId proc);

  /// What has ended.
  struct Ended {
    std::uint32_t window = 0;
    ProcId proc{};
    int status = MPI_SUCCESS;  ///< or an MPI error class
  };
  /// One of its operations has (LinkUser::completed). None: others of it have not.
  [[nodiscard]] std::optional<Ended> completed(std::uint64_t value, int status);

 private:
  struct UnderWay {
    Ended end;
    MemoryLease lease;  ///< of the memory here
    Request* done = nullptr;
    std::uint32_t left = 0;  ///< operations that have not ended
  };

  Progress& progress_;
  Links& links_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, UnderWay> under_way_;
};

}  // namespace remit
