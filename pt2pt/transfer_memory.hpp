// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the memory of messages becomes usable by devices: through the registration cache, piece by
// piece while the message travels, through bounce buffers, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "datatype/layout.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/transfer.hpp"
#include "rdma_btl/device.hpp"

namespace remit {

/// Registers memory for transfers and keeps it in them; every one ends with unmap(). What a device
/// refuses is no error of the message: another protocol may do. One thread.
class TransferMemory {
 public:
  explicit TransferMemory(MessageCounters& counters) : counters_(counters) {}

  /// Makes memory usable by the peer's device; false if it refuses. The one place where the memory
  /// of messages is registered as a whole.
  [[nodiscard]] bool map(Transfer& transfer, Layout::Piece memory, Access access);
  /// Makes the memory of a contiguous message usable for this side's gets or puts: as a whole if it
  /// is registered or short, else by pieces.
  [[nodiscard]] bool map_local(Transfer& transfer);
  /// Makes the memory of a scattered message usable for this side's lists: as one, with its holes,
  /// unless these are most of it.
  [[nodiscard]] bool map_runs(Transfer& transfer);
  /// The same for puts. The receiver is told how long each is: sets `chunk` to the most bytes of
  /// which every part of the message fits one list.
  [[nodiscard]] bool map_lists(Transfer& transfer);
  /// A buffer of the library for what is unpacked part by part; false: there is none.
  [[nodiscard]] bool take_staging(Transfer& transfer);
  static void unmap(Transfer& transfer);

  /// The next piece of a message that registers while it travels: registered, or, if nothing is on
  /// its way that a registration could be hidden behind, or if it fails, in the bounce buffer.
  /// Nothing: not now; not ever, if nothing of the message is under way.
  [[nodiscard]] std::optional<Piece> pin_part(Transfer& transfer, OpKind kind, std::size_t bytes,
                                              std::uint32_t& part);
  /// That piece is through; `arrived`: without an error.
  static void part_done(Transfer& transfer, std::uint32_t part, bool arrived);

  /// Why memory could not be registered the last time.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  [[nodiscard]] bool take(Transfer& transfer, Staging& out);

  MessageCounters& counters_;
  std::string refusal_;
};

}  // namespace remit
