// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Puts and gets of windows that a device makes by itself, without the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "links/links.hpp"
#include "onesided/adapter/put_notice.hpp"
#include "onesided/tally.hpp"
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
    std::byte* local = nullptr;
    std::size_t bytes = 0;
    RemoteAddress remote;     ///< for the device of the link
    Request* done = nullptr;  ///< completed with the move
    PutNotice notice = {};    ///< of a put by a device that keeps order, behind all its bytes
  };
  /// Whether the device of a link moves data in that direction.
  [[nodiscard]] static bool can(OpKind kind, const Link& link) {
    const Caps& caps = link.device->device->caps();
    return kind == OpKind::put ? caps.has_put : caps.has_get;
  }
  /// What has become of a move: the device cannot make it, it has been started without its notice,
  /// or with all.
  enum class Started : std::uint8_t { no, without_notice, whole };
  /// Starts a move, which `tally` counts as one operation.
  [[nodiscard]] Started start(Link& link, const Move& move, Tally& tally);
  /// Starts what ends when all puts to the process that were started before are visible there.
  void confirm(ProcId proc, Tally& tally);

  /// One of its operations has ended (LinkUser::completed).
  void completed(std::uint64_t value, int status);

 private:
  struct UnderWay {
    Tallied tallied;
    int status = MPI_SUCCESS;
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
