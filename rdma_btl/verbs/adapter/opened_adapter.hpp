// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// An adapter that is in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "rdma_btl/verbs/adapter/adapter.hpp"
#include "rdma_btl/verbs/adapter/limits.hpp"
#include "rdma_btl/verbs/adapter/listener.hpp"
#include "rdma_btl/verbs/adapter/queues.hpp"
#include "rdma_btl/verbs/adapter/wakeup.hpp"
#include "rdma_btl/verbs/api.hpp"
#include "rdma_btl/verbs/verbs_config.hpp"

namespace remit::verbs {

struct Endpoint;

/// The libraries, the chosen adapter, what it allows, and what belongs to all connections. One
/// thread. Memory must be deregistered, and identifiers destroyed, before it is.
class OpenedAdapter {
 public:
  /// Chooses and opens the adapter. The configuration is cut to what it can do. The error is for
  /// the user.
  [[nodiscard]] Expected<> open(VerbsConfig& config);

  [[nodiscard]] const VerbsApi& ibv() const { return api_.ibv; }
  [[nodiscard]] const CmApi& cm() const { return api_.cm; }
  /// Which it is.
  [[nodiscard]] const Adapter& chosen() const { return chosen_; }
  /// "rxe0 port 1, 10.9.0.1 (eth0), GID 1 ...: why".
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] const Caps& caps() const { return caps_; }
  /// The name of this host.
  [[nodiscard]] const std::string& host() const { return host_; }

  [[nodiscard]] ibv_context* context() const { return listener_.context(); }
  [[nodiscard]] Queues& queues() { return queues_; }
  [[nodiscard]] const Queues& queues() const { return queues_; }
  [[nodiscard]] Listener& listener() { return listener_; }
  [[nodiscard]] const Listener& listener() const { return listener_; }
  [[nodiscard]] Wakeup& wakeup() { return wakeup_; }
  [[nodiscard]] const Wakeup& wakeup() const { return wakeup_; }

  /// An error with the adapter's name before its words.
  [[nodiscard]] Expected<> about(Expected<> done) const;
  /// Words about the port for what fails because of it; empty: it is well.
  void set_trouble(std::string words) { trouble_ = std::move(words); }
  /// Who a peer is, where, and how it is reached, for a message to the user.
  [[nodiscard]] std::string way_to(const Endpoint& endpoint) const;
  /// port_refusals() since the adapter was opened.
  [[nodiscard]] std::optional<std::uint64_t> refusals() const;

 private:
  [[nodiscard]] Expected<> query_limits(VerbsConfig& config);
  [[nodiscard]] Expected<> make_queues(VerbsConfig& config);
  [[nodiscard]] Expected<> probe_inline(VerbsConfig& config);

  Api api_;
  Adapter chosen_;
  Limits limits_;
  Caps caps_;
  std::string description_;
  std::string host_;
  std::string trouble_;
  std::uint64_t refusals_at_open_ = 0;
  Listener listener_;
  Wakeup wakeup_;
  Queues queues_;
};

}  // namespace remit::verbs
