// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The digest of all algorithms on the LogGP machine.
#include "runtime/bootstrap/singleton_bootstrap.hpp"
#include "tests/unit/collectives/digest.hpp"

namespace remit::testing {

namespace {

void print_size(Process& process, int size) {
  Engine engine(process, {1'000'000, 100'000, 200'000, 80}, size);
  const auto run = [&](const DigestCase& c, logp::Member* members) {
    for (int r = 0; r < c.size; ++r) {
      members[r].task = c.row->run(*members[r].context, members[r].args);
      members[r].task.start();
    }
    while (engine.step()) {
    }
  };
  for (const DigestCase& c : digest_cases(size)) {
    fmt::print("{}\n", digest(
                           c, [&](int) -> Engine& { return engine; }, run,
                           [&](int r) -> std::uint64_t { return engine.processor(r).messages; }));
  }
}

}  // namespace

}  // namespace remit::testing

int main() {
  remit::Process process(remit::make_singleton_bootstrap(), std::make_shared<remit::SteadyClock>(),
                         remit::Params(), 1);
  for (const int size : remit::testing::digest_sizes()) {
    remit::testing::print_size(process, size);
  }
  return 0;
}
