// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What was asked of a peer, and not answered yet.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "rdma_btl/common/own_completions.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/tcp/placement.hpp"

namespace remit::tcp {

/// Gets and confirms of one connection. The answers to gets come in the order of the gets, those to
/// confirms in the order of the confirms.
class Requests {
 public:
  [[nodiscard]] std::size_t gets() const { return gets_.size(); }
  /// Throws std::bad_alloc.
  void add_get(std::span<const Piece> pieces, std::size_t bytes, std::uint64_t cookie);
  /// The last get could not be asked for.
  void drop_get() { gets_.pop_back(); }
  /// The next bytes of the answer to the oldest get are on their way: where they belong. False:
  /// nobody asked for so many.
  [[nodiscard]] bool begin_answer(std::size_t bytes, Placement& placement);
  /// The bytes of the last begin_answer() are here: the cookie of a get that has all of them now.
  [[nodiscard]] std::optional<std::uint64_t> end_answer();
  /// The peer refuses the oldest get: its cookie. None: there is none.
  [[nodiscard]] std::optional<std::uint64_t> refuse();

  /// A put is posted: from now on there is something to confirm.
  void note_put() { unconfirmed_ = true; }
  /// Whether a confirm has to ask the peer. Else all before it is known to be visible.
  [[nodiscard]] bool must_ask() const { return unconfirmed_ || !confirms_.empty(); }
  [[nodiscard]] std::size_t confirms() const { return confirms_.size(); }
  void add_confirm(std::uint64_t cookie);
  /// The oldest confirm is answered: its cookie. None: there is none.
  [[nodiscard]] std::optional<std::uint64_t> confirmed();

  /// No answer will come.
  void fail(OwnCompletions& own, EndpointId endpoint);

 private:
  struct Get {
    std::vector<Piece> pieces;
    std::size_t bytes = 0;
    std::size_t arrived = 0;  ///< or on their way
    std::uint64_t cookie = kNoCompletion;
  };

  std::deque<Get> gets_;
  std::deque<std::uint64_t> confirms_;
  bool unconfirmed_ = false;  ///< puts were posted behind the last confirm
};

}  // namespace remit::tcp
