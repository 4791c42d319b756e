// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which devices an MPI process has.
#include "rdma_btl/open_devices.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "config.h"
#include "rdma_btl/net/net_params.hpp"
#include "rdma_btl/ofi/ofi_device.hpp"
#include "rdma_btl/ofi/ofi_params.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "rdma_btl/shm/shm_params.hpp"
#include "rdma_btl/tcp/tcp_device.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"
#include "rdma_btl/verbs/verbs_params.hpp"
#include "runtime/os/os.hpp"

namespace remit {

namespace {

using Opened = Expected<std::unique_ptr<Device>>;

/// Processes of all jobs may be connected, if they speak the same language.
constexpr std::string_view kNetwork = "remit " PACKAGE_VERSION;

PeerName own_name(const Process& process) {
  return process.name_of(process.rank());
}

Opened open_shm(Process& process, EarlySteps early) {
  ShmConfig config = shm_config(process.params(), own_name(process), kNetwork, &process.log());
  config.measure_copies = process.progress().policy().spin;
  // What makes a stream fast where lines are claimed, elsewhere what the longest eager messages
  // need; but not the memory of many pairs.
  constexpr int kFew = 16;
  const bool few = process.identity().local_size <= kFew;
  if (!process.params().is_set(shm_area_param) && !(config.claim_lines_to != 0 && few)) {
    config.area_bytes = (few ? 256 : 128) * 1024;
  }
  config.registered = early.barriers;
  return ShmDevice::create(config);
}

Expected<VerbsConfig> config_of_verbs(Process& process) {
  return verbs_config(process.params(), own_name(process), kNetwork, &process.log());
}

Expected<OfiConfig> config_of_ofi(Process& process) {
  return ofi_config(process.params(), own_name(process), kNetwork, &process.log());
}

Expected<TcpConfig> config_of_tcp(Process& process) {
  TcpConfig config;
  config.name = own_name(process);
  config.job = shm::hash_of(kNetwork);
  config.interface = process.params().text(interface_param);
  config.congestion = process.params().text(tcp_congestion_param);
  config.log = &process.log();
  return config;
}

/// One that says which adapter it chose and why.
template <class Chosen, class Config>
Opened open_chosen(Process& process, const Expected<Config>& config) {
  if (!config) return tl::unexpected(config.error());
  Expected<std::unique_ptr<Chosen>> device = Chosen::create(*config);
  if (!device) return tl::unexpected(device.error());
  process.log().write(LogLevel::info, "{}: {}", (*device)->caps().name, (*device)->description());
  return std::move(*device);
}

Opened open_named(Process& process, std::string_view name, EarlySteps early = {}) {
  if (name == "shm") return open_shm(process, early);
  if (name == "verbs") return open_chosen<VerbsDevice>(process, config_of_verbs(process));
  if (name == "ofi") return open_chosen<OfiDevice>(process, config_of_ofi(process));
  if (name == "tcp") return open_chosen<TcpDevice>(process, config_of_tcp(process));
  return fail(MPI_ERR_INTERN, "there is no device '{}'", name);
}

constexpr std::array<std::string_view, 4> kNames = {"shm", "verbs", "ofi", "tcp"};

/// The words of a list; empty for "auto".
Expected<std::vector<std::string>> wanted_devices(const std::string& list) {
  std::vector<std::string> names;
  if (list == "auto") return names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, comma - at));
    at = comma + 1;
    if (std::ranges::find(kNames, names.back()) == kNames.end()) {
      return fail(MPI_ERR_ARG, "REMIT_DEVICES is '{}': '{}' is none of {}, auto", list,
                  names.back(), fmt::join(kNames, ", "));
    }
  }
  return names;
}

/// Adds a device that was not asked for: its absence is worth no more than a word.
bool open_if_there(Process& process, std::string_view name,
                   std::vector<std::unique_ptr<Device>>& devices) {
  Opened device = open_named(process, name);
  if (!device) {
    process.log().write(LogLevel::warning, "{} is not used: {}", name, device.error().message);
    return false;
  }
  devices.push_back(std::move(*device));
  return true;
}

/// What reaches ranks of other hosts, or processes there that this one may spawn.
void open_network(Process& process, std::vector<std::unique_ptr<Device>>& devices) {
  const Identity& identity = process.identity();
  if (identity.local_size >= identity.size && !identity.other_hosts) return;
  if (verbs::any_rdma_device() && open_if_there(process, "verbs", devices)) return;
  if (OfiDevice::any_adapter() && open_if_there(process, "ofi", devices)) return;
  (void)open_if_there(process, "tcp", devices);
}

/// What a device's own survey says.
DeviceNote note_of(const char* device, const Expected<std::string>& found) {
  return {device, found.has_value(), found ? *found : found.error().message};
}

}  // namespace

EarlySteps take_early_steps() {
  return {shm::has_one_thread() && shm::register_for_barriers()};
}

Expected<std::vector<std::unique_ptr<Device>>> open_devices(Process& process, EarlySteps early) {
  const Expected<std::vector<std::string>> wanted =
      wanted_devices(process.params().text(devices_param));
  if (!wanted) return tl::unexpected(wanted.error());
  std::vector<std::unique_ptr<Device>> devices;
  for (const std::string& name : wanted->empty() ? std::vector<std::string>{"shm"} : *wanted) {
    Opened device = open_named(process, name, early);
    if (!device) return tl::unexpected(device.error());
    devices.push_back(std::move(*device));
  }
  if (wanted->empty()) open_network(process, devices);
  return devices;
}

std::vector<DeviceNote> survey_devices(Process& process) {
  return {note_of("verbs", config_of_verbs(process).and_then(VerbsDevice::survey)),
          note_of("ofi", config_of_ofi(process).and_then(OfiDevice::survey)),
          note_of("tcp", config_of_tcp(process).and_then(TcpDevice::survey))};
}

}  // namespace remit
