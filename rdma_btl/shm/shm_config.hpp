// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a shared-memory device is made with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rdma_btl/device.hpp"
#include "runtime/host_facts.hpp"
#include "runtime/log.hpp"

namespace remit {

/// How the bytes of a put or get reach the other address space.
enum class ShmCopy : std::uint8_t {
  automatic,  ///< directly where a run-time probe of this peer shows that it works, else pipelined
  cma,        ///< as automatic, and a peer for which the probe fails is an error
  pipelined,  ///< through shared chunks: two copies, no system call, no permission needed
};

/// How the shared heap of a peer comes to be mapped here.
enum class ShmMapping : std::uint8_t {
  automatic,  ///< opened without the peer's help where /proc allows it, else asked for
  asked,      ///< the peer is asked for it, which answers when it polls
  never,
};

/// Plain values, so that a test needs no parameters. shm_config() in shm_params.hpp reads them from
/// a process's parameters.
struct ShmConfig {
  PeerName name = 0;      ///< of this process
  std::uint64_t job = 0;  ///< token of the network: whoever has another one is a stranger
  ShmCopy copy = ShmCopy::automatic;
  ShmMapping mapping = ShmMapping::automatic;
  std::size_t ring_cells = 512;         ///< power of two; a cell is a cache line
  std::size_t area_bytes = 512 * 1024;  ///< power of two; bytes of larger sends, per direction
  std::size_t cma_piece = 1024 * 1024;  ///< bytes copied directly at most between two polls
  std::size_t assist_from = 64 * 1024;  ///< both sides copy at once from so many bytes on
  unsigned liveness_ms = 1000;          ///< how often connected peers are looked after
  bool share_allocations = true;        ///< allocate() gives memory that peers can map
  std::string copy_table;               ///< file of measured copy methods; empty: none
  bool measure_copies = false;          ///< fill the table: each rank has a core of its own
  std::size_t claim_lines_to = 0;       ///< HostMemory::claim_lines_to()
  bool measured_lines = false;          ///< ... until something else is measured
  bool detours = false;                 ///< KernelCopy takes them whatever is known
  HostFacts facts;                      ///< what is known of this host already
  std::string facts_file;               ///< where that is kept; empty: nowhere
  bool membarrier = true;               ///< false: senders pay a fence instead
  bool registered = false;              ///< shm::register_for_barriers() has succeeded already
  Log* log = nullptr;                   ///< must outlive the device; null: silent
};

/// What happened so far; for tests and remit_info.
struct ShmCounters {
  std::uint64_t hellos_accepted = 0;
  std::uint64_t hellos_rejected = 0;  ///< malformed, foreign or repeated
  std::uint64_t hellos_retried = 0;   ///< the peer's socket was full
  std::uint64_t wakes = 0;            ///< sleepers woken, one system call each
  std::uint64_t refused = 0;          ///< posts that were not accepted in full
  std::uint64_t violations = 0;       ///< accesses of peers outside registered regions, bad cells
  std::uint64_t cma_calls = 0;
  std::uint64_t heaps_mapped = 0;   ///< of peers
  std::uint64_t mapped_copies = 0;  ///< without the kernel, by a mapping
  std::uint64_t atomics_in_place = 0;
  std::uint64_t assisted = 0;  ///< chunks that this process copied for a peer's transfer
};

}  // namespace remit
