// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who is on a simulated network, and who has something to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/sim/random_source.hpp"
#include "rdma_btl/sim/virtual_process.hpp"

namespace remit::sim {

/// The processes of a network, by index and by name; cheapest when names are 0, 1, 2 ... And those
/// of them that are ready: something happened to them, or they asked for it.
class Processes {
 public:
  /// `shuffle`: the ready ones come at random instead of first come, first served.
  Processes(RandomSource& random, bool shuffle) : random_(random), shuffle_(shuffle) {}

  /// The index that the next one gets; throws std::invalid_argument if its name is taken.
  [[nodiscard]] std::uint32_t next_index(PeerName name) const;
  void add(VirtualProcess& process);
  /// The orderly end of one: what is in flight is lost.
  void remove(const VirtualProcess& process);
  /// Operations that were lost so.
  [[nodiscard]] std::uint64_t lost_at_exit() const { return lost_at_exit_; }

  /// Throws std::invalid_argument: there is no such process.
  [[nodiscard]] std::uint32_t index_of(PeerName name) const;
  /// And if it has left.
  [[nodiscard]] VirtualProcess& of(PeerName name) const;
  [[nodiscard]] PeerName name(std::uint32_t index) const { return names_[index]; }
  /// Whether there is or was one of that index and name.
  [[nodiscard]] bool knows(std::uint64_t index, PeerName name) const {
    return index < names_.size() && names_[index] == name;
  }
  /// Null: it has left.
  [[nodiscard]] VirtualProcess* at(std::uint32_t index) const { return processes_[index]; }
  /// Null also if it is dead.
  [[nodiscard]] VirtualProcess* living(std::uint32_t index) const;

  void make_ready(VirtualProcess& process);
  /// And ends its sleep, if it is armed.
  void wake(VirtualProcess& process);
  /// The next that is ready; each is returned once until something new happens.
  [[nodiscard]] std::optional<PeerName> pop_ready();

  [[nodiscard]] std::size_t memory_in_use() const;

 private:
  RandomSource& random_;
  bool shuffle_;
  std::vector<VirtualProcess*> processes_;                 ///< by index; null: left
  std::vector<PeerName> names_;                            ///< by index
  std::unordered_map<PeerName, std::uint32_t> odd_names_;  ///< those that are not their index
  std::vector<std::uint32_t> ready_;
  std::size_t ready_head_ = 0;
  std::uint64_t lost_at_exit_ = 0;
};

}  // namespace remit::sim
