// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A way to a process by a device that its link does not use.
#pragma once

#include <string>

#include "rdma_btl/device.hpp"

namespace remit {

struct LinkDevice;

/// An endpoint for operations on memory: the process's messages go by its link, and whether it is
/// lost is the link's to say. Between processes of one host there may be such a one by a network's
/// device, and to oneself. Written by Connector alone. The thread that drives the links.
struct SidePath {
  LinkDevice* wanted = nullptr;  ///< by which it is to be
  LinkDevice* device = nullptr;  ///< the same, once there is an endpoint; null: not yet, or never
  EndpointId endpoint = 0;
  bool failed = false;  ///< it has ended: operations on it complete with errors
  std::string words;    ///< why it will not be, or has ended; empty: it is not so

  /// Nothing more is to be waited for.
  [[nodiscard]] bool settled() const { return device != nullptr || !words.empty(); }
};

}  // namespace remit
