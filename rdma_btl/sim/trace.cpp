// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/trace.hpp"

#include <utility>

#include "runtime/error.hpp"

namespace remit::sim {

namespace {

constexpr const char* kWhat[] = {"arrive", "notify", "finish", "wake", "fail", "link_timeout"};
constexpr const char* kKind[] = {"send", "put", "get", "atomic", "confirm"};

const char* name_of(What what) {
  return kWhat[static_cast<std::size_t>(what)];
}

}  // namespace

void Trace::mix(std::uint64_t value) {
  hash_ ^= value + 0x9e3779b97f4a7c15 + (hash_ << 6) + (hash_ >> 2);
  hash_ *= 0xff51afd7ed558ccd;
}

/// Only what is the same in each run goes into the hash: no address, no time of the real clock.
void Trace::mix_event(const Event& event) {
  mix(event.time_ns);
  mix((std::uint64_t{event.detail} << 8) | static_cast<std::uint64_t>(event.what));
}

void Trace::record(const Event& event, const Flight& flight, PeerName from, PeerName to) {
  mix_event(event);
  mix((std::uint64_t{flight.from} << 32) | flight.to);
  mix(flight.bytes * 8 + static_cast<std::uint64_t>(flight.kind));
  for (std::size_t i = 0; flight.payload && i < flight.bytes; ++i) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(flight.payload[i])) * 0x100000001b3;
  }
  if (!sink_) return;
  sink_(fmt::format("{} ns: {} {} {} -> {}, {} bytes, part {} of {}", event.time_ns,
                    name_of(event.what), kKind[static_cast<std::size_t>(flight.kind)], from, to,
                    flight.bytes, event.detail, flight.chunks));
}

void Trace::record(const Event& event) {
  mix_event(event);
  mix(event.subject);
  if (!sink_) return;
  sink_(fmt::format("{} ns: {} {} {}", event.time_ns, name_of(event.what), event.subject,
                    event.detail));
}

void Trace::violation(std::string message) {
  ++violations_;
  last_violation_ = std::move(message);
}

}  // namespace remit::sim
