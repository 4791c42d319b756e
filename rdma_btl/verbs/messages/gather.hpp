// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The pieces of a put or get as scatter/gather lists of work requests.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma_btl/device.hpp"

namespace remit::verbs {

/// Soft-iWARP copies so few bytes that are not inline at once, and if they lie on two pages wrong
/// ones: its kernel module (siw_try_1seg(), seen with Linux 6.1) takes how many lie on the
/// second page for how many lie on the first.
inline constexpr std::size_t kCopiedAtOnce = 32;

/// Bytes from `address` to the end of its page.
[[nodiscard]] inline std::size_t to_page_end(std::uint64_t address) {
  constexpr std::uint64_t kPage = 4096;
  return kPage - address % kPage;
}

/// Where an adapter reads the bytes of an operation.
enum class Source : std::uint8_t { local, remote };

/// Cuts the pieces of an operation into work requests. Pieces without bytes are left out: the
/// length 0 has a meaning of its own to some adapters. The pieces must outlive it.
class Gather {
 public:
  /// At most `per_request` pieces a request. `cut`: of no request so few bytes as kCopiedAtOnce may
  /// lie on two pages at the source.
  Gather(const Operation& operation, Source source, std::uint32_t per_request, bool cut)
      : rest_(operation.local),
        remote_(operation.remote.address),
        source_(source),
        cut_(cut),
        per_request_(per_request) {
    skip_empty();
  }
  /// Nothing is left.
  [[nodiscard]] bool done() const { return rest_.empty(); }
  /// How many requests what is left takes.
  [[nodiscard]] std::uint32_t requests() const {
    if (cut_) return count_cut();
    const auto used = static_cast<std::uint32_t>(std::count_if(
        rest_.begin(), rest_.end(), [](const Piece& piece) { return piece.length != 0; }));
    return (used + per_request_ - 1) / per_request_;
  }
  /// Fills a request's list with the next pieces; returns their bytes.
  std::size_t next(ibv_send_wr& request) {
    const std::span<const Piece> before = rest_;
    const std::size_t taken = taken_;
    std::size_t bytes = 0;
    int count = 0;
    while (!rest_.empty() && static_cast<std::uint32_t>(count) < per_request_) {
      const Piece& piece = rest_.front();
      parts_[static_cast<std::size_t>(count++)] = {
          reinterpret_cast<std::uintptr_t>(piece.address) + taken_,
          static_cast<std::uint32_t>(piece.length - taken_), static_cast<std::uint32_t>(piece.key)};
      bytes += piece.length - taken_;
      taken_ = 0;
      rest_ = rest_.subspan(1);
      skip_empty();
    }
    if (cut_ && count == 1 && bytes <= kCopiedAtOnce) {
      const std::size_t most = to_page_end(source_ == Source::local ? parts_[0].addr : remote_);
      if (bytes > most) {
        rest_ = before;
        taken_ = taken + most;
        parts_[0].length = static_cast<std::uint32_t>(most);
        bytes = most;
      }
    }
    remote_ += bytes;
    request.sg_list = parts_.data();
    request.num_sge = count;
    return bytes;
  }

 private:
  void skip_empty() {
    while (!rest_.empty() && rest_.front().length == 0) rest_ = rest_.subspan(1);
  }
  [[nodiscard]] std::uint32_t count_cut() const {
    Gather copy = *this;
    ibv_send_wr request;
    std::uint32_t count = 0;
    for (; !copy.done(); ++count) (void)copy.next(request);
    return count;
  }
  std::span<const Piece> rest_;
  std::uint64_t remote_;   ///< of the next byte
  std::size_t taken_ = 0;  ///< bytes of the first piece
  Source source_;
  bool cut_;
  std::uint32_t per_request_;
  std::array<ibv_sge, 32> parts_;
};

}  // namespace remit::verbs
