// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/requests.hpp"

#include <algorithm>
#include <utility>

namespace remit::tcp {

void Requests::add_get(std::span<const Piece> pieces, std::size_t bytes, std::uint64_t cookie) {
  Get get;
  get.pieces.assign(pieces.begin(), pieces.end());
  get.bytes = bytes;
  get.cookie = cookie;
  gets_.push_back(std::move(get));
}

bool Requests::begin_answer(std::size_t bytes, Placement& placement) {
  if (gets_.empty()) return false;
  Get& get = gets_.front();
  if (bytes == 0 || bytes > get.bytes - get.arrived) return false;
  placement.clear();
  std::size_t skipped = get.arrived;
  std::size_t left = bytes;
  for (const Piece& piece : get.pieces) {
    const std::size_t before = std::min(skipped, piece.length);
    const std::size_t here = std::min(left, piece.length - before);
    skipped -= before;
    left -= here;
    if (here != 0) placement.add(static_cast<std::byte*>(piece.address) + before, here);
  }
  placement.begin();
  get.arrived += bytes;
  return true;
}

std::optional<std::uint64_t> Requests::end_answer() {
  if (gets_.front().arrived < gets_.front().bytes) return std::nullopt;
  return refuse();
}

std::optional<std::uint64_t> Requests::refuse() {
  if (gets_.empty()) return std::nullopt;
  const std::uint64_t cookie = gets_.front().cookie;
  gets_.pop_front();
  return cookie;
}

void Requests::add_confirm(std::uint64_t cookie) {
  confirms_.push_back(cookie);
  unconfirmed_ = false;
}

std::optional<std::uint64_t> Requests::confirmed() {
  if (confirms_.empty()) return std::nullopt;
  const std::uint64_t cookie = confirms_.front();
  confirms_.pop_front();
  return cookie;
}

void Requests::fail(OwnCompletions& own, EndpointId endpoint) {
  for (const Get& get : gets_) own.complete(endpoint, get.cookie, MPI_ERR_PROC_ABORTED);
  for (const std::uint64_t cookie : confirms_) {
    own.complete(endpoint, cookie, MPI_ERR_PROC_ABORTED);
  }
  gets_.clear();
  confirms_.clear();
}

}  // namespace remit::tcp
