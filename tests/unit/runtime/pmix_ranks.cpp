// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One rank of the test pmix_test.sh: exchanges blobs with all others through the PMIx
// server that started it. Prints one line that ends in "ok", or what went wrong.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/bootstrap/bootstrap_open.hpp"
#include "runtime/clock.hpp"
#include "runtime/topology.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {
namespace {

Bytes blob_of(int rank) {
  Bytes blob(static_cast<std::size_t>(100 + rank % 7));
  for (std::size_t i = 0; i < blob.size(); ++i) {
    blob[i] = std::byte(static_cast<std::size_t>(rank) * 31 + i);
  }
  return blob;
}

int complain(const std::string& what) {
  std::printf("%s\n", what.c_str());
  return 1;
}

/// Looks every rank up and sleeps on the descriptor meanwhile; "" if all answers are right.
std::string exchange(Bootstrap& bootstrap) {
  const int size = bootstrap.identity().size;
  for (int i = 0; i < size; ++i) bootstrap.lookup((bootstrap.identity().rank + i) % size);
  bootstrap.lookup(size);
  int blobs = 0, errors = 0;
  while (blobs + errors < size + 1) {
    const auto answer = bootstrap.poll();
    if (!answer) {
      pollfd ready{bootstrap.wait_fd(), POLLIN, 0};
      if (::poll(&ready, 1, 60'000) == 0) return "no answer within a minute";
    } else if (answer->blob) {
      if (*answer->blob != blob_of(answer->rank)) {
        return fmt::format("wrong blob of rank {}", answer->rank);
      }
      ++blobs;
    } else if (answer->rank == size) {
      ++errors;
    } else {
      return answer->blob.error().message;
    }
  }
  return bootstrap.poll() ? "an answer too many" : "";
}

int run(const char* how) {
  const SteadyClock clock;
  const std::uint64_t before = clock.now_ns();
  auto opened = open_bootstrap(environ);
  if (!opened) return complain(opened.error().message);
  const std::uint64_t after = clock.now_ns();
  Bootstrap& bootstrap = **opened;
  const Identity& me = bootstrap.identity();
  if (std::string(how) == "abort" && me.rank == me.size - 1) bootstrap.abort(7, "on purpose");
  if (auto published = bootstrap.publish(blob_of(me.rank)); !published) {
    return complain(published.error().message);
  }
  if (const std::string wrong = exchange(bootstrap); !wrong.empty()) return complain(wrong);
  if (auto passed = bootstrap.barrier(); !passed) return complain(passed.error().message);
  if (std::string(how) == "abort") ::pause();
  const bool sound = me.local_rank < me.local_size && !me.host.empty() &&
                     me.local_peers.at(static_cast<std::size_t>(me.local_rank)) == me.rank;
  if (!sound) return complain("local ranks make no sense");
  const auto host = HostTopology::open(bootstrap);
  if (!host) return complain(host.error().message);
  const auto params = Params::from_environment(environ, UnknownNames::ignore);
  if (!params) return complain(params.error().message);
  const CoreShare share = core_share(*params, me);
  bootstrap.finalize();
  std::printf("rank %d of %d local %d of %d ranks:cores %d:%d init %.1f ms ok\n", me.rank, me.size,
              me.local_rank, me.local_size, share.ranks, share.cores,
              static_cast<double>(after - before) * 1e-6);
  return 0;
}

}  // namespace
}  // namespace remit

int main(int argc, char** argv) {
  return remit::run(argc > 1 ? argv[1] : "exchange");
}
