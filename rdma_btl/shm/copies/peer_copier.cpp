// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/copies/peer_copier.hpp"

#include <cerrno>
#include <cstring>

#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "runtime/copy.hpp"

namespace remit::shm {

ssize_t PeerCopier::copy(Endpoint& endpoint, bool to_peer, std::span<const iovec> local,
                         std::span<const iovec> remote) {
  const std::size_t bytes = remote[0].iov_len;
  const auto address = reinterpret_cast<std::uint64_t>(remote[0].iov_base);
  std::byte* peer = remote.size() == 1 ? heaps_.mapped(endpoint, address, bytes) : nullptr;
  if (peer == nullptr) {
    ++counters_.cma_calls;
    return kernel_.copy(endpoint.pid, to_peer, local, remote);
  }
  ++counters_.mapped_copies;
  for (const iovec& part : local) {
    if (to_peer) {
      copy_bytes(peer, part.iov_base, part.iov_len);
    } else {
      copy_bytes(part.iov_base, peer, part.iov_len);
    }
    peer += part.iov_len;
  }
  return static_cast<ssize_t>(bytes);
}

bool PeerCopier::copy_all(Endpoint& endpoint, bool to_peer, std::byte* here, std::uint64_t address,
                          std::size_t bytes) {
  if (endpoint.shut) return false;  // its process number may be another process's by now
  while (bytes != 0) {
    const iovec local{here, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    const ssize_t copied = copy(endpoint, to_peer, std::span(&local, 1), std::span(&remote, 1));
    if (copied < 0 && errno == ESRCH) {
      health_.fail_exited(endpoint);
      return false;
    }
    if (copied <= 0) {
      endpoint.words =
          fmt::format("{} bytes at {:#x} of process {:#x} cannot be {}: {}", bytes, address,
                      rank_of_name(endpoint.peer), to_peer ? "written" : "read",
                      copied == 0 ? "nothing is there" : std::strerror(errno));
      return false;
    }
    here += copied;
    address += static_cast<std::uint64_t>(copied);
    bytes -= static_cast<std::size_t>(copied);
  }
  return true;
}

}  // namespace remit::shm
