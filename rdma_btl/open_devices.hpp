// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which devices an MPI process has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rdma_btl/device.hpp"
#include "runtime/process.hpp"

namespace remit {

inline const ParamDecl devices_param{
    "devices", std::string("auto"), "",
    "devices that move messages between processes: shm, verbs, ofi, tcp, joined by commas; auto: "
    "shm on a host; between hosts verbs if there is an RDMA adapter, ofi (libfabric) if there is "
    "one that only it reaches, else tcp"};

/// What there is to say about a device: which adapter it uses and why, or why there is none.
struct DeviceNote {
  std::string device;
  bool usable = false;
  std::string words;
};

/// What the kernel has been asked for while it was quick.
struct EarlySteps {
  bool barriers = false;  ///< barriers of other processes order this one's memory accesses
};
/// Takes the steps that last milliseconds in a process with threads, if it has none yet. Before the
/// bootstrap is opened, which starts the first.
[[nodiscard]] EarlySteps take_early_steps();

/// Opens the devices of `process` in order of preference: a peer is reached by the first one that
/// reaches it. A device that devices_param names must open; one that is chosen automatically may be
/// absent. At set-up, on the thread that holds the process.
[[nodiscard]] Expected<std::vector<std::unique_ptr<Device>>> open_devices(Process& process,
                                                                          EarlySteps early = {});

/// The devices that depend on hardware, for remit_info. Opens libraries, makes no connection.
[[nodiscard]] std::vector<DeviceNote> survey_devices(Process& process);

}  // namespace remit
