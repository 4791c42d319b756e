// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/shm_eager_path.hpp"

namespace remit::shm {

ShmEagerPath::ShmEagerPath(Device& device, const ShmConfig& config, PeerHealth& health,
                           Dispatcher& dispatcher, const ContactSocket& socket,
                           ShmCounters& counters)
    : receiver_(sender_, health, dispatcher, config.claim_lines_to),
      sender_(max_send(config), peers_, receiver_.agenda(), health, socket, counters),
      device_(device) {}

void ShmEagerPath::send(EndpointId id, SendHead head, const void* data, std::size_t length,
                        PendingQueue& refused) {
  Endpoint& endpoint = peers_[id];
  if (!sender_.send(endpoint, head, data, length)) [[unlikely]]
    post_send(device_, endpoint.id, head, data, length, refused);
}

bool ShmEagerPath::takes_now(EndpointId id, std::size_t bytes) {
  return Sender::takes_now(peers_[id], bytes);
}

std::ptrdiff_t ShmEagerPath::receive(EndpointId id, SendHead head, SendHead mask, void* to,
                                     std::size_t room, bool awaits, SendHead& found) {
  return receiver_.receive(peers_[id], head, mask, to, room, awaits, found);
}

void ShmEagerPath::have_read() {
  receiver_.have_read();
}

}  // namespace remit::shm
