// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The eager path of devices that have it for sends only.
#pragma once

#include <cstddef>

#include "rdma_btl/eager_path.hpp"

namespace remit {

/// Nothing is received but by poll().
class EagerSends : public EagerPath {
 public:
  [[nodiscard]] std::size_t long_send() const final { return kNeverLong; }
  [[nodiscard]] bool takes_now(EndpointId /*endpoint*/, std::size_t /*bytes*/) final {
    return true;
  }
  [[nodiscard]] std::ptrdiff_t receive(EndpointId /*endpoint*/, SendHead /*head*/,
                                       SendHead /*mask*/, void* /*to*/, std::size_t /*room*/,
                                       bool /*awaits*/, SendHead& /*found*/) final {
    return kSomethingElse;
  }
  void have_read() final {}
};

}  // namespace remit
