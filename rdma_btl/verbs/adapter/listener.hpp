// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the peers of a verbs device ask for connections.
#pragma once

#include "rdma_btl/verbs/adapter/adapter.hpp"
#include "rdma_btl/verbs/api.hpp"
#include "runtime/error.hpp"

namespace remit::verbs {

/// The event channel of rdma_cm, and the identifier that listens on it, whose context of the
/// adapter is that of the whole device. One thread.
class Listener {
 public:
  Listener() = default;
  /// Every identifier of the channel must be destroyed before.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Listens at a free port of the adapter's address. The functions of the library must outlive
  /// this.
  [[nodiscard]] Expected<> open(const CmApi& cm, const Adapter& adapter);
  /// From now on nobody is heard; the channel stays.
  void close();

  /// Null before open().
  [[nodiscard]] rdma_event_channel* channel() const { return channel_; }
  [[nodiscard]] ibv_context* context() const { return context_; }
  /// In network byte order.
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  const CmApi* cm_ = nullptr;
  rdma_event_channel* channel_ = nullptr;
  rdma_cm_id* id_ = nullptr;
  ibv_context* context_ = nullptr;
  std::uint16_t port_ = 0;
};

}  // namespace remit::verbs
