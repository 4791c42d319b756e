// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a device need not do itself. Not in the header, lest compilers take it for the usual case.
#include "rdma_btl/device.hpp"

#include "rdma_btl/pending.hpp"

namespace remit {

void Device::send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
                  PendingQueue& refused) {
  const std::array<Piece, 2> pieces = {Piece{&head, sizeof head, 0},
                                       Piece{const_cast<void*>(data), length, 0}};
  Operation operation;
  operation.local = std::span(pieces).first(length == 0 ? 1 : 2);
  if (post(endpoint, {&operation, 1}) == 0) refused.push(endpoint, operation);
}

}  // namespace remit
