// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/eager_path.hpp"

#include <array>
#include <memory>
#include <span>

#include "rdma_btl/eager_sends.hpp"

namespace remit {

void post_send(Device& device, EndpointId endpoint, SendHead head, const void* data,
               std::size_t length, PendingQueue& refused) {
  const std::array<Piece, 2> pieces = {Piece{&head, sizeof head, 0},
                                       Piece{const_cast<void*>(data), length, 0}};
  Operation operation;
  operation.local = std::span(pieces).first(length == 0 ? 1 : 2);
  if (device.post(endpoint, {&operation, 1}) == 0) refused.push(endpoint, operation);
}

namespace {

class PostedSends final : public EagerSends {
 public:
  explicit PostedSends(Device& device) : device_(device) {}

  void send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
            PendingQueue& refused) override {
    post_send(device_, endpoint, head, data, length, refused);
  }

 private:
  Device& device_;
};

}  // namespace

std::unique_ptr<EagerPath> posted_sends(Device& device) {
  return std::make_unique<PostedSends>(device);
}

}  // namespace remit
