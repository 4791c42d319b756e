// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which devices an MPI process has.
#include "rdma_btl/open_devices.hpp"

#include <algorithm>
#include <string_view>

#include "rdma_btl/shm/shm_device.hpp"
#include "rdma_btl/shm/shm_params.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"
#include "rdma_btl/verbs/verbs_params.hpp"

namespace remit {

namespace {

using Opened = Expected<std::unique_ptr<Device>>;

Opened open_shm(Process& process) {
  const auto name = static_cast<PeerName>(process.rank());
  ShmConfig config = shm_config(process.params(), name, process.identity().job, &process.log());
  config.measure_copies = process.progress().policy().spin;
  return ShmDevice::create(config);
}

Expected<VerbsConfig> config_of_verbs(Process& process) {
  const auto name = static_cast<PeerName>(process.rank());
  return verbs_config(process.params(), name, process.identity().job, &process.log());
}

Opened open_verbs(Process& process) {
  const Expected<VerbsConfig> config = config_of_verbs(process);
  if (!config) return tl::unexpected(config.error());
  Expected<std::unique_ptr<VerbsDevice>> device = VerbsDevice::create(*config);
  if (!device) return tl::unexpected(device.error());
  process.log().write(LogLevel::info, "verbs: {}", (*device)->description());
  return std::move(*device);
}

/// The words of a list; empty for "auto".
Expected<std::vector<std::string>> wanted_devices(const std::string& list) {
  std::vector<std::string> names;
  if (list == "auto") return names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, comma - at));
    at = comma + 1;
    if (names.back() != "shm" && names.back() != "verbs") {
      return fail(MPI_ERR_ARG, "REMIT_DEVICES is '{}': '{}' is none of shm, verbs, auto", list,
                  names.back());
    }
  }
  return names;
}

/// A device that was not asked for: its absence is worth a word only to who asks.
void open_if_there(Process& process, std::vector<std::unique_ptr<Device>>& devices) {
  const Identity& identity = process.identity();
  if (identity.local_size >= identity.size || !verbs::any_rdma_device()) return;
  Opened device = open_verbs(process);
  if (device) {
    devices.push_back(std::move(*device));
  } else {
    process.log().write(LogLevel::warning, "verbs is not used: {}", device.error().message);
  }
}

}  // namespace

Expected<std::vector<std::unique_ptr<Device>>> open_devices(Process& process) {
  const Expected<std::vector<std::string>> wanted =
      wanted_devices(process.params().text(devices_param));
  if (!wanted) return tl::unexpected(wanted.error());
  std::vector<std::unique_ptr<Device>> devices;
  for (const std::string& name : wanted->empty() ? std::vector<std::string>{"shm"} : *wanted) {
    Opened device = name == "shm" ? open_shm(process) : open_verbs(process);
    if (!device) return tl::unexpected(device.error());
    devices.push_back(std::move(*device));
  }
  if (wanted->empty()) open_if_there(process, devices);
  return devices;
}

std::vector<DeviceNote> survey_devices(Process& process) {
  const Expected<VerbsConfig> config = config_of_verbs(process);
  if (!config) return {{"verbs", false, config.error().message}};
  Expected<std::string> found = VerbsDevice::survey(*config);
  if (!found) return {{"verbs", false, found.error().message}};
  return {{"verbs", true, *found}};
}

}  // namespace remit
