// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks with engines over the simulated network, for tests of messages.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "datatype/datatype.hpp"
#include "pt2pt/engine.hpp"
#include "rdma_btl/sim/sim_device.hpp"
#include "rdma_btl/sim/sim_network.hpp"
#include "runtime/bootstrap/memory_bootstrap.hpp"
#include "runtime/process.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {

using ParamTexts = std::vector<std::pair<std::string, std::string>>;

/// `count` elements of a type at `base`.
inline View view(const void* base, std::size_t count, MPI_Datatype type = MPI_BYTE) {
  return View{const_cast<void*>(base), static_cast<MPI_Count>(count), &predefined(type).layout()};
}

inline std::byte pattern(std::uint64_t tag, std::size_t offset) {
  return static_cast<std::byte>((tag * 131 + offset * 7 + (offset >> 8) * 13) & 0xff);
}

/// A network without faults.
inline SimConfig quiet(std::uint64_t seed) {
  SimConfig config;
  config.seed = seed;
  return config;
}

/// A job of virtual ranks in one thread.
class World {
 public:
  World(int size, SimConfig config, const ParamTexts& params = {}, int lookup_delay = 3,
        int ranks_per_host = 4, bool has_key = false)
      : network_(std::move(config)),
        job_(size, {.ranks_per_host = ranks_per_host,
                    .seed = network_.config().seed,
                    .max_delay_polls = lookup_delay,
                    .has_key = has_key}) {
    const auto group = Group::regular(ProcId{0}, 1, size);
    for (int rank = 0; rank < size; ++rank) {
      Params values;
      for (const auto& [name, text] : params) {
        const Expected<> set = values.set(name, text);
        EXPECT_TRUE(set.has_value()) << (set ? "" : set.error().message);
      }
      auto& r = ranks_.emplace_back(std::make_unique<Rank>());
      r->process = std::make_unique<Process>(
          job_.join(rank), std::shared_ptr<const Clock>(&network_.clock(), [](const Clock*) {}),
          std::move(values), network_.config().seed);
      std::vector<std::unique_ptr<Device>> devices;
      auto device = network_.add_process(r->process->name_of(rank));
      r->device = device.get();
      devices.push_back(std::move(device));
      r->engine = std::make_unique<Engine>(*r->process, std::move(devices));
      r->comm.context = 0;
      r->comm.rank = rank;
      r->comm.local = group;
    }
  }
  ~World() {
    if (!::testing::Test::HasFailure()) {
      EXPECT_EQ(network_.violations(), 0U) << network_.last_violation();
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] Engine& engine(int rank) { return *at(rank).engine; }
  [[nodiscard]] Process& process(int rank) { return *at(rank).process; }
  [[nodiscard]] CommCore& comm(int rank) { return at(rank).comm; }
  [[nodiscard]] SimNetwork& network() { return network_; }

  /// Polls every living rank once.
  int poll_all() {
    int events = 0;
    for (auto& rank : ranks_) {
      if (rank->engine) events += rank->process->progress().poll();
    }
    return events;
  }

  /// Progress until `done()`; false if nothing happens any more without it.
  [[nodiscard]] bool run(const std::function<bool()>& done, std::uint64_t max_rounds = 3'000'000) {
    int idle = 0;
    for (std::uint64_t round = 0; round < max_rounds; ++round) {
      if (done()) return true;
      const bool moved = poll_all() != 0;
      const bool stepped = network_.step();
      idle = moved || stepped ? 0 : idle + 1;
      if (idle > 64) return done();
    }
    return false;
  }
  /// Progress until nothing happens any more.
  void settle() {
    int idle = 0;
    while (idle < 64) idle = poll_all() != 0 || network_.step() ? 0 : idle + 1;
  }
  /// The rank stops without a word.
  void kill(int rank) {
    network_.kill(process(rank).name_of(rank));
    dead_.push_back(std::move(at(rank).engine));
  }

 private:
  struct Rank {
    std::unique_ptr<Process> process;
    SimDevice* device = nullptr;
    std::unique_ptr<Engine> engine;
    CommCore comm;
  };
  Rank& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  SimNetwork network_;
  MemoryJob job_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<Engine>> dead_;
};

}  // namespace remit::testing
