// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Transfers that both processes copy: who copies which chunk. See Assist in layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rdma_btl/shm/copies/job.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/rings/layout.hpp"

namespace remit::shm {

/// The initiator takes chunks from the front, the target from the back.
enum class AssistEnd : std::uint8_t { front, back };

/// Chunks that were taken from one end.
[[nodiscard]] std::uint32_t chunks_taken(std::uint64_t claims, AssistEnd end);

/// Takes the next chunk of one end and returns its number from that end; none: the others have
/// them, or the transfer of this generation is over. The very first is left to the initiator: of a
/// transfer of two chunks each side copies the same one every time.
[[nodiscard]] std::optional<std::uint32_t> claim_chunk(Assist& assist, std::uint16_t generation,
                                                       std::uint32_t chunks, AssistEnd end);

// The initiator's side.

/// Asks the target to copy along, if it can. It is not woken for that: a sleeper has no core. The
/// job is in phase sharing or joining then, until release_assist().
[[nodiscard]] bool offer_assist(Job& job, Endpoint& endpoint);
[[nodiscard]] Assist& assist_of(const Job& job, const Endpoint& endpoint);
/// With patience only chunks of the first half are taken: whether that says no to the next one.
[[nodiscard]] bool leaves_rest_to_target(const Job& job, const Endpoint& endpoint);
/// A chunk could not be copied. The rest is copied by nobody, the target finishes what it took, and
/// assist_failed() will say so.
void give_up_assist(const Job& job, const Endpoint& endpoint);
/// All chunks are taken: whether the target has copied its own.
[[nodiscard]] bool target_is_done(const Job& job, const Endpoint& endpoint);
[[nodiscard]] bool assist_failed(const Job& job, const Endpoint& endpoint);
/// The slot is free again; the caller tells a late helper so by another generation.
void release_assist(const Job& job, Endpoint& endpoint);

}  // namespace remit::shm
