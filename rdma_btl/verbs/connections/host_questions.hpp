// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether hosts of peers that do not answer are there.
#pragma once

#include <cstdint>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/endpoint.hpp"

namespace remit::verbs {

/// A request for a connection is answered by the peer's process, which may compute; a request to
/// nobody's port is answered by its host. iWARP has no request without a queue pair, so there
/// nobody is asked. One thread.
class HostQuestions {
 public:
  HostQuestions(const OpenedAdapter& adapter, const VerbsConfig& config, VerbsCounters& counters)
      : adapter_(adapter), config_(config), counters_(counters) {}

  /// A row of attempts to connect begins now.
  void begin(Endpoint& endpoint, std::uint64_t now) const;
  /// Asks the peer's host, if it is time.
  void ask(Endpoint& endpoint, std::uint64_t now);
  /// An event of Question::id. True: the host is there.
  [[nodiscard]] bool on_answer(Endpoint& endpoint, const rdma_cm_event& event);
  /// Something has come from the host.
  void on_sign_of_life(Endpoint& endpoint, std::uint64_t now);
  /// The question is of no interest any more.
  void drop(Endpoint& endpoint);
  /// Whether it should have answered by now.
  [[nodiscard]] bool overdue(const Endpoint& endpoint, std::uint64_t now) const;

 private:
  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  VerbsCounters& counters_;
};

}  // namespace remit::verbs
