// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Chooses how a rank waits.
#include "runtime/waiting/wait_policy.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>

namespace remit {

namespace {

/// The first line of a small file; empty if it cannot be read.
std::string first_line(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  char text[4096] = "";
  if (file == nullptr || std::fgets(text, sizeof text, file.get()) == nullptr) return {};
  return text;
}

int cores_in_affinity_mask() {
  // A fixed cpu_set_t ends at 1024 cores; the kernel answers EINVAL until the set is large enough.
  for (std::size_t cores = CPU_SETSIZE; cores <= (std::size_t{1} << 20); cores *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(cores),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const std::size_t bytes = CPU_ALLOC_SIZE(cores);
    if (set != nullptr && ::sched_getaffinity(0, bytes, set.get()) == 0) {
      return std::max(1, CPU_COUNT_S(bytes, set.get()));
    }
  }
  return 1;
}

/// Whole cores that the CPU quota of this control group (v2) and its parents allows: what
/// `docker --cpus` sets. Spinning beyond it would only bring throttling forward.
int cores_in_quota() {
  int cores = std::numeric_limits<int>::max();
  std::string group = first_line("/proc/self/cgroup");
  if (!group.starts_with("0::/")) return cores;
  group = group.substr(3, group.find_last_not_of('\n') - 2);
  while (true) {
    const std::string limit = first_line("/sys/fs/cgroup" + group + "/cpu.max");
    long long quota = 0, period = 0;
    if (std::sscanf(limit.c_str(), "%lld %lld", &quota, &period) == 2 && period > 0) {
      cores = std::min<long long>(cores, std::max(1LL, quota / period));
    }
    if (group.size() <= 1) return cores;
    group.resize(std::max<std::size_t>(1, group.rfind('/')));
  }
}

std::uint32_t clamped(std::int64_t value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

HostCores host_cores() {
  const auto all = std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF));
  return {static_cast<int>(all), cores_in_affinity_mask(), cores_in_quota()};
}

CoreShare core_share(const Params& params, const Identity& identity, const HostCores& cores) {
  CoreShare share;
  share.cores = cores.allowed;
  share.ranks = identity.core_sharers > 0 ? identity.core_sharers : identity.local_size;
  const std::int64_t told = params.integer(core_sharers_param);
  if (told > 0) share.ranks = static_cast<int>(told);
  // The quota is that of all ranks of the host together, whatever each of them is bound to.
  const int all = std::max(share.ranks, identity.local_size);
  share.quota_short = cores.quota < std::min(all, cores.all);
  return share;
}

CoreShare core_share(const Params& params, const Identity& identity) {
  return core_share(params, identity, host_cores());
}

WaitPolicy make_wait_policy(const Params& params, const CoreShare& share) {
  WaitPolicy policy;
  policy.spin_polls = clamped(params.integer(spin_polls_param));
  policy.yields = clamped(params.integer(yields_param));
  policy.spin = share.suffices();
  const std::string& word = params.text(wait_param);
  if (word == "spin") {
    policy.spin = true;
    policy.spin_polls = std::numeric_limits<std::uint32_t>::max();
    policy.sleep = false;
  } else if (word == "yield") {
    policy.spin = false;
    policy.sleep = false;
  } else if (word == "sleep") {
    policy.spin = false;
    policy.yields = 0;
  }
  return policy;
}

WaitPolicy make_wait_policy(const Params& params, const Identity& identity) {
  return make_wait_policy(params, core_share(params, identity));
}

std::string describe(const WaitPolicy& policy) {
  if (policy.spin && !policy.sleep) return "spins and never sleeps";
  if (!policy.sleep) return "yields its core and never sleeps";
  std::string words = policy.spin && policy.spin_polls > 0
                          ? fmt::format("spins for {} empty polls, then ", policy.spin_polls)
                          : "";
  if (policy.yields > 0)
    words += fmt::format("yields its core up to {} times, then ", policy.yields);
  return words + (words.empty() ? "sleeps at once" : "sleeps");
}

}  // namespace remit
