// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making requests and their buffers.
#include "rdma_btl/ofi/request_pool.hpp"

namespace remit::ofi {

Expected<> RequestPool::add_buffers(std::size_t count, Request::Kind kind) {
  constexpr std::size_t kBufferAlignment = 64;
  const std::size_t each =
      (message_bytes_ + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  // Not zeroed: memory is taken as it is used.
  buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(count * each));
  std::byte* const first = buffers_.back().get();
  const Expected<void*> key = fabric_.register_buffers(first, count * each);
  if (!key) return tl::unexpected(key.error());
  for (std::size_t i = 0; i < count; ++i) {
    Request& request = requests_.emplace_back();
    request.kind = kind;
    request.buffer = first + i * each;
    request.key = *key;
    if (kind == Request::Kind::send) {
      free_sends_.push_back(&request);
    } else if (!post(request)) {
      to_repost_.push_back(&request);
    }
  }
  return {};
}

Expected<> RequestPool::add_receives(std::size_t count) {
  if (Expected<> added = add_buffers(count, Request::Kind::receive); !added) return added;
  receives_ += count;
  return {};
}

Expected<> RequestPool::add_sends(std::size_t count) {
  return add_buffers(count, Request::Kind::send);
}

void RequestPool::add_transfers(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Request& request = requests_.emplace_back();
    request.kind = Request::Kind::put;
    free_transfers_.push_back(&request);
  }
}

/// After close() there is nobody to give it to.
bool RequestPool::post(Request& receive) {
  if (!fabric_) return true;
  return ::fi_recv(fabric_.endpoint(), receive.buffer, message_bytes_, receive.key, FI_ADDR_UNSPEC,
                   &receive.context) == 0;
}

}  // namespace remit::ofi
