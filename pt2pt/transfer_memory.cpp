// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/transfer_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <span>
#include <utility>

#include "links/device_set.hpp"
#include "pt2pt/peer.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// A put of less bytes is not worth its notification: fragments are as cheap.
constexpr std::size_t kMinListBytes = 8192;
/// Bytes, holes included, that are registered for one that travels.
constexpr std::size_t kMostHoles = 4;

}  // namespace

bool TransferMemory::map(Transfer& transfer, Layout::Piece memory, Access access) {
  DeviceMemory& device = transfer.peer->device->memory;
  Expected<MemoryLease> lease = device.acquire(memory.address, memory.length, access);
  if (!lease) {
    refusal_ = std::move(lease.error().message);
    return false;
  }
  if (device.on_demand()) ++counters_.on_demand;
  transfer.memory = std::move(*lease);
  return true;
}

bool TransferMemory::map_local(Transfer& transfer) {
  const DeviceMemory& memory = transfer.peer->device->memory;
  const View& view = transfer.request->view;
  const bool pieces = memory.by_pieces();
  const bool whole = !pieces || transfer.length <= memory.pin_piece() ||
                     memory.holds(view.data(), transfer.length);
  if (whole && map(transfer, {view.data(), transfer.length}, Access::local)) return true;
  if (!pieces) return false;
  transfer.pins = std::make_unique<PinWindow>();
  transfer.chunk =
      static_cast<std::uint32_t>(std::min<std::size_t>(transfer.chunk, memory.pin_piece()));
  return true;
}

bool TransferMemory::map_runs(Transfer& transfer) {
  if (!transfer.peer->device->device->caps().needs_registration) return true;
  const Layout::Piece all = transfer.request->view.span(transfer.length);
  return all.length / kMostHoles <= transfer.length && map(transfer, all, Access::local);
}

bool TransferMemory::map_lists(Transfer& transfer) {
  const View& view = transfer.request->view;
  const std::size_t fit = std::min(kMostRuns, transfer.peer->device->device->caps().max_pieces);
  std::array<Layout::Piece, kMostRuns> runs;
  const auto fits = [&](std::size_t chunk) {
    for (std::size_t at = 0; at < transfer.length; at += chunk) {
      const std::size_t bytes = std::min(chunk, transfer.length - at);
      if (view.pieces(at, bytes, std::span(runs).first(fit)).bytes != bytes) return false;
    }
    return true;
  };
  std::size_t chunk = std::min<std::size_t>(transfer.chunk, (fit - 1) * view.layout->mean_run());
  while (chunk >= kMinListBytes && !fits(chunk)) chunk /= 2;
  if (chunk < kMinListBytes || !map_runs(transfer)) return false;
  transfer.chunk = static_cast<std::uint32_t>(chunk);
  return true;
}

void TransferMemory::unmap(Transfer& transfer) {
  DeviceMemory& memory = transfer.peer->device->memory;
  if (transfer.staging.memory) memory.return_staging(transfer.staging);
  if (transfer.pins && transfer.pins->bounce.memory) memory.return_staging(transfer.pins->bounce);
  transfer.memory.reset();
}

std::optional<Piece> TransferMemory::pin_part(Transfer& transfer, OpKind kind, std::size_t bytes,
                                              std::uint32_t& part) {
  DeviceMemory& memory = transfer.peer->device->memory;
  PinWindow& pins = *transfer.pins;
  std::byte* data = transfer.request->view.data() + transfer.next;
  part = static_cast<std::uint32_t>(std::countr_one(pins.busy));
  const bool defer = transfer.next == 0 && memory.may_defer() && !memory.holds(data, bytes);
  if (!defer) {
    Expected<MemoryLease> lease = memory.acquire(data, bytes, Access::local);
    if (lease) {
      const std::uint64_t key = lease->region().local_key;
      pins.leases[part] = std::move(*lease);
      pins.busy |= 1U << part;
      ++counters_.pinned_pieces;
      return Piece{data, bytes, key};
    }
    refusal_ = std::move(lease.error().message);
    if (pins.bounced >= 0) return std::nullopt;
  }
  if (!pins.bounce.memory && !take(transfer, pins.bounce)) return std::nullopt;
  ++(defer ? counters_.deferred : counters_.bounced);
  pins.bounced = static_cast<int>(part);
  pins.bounced_from = transfer.next;
  pins.bounced_bytes = bytes;
  pins.busy |= 1U << part;
  if (kind == OpKind::put) copy_bytes(pins.bounce.memory.get(), data, bytes);
  return Piece{pins.bounce.memory.get(), bytes, pins.bounce.region.local_key};
}

void TransferMemory::part_done(Transfer& transfer, std::uint32_t part, bool arrived) {
  PinWindow& pins = *transfer.pins;
  pins.busy &= ~(1U << part);
  pins.leases[part].reset();
  if (pins.bounced != static_cast<int>(part)) return;
  pins.bounced = -1;
  if (arrived && !transfer.is_send) {
    copy_bytes(transfer.request->view.data() + pins.bounced_from, pins.bounce.memory.get(),
               pins.bounced_bytes);
  }
}

bool TransferMemory::take(Transfer& transfer, Staging& out) {
  Expected<Staging> taken = transfer.peer->device->memory.take_staging();
  if (taken) {
    out = std::move(*taken);
  } else {
    refusal_ = std::move(taken.error().message);
  }
  return taken.has_value();
}

bool TransferMemory::take_staging(Transfer& transfer) {
  return take(transfer, transfer.staging);
}

}  // namespace remit
