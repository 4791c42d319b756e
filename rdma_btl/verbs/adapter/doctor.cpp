// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// remit_info --rdma: what RDMA needs on this host, examined one after the other.
#include "rdma_btl/verbs/adapter/doctor.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "rdma_btl/pending.hpp"
#include "rdma_btl/registration/memory_watch.hpp"
#include "rdma_btl/registration/registrar.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"
#include "rdma_btl/verbs/verbs_params.hpp"

namespace remit::verbs {

namespace {

namespace fs = std::filesystem;

/// For the messages of a rank, besides the device's own memory.
constexpr std::size_t kLeastForMessages = std::size_t{4} << 20;
constexpr std::size_t kProbeBytes = std::size_t{256} << 10;
constexpr std::uint32_t kNotification = 0x5eed;
constexpr std::chrono::seconds kPatience{10};

std::string megabytes(std::size_t bytes) {
  return bytes < (std::size_t{1} << 20) ? fmt::format("{} kB", bytes >> 10)
                                        : fmt::format("{} MB", bytes >> 20);
}

/// A PCI device that is an InfiniBand adapter, or one of the maker of most adapters.
std::string silent_adapter() {
  const fs::path folder("/sys/bus/pci/devices");
  for (const std::string& name : names_in(folder)) {
    const std::string kind = first_line(folder / name / "class");
    const bool infiniband = kind.starts_with("0x0207");
    const bool mellanox = first_line(folder / name / "vendor") == "0x15b3";
    if (infiniband || (mellanox && kind.starts_with("0x02"))) return name;
  }
  return {};
}

/// The examination, and what one step leaves to the next.
class Doctor {
 public:
  explicit Doctor(const Params& params) : params_(params) {}

  [[nodiscard]] std::vector<Finding> examine() {
    using Step = bool (Doctor::*)();
    for (const Step step : {&Doctor::adapter, &Doctor::libraries, &Doctor::driver, &Doctor::port,
                            &Doctor::locked_memory, &Doctor::registration, &Doctor::loopback}) {
      if (!(this->*step)()) return std::move(findings_);
    }
    monitor();
    return std::move(findings_);
  }

 private:
  template <class... Args>
  bool ok(const char* what, fmt::format_string<Args...> format, Args&&... args) {
    findings_.push_back({what, true, fmt::format(format, std::forward<Args>(args)...)});
    return true;
  }
  template <class... Args>
  bool bad(const char* what, fmt::format_string<Args...> format, Args&&... args) {
    findings_.push_back({what, false, fmt::format(format, std::forward<Args>(args)...)});
    return false;
  }

  bool adapter();
  bool libraries();
  bool driver();
  bool port();
  void gids();
  bool locked_memory();
  bool registration();
  bool loopback();
  void monitor();

