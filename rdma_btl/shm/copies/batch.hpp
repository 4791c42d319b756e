// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bytes of several transfers that are copied at once.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/copies/job.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"

namespace remit::shm {

/// What one system call copies between this process and one peer: of each transfer some bytes that
/// are in one piece there.
struct Batch {
  struct Part {
    Job* job;
    std::uint32_t generation;
    std::size_t bytes;
  };

  static constexpr std::size_t kMaxPieces = 64;  ///< local pieces of one system call
  static constexpr std::size_t kMaxParts = 8;    ///< transfers of which one system call copies
  /// A system call for several transfers saves what it costs to enter the kernel and to find the
  /// peer: 0.3 us each, as much as copying 10 KB. Bytes, so that messages need not wait for long.
  static constexpr std::size_t kMaxBytes = 128 * 1024;

  Endpoint* endpoint = nullptr;
  bool to_peer = false;
  bool patient = true;  ///< nothing that the target may still take
  bool closed = false;  ///< takes no more
  std::size_t bytes = 0;
  std::size_t pieces = 0;
  std::size_t count = 0;
  std::array<iovec, kMaxPieces> local;
  std::array<iovec, kMaxParts> remote;
  std::array<Part, kMaxParts> parts;

  /// Whether bytes of this transfer may come to those that are here.
  [[nodiscard]] bool takes(const Job& job, const Endpoint& of, std::size_t more) const {
    if (count == 0) return true;
    return !closed && endpoint == &of && to_peer == (job.kind == OpKind::put) &&
           bytes + more <= kMaxBytes && pieces + job.pieces.size() <= kMaxPieces;
  }
  /// The local pieces are in already.
  void add(Job& job, Endpoint& of, std::uint64_t address, std::size_t more) {
    endpoint = &of;
    to_peer = job.kind == OpKind::put;
    parts[count] = {&job, job.generation, more};
    remote[count++] = {reinterpret_cast<void*>(address), more};
    bytes += more;
    closed = closed || count == kMaxParts || bytes >= kMaxBytes;
  }
};

}  // namespace remit::shm
