// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which devices an MPI process has.
#pragma once

#include <memory>
#include <vector>

#include "rdma_btl/device.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Opens the devices of `process` in order of preference: a peer is reached by the first one that
/// reaches it. At set-up, on the thread that holds the process.
[[nodiscard]] Expected<std::vector<std::unique_ptr<Device>>> open_devices(Process& process);

}  // namespace remit