  const Params& params_;
  std::vector<Finding> findings_;
  std::vector<std::string> devices_;
  Api api_;
  VerbsConfig config_;
  Adapter adapter_;
  std::unique_ptr<VerbsDevice> device_;
};

/// Does the kernel know one?
bool Doctor::adapter() {
  devices_ = kernel_adapters();
  if (!devices_.empty()) return ok("adapter", "{}", fmt::join(devices_, ", "));
  const std::string silent = silent_adapter();
  if (!silent.empty()) {
    return bad("adapter",
               "the kernel has no driver for the adapter at PCI address {}: load it (for ConnectX: "
               "'modprobe mlx5_ib'), and see what 'dmesg' says",
               silent);
  }
  return bad("adapter",
             "this host has no RDMA adapter, or its kernel driver is not loaded ('lspci', 'rdma "
             "link'). Without one Remit uses shared memory on a host; to try RDMA out, put "
             "Soft-RoCE on a network interface: 'rdma link add rxe0 type rxe netdev eth0'");
}

bool Doctor::libraries() {
  Expected<Api> api = load_api();
  if (!api) return bad("libraries", "{}", api.error().message);
  api_ = *api;
  return ok("libraries", "libibverbs.so.1 and librdmacm.so.1");
}

/// The kernel's way to user programs, and the library's part for each adapter.
bool Doctor::driver() {
  std::vector<std::string> good;
  for (const std::string& device : devices_) {
    const Expected<std::string> file = user_file(api_, device);
    if (!file) return bad("driver", "{}", file.error().message);
    good.push_back(fmt::format("{} ({})", device, *file));
  }
  return ok("driver", "{}", fmt::join(good, ", "));
}

/// The one that a job would use, with its addresses.
bool Doctor::port() {
  std::mt19937_64 random(std::random_device{}());
  Expected<VerbsConfig> config = verbs_config(params_, 1, std::to_string(random()), nullptr);
  if (!config) return bad("port", "{}", config.error().message);
  config_ = *config;
  Expected<std::vector<Adapter>> adapters = find_adapters(api_);
  if (!adapters) return bad("port", "{}", adapters.error().message);
  Expected<Adapter> chosen = choose_adapter(api_, *adapters, config_.device);
  if (!chosen) return bad("port", "{}", chosen.error().message);
  adapter_ = *chosen;
  ok("port", "{} port {} is active ({}, {:.2g} GB/s)", adapter_.device, adapter_.port,
     adapter_.netdev, adapter_.bandwidth * 1e-9);
  gids();
  return ok("address", "{}", describe(adapter_, *adapters, config_.device));
}

/// As short as addresses are written; empty for the entry of no GID.
std::string short_gid(const std::string& listed) {
  in6_addr address = {};
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (::inet_pton(AF_INET6, listed.c_str(), &address) != 1) return listed;
  if (IN6_IS_ADDR_UNSPECIFIED(&address)) return {};
  return ::inet_ntop(AF_INET6, &address, text.data(), text.size());
}

/// All of the port's.
void Doctor::gids() {
  const fs::path folder = fs::path(kDevices) / adapter_.device / "ports" /
                          std::to_string(static_cast<unsigned>(adapter_.port));
  constexpr int kMost = 256;
  constexpr std::size_t kShown = 8;
  std::vector<std::string> found;
  for (int index = 0; index < kMost; ++index) {
    const std::string listed = first_line(folder / "gids" / std::to_string(index));
    if (listed.empty()) break;
    const std::string gid = short_gid(listed);
    if (gid.empty()) continue;
    const std::string type = first_line(folder / "gid_attrs" / "types" / std::to_string(index));
    found.push_back(fmt::format("{} {}{}{}", index, gid, type.empty() ? "" : " ", type));
  }
  const std::size_t count = found.size();
  if (count > kShown) found.resize(kShown);
  if (count == 0 && !adapter_.iwarp) {
    bad("GIDs", "{} has none: give {} an IP address", adapter_.device, adapter_.netdev);
    return;
  }
  ok("GIDs", "{}{}", fmt::join(found, ", "),
     count > kShown ? fmt::format(" and {} more", count - kShown) : "");
}

bool Doctor::locked_memory() {
  const std::size_t own = (config_.receive_slots + config_.send_slots + 1) * config_.message_bytes;
  const std::size_t may = lockable_bytes();
  if (may == Registrar::kUnlimited) {
    return ok("memlock", "any amount of memory may be registered ({} are for each rank's queues)",
              megabytes(own));
  }
  if (may < own + kLeastForMessages) {
    return bad("memlock",
               "RLIMIT_MEMLOCK is {}, each rank needs {} for its queues and at least {} for "
               "messages: raise it with 'ulimit -l unlimited', for good in "
               "/etc/security/limits.conf (memlock), or in the limits of the batch system",
               megabytes(may), megabytes(own), megabytes(kLeastForMessages));
  }
  return ok("memlock", "RLIMIT_MEMLOCK is {}, of which a rank uses {} for its queues",
            megabytes(may), megabytes(own));
}

/// Anonymous memory, registered with a device.
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() {
    if (device_ != nullptr) device_->deregister(region_);
    if (memory_ != MAP_FAILED) ::munmap(memory_, kProbeBytes);
  }
  [[nodiscard]] Expected<> make(Device& device) {
    memory_ =
        ::mmap(nullptr, kProbeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return fail_errno(MPI_ERR_NO_MEM, errno, "mapping memory");
    Expected<Region> region = device.register_memory(memory_, kProbeBytes, Access::all);
    if (!region) return tl::unexpected<Error>(std::move(region.error()));
    region_ = *region;
    device_ = &device;
    return {};
  }
  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(memory_), kProbeBytes};
  }
  [[nodiscard]] const Region& region() const { return region_; }

 private:
  Device* device_ = nullptr;
  void* memory_ = MAP_FAILED;
  Region region_;
};

bool Doctor::registration() {
  Expected<std::unique_ptr<VerbsDevice>> device = VerbsDevice::create(config_);
  if (!device) return bad("registration", "{}", device.error().message);
  device_ = std::move(*device);
  Probe probe;
  if (Expected<> made = probe.make(*device_); !made) {
    return bad("registration", "{}", made.error().message);
  }
  return ok("registration", "the queues and {} of user memory", megabytes(kProbeBytes));
}

