// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What two processes tell each other when they connect.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/connections/address.hpp"
#include "rdma_btl/verbs/endpoint.hpp"

namespace remit::verbs {

/// Makes and reads addresses and the private data of requests, acceptances and rejections. One
/// thread.
class Handshake {
 public:
  Handshake(const OpenedAdapter& adapter, const VerbsConfig& config)
      : adapter_(adapter), config_(config) {}

  /// As Device::local_address().
  [[nodiscard]] std::vector<std::byte> local_address() const;
  /// What a peer's local_address() says; nothing if it cannot be reached from here. Whether a
  /// packet would find its way is known only when a connection is made.
  [[nodiscard]] std::optional<Unpacked> reachable(std::span<const std::byte> address) const;

  /// What this process says to the peer.
  [[nodiscard]] Hello hello_to(const Endpoint& endpoint) const;
  /// With which a connection is asked for, or accepted; `hello` must outlive them.
  [[nodiscard]] rdma_conn_param parameters(const Hello& hello) const;
  /// What the private data of a request or an acceptance say; nothing if they are of something
  /// else.
  [[nodiscard]] static std::optional<Hello> read_hello(std::span<const std::byte> data);
  /// Whether a peer that asks for a connection means this process of this job.
  [[nodiscard]] bool is_meant(const Hello& hello) const;
  /// Keeps what the peer has said.
  void on_hello(Endpoint& endpoint, const Hello& hello) const;

  /// Refuses a connection, and destroys its identifier.
  void reject(rdma_cm_id* id, Refusal reason, std::string_view words = {}) const;
  /// What the private data of a rejection say; nothing if it is not a process that rejects.
  [[nodiscard]] static std::optional<Rejection> read_rejection(std::span<const std::byte> data);

 private:
  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
};

/// Of a packet that is not acknowledged. Soft-RoCE counts what needs no time, too (a link that
/// loses 5 % would use up six within one long write), and takes seven for "for ever": Keepalive
/// ends that.
inline constexpr std::uint8_t kRetries = 7;

/// What an identifier of rdma_cm has as its context: its endpoint.
[[nodiscard]] inline void* context_of(EndpointId id) {
  return reinterpret_cast<void*>(std::uintptr_t{id} + 1);
}

}  // namespace remit::verbs
