// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Short and scattered puts and gets by a device that needs nothing of the target's processor.
#pragma once

#include <cstdint>
#include <span>

#include "datatype/layout.hpp"
#include "onesided/adapter/adapter_port.hpp"
#include "onesided/elements/runs.hpp"
#include "onesided/tally.hpp"
#include "pt2pt/request.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// Moves through the buffers of AdapterPort, so that the memory of the program need not be
/// registered: for bytes that are copied in less time than that takes, and for layouts that the
/// device cannot follow. A value; the thread that drives the links.
class BufferedMoves {
 public:
  /// Where to, by such a device, which has buffers.
  struct Place {
    AdapterWay way;
    std::uint64_t base = 0;  ///< of the target's memory, in its process
    RemoteAddress memory;    ///< the same for the device
    Tally* tally = nullptr;  ///< of what is under way there
  };
  BufferedMoves(AdapterPort& port, Progress& progress, const Place& place)
      : port_(port), progress_(progress), place_(place) {}

  /// Start a put or a get of a view, in parts. They may wait for buffers, which come without any
  /// target. A put's `origin` is free on return; `notice` (of a device that keeps order) is said
  /// behind all its parts. False: it was not. A get's `done` completes with the last part; null:
  /// nobody asks.
  [[nodiscard]] bool put(const View& origin, const View& target, const PutNotice& notice);
  void get(const View& origin, const View& target, Request* done);

 private:
  /// The operations of a part. Whether the last one has said the notice.
  bool start(OpKind kind, std::span<const MemoryRun> runs, const AdapterBuffer& buffer,
             Ending finish, const PutNotice& notice = {});

  AdapterPort& port_;
  Progress& progress_;
  const Place& place_;
};

}  // namespace remit
