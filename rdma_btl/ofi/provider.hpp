// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which provider of libfabric an ofi device uses, on which interface.
#pragma once

#include <string>
#include <string_view>

#include "rdma_btl/net/interfaces.hpp"
#include "rdma_btl/ofi/api.hpp"
#include "rdma_btl/ofi/ofi_config.hpp"

namespace remit::ofi {

/// A provider with reliable datagrams and the interface that it works on.
struct Plan {
  Info info;
  net::Choice choice;
  bool rma = false;  ///< it does puts and gets

  /// For people: which, and why.
  [[nodiscard]] std::string words() const;
  /// Whether it runs over the kernel's TCP.
  [[nodiscard]] bool over_tcp() const;
  /// Whether messages of any length arrive in the order in which they were sent.
  [[nodiscard]] bool keeps_order() const;
};

/// The best provider that is there. The error says which were tried.
[[nodiscard]] Expected<Plan> make_plan(const Api& api, const OfiConfig& config);

/// Whether this host has an adapter of a network that only libfabric reaches.
[[nodiscard]] bool any_adapter();

}  // namespace remit::ofi
