// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Registers and deregisters with a device, and keeps the books.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "rdma_btl/device.hpp"
#include "rdma_btl/registration/address_range.hpp"
#include "runtime/watermark.hpp"

namespace remit {

/// What this process may lock into memory by RLIMIT_MEMLOCK, in bytes; the largest value if it is
/// privileged (CAP_IPC_LOCK) or unlimited.
[[nodiscard]] std::size_t lockable_bytes();

/// The registrations of one device. Each page counts as often as it is registered: so does the
/// kernel. One thread.
class Registrar {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  /// `limit`: bytes that should be registered at most.
  Registrar(Device& device, std::size_t limit) : device_(device), limit_(limit) {}
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  /// True if `bytes` more stay below the limit.
  [[nodiscard]] bool fits(std::size_t bytes) const {
    return pinned_ <= limit_ && bytes <= limit_ - pinned_;
  }

  struct Pinned {
    Region region;
    Access access = Access::local;  ///< what it allows
  };
  /// Registers `pages` with every access, or with `wanted` if the memory refuses the others. The
  /// limit is the caller's affair. The error says what was attempted and what is locked already.
  [[nodiscard]] Expected<Pinned> pin(AddressRange pages, Access wanted);
  /// `bytes` as they were pinned.
  void unpin(const Region& region, std::size_t bytes);

  [[nodiscard]] std::size_t limit() const { return limit_; }
  [[nodiscard]] std::size_t pinned_bytes() const { return pinned_; }
  [[nodiscard]] std::size_t pinned_peak() const { return peak_.most(); }
  [[nodiscard]] std::size_t recent_peak() const { return peak_.recent(); }
  /// recent_peak() is of what comes from now on.
  void restart_peak() { peak_.restart(pinned_); }
  [[nodiscard]] std::uint64_t pins() const { return pins_; }
  [[nodiscard]] std::uint64_t unpins() const { return unpins_; }

 private:
  Device& device_;
  std::size_t limit_;
  std::size_t pinned_ = 0;
  Watermark peak_;
  std::uint64_t pins_ = 0;
  std::uint64_t unpins_ = 0;
};

}  // namespace remit
