// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// TCP_NODELAY for the sockets that PMIx opens and does not show.
#pragma once

#include <vector>

namespace remit {

/// The open descriptors of this process, ascending; empty where /proc is not mounted.
[[nodiscard]] std::vector<int> open_descriptors();
/// Those below 256: by one system call, where listing /proc takes 0.1 ms.
[[nodiscard]] std::vector<int> low_descriptors();

/// Sets TCP_NODELAY on every TCP socket below descriptor 256 that is open now and not in `before`
/// (ascending). PMIx sends short messages back to back; with Nagle's rule the second waits for the
/// peer's delayed acknowledgement, 40 ms. A server calls it once after PMIx_server_init: sockets
/// accepted later inherit it from the listening one.
void disable_nagle_on_new_sockets(const std::vector<int>& before);

}  // namespace remit
