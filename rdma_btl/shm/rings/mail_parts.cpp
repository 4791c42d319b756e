// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/rings/mail_parts.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/copy.hpp"
#include "runtime/progress.hpp"

namespace remit::shm {

std::size_t filled(const Endpoint& endpoint, std::uint64_t number) {
  constexpr std::uint64_t kBytes = (std::uint64_t{1} << kFilledShift) - 1;
  const std::uint64_t value = endpoint.mail_filled->load(std::memory_order_acquire);
  const std::uint64_t mark = filled_mark(number, endpoint.writer ^ kLowerWrote);
  return (value & ~kBytes) == mark ? static_cast<std::size_t>(value & kBytes) : 0;
}

bool mail_is_whole(const Endpoint& endpoint, const Scan& scan) {
  const std::uint64_t header = scan.mailbox->header.load(std::memory_order_acquire);
  AreaRef ref;
  if (cell_kind(header) != CellKind::send_area || cell_length(header) < sizeof ref) {
    return true;
  }
  std::memcpy(&ref, scan.mailbox->payload, sizeof ref);
  const std::size_t head = cell_length(header) - sizeof ref;
  return (ref.offset & kInParts) == 0 || filled(endpoint, scan.expected) + head >= ref.length;
}

bool copy_parts(const Endpoint& endpoint, std::uint64_t number, void* to, const std::byte* data,
                std::size_t bytes) {
  constexpr int kLooks = 10000;
  __builtin_prefetch(endpoint.mail_filled);
  std::size_t done = std::min(mail_part(bytes), bytes);
  copy_bytes(to, data, done);
  for (int looks = 0; done < bytes; ++looks) {
    const std::size_t there = std::min(filled(endpoint, number), bytes);
    if (there > done) {
      copy_bytes(static_cast<std::byte*>(to) + done, data + done, there - done);
      done = there;
      looks = 0;
    } else if (looks == kLooks) {
      return false;
    } else {
      cpu_relax();
    }
  }
  return true;
}

}  // namespace remit::shm
