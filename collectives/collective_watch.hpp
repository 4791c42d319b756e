// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is told of a collective operation to who wants to know.
#pragma once

#include <cstdint>

#include "links/process_id.hpp"
#include "pt2pt/communicator.hpp"
#include "runtime/events.hpp"

namespace remit {

class Board;
class Engine;
enum class CollectiveKind : std::uint8_t;
struct Algorithm;

inline constexpr Events::Mask kOfCollectives =
    Events::bit(EventKind::collective_started) | Events::bit(EventKind::collective_ended);

/// Items of EventWords::collectives behind the kinds of operations: the algorithms, by their place
/// in the table; the first stands for none of these (a part done alone, or on the host's board).
inline constexpr int kFirstAlgorithmItem = 100;

/// One operation from its start to its end, at a process where somebody wants to know. The thread
/// that holds the process.
class CollectiveWatch {
 public:
  CollectiveWatch(Engine& engine, const CommCore& comm, CollectiveKind kind,
                  std::uint32_t sequence);

  /// It begins; `row`: null for the first item of the algorithms. `board`: where it takes place, or
  /// members meet, or null.
  void started(const Algorithm* row, Board* board);
  /// The call that has started it waits for it at once, by messages.
  void blocks();
  /// So long it did nothing but wait, beside what its board knows.
  void waited(std::int64_t ns) { waited_ns_ += ns; }
  [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
  /// It is complete.
  void ended();

 private:
  /// Of its messages.
  [[nodiscard]] int tag() const { return static_cast<int>(sequence_ & 0x7fffffffU); }

  Engine& engine_;
  ContextId context_;
  CollectiveKind kind_;
  std::uint32_t sequence_;
  int algorithm_ = kFirstAlgorithmItem;
  Board* board_ = nullptr;
  std::int64_t began_ns_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace remit