/// What poll() brought to one of the two devices.
struct Seen {
  bool notified = false;
  bool done = false;
  int status = MPI_SUCCESS;
  std::string failure;
};

void poll_once(Device& device, Seen& seen) {
  std::array<Completion, 16> out;
  const std::size_t count = device.poll(out);
  for (const Completion& event : std::span(out).first(count)) {
    if (event.kind == CompletionKind::notification) {
      seen.notified = event.notification == kNotification;
    } else if (event.kind == CompletionKind::local) {
      seen.done = true;
      seen.status = event.status;
      if (event.status != MPI_SUCCESS) seen.failure = device.explain(event.endpoint);
    } else if (event.kind == CompletionKind::endpoint_failed) {
      seen.failure = device.explain(event.endpoint);
    }
  }
}

/// A second process's part is played by a second device.
bool Doctor::loopback() {
  VerbsConfig config = config_;
  config.name = config_.name + 1;
  config.receive_slots = 64;
  config.send_slots = 64;
  Expected<std::unique_ptr<VerbsDevice>> other = VerbsDevice::create(config);
  if (!other) return bad("loopback", "{}", other.error().message);
  VerbsDevice& target = **other;
  Probe from;
  Probe to;
  if (Expected<> made = from.make(*device_); !made) {
    return bad("loopback", "{}", made.error().message);
  }
  if (Expected<> made = to.make(target); !made) {
    return bad("loopback", "{}", made.error().message);
  }
  unsigned mixed = 1;
  for (std::byte& byte : from.bytes()) byte = static_cast<std::byte>((mixed *= 2654435761U) >> 24);

  const Expected<EndpointId> endpoint = device_->connect(config.name, target.local_address());
  if (!endpoint) return bad("loopback", "{}", endpoint.error().message);
  const Piece piece{from.bytes().data(), kProbeBytes, from.region().local_key};
  Operation put;
  put.kind = OpKind::put;
  put.local = {&piece, 1};
  put.remote = {reinterpret_cast<std::uintptr_t>(to.bytes().data()), to.region().remote_key};
  put.notify = true;
  put.notification = kNotification;
  put.cookie = 1;
  PendingQueue pending;
  pending.post(*device_, *endpoint, {&put, 1});
  Seen here;
  Seen there;
  const auto start = std::chrono::steady_clock::now();
  while (!(here.done && there.notified) && here.failure.empty() && there.failure.empty() &&
         std::chrono::steady_clock::now() - start < kPatience) {
    poll_once(*device_, here);
    poll_once(target, there);
    (void)pending.flush(*device_);
    ::sched_yield();
  }
  const std::string failure = here.failure.empty() ? there.failure : here.failure;
  if (!failure.empty()) return bad("loopback", "a put to this host itself failed: {}", failure);
  if (!here.done || !there.notified) {
    return bad("loopback",
               "a put to this host itself has not {} within {} s: does a firewall drop packets at "
               "{} (RoCE v2 is UDP port 4791)? 'dmesg' may say more",
               here.done ? "been notified" : "completed", kPatience.count(), adapter_.netdev);
  }
  if (std::memcmp(from.bytes().data(), to.bytes().data(), kProbeBytes) != 0) {
    return bad("loopback",
               "a put to this host itself was notified, and its bytes are wrong: do not use this "
               "adapter; update its driver and firmware");
  }
  return ok("loopback", "a put of {} arrived with its notification", megabytes(kProbeBytes));
}

/// Without one the rest works, slowly.
void Doctor::monitor() {
  const Expected<std::unique_ptr<MemoryWatch>> watch = MemoryWatch::open(params_);
  if (!watch) {
    bad("monitor", "{}", watch.error().message);
  } else if ((*watch)->active()) {
    ok("monitor", "{} tells when registered memory is unmapped", (*watch)->describe());
  } else if (params_.text(memory_monitor_param) == "none") {
    ok("monitor", "none, as REMIT_MEMORY_MONITOR asks: memory is registered for each message");
  } else {
    bad("monitor",
        "none works, so memory is registered for each message: allow userfaultfd ('sysctl "
        "vm.unprivileged_userfaultfd=1', seccomp of a container), or start jobs with "
        "mpirun -x REMIT_MEMORY_MONITOR=preload");
  }
}

}  // namespace

std::vector<Finding> examine(const Params& params) {
  return Doctor(params).examine();
}

}  // namespace remit::verbs
