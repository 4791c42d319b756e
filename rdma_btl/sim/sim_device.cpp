// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The simulated device: its side of the interface. What travels is in transport.cpp.
#include "rdma_btl/sim/sim_device.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace remit {
namespace {

constexpr std::uint64_t kMagic = 0x52656d69742d7369;  // "Remit-si"
constexpr std::byte kPoison{0xdb};

struct Address {
  std::uint64_t magic = kMagic;
  std::uint64_t name = 0;
  std::uint64_t index = 0;
};

/// Makes use after the end of a loan visible in builds without a sanitizer, too.
void poison(std::byte* data, std::size_t length) {
  std::fill_n(data, length, kPoison);
  asm volatile("" : : "r"(data) : "memory");  // else the compiler drops stores before a delete
}

/// The bytes of a send; null: none.
std::unique_ptr<std::byte[]> gather(std::span<const Piece> pieces, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  auto all = std::make_unique<std::byte[]>(bytes);
  std::byte* out = all.get();
  for (const Piece& piece : pieces) {
    if (piece.length == 0) continue;
    std::memcpy(out, piece.address, piece.length);
    out += piece.length;
  }
  return all;
}

const char* misused_notification(const Operation& operation, const Caps& caps) {
  if (!operation.notify) return nullptr;
  if (caps.notify == NotifyMode::none) return "a notification, which the device has not";
  if (operation.kind != OpKind::put && operation.kind != OpKind::atomic) {
    return "a notification with neither a put nor an atomic";
  }
  return nullptr;
}

/// What is wrong with an operation, or null.
const char* misuse(const Operation& operation, std::size_t bytes, const Caps& caps) {
  if (operation.local.size() > caps.max_pieces) return "more pieces than Caps::max_pieces";
  if (const char* wrong = misused_notification(operation, caps)) return wrong;
  switch (operation.kind) {
    case OpKind::send:
      return bytes > caps.max_send ? "a send above Caps::max_send" : nullptr;
    case OpKind::put:
      if (!caps.has_put) return "a put, which the device has not";
      break;
    case OpKind::get:
      if (!caps.has_get) return "a get, which the device has not";
      break;
    case OpKind::atomic:
      if (!caps.has_atomic) return "an atomic, which the device has not";
      if (operation.remote.address % 8 != 0) return "an atomic on a misaligned address";
      if (bytes != 8 && !operation.local.empty()) return "an atomic with a result of not 8 bytes";
      break;
    case OpKind::confirm:
      if (operation.cookie == kNoCompletion) return "a confirm that nobody waits for";
      return operation.local.empty() ? nullptr : "a confirm with bytes";
  }
  return bytes > caps.max_message ? "a put or get above Caps::max_message" : nullptr;
}

}  // namespace

SimDevice::SimDevice(const sim::Fabric& fabric, PeerName name)
    : fabric_(fabric), process_(name, fabric.processes.next_index(name), fabric.flights) {
  fabric_.processes.add(process_);
}

/// The orderly exit. Events of its flights find it gone.
SimDevice::~SimDevice() {
  fabric_.processes.remove(process_);
  while (!process_.inbox.empty()) fabric_.flights.free(process_.inbox.pop());
  for (const Lent& lent : lent_) poison(lent.data.get(), lent.length);
  if (process_.wait_fd >= 0) ::close(process_.wait_fd);
}

const Caps& SimDevice::caps() const {
  return fabric_.config.caps;
}

std::vector<std::byte> SimDevice::local_address() const {
  const Address address{kMagic, process_.name, process_.index};
  const auto* bytes = reinterpret_cast<const std::byte*>(&address);
  return {bytes, bytes + sizeof address};
}

bool SimDevice::reachable(std::span<const std::byte> bytes) const {
  Address address;
  if (bytes.size() != sizeof address) return false;
  std::memcpy(&address, bytes.data(), sizeof address);
  return address.magic == kMagic && fabric_.processes.knows(address.index, address.name);
}

