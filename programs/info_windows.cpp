// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// info_windows.cpp: tries what windows are made of.
#include "programs/info_windows.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "bindings/process/progress_thread.hpp"
#include "onesided/memory/process_memory.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/open_devices.hpp"
#include "rdma_btl/shm/shm_params.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"
#include "runtime/call_status.hpp"
#include "runtime/clock.hpp"
#include "runtime/process.hpp"

namespace remit {

namespace {

/// What a child found out, as it goes through a pipe.
struct CopyTrial {
  bool copies = false;
  std::int64_t ns = 0;  ///< the shortest time of 8 bytes
  char refusal[1000] = "";
};
static_assert(sizeof(CopyTrial) < 4096);  // a pipe takes it at once

/// In a process that is no ancestor of the other one, as ranks of a job are to each other.
CopyTrial copy_from(const ProcessSign& sign) {
  constexpr int kTries = 200;
  CopyTrial trial;
  KernelCopy kernel;
  const auto memory = ProcessMemory::open(sign, kernel);
  if (!memory) {
    set_text(trial.refusal, memory.error().message);
    return trial;
  }
  trial.copies = true;
  trial.ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    std::uint64_t word = 0;
    const std::int64_t start = monotonic_ns();
    if (!(*memory)->read(&word, sign.word_address, sizeof word)) break;
    trial.ns = std::min(trial.ns, monotonic_ns() - start);
  }
  return trial;
}

/// Of a pipe, to its end.
std::optional<CopyTrial> read_trial(int pipe) {
  CopyTrial trial;
  std::size_t done = 0;
  while (done < sizeof trial) {
    const ssize_t count =
        ::read(pipe, reinterpret_cast<std::byte*>(&trial) + done, sizeof trial - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  trial.refusal[sizeof trial.refusal - 1] = '\0';
  return trial;
}

void try_copies(WindowFacts& facts) {
  const ProcessSign sign = own_process_sign();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    facts.refusal = fmt::format("no pipe could be made to try it: {}", std::strerror(errno));
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const CopyTrial trial = copy_from(sign);
    const bool told = ::write(ends[1], &trial, sizeof trial) == sizeof trial;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  const auto trial = child > 0 ? read_trial(ends[0]) : std::nullopt;
  ::close(ends[0]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  facts.copies = trial && trial->copies;
  if (facts.copies) facts.copy_ns = static_cast<double>(trial->ns);
  if (!facts.copies) facts.refusal = trial ? trial->refusal : "a child to try it did not live";
}

void try_allocation(const Params& params, HostMemory* memory, WindowFacts& facts) {
  if (memory == nullptr) {
    facts.why_unshared =
        fmt::format("{}={}", environment_name(devices_param), params.text(devices_param));
    return;
  }
  constexpr std::size_t kSome = 65536;
  void* const some = memory->allocate(kSome);
  facts.shares = some != nullptr;
  if (facts.shares) {
    (void)memory->release(some);
  } else {
    facts.why_unshared = params.flag(shm_alloc_param) ? "there was no memory for it"
                                                      : environment_name(shm_alloc_param) + "=no";
  }
}

WindowDevice device_of(const Device* device, std::string why) {
  WindowDevice out;
  if (device == nullptr) {
    out.why = std::move(why);
    return out;
  }
  const Caps& caps = device->caps();
  out.name = caps.name;
  out.puts = caps.has_put;
  out.gets = caps.has_get;
  out.atomics = caps.has_atomic;
  return out;
}

}  // namespace

WindowFacts ask_windows(const Params& params) {
  WindowFacts facts;
  facts.thread = !params.is_set(progress_thread_param) || params.flag(progress_thread_param);
  try_copies(facts);  // before there are threads
  Process process(make_singleton_bootstrap(/*other_hosts=*/true), std::make_shared<SteadyClock>(),
                  params, 0);
  const auto devices = open_devices(process);
  if (!devices) {
    facts.why_unshared = facts.here.why = facts.elsewhere.why = devices.error().message;
    return facts;
  }
  // As links do, each goes by the device of the lowest latency that reaches its place.
  const Device* here = nullptr;
  const Device* elsewhere = nullptr;
  HostMemory* memory = nullptr;
  const auto better = [](const Device* a, const Device* b) {
    return b == nullptr || a->caps().latency_ns < b->caps().latency_ns;
  };
  for (const auto& device : *devices) {
    HostMemory* const own = device->host_memory();
    if (memory == nullptr) memory = own;
    if (better(device.get(), here)) here = device.get();
    if (own == nullptr && better(device.get(), elsewhere)) elsewhere = device.get();
  }
  const std::string only =
      fmt::format("{}={}", environment_name(devices_param), params.text(devices_param));
  facts.here = device_of(here, only);
  facts.elsewhere = device_of(elsewhere, only);
  try_allocation(params, memory, facts);
  return facts;
}

}  // namespace remit
