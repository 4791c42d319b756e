// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory behind the home segment that all peers read: notices.
#include <algorithm>

#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"

namespace remit {

Notices ShmDevice::take_notices() {
  const auto over = [](const ReturnedNotices& returned) { return !returned.in_use(); };
  const auto found = std::find_if(returned_notices_.begin(), returned_notices_.end(), over);
  std::uint32_t index = notices_used_;
  if (found != returned_notices_.end()) {
    index = found->index;
    returned_notices_.erase(found);
  } else if (notices_used_ == shm::kNoticeBoards) {
    return {};
  } else {
    ++notices_used_;
  }
  return {home_mapping_.data() + shm::notices_at(index), index};
}

void ShmDevice::return_notices(std::uint32_t index, std::function<bool()> in_use) {
  returned_notices_.push_back({index, std::move(in_use)});
}

std::byte* ShmDevice::notices_of(EndpointId id, std::uint32_t index) const {
  const Endpoint& endpoint = *endpoints_[id];
  if (!endpoint.attached || endpoint.shut || index >= shm::kNoticeBoards) return nullptr;
  endpoint.stays_mapped = true;
  return endpoint.home_mapping.data() + shm::notices_at(index);
}

void ShmDevice::nudge(EndpointId id) {
  Endpoint& endpoint = *endpoints_[id];
  if (!endpoint.shut) [[likely]]
    wake(endpoint);
}

}  // namespace remit
