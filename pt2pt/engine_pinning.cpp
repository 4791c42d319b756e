// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the memory of messages becomes usable by devices: through the registration cache, piece by
// piece while the message travels, through bounce buffers, or not at all.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "pt2pt/engine.hpp"
#include "pt2pt/engine_post.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

const ParamDecl pin_piece_param{
    "pin_piece", std::int64_t{512} << 10, "bytes",
    "a message in memory that is not registered yet registers pieces of this size while others "
    "travel; 0: as a whole, first",
    ParamRange{0, std::int64_t{1} << 40}};
const ParamDecl pin_deferred_param{
    "pin_deferred", true, "",
    "the first piece of such a message travels through a bounce buffer, so that nothing waits for "
    "a registration"};
const ParamDecl on_demand_paging_param{
    "on_demand_paging", true, "",
    "nothing is registered for messages where the device pages on demand"};

constexpr std::size_t kMinStaging = std::size_t{256} << 10;
constexpr std::size_t kMinPiece = 4096;
/// Of one device. Beyond, messages of scattered data still get theirs, others do without.
constexpr std::uint32_t kBounceBuffers = 16;
constexpr std::size_t kKeptStaging = 16;  // one where it costs only an allocation
/// A put of less bytes is not worth its notification: fragments are as cheap.
constexpr std::size_t kMinListBytes = 8192;
/// Bytes, holes included, that are registered for one that travels.
constexpr std::size_t kMostHoles = 4;

}  // namespace

/// Throws std::runtime_error if the memory monitor that the user wants does not work.
void Engine::prepare_registration(DeviceSlot& slot) {
  slot.staging_bytes = std::min(slot.chunk, kMinStaging);
  const Caps& caps = slot.device->caps();
  if (!caps.needs_registration) return;
  const Params& params = process_.params();
  if (!memory_watch_) {
    auto watch = MemoryWatch::open(params);
    if (!watch) throw std::runtime_error(watch.error().message);
    memory_watch_ = std::move(*watch);
  }
  slot.cache = std::make_unique<RegistrationCache>(*slot.device, *memory_watch_,
                                                   RegistrationCache::Limits::from(params));
  slot.pages_on_demand = caps.pages_on_demand && params.flag(on_demand_paging_param);
  slot.pin_deferred = params.flag(pin_deferred_param);
  if (const std::int64_t piece = params.integer(pin_piece_param); piece > 0) {
    slot.pin_piece = std::min(slot.chunk, std::max(kMinPiece, static_cast<std::size_t>(piece)));
    slot.staging_bytes = std::max(slot.staging_bytes, slot.pin_piece);
  }
}

void Engine::end_registration(DeviceSlot& slot) {
  for (const Staging& staging : slot.staging) slot.device->deregister(staging.region);
  slot.staging.clear();
  if (slot.everything) slot.device->deregister(*slot.everything);
}

/// Makes memory usable by the peer's device; false if it refuses. The one place where the memory of
/// messages is registered as a whole.
bool Engine::map(Transfer& transfer, Layout::Piece memory, Access access) {
  DeviceSlot& slot = *transfer.peer->device;
  if (slot.pages_on_demand && !slot.everything) {
    Expected<Region> all =
        slot.device->register_memory(nullptr, std::numeric_limits<std::size_t>::max(), Access::all);
    slot.pages_on_demand = all.has_value();
    if (all) slot.everything = *all;
  }
  if (slot.pages_on_demand) {
    ++counters_.on_demand;
    transfer.region = slot.everything;
    return true;
  }
  if (slot.cache) {
    Expected<Lease> lease = slot.cache->acquire(memory.address, memory.length, access);
    if (!lease) {
      pin_failure_ = std::move(lease.error().message);
      return false;
    }
    transfer.region = lease->region();
    transfer.lease = std::move(*lease);
    return true;
  }
  Expected<Region> region = slot.device->register_memory(memory.address, memory.length, access);
  if (!region) return false;
  transfer.region = *region;
  return true;
}

/// Makes the memory of a contiguous message usable for this side's gets or puts: as a whole if it
/// is registered or short, else by pieces.
bool Engine::map_local(Transfer& transfer) {
  DeviceSlot& slot = *transfer.peer->device;
  const View& view = transfer.request->view;
  const bool pieces = slot.cache && slot.pin_piece != 0 && !slot.pages_on_demand;
  const bool whole = !pieces || transfer.length <= slot.pin_piece ||
                     slot.cache->holds(view.data(), transfer.length);
  if (whole && map(transfer, {view.data(), transfer.length}, Access::local)) return true;
  if (!pieces) return false;
  transfer.pins = std::make_unique<PinWindow>();
  transfer.chunk =
      static_cast<std::uint32_t>(std::min<std::size_t>(transfer.chunk, slot.pin_piece));
  return true;
}

/// Makes the memory of a scattered message usable for this side's lists: as one, with its holes,
/// unless these are most of it.
bool Engine::map_runs(Transfer& transfer) {
  if (!transfer.peer->device->device->caps().needs_registration) return true;
  const Layout::Piece all = transfer.request->view.span(transfer.length);
  return all.length / kMostHoles <= transfer.length && map(transfer, all, Access::local);
}

