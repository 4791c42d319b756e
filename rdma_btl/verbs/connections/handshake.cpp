// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What two processes tell each other when they connect.
#include "rdma_btl/verbs/connections/handshake.hpp"

#include <cstring>

namespace remit::verbs {

namespace {

/// Of a work request that found no receive: finite, and long enough for any receiver that lives.
constexpr std::uint8_t kReceiverNotReadyRetries = 6;

/// A message of this device, from the beginning of the data.
template <class T>
std::optional<T> read_as(std::span<const std::byte> data) {
  T message;
  if (data.size() < sizeof message) return std::nullopt;
  std::memcpy(&message, data.data(), sizeof message);
  if (message.magic != kMagic) return std::nullopt;
  return message;
}

}  // namespace

std::vector<std::byte> Handshake::local_address() const {
  Address address;
  address.abilities = static_cast<std::uint16_t>((config_.mask.iwarp ? kIwarp : 0) |
                                                 (adapter_.limits().immediate ? kImmediate : 0));
  address.job = config_.job;
  address.name = config_.name;
  return pack(address, {adapter_.chosen().address, adapter_.listener().port(), adapter_.host()});
}

std::optional<Unpacked> Handshake::reachable(std::span<const std::byte> address) const {
  std::optional<Unpacked> peer = unpack(address);
  if (!peer || peer->address.job != config_.job ||
      peer->address.family != adapter_.chosen().address.ss_family ||
      ((peer->address.abilities & kIwarp) != 0) != config_.mask.iwarp) {
    return std::nullopt;
  }
  return peer;
}

Hello Handshake::hello_to(const Endpoint& endpoint) const {
  Hello hello;
  hello.abilities = adapter_.limits().immediate ? kImmediate : 0;
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = endpoint.peer;
  hello.credits = endpoint.lease.units;
  hello.note_key = endpoint.note.rkey;
  hello.note_address = reinterpret_cast<std::uintptr_t>(endpoint.note.heard);
  return hello;
}

rdma_conn_param Handshake::parameters(const Hello& hello) const {
  rdma_conn_param parameters = {};
  parameters.private_data = &hello;
  parameters.private_data_len = sizeof hello;
  parameters.responder_resources = adapter_.limits().max_served_reads;
  parameters.initiator_depth = adapter_.limits().max_reads;
  parameters.retry_count = kRetries;
  parameters.rnr_retry_count = kReceiverNotReadyRetries;
  return parameters;
}

std::optional<Hello> Handshake::read_hello(std::span<const std::byte> data) {
  const std::optional<Hello> hello = read_as<Hello>(data);
  return hello && hello->version == kVersion ? hello : std::nullopt;
}

bool Handshake::is_meant(const Hello& hello) const {
  return hello.job == config_.job && hello.to == config_.name;
}

void Handshake::on_hello(Endpoint& endpoint, const Hello& hello) const {
  endpoint.borrowed.credits = AskedCredits{};
  endpoint.borrowed.credits.grant(hello.credits);
  endpoint.immediate = adapter_.limits().immediate && (hello.abilities & kImmediate) != 0;
  endpoint.note.there = {hello.note_address, hello.note_key};
}

void Handshake::reject(rdma_cm_id* id, Refusal reason, std::string_view words) const {
  Rejection rejection;
  rejection.reason = reason;
  words.copy(rejection.words, sizeof rejection.words - 1);
  adapter_.cm().reject(id, &rejection, sizeof rejection);
  adapter_.cm().destroy_id(id);
}

std::optional<Rejection> Handshake::read_rejection(std::span<const std::byte> data) {
  return read_as<Rejection>(data);
}

}  // namespace remit::verbs