Expected<EndpointId> SimDevice::connect(PeerName peer, std::span<const std::byte> bytes) {
  if (!reachable(bytes)) {
    return fail(MPI_ERR_ARG,
                "process {} cannot reach process {} over the simulated network: its "
                "address is of another network",
                process_.name, peer);
  }
  Address address;
  std::memcpy(&address, bytes.data(), sizeof address);
  if (address.name != peer) {
    return fail(MPI_ERR_ARG, "process {} connects to process {} with the address of process {}",
                process_.name, peer, address.name);
  }
  return fabric_.transport.connect(process_, static_cast<std::uint32_t>(address.index));
}

PeerName SimDevice::peer(EndpointId endpoint) const {
  return fabric_.processes.name(process_.endpoints[endpoint].peer);
}

Expected<Region> SimDevice::register_memory(void* address, std::size_t length, Access access) {
  if (!caps().needs_registration) return Region{address, length, 0, 0, 0};
  const std::uint64_t local_key = fabric_.random.source()() | 1;
  const std::uint64_t remote_key = (fabric_.random.source()() | 1) - 1;
  return process_.registrations().add(address, length, access, local_key, remote_key,
                                      fabric_.config.max_registered);
}

void SimDevice::deregister(const Region& region) {
  if (!caps().needs_registration || process_.registrations().remove(region)) return;
  fabric_.trace.violation(
      fmt::format("process {} deregisters what is not registered", process_.name));
}

HostMemory* SimDevice::host_memory() {
  if (!fabric_.config.reaches_memory) return nullptr;
  if (!host_memory_) {
    host_memory_ = std::make_unique<sim::SimHostMemory>(fabric_.config, fabric_.processes,
                                                        fabric_.notices, process_);
  }
  return host_memory_.get();
}

/// How many of `wanted` operations the endpoint takes now.
std::size_t SimDevice::room(sim::Endpoint& endpoint, std::size_t wanted) {
  const SimConfig& config = fabric_.config;
  std::size_t count = std::min<std::size_t>(
      wanted, config.queue_depth - std::min(config.queue_depth, endpoint.in_flight));
  if (fabric_.random.chance(config.partial_accept)) count = fabric_.random.below(count + 1);
  if (count < wanted) {
    ++process_.stats.refused;
    endpoint.refused = true;
    if (count + endpoint.in_flight == 0) {  // nothing else would make this process ready
      const std::uint64_t soon = 1 + fabric_.random.below(config.link.latency_ns);
      fabric_.queue.schedule(fabric_.queue.now_ns() + soon, sim::What::wake, process_.index);
    }
  }
  return count;
}

std::size_t SimDevice::post(EndpointId id, std::span<const Operation> operations) {
  if (process_.dead) return operations.size();
  sim::Endpoint& endpoint = process_.endpoints[id];
  if (!endpoint.failed) {
    const std::size_t count = room(endpoint, operations.size());
    for (std::size_t i = 0; i < count; ++i) {
      try {
        accept(id, operations[i]);
      } catch (const std::bad_alloc&) {
        if (i == 0) throw;
        return i;
      }
    }
    return count;
  }
  for (const Operation& operation : operations) refuse(id, operation);
  return operations.size();
}

/// The endpoint has failed.
void SimDevice::refuse(EndpointId id, const Operation& operation) {
  if (operation.kind == OpKind::send || operation.cookie == kNoCompletion) return;
  const sim::FlightId told = fabric_.flights.make();
  sim::Flight& completion = fabric_.flights[told];
  completion.endpoint = id;
  completion.cookie = operation.cookie;
  completion.status = MPI_ERR_PROC_ABORTED;
  fabric_.transport.deliver(process_, told);
}

/// Throws std::bad_alloc: then a send was not accepted.
void SimDevice::accept(EndpointId id, const Operation& operation) {
  const sim::FlightId index = fabric_.flights.make();
  try {
    prepare(fabric_.flights[index], id, operation);
  } catch (...) {
    fabric_.flights.free(index);
    throw;
  }
  const std::size_t bytes = fabric_.flights[index].bytes;
  sim::Endpoint& endpoint = process_.endpoints[id];
  ++process_.in_flight;
  ++endpoint.in_flight;
  try {
    fabric_.transport.launch(index);
  } catch (...) {
    --process_.in_flight;
    --endpoint.in_flight;
    fabric_.flights.free(index);
    throw;
  }
  SimStats& stats = process_.stats;
  stats.max_in_flight = std::max(stats.max_in_flight, endpoint.in_flight);
  stats.bytes_out += bytes;
  ++*std::array{&stats.sends, &stats.puts, &stats.gets, &stats.atomics,
                &stats.confirms}[static_cast<std::size_t>(operation.kind)];
}