/// The same for puts. The receiver is told how long each is: sets `chunk` to the most bytes of
/// which every part of the message fits one list.
bool Engine::map_lists(Transfer& transfer) {
  const View& view = transfer.request->view;
  const std::size_t fit = std::min(kMaxPieces, transfer.peer->device->device->caps().max_pieces);
  std::array<Layout::Piece, kMaxPieces> runs;
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

void Engine::unmap(Transfer& transfer) {
  DeviceSlot& slot = *transfer.peer->device;
  if (transfer.staging.memory) return_staging(slot, transfer.staging);
  if (transfer.pins && transfer.pins->bounce.memory) return_staging(slot, transfer.pins->bounce);
  if (transfer.region && !slot.cache) slot.device->deregister(*transfer.region);
}

/// The next piece of a message that registers while it travels: registered, or, if nothing is on
/// its way that a registration could be hidden behind, or if it fails, in the bounce buffer.
/// Nothing: not now; not ever, if nothing of the message is under way.
std::optional<Piece> Engine::pin_part(Transfer& transfer, OpKind kind, std::size_t bytes,
                                      std::uint32_t& part) {
  DeviceSlot& slot = *transfer.peer->device;
  PinWindow& pins = *transfer.pins;
  std::byte* data = transfer.request->view.data() + transfer.next;
  part = static_cast<std::uint32_t>(std::countr_one(pins.busy));
  const bool defer = slot.pin_deferred && transfer.next == 0 &&
                     slot.staging_used < kBounceBuffers && !slot.cache->holds(data, bytes);
  if (!defer) {
    Expected<Lease> lease = slot.cache->acquire(data, bytes, Access::local);
    if (lease) {
      const std::uint64_t key = lease->region().local_key;
      pins.leases[part] = std::move(*lease);
      pins.busy |= 1U << part;
      ++counters_.pinned_pieces;
      return Piece{data, bytes, key};
    }
    pin_failure_ = std::move(lease.error().message);
    if (pins.bounced >= 0) return std::nullopt;
  }
  if (!pins.bounce.memory && !take_staging(slot, pins.bounce)) return std::nullopt;
  ++(defer ? counters_.deferred : counters_.bounced);
  pins.bounced = static_cast<int>(part);
  pins.bounced_from = transfer.next;
  pins.bounced_bytes = bytes;
  pins.busy |= 1U << part;
  if (kind == OpKind::put) copy_bytes(pins.bounce.memory.get(), data, bytes);
  return Piece{pins.bounce.memory.get(), bytes, pins.bounce.region.local_key};
}

void Engine::part_done(Transfer& transfer, std::uint32_t part, bool arrived) {
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

/// Neither the memory of a message nor a bounce buffer can be registered, and nothing of it is
/// under way. A sender cannot say so to the receiver, which waits for its puts.
void Engine::no_memory(Transfer& transfer) {
  if (transfer.is_send) {
    return fail_peer(*transfer.peer,
                     fmt::format("rank {}: the memory of a message of {} bytes cannot be "
                                 "registered: {}",
                                 process_.rank(), transfer.length, pin_failure_));
  }
  transfer.peer->failure =
      fmt::format("rank {}: the memory for a message of {} bytes cannot be registered: {}",
                  process_.rank(), transfer.length, pin_failure_);
  transfer.failed = true;
  transfer.error = MPI_ERR_NO_MEM;
  end_failed(transfer);
}

bool Engine::take_staging(DeviceSlot& slot, Staging& out) {
  if (!slot.staging.empty()) {
    out = std::move(slot.staging.back());
    slot.staging.pop_back();
  } else {
    auto memory = std::make_unique_for_overwrite<std::byte[]>(slot.staging_bytes);
    Expected<Region> region =
        slot.device->register_memory(memory.get(), slot.staging_bytes, Access::local);
    if (!region) {
      pin_failure_ = std::move(region.error().message);
      return false;
    }
    out = {std::move(memory), *region};
  }
  ++slot.staging_used;
  return true;
}

void Engine::return_staging(DeviceSlot& slot, Staging& staging) {
  --slot.staging_used;
  if (slot.staging.size() < (slot.cache ? kKeptStaging : 1)) {
    slot.staging.push_back(std::move(staging));
  } else {
    slot.device->deregister(staging.region);
  }
  staging = {};
}

RegistrationCounters Engine::registrations() const {
  RegistrationCounters sum;
  for (const auto& slot : devices_) {
    if (!slot->cache) continue;
    const RegistrationCounters one = slot->cache->counters();
    sum.hits += one.hits;
    sum.misses += one.misses;
    sum.uncached += one.uncached;
    sum.invalidations += one.invalidations;
    sum.evictions += one.evictions;
    sum.waits += one.waits;
    sum.registrations += one.registrations;
    sum.deregistrations += one.deregistrations;
    sum.pinned_bytes += one.pinned_bytes;
    sum.pinned_peak += one.pinned_peak;
    sum.entries += one.entries;
  }
  return sum;
}

std::string Engine::memory_monitor() const {
  return memory_watch_ ? memory_watch_->describe() : "";
}

}  // namespace remit
