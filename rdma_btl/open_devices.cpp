// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which devices an MPI process has.
#include "rdma_btl/open_devices.hpp"

#include "rdma_btl/shm/shm_device.hpp"
#include "rdma_btl/shm/shm_params.hpp"

namespace remit {

Expected<std::vector<std::unique_ptr<Device>>> open_devices(Process& process) {
  const auto name = static_cast<PeerName>(process.rank());
  auto shm =
      ShmDevice::create(shm_config(process.params(), name, process.identity().job, &process.log()));
  if (!shm) return tl::unexpected(shm.error());
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::move(*shm));
  return devices;
}

}  // namespace remit
