// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/placement.hpp"

#include <algorithm>

#include "runtime/copy.hpp"

namespace remit::tcp {

void Placement::begin() {
  left_ = 0;
  for (const iovec& place : places_) left_ += place.iov_len;
  if (const std::size_t more = filling(left_); more != 0) {
    places_.push_back({scrap_.data(), more});
    left_ += more;
  }
  place_ = 0;
  active_ = true;
}

void Placement::move_on(std::size_t bytes) {
  left_ -= bytes;
  while (bytes != 0) {
    iovec& place = places_[place_];
    const std::size_t here = std::min(bytes, place.iov_len);
    place.iov_base = static_cast<std::byte*>(place.iov_base) + here;
    place.iov_len -= here;
    bytes -= here;
    if (place.iov_len == 0) ++place_;
  }
}

std::size_t Placement::fill(std::span<const std::byte> buffered) {
  std::size_t filled = 0;
  while (left_ != 0 && filled != buffered.size()) {
    const iovec place = places_[place_];
    const std::size_t bytes = std::min(place.iov_len, buffered.size() - filled);
    copy_bytes(place.iov_base, buffered.data() + filled, bytes);
    filled += bytes;
    move_on(bytes);
  }
  return filled;
}

}  // namespace remit::tcp
