// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages of a dialogue that the receiver copies part by part while the sender still writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/rings/ring_scans.hpp"

namespace remit::shm {

/// Bytes of data of the peer's message `number`, in parts, that are there behind the first one; 0:
/// none.
[[nodiscard]] std::size_t filled(const Endpoint& endpoint, std::uint64_t number);

/// Whether the message in the mailbox is there as a whole, or all of it but what its sender has
/// not written yet. A sender that is interrupted there, or dies, is not waited for.
[[nodiscard]] bool mail_is_whole(const Endpoint& endpoint, const Scan& scan);

/// Copies the data of a message in parts, as they come. False: they have not come for long; what
/// was copied will be again.
[[nodiscard]] bool copy_parts(const Endpoint& endpoint, std::uint64_t number, void* to,
                              const std::byte* data, std::size_t bytes);

}  // namespace remit::shm
