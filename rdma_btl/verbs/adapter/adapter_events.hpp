// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the adapter tells of itself.
#pragma once

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Teardown;

/// Asynchronous events: of ports, of queues, of the whole adapter. One thread.
class AdapterEvents {
 public:
  AdapterEvents(OpenedAdapter& adapter, const VerbsConfig& config, Endpoints& endpoints,
                Teardown& teardown)
      : adapter_(adapter), config_(config), endpoints_(endpoints), teardown_(teardown) {}

  /// Takes what has come.
  void service();
  /// Something has happened to an endpoint's queue pair.
  void on_queue_pair(Endpoint& endpoint, ibv_event_type event);

 private:
  void handle(const ibv_async_event& event);

  OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  Endpoints& endpoints_;
  Teardown& teardown_;
};

}  // namespace remit::verbs
