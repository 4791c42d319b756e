// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations become work requests.
#pragma once

#include <infiniband/verbs.h>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/endpoint.hpp"

namespace remit::verbs {

struct Agenda;
class Borrowing;
class Messages;
class Notes;
class Swaps;
class WorkQueue;

/// Posts the operations of the layer above to open endpoints. One thread.
class Operations {
 public:
  Operations(const OpenedAdapter& adapter, const VerbsConfig& config, VerbsCounters& counters,
             Agenda& agenda, WorkQueue& work, Messages& messages, Swaps& swaps,
             Borrowing& borrowing, Notes& notes)
      : adapter_(adapter),
        config_(config),
        counters_(counters),
        agenda_(agenda),
        work_(work),
        messages_(messages),
        swaps_(swaps),
        borrowing_(borrowing),
        notes_(notes) {}

  /// False: it is not accepted now, for want of room or of a credit.
  [[nodiscard]] bool post(Endpoint& endpoint, const Operation& operation) {
    return is_plain(operation) ? move_plain(endpoint, operation) : post_other(endpoint, operation);
  }

 private:
  /// Whether it is what most puts and gets are: one piece, which is not empty, and nothing else.
  /// With iWARP it may become two.
  [[nodiscard]] bool is_plain(const Operation& operation) const {
    return (operation.kind == OpKind::put || operation.kind == OpKind::get) &&
           operation.local.size() == 1 && operation.local[0].length != 0 && !operation.notify &&
           !config_.mask.iwarp;
  }
  [[nodiscard]] bool move_plain(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_other(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool send(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool put(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool get(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool atomic(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool confirm(Endpoint& endpoint, const Operation& operation);

  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  VerbsCounters& counters_;
  Agenda& agenda_;
  WorkQueue& work_;
  Messages& messages_;
  Swaps& swaps_;
  Borrowing& borrowing_;
  Notes& notes_;
};

}  // namespace remit::verbs
