// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The digest of all algorithms with engines over the simulated device.
#include "tests/unit/collectives/digest.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {

namespace {

void drive(Progress& progress) {
  for (int idle = 0; idle < 2;) idle = progress.poll() != 0 ? 0 : idle + 1;
}

void print_size(int size) {
  SimConfig config;
  config.seed = 1;
  World world(size, config, {}, 0);
  const auto run = [&](const DigestCase& c, logp::Member* members) {
    for (int r = 0; r < c.size; ++r) {
      members[r].task = c.row->run(*members[r].context, members[r].args);
      members[r].task.start();
      world.network().wake(static_cast<PeerName>(r));
    }
    int next = 0;
    const auto done = [&] {
      while (next < c.size && members[next].task.done()) ++next;
      return next == c.size;
    };
    const auto poll = [&](PeerName name) {
      drive(world.process(static_cast<int>(name)).progress());
    };
    (void)world.network().run(poll, done);
  };
  for (const DigestCase& c : digest_cases(size)) {
    fmt::print("{}\n", digest(
                           c, [&](int r) -> Engine& { return world.engine(r); }, run,
                           [&](int r) {
                             const MessageCounters& counters = world.engine(r).counters();
                             return counters.eager + counters.rendezvous;
                           }));
  }
}

}  // namespace

}  // namespace remit::testing

int main() {
  for (const int size : remit::testing::digest_sizes()) remit::testing::print_size(size);
  return 0;
}
