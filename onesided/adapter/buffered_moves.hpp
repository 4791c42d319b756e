// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Short and scattered puts and gets by a device that needs nothing of the target's processor.
#pragma once

#include <cstdint>
#include <span>

#include "datatype/layout.hpp"
#include "onesided/adapter/adapter_port.hpp"
#include "onesided/one_sided.hpp"
#include "pt2pt/request.hpp"

namespace remit {

/// Moves through the buffers of AdapterPort, so that the memory of the program need not be
/// registered: for bytes that are copied in less time than that takes, and for layouts that the
/// device cannot follow. A value; the thread that drives the links.
class BufferedMoves {
 public:
  /// Where to. `keys` are the target's, as OfferedMemory::keys().
  struct Place {
    std::uint32_t window = 0;
    ProcId proc{};
    std::uint64_t base = 0;  ///< of the memory that `keys` open, in the target's process
    std::span<const std::byte> keys;
  };
  BufferedMoves(OneSided& manager, const Place& place) : manager_(manager), place_(place) {}

  /// Whether the process's link goes by such a device, which has buffers.
  [[nodiscard]] bool can();
  /// Start a put or a get of a view, in parts, and say how many: each tells its end to
  /// OneSided::move_ended(). They may wait for buffers, which come without any target. A put's
  /// `origin` is free on return; a get's `done` completes with the last part; null: nobody asks.
  [[nodiscard]] std::uint32_t put(const View& origin, const View& target);
  [[nodiscard]] std::uint32_t get(const View& origin, const View& target, Request* done);

 private:
  /// What to do at the end of a part of a put.
  [[nodiscard]] AdapterPort::Finish end_of_put(const AdapterBuffer& buffer);
  /// The operations of a part.
  void start(OpKind kind, std::span<const MemoryRun> runs, const AdapterBuffer& buffer,
             AdapterPort::Finish finish);

  OneSided& manager_;
  const Place& place_;
};

}  // namespace remit
