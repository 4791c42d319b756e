// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "onesided/one_sided.hpp"
#include "onesided/window.hpp"
#include "rdma_btl/open_devices.hpp"
#include "rdma_btl/shm/shm_params.hpp"

namespace remit {

namespace {

/// "rank 3 and 5 others are", "rank 3 is".
std::string subject(const SomeMembers& members) {
  if (members.count == 1) return fmt::format("rank {} is", members.first);
  const int others = members.count - 1;
  return fmt::format("rank {} and {} other{} are", members.first, others, others > 1 ? "s" : "");
}

const char* words_of(WindowServing serving) {
  switch (serving) {
    case WindowServing::nobody:
      break;
    case WindowServing::thread:
      return "served by the progress thread";
    case WindowServing::in_calls:
      return "served only while the target is in a call of MPI (there is no progress thread)";
  }
  return "passive";
}

}  // namespace

std::string why_not_shared(OneSided& manager) {
  const Params& params = manager.process().params();
  DeviceSet& devices = manager.links().devices();
  if (std::none_of(devices.begin(), devices.end(),
                   [](const auto& slot) { return slot->host_memory != nullptr; })) {
    return fmt::format("{}={}", environment_name(devices_param), params.text(devices_param));
  }
  if (!params.flag(shm_alloc_param)) return environment_name(shm_alloc_param) + "=no";
  return "its ranks are in containers that share nothing, or there was no memory";
}

const char* maker_of(int flavor) {
  switch (flavor) {
    case MPI_WIN_FLAVOR_CREATE:
      return "MPI_Win_create";
    case MPI_WIN_FLAVOR_ALLOCATE:
      return "MPI_Win_allocate";
    case MPI_WIN_FLAVOR_SHARED:
      return "MPI_Win_allocate_shared";
    default:
      return "MPI_Win_create_dynamic";
  }
}

std::vector<std::string> why_not_faster(const WindowReport& report) {
  std::vector<std::string> reasons;
  const bool dynamic = report.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  const std::string own =
      dynamic ? "attached memory" : fmt::format("memory of {}", maker_of(report.flavor));
  if (report.kernel.count + report.untried.count != 0) {
    reasons.push_back(fmt::format(
        "{} is not shared, so that the kernel copies it: MPI_Win_allocate is faster", own));
  }
  if (report.refused.count != 0) {
    reasons.push_back(fmt::format("{} reached by messages: {} is not shared, and {}",
                                  subject(report.refused), own, report.refusal));
  }
  if (report.unshared.count != 0) {
    reasons.push_back(fmt::format("{} reached by messages: memory of this host is not shared: {}",
                                  subject(report.unshared), report.not_sharing));
  }
  if (report.elsewhere.count != 0) {
    const std::string by =
        report.device.empty() ? "" : fmt::format(", reached by {}", report.device);
    reasons.push_back(fmt::format("{} on other hosts{}", subject(report.elsewhere), by));
  }
  return reasons;
}

std::string describe(const WindowReport& report, const std::string& name) {
  std::vector<std::string> ways;
  const auto add = [&ways](int count, const char* way) {
    if (count != 0) ways.push_back(fmt::format("{} {}", count, way));
  };
  add(report.mapped.count, "mapped");
  add(report.kernel.count, "by kernel copies");
  add(report.untried.count, "by kernel copies not tried yet");
  add(report.refused.count + report.unshared.count + report.elsewhere.count, "by messages");
  std::vector<std::string> counted;
  const auto count = [&counted](std::uint64_t number, const char* what) {
    if (number != 0) counted.push_back(fmt::format("{} {}", what, number));
  };
  count(report.counts.kernel, "kernel copies");
  count(report.counts.handed_over, "operations handed to polling targets");
  count(report.counts.moves, "device puts and gets");
  count(report.counts.messages, "messages");
  count(report.counts.adapter, "operations of the adapter");
  count(report.counts.waited_locks, "locks that were not free");
  std::string line =
      fmt::format("window {}{}: {}, {} member{}: {}", report.number,
                  name.empty() ? "" : fmt::format(" ({})", name), maker_of(report.flavor),
                  report.members, report.members == 1 ? "" : "s", fmt::join(ways, ", "));
  line += fmt::format("; {}; atomic by the {}", words_of(report.serving),
                      report.adapter.empty() ? "processor" : "adapter (" + report.adapter + ")");
  if (!counted.empty()) line += fmt::format("; {}", fmt::join(counted, ", "));
  for (const std::string& reason : why_not_faster(report)) line += "; " + reason;
  return line;
}

WindowReport Window::report(bool has_progress_thread) const {
  const WindowMembers& all = core_.members;
  const RemoteAccess& remote = core_.remote;
  WindowReport report;
  report.number = core_.comm.context;
  report.flavor = core_.spec.flavor;
  report.members = all.size();
  if (core_.is_served) {
    report.serving = has_progress_thread ? WindowServing::thread : WindowServing::in_calls;
  }
  report.counts = {all.kernel_uses(), remote.moved(), remote.targets().asked() - remote.moved(),
                   core_.host.waits() + remote.lock_waits(), operations_.unmapped().handed_over()};
  if (core_.adapter != nullptr) {
    const AdapterAccess& adapter = *core_.adapter;
    report.adapter = adapter.peers().device_name();
    report.counts.adapter = adapter.peers().started();
    report.counts.waited_locks += adapter.locks().waits() + adapter.changes().waits();
  }
  for (int rank = 0; rank < all.size(); ++rank) {
    const std::optional<MemoryWay> way = all.known_way(rank);
    if (!way) {
      report.untried.add(rank);
    } else if (*way == MemoryWay::mapped) {
      report.mapped.add(rank);
    } else if (*way == MemoryWay::kernel) {
      report.kernel.add(rank);
    } else if (all.control(rank) != nullptr) {
      report.refused.add(rank);
    } else if (std::binary_search(unshared_.begin(), unshared_.end(), rank)) {
      report.unshared.add(rank);
    } else {
      report.elsewhere.add(rank);
      const Link* const link =
          report.device.empty() ? core_.manager.links().find(all.proc(rank)) : nullptr;
      if (link != nullptr && link->device != nullptr) {
        report.device = link->device->device->caps().name;
      }
    }
  }
  report.refusal = all.refusal();
  if (report.unshared.count != 0) report.not_sharing = why_not_shared(core_.manager);
  return report;
}

}  // namespace remit
