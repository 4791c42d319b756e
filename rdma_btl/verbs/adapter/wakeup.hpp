// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One descriptor for everything that can wake who waits for a verbs device.
#pragma once

#include <infiniband/verbs.h>

#include <initializer_list>

#include "rdma_btl/verbs/api.hpp"
#include "runtime/error.hpp"

namespace remit::verbs {

/// The completion channel, and an epoll set of it and of the descriptors of other events. One
/// thread.
class Wakeup {
 public:
  Wakeup() = default;
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  /// Makes the completion channel; before the completion queue, which names it. The functions of
  /// the library must outlive this.
  [[nodiscard]] Expected<> make(const VerbsApi& ibv, ibv_context* context);
  [[nodiscard]] ibv_comp_channel* channel() const { return channel_; }
  /// Watches the channel and these descriptors, which become non-blocking.
  [[nodiscard]] Expected<> watch(std::initializer_list<int> descriptors);

  /// What epoll or poll waits on; -1 before watch().
  [[nodiscard]] int fd() const { return wait_set_; }
  /// From now on a completion makes fd() readable.
  void arm(ibv_cq* queue);
  /// Takes the notifications that have come. A request stays until one has come.
  void disarm(ibv_cq* queue);
  [[nodiscard]] bool armed() const { return requested_; }

 private:
  const VerbsApi* ibv_ = nullptr;
  ibv_comp_channel* channel_ = nullptr;
  int wait_set_ = -1;
  bool requested_ = false;
};

}  // namespace remit::verbs
