// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The processors of a host, as far as their mapping to ranks needs them: on the host itself made
// from hwloc's topology, elsewhere from a message. (hwloc's XML is not for that: its parser trusts
// it.)
#pragma once

#include <hwloc/bitmap.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/plan/placement.hpp"
#include "launcher/plan/topology.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// A set of logical processors, by the system's numbers.
class CpuSet {
 public:
  CpuSet() : bits_(hwloc_bitmap_alloc()) {}

  void add(const CpuSet& other) { hwloc_bitmap_or(bits_.get(), bits_.get(), other.bits_.get()); }
  void add_range(unsigned first, int last) { hwloc_bitmap_set_range(bits_.get(), first, last); }
  void add(hwloc_const_bitmap_t other) { hwloc_bitmap_or(bits_.get(), bits_.get(), other); }
  [[nodiscard]] bool includes(const CpuSet& other) const {
    return hwloc_bitmap_isincluded(other.bits_.get(), bits_.get()) != 0;
  }
  [[nodiscard]] bool meets(const CpuSet& other) const {
    return hwloc_bitmap_intersects(bits_.get(), other.bits_.get()) != 0;
  }
  [[nodiscard]] bool empty() const { return hwloc_bitmap_iszero(bits_.get()) != 0; }
  /// Ascending.
  [[nodiscard]] std::vector<int> list() const;

 private:
  struct Free {
    void operator()(hwloc_bitmap_t bits) const { hwloc_bitmap_free(bits); }
  };
  std::unique_ptr<hwloc_bitmap_s, Free> bits_;
};

/// A socket, a core, ...
struct HostPart {
  Level level;
  int number;   ///< among those of its level, in the order of the host
  CpuSet cpus;  ///< not empty
};

class Processors {
 public:
  explicit Processors(const Topology& topology);

  /// All parts of a level, at least one, in the order in which ranks get them: hardware threads
  /// first one of each core. Where a host reports none (a virtual machine's caches), it is the
  /// host; where it reports no cores, they are its hardware threads.
  [[nodiscard]] const std::vector<HostPart>& parts(Level level) const {
    return parts_[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] int count(Level level) const { return static_cast<int>(parts(level).size()); }

  /// Topology::machine() of the host.
  [[nodiscard]] const std::string& machine() const { return machine_; }
  /// Whether the other host is one on the same machine, and some of these are its processors too.
  [[nodiscard]] bool shared_with(const Processors& other) const;

  /// As bytes, and back from another host's: an error if they cannot be those of a host.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static Expected<Processors> read(std::string_view bytes);

 private:
  Processors() = default;

  std::array<std::vector<HostPart>, kLevels> parts_;
  std::string machine_;
};

}  // namespace remit::launcher
