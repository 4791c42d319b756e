// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which operations take place on a board.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "collectives/board/board_segment.hpp"
#include "collectives/choice/shape.hpp"
#include "collectives/collectives.hpp"
#include "runtime/params.hpp"

namespace remit {

/// What is asked of the table of algorithms once, when a board is set up, instead of for each
/// operation: the longest data of each kind for which it chooses the board. All members come to the
/// same answers. Immutable, but for close_short().
class BoardLimits {
 public:
  /// More members than this would read each other's lines for longer than messages take.
  static constexpr int kMembers = 16;
  /// An allreduce in which members have so many bytes in all is combined in shares, which are told
  /// the others: one meeting more. Below, each combines everything. Of two, that saves time for
  /// combining only: each of them reads as many bytes.
  [[nodiscard]] static constexpr MPI_Count shares_from(int members) {
    return members == 2 ? 32768 : 8192;
  }
  /// Of longer data, what a line says of their length might not fit it.
  static constexpr std::size_t kLongest = std::size_t{64} << 20;
  /// The longest data of a shape that may take place on a board. Where members share processors,
  /// two pages: a member publishes so much and leaves, however late the others come.
  [[nodiscard]] static constexpr std::size_t longest(const CollectiveShape& shape) {
    if (shape.long_board != LongBoard::none) return kLongest;
    return (shape.cost_class == CostClass::host_shared ? 2 : 1) * BoardSegment::kPageBytes;
  }

  /// `shape` is that of the members' operations, but for their data.
  BoardLimits(const CollectiveShape& shape, const Params& params);

  /// Whether an operation of this shape takes place on the board.
  [[nodiscard]] bool takes(const CollectiveArgs& a, const CollectiveShape& shape) const {
    return shape.plain &&
           static_cast<std::int64_t>(shape.bytes) <= limits_[static_cast<std::size_t>(a.kind)] &&
           (shape.bytes <= BoardSegment::kPageBytes || a.op == nullptr ||
            a.recv_type->size() <= static_cast<MPI_Count>(BoardSegment::kPageBytes));
  }
  /// Whether an operation on so many bytes in one piece may take its short form (board_short.hpp).
  /// Where a member has a block for each other one, `bytes` are those of a block.
  [[nodiscard]] bool takes_short(CollectiveKind kind, std::size_t bytes) const {
    return bytes < short_below_[static_cast<std::size_t>(kind)];
  }
  /// No operation takes its short form, or those do again that did: what is the operation of one
  /// member is that of all others in whatever form.
  void close_short(bool closed) {
    if (closed == (closed_ != nullptr)) return;
    if (closed) {
      closed_ = std::make_unique<std::array<std::size_t, kCollectiveKinds>>(short_below_);
      short_below_ = {};
    } else {
      short_below_ = *std::exchange(closed_, nullptr);
    }
  }

 private:
  std::array<std::size_t, kCollectiveKinds> short_below_ = {};  ///< by CollectiveKind; 0: never
  /// By CollectiveKind: the longest shape.bytes; -1: none.
  std::array<std::int64_t, kCollectiveKinds> limits_ = {};
  std::unique_ptr<std::array<std::size_t, kCollectiveKinds>> closed_;  ///< what they were
};

}  // namespace remit
