// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory that processes of one host reach by themselves: what a device may offer beside its
// operations. Boards of collectives, and windows, are made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "rdma_btl/device.hpp"
#include "runtime/host_facts.hpp"

namespace remit {

/// A piece of this process's memory that its peers can read: see HostMemory::take_notices().
struct Notices {
  std::byte* memory = nullptr;  ///< kNoticeBytes, page-aligned; null: there is none
  std::uint32_t index = 0;      ///< names it to peers
};
inline constexpr std::size_t kNoticeBytes = 4096 + 131072;

/// What came of giving memory back.
enum class Released : std::uint8_t {
  done,
  foreign,    ///< not this device's: try others
  not_whole,  ///< inside of what the device gave, or given back already: an error of the user's
};

/// Called by the thread that drives the device. None blocks, and none needs a peer's help.
class HostMemory {
 public:
  // Notices: memory that one process writes and its peers on the host read, without messages.

  /// Memory of this process for its peers to read; what it held before is still there (at first
  /// zeros). None: all of it is in use.
  [[nodiscard]] virtual Notices take_notices() = 0;
  /// Gives it back, for use once `in_use()`, callable while the device is open, says false.
  virtual void return_notices(std::uint32_t index, std::function<bool()> in_use) = 0;
  /// Where the peer's notices of that index are mapped here, for good. Null: not connected yet,
  /// not of this host, or the peer has none of that index. Not null once a message of a peer of
  /// this host has arrived by the endpoint. What nobody is to read again may be overwritten here.
  [[nodiscard]] virtual std::byte* notices_of(EndpointId endpoint, std::uint32_t index) const = 0;
  /// Ends the sleep of a peer that may wait for what has just been stored to notices. Between arm()
  /// and its sleep the peer looks at the notices once more.
  virtual void nudge(EndpointId endpoint) = 0;

  // Memory of peers that this process reaches by itself, at once.

  /// Whether read_memory() and write_memory() work for this endpoint; false until the peer is
  /// known. The peer may see it otherwise.
  [[nodiscard]] virtual bool reaches_memory(EndpointId endpoint) const = 0;
  /// Copies [address, address + bytes) of the peer's memory to `to`, which is done on return.
  /// False: the peer is gone, or that is no memory of it; what arrived is undefined.
  [[nodiscard]] virtual bool read_memory(EndpointId endpoint, std::uint64_t address, void* to,
                                         std::size_t bytes) = 0;
  /// The same in the other direction.
  [[nodiscard]] virtual bool write_memory(EndpointId endpoint, std::uint64_t address,
                                          const void* from, std::size_t bytes) = 0;
  /// Where that memory of the peer is mapped here, to be read, written and changed by atomic
  /// instructions; null: nowhere, or not yet.
  [[nodiscard]] virtual std::byte* map_memory(EndpointId endpoint, std::uint64_t address,
                                              std::size_t bytes) = 0;
  /// Whether map_memory() may give another answer than null later, without being told more: the
  /// peer has not been met yet, or was asked for its memory.
  [[nodiscard]] virtual bool may_map_later(EndpointId endpoint) const = 0;
  /// Atomics in place: does to 64 bits of the peer's memory, where they are mapped here, what an
  /// atomic operation does (`operand` and `compare` as in Operation), and returns the old value.
  /// `address` is 8-byte aligned. None: map_memory() gives null. Atomic with all changes of its
  /// kind, with those by the processors of all who have the memory, and with the device's atomic
  /// operations where Caps::atomic_with_cpu.
  [[nodiscard]] std::optional<std::uint64_t> change_memory(EndpointId endpoint,
                                                           std::uint64_t address, AtomicKind kind,
                                                           std::uint64_t operand,
                                                           std::uint64_t compare = 0);

  // Memory in which messages travel best.

  /// At least `bytes` for messages, whole pages. Null: this device has not so much. It stays when
  /// the device goes.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  [[nodiscard]] virtual Released release(void* memory) = 0;

  // What is known of the host.

  [[nodiscard]] virtual HostFacts facts() const = 0;
  /// The same, after what a process can measure by itself and is not known or old has been
  /// measured, in less than a millisecond; in that time the caller should have its core for itself.
  [[nodiscard]] virtual HostFacts measure_facts() = 0;
  /// Takes over what others have measured, and goes by it; keeps it for later jobs.
  virtual void learn(const HostFacts& facts) = 0;
  /// Bytes up to which claim_lines() (runtime/claim_lines.hpp) of what was read in memory that is
  /// shared saves time; 0: it never does. learn() may change it.
  [[nodiscard]] virtual std::size_t claim_lines_to() const = 0;

 protected:
  ~HostMemory() = default;
};

}  // namespace remit