void SimDevice::prepare(sim::Flight& flight, EndpointId id, const Operation& operation) {
  const sim::Endpoint& endpoint = process_.endpoints[id];
  flight.kind = operation.kind;
  flight.atomic = operation.atomic;
  flight.notify = operation.notify;
  flight.notification = operation.notification;
  flight.from = process_.index;
  flight.to = endpoint.peer;
  flight.endpoint = id;
  flight.remote = operation.remote;
  flight.operand = operation.operand;
  flight.compare = operation.compare;
  flight.cookie = operation.cookie;
  flight.bytes = total_length(operation.local);
  flight.doomed = fabric_.faults.dooms(process_.index, endpoint.peer);
  flight.error = misuse(operation, flight.bytes, caps());
  if (flight.error != nullptr) {
    flight.status = MPI_ERR_INTERN;
    fabric_.trace.violation(fmt::format("process {} posts {}", process_.name, flight.error));
  } else if (operation.kind == OpKind::send) {
    flight.payload = gather(operation.local, flight.bytes);
  } else {
    flight.pieces.assign(operation.local.begin(), operation.local.end());
  }
}

std::size_t SimDevice::poll(std::span<Completion> out) {
  for (const Lent& lent : lent_) poison(lent.data.get(), lent.length);
  lent_.clear();
  if (!process_.inbox.empty()) {  // what has been taken out of it cannot be put back
    lent_.reserve(std::min<std::size_t>(out.size(), process_.inbox.size()));
  }
  std::size_t count = 0;
  while (count < out.size() && !process_.inbox.empty()) {
    const sim::FlightId index = process_.inbox.pop();
    hand_over(out[count++], fabric_.flights[index]);
    fabric_.flights.free(index);
  }
  if (!process_.inbox.empty()) fabric_.processes.make_ready(process_);
  return count;
}

void SimDevice::hand_over(Completion& out, sim::Flight& flight) {
  out = Completion{.kind = flight.completion,
                   .status = flight.status,
                   .endpoint = flight.endpoint,
                   .notification = flight.notification,
                   .cookie = flight.cookie,
                   .data = {}};
  if (flight.completion == CompletionKind::receive) {
    out.data = {flight.payload.get(), flight.bytes};
    if (flight.payload) lent_.push_back({std::move(flight.payload), flight.bytes});
  }
  if (flight.completion == CompletionKind::receive ||
      flight.completion == CompletionKind::notification) {
    const std::uint32_t from = process_.endpoints[flight.endpoint].peer;
    compute(fabric_.transport.link(from, process_.index).overhead_ns);
  }
}

void SimDevice::arm() {
  if (fabric_.config.real_wake && process_.wait_fd < 0) {
    process_.wait_fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  }
  process_.armed = true;
}

void SimDevice::disarm() {
  process_.armed = false;
  std::uint64_t drained = 0;
  if (process_.wait_fd >= 0) {
    [[maybe_unused]] const ssize_t got = ::read(process_.wait_fd, &drained, sizeof drained);
  }
}

bool SimDevice::flushed() const {
  process_.flush_wanted = process_.in_flight != 0;
  return process_.in_flight == 0;
}

std::string SimDevice::explain(EndpointId endpoint) const {
  return process_.failure(endpoint);
}

std::vector<Statistic> SimDevice::statistics() const {
  return {{"sends", process_.stats.sends},        {"puts", process_.stats.puts},
          {"gets", process_.stats.gets},          {"atomics", process_.stats.atomics},
          {"confirms", process_.stats.confirms},  {"receives", process_.stats.receives},
          {"bytes_out", process_.stats.bytes_out}};
}

std::uint64_t SimDevice::busy_until_ns() const {
  return std::max(process_.processor_free_ns, fabric_.queue.now_ns());
}

void SimDevice::compute(std::uint64_t ns) {
  fabric_.transport.compute(process_, ns);
}

std::size_t SimDevice::memory_in_use() const {
  return sizeof *this + process_.memory_in_use() + lent_.capacity() * sizeof(Lent);
}

}  // namespace remit
