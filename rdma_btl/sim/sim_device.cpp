// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The simulated device: its side of the interface. What travels is in sim_network.cpp.
#include "rdma_btl/sim/sim_device.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "rdma_btl/sim/sim_flight.hpp"

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

}  // namespace

SimDevice::SimDevice(SimNetwork& network, PeerName name, std::uint32_t index)
    : network_(network), name_(name), index_(index) {}

SimDevice::~SimDevice() {
  network_.forget(*this);
  for (const Lent& lent : lent_) poison(lent.data.get(), lent.length);
  if (wait_fd_ >= 0) ::close(wait_fd_);
}

const Caps& SimDevice::caps() const {
  return network_.config_.caps;
}

std::vector<std::byte> SimDevice::local_address() const {
  const Address address{kMagic, name_, index_};
  const auto* bytes = reinterpret_cast<const std::byte*>(&address);
  return {bytes, bytes + sizeof address};
}

bool SimDevice::reachable(std::span<const std::byte> bytes) const {
  Address address;
  if (bytes.size() != sizeof address) return false;
  std::memcpy(&address, bytes.data(), sizeof address);
  return address.magic == kMagic && address.index < network_.names_.size() &&
         network_.names_[address.index] == address.name;
}

Expected<EndpointId> SimDevice::connect(PeerName peer, std::span<const std::byte> bytes) {
  if (!reachable(bytes)) {
    return fail(MPI_ERR_ARG,
                "process {} cannot reach process {} over the simulated network: its "
                "address is of another network",
                name_, peer);
  }
  Address address;
  std::memcpy(&address, bytes.data(), sizeof address);
  if (address.name != peer) {
    return fail(MPI_ERR_ARG, "process {} connects to process {} with the address of process {}",
                name_, peer, address.name);
  }
  return endpoint_to(static_cast<std::uint32_t>(address.index));
}

EndpointId SimDevice::find_endpoint(std::uint32_t peer) const {
  if (endpoints_.size() > kLinearSearch) {
    const auto found = rare_->endpoint_of.find(peer);
    return found == rare_->endpoint_of.end() ? kNoEndpoint : found->second;
  }
  for (EndpointId id = 0; id < endpoints_.size(); ++id) {
    if (endpoints_[id].peer == peer) return id;
  }
  return kNoEndpoint;
}

/// Both sides get their endpoint at once; what takes time is until operations can travel.
EndpointId SimDevice::endpoint_to(std::uint32_t peer) {
  if (const EndpointId found = find_endpoint(peer); found != kNoEndpoint) return found;
  const auto id = static_cast<EndpointId>(endpoints_.size());
  Endpoint& made = endpoints_.emplace_back();
  made.peer = peer;
  const std::uint64_t set_up = network_.config_.connect_ns;
  made.ready_ns = network_.now_ns() + (set_up ? set_up / 2 + network_.below(set_up) : 0);
  if (endpoints_.size() > kLinearSearch) {
    auto& index = rare().endpoint_of;
    if (index.empty()) {
      for (EndpointId i = 0; i < endpoints_.size(); ++i) index.emplace(endpoints_[i].peer, i);
    } else {
      index.emplace(peer, id);
    }
  }
  SimDevice* other = network_.device_at(peer);
  if (other != nullptr && !other->dead_) {
    const EndpointId remote = other->endpoint_to(index_);
    endpoints_[id].remote = remote;
    other->endpoints_[remote].remote = id;
  }
  return id;
}

PeerName SimDevice::peer(EndpointId endpoint) const {
  return network_.names_[endpoints_[endpoint].peer];
}

SimDevice::Rare& SimDevice::rare() {
  if (!rare_) rare_ = std::make_unique<Rare>();
  return *rare_;
}

Expected<Region> SimDevice::register_memory(void* address, std::size_t length, Access access) {
  if (!caps().needs_registration) return Region{address, length, 0, 0, 0};
  const std::size_t limit = network_.config_.max_registered;
  if (limit != 0 && (length > limit || rare().registered > limit - length)) {
    return fail(MPI_ERR_OTHER, "Cannot allocate memory");
  }
  rare().registered += length;
  // Two different keys, so that one used in place of the other is caught.
  const std::uint64_t local_key = network_.random_() | 1;
  const std::uint64_t remote_key = (network_.random_() | 1) - 1;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  rare().registrations[local_key] = {local_key, begin, length, Access::local};
  rare().registrations[remote_key] = {remote_key, begin, length, access};
  return Region{address, length, local_key, remote_key, local_key};
}

void SimDevice::deregister(const Region& region) {
  if (!caps().needs_registration) return;
  if (rare().registrations.erase(region.local_key) == 0) {
    network_.violation(fmt::format("process {} deregisters what is not registered", name_));
  }
  rare().registered -= region.length;
  rare().registrations.erase(region.remote_key);
}

bool SimDevice::registered(std::uint64_t key, std::uint64_t address, std::size_t length,
                           Access access) const {
  if (!caps().needs_registration || length == 0) return true;
  if (!rare_) return false;
  const auto found = rare_->registrations.find(key);
  if (found == rare_->registrations.end()) return false;
  const Registration& r = found->second;
  return address >= r.begin && length <= r.length && address - r.begin <= r.length - length &&
         allows(r.access, access);
}

const char* SimDevice::check_local(std::span<const Piece> pieces) const {
  for (const Piece& piece : pieces) {
    const auto address = reinterpret_cast<std::uintptr_t>(piece.address);
    if (!registered(piece.key, address, piece.length, Access::local)) {
      return "local memory without a valid registration";
    }
  }
  return nullptr;
}

const char* SimDevice::check_notify(const Operation& operation) const {
  if (!operation.notify) return nullptr;
  if (caps().notify == NotifyMode::none) return "a notification, which the device has not";
  if (operation.kind != OpKind::put && operation.kind != OpKind::atomic) {
    return "a notification with neither a put nor an atomic";
  }
  return nullptr;
}

/// What is wrong with an operation, or null.
const char* SimDevice::check(const Operation& operation, std::size_t bytes) const {
  const Caps& caps = this->caps();
  if (operation.local.size() > caps.max_pieces) return "more pieces than Caps::max_pieces";
  if (const char* wrong = check_notify(operation)) return wrong;
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

/// How many of `wanted` operations the endpoint takes now.
std::size_t SimDevice::room(Endpoint& endpoint, std::size_t wanted) {
  const SimConfig& config = network_.config_;
  std::size_t count = std::min<std::size_t>(
      wanted, config.queue_depth - std::min(config.queue_depth, endpoint.in_flight));
  if (network_.chance(config.partial_accept)) count = network_.below(count + 1);
  if (count < wanted) {
    ++stats_.refused;
    endpoint.refused = true;
    if (count + endpoint.in_flight == 0) {  // nothing else would make this process ready
      network_.wake_at(name_, network_.now_ns() + 1 + network_.below(config.link.latency_ns));
    }
  }
  return count;
}

std::size_t SimDevice::post(EndpointId id, std::span<const Operation> operations) {
  Endpoint& endpoint = endpoints_[id];
  if (dead_) return operations.size();
  if (!endpoint.failed) {
    const std::size_t count = room(endpoint, operations.size());
    for (const Operation& operation : operations.first(count)) accept(id, operation);
    return count;
  }
  for (const Operation& operation : operations) {
    if (operation.kind == OpKind::send || operation.cookie == kNoCompletion) continue;
    const std::uint32_t index = network_.new_flight();
    SimFlight& completion = network_.flight(index);
    completion.endpoint = id;
    completion.cookie = operation.cookie;
    completion.status = MPI_ERR_PROC_ABORTED;
    push(index);
  }
  return operations.size();
}

void SimDevice::accept(EndpointId id, const Operation& operation) {
  Endpoint& endpoint = endpoints_[id];
  const std::uint32_t index = network_.new_flight();
  SimFlight& flight = network_.flight(index);
  flight.kind = operation.kind;
  flight.atomic = operation.atomic;
  flight.notify = operation.notify;
  flight.notification = operation.notification;
  flight.from = index_;
  flight.to = endpoint.peer;
  flight.endpoint = id;
  flight.remote = operation.remote;
  flight.operand = operation.operand;
  flight.compare = operation.compare;
  flight.cookie = operation.cookie;
  flight.bytes = total_length(operation.local);
  flight.doomed = network_.is_doomed(index_, endpoint.peer);
  flight.error = check(operation, flight.bytes);
  if (flight.error) {
    flight.status = MPI_ERR_INTERN;
    network_.violation(fmt::format("process {} posts {}", name_, flight.error));
  } else if (operation.kind == OpKind::send) {
    if (flight.bytes != 0) flight.payload = std::make_unique<std::byte[]>(flight.bytes);
    std::byte* out = flight.payload.get();
    for (const Piece& piece : operation.local) {
      if (piece.length == 0) continue;
      std::memcpy(out, piece.address, piece.length);
      out += piece.length;
    }
  } else {
    flight.pieces.assign(operation.local.begin(), operation.local.end());
  }
  ++in_flight_;
  stats_.max_in_flight = std::max(stats_.max_in_flight, ++endpoint.in_flight);
  stats_.bytes_out += flight.bytes;
  ++*std::array{&stats_.sends, &stats_.puts, &stats_.gets, &stats_.atomics,
                &stats_.confirms}[static_cast<std::size_t>(operation.kind)];
  flight.counted = operation.kind == OpKind::put || operation.kind == OpKind::atomic;
  if (flight.counted) flight.group = rare().confirms[id].begin();
  if (operation.kind == OpKind::confirm) {
    rare().confirms[id].confirm(index);
    network_.settle_confirms(*this, id);
  }
  network_.launch(index);
}

void SimDevice::push(std::uint32_t index) {
  network_.flight(index).next = kNone;
  if (unread_tail_ == kNone) {
    unread_head_ = index;
  } else {
    network_.flight(unread_tail_).next = index;
  }
  unread_tail_ = index;
  stats_.max_unread = std::max(stats_.max_unread, ++unread_);
  wake();
}

void SimDevice::wake() {
  network_.make_ready(*this);
  if (armed_ && wait_fd_ >= 0) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wait_fd_, &one, sizeof one);
  }
}

std::size_t SimDevice::poll(std::span<Completion> out) {
  for (const Lent& lent : lent_) poison(lent.data.get(), lent.length);
  lent_.clear();
  std::size_t count = 0;
  while (count < out.size() && unread_head_ != kNone) {
    const std::uint32_t index = unread_head_;
    SimFlight& flight = network_.flight(index);
    unread_head_ = flight.next;
    if (unread_head_ == kNone) unread_tail_ = kNone;
    --unread_;
    hand_over(out[count++], flight);
    network_.free_flight(index);
  }
  if (unread_ != 0) network_.make_ready(*this);
  return count;
}

void SimDevice::hand_over(Completion& out, SimFlight& flight) {
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
    compute(network_.link(endpoints_[flight.endpoint].peer, index_).overhead_ns);
  }
}

void SimDevice::arm() {
  if (network_.config_.real_wake && wait_fd_ < 0) {
    wait_fd_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  }
  armed_ = true;
}

void SimDevice::disarm() {
  armed_ = false;
  std::uint64_t drained = 0;
  if (wait_fd_ >= 0) {
    [[maybe_unused]] const ssize_t got = ::read(wait_fd_, &drained, sizeof drained);
  }
}

bool SimDevice::flushed() const {
  flush_wanted_ = in_flight_ != 0;
  return in_flight_ == 0;
}

std::string SimDevice::explain(EndpointId endpoint) const {
  if (!rare_) return {};
  const auto found = rare_->failures.find(endpoint);
  return found == rare_->failures.end() ? std::string() : found->second;
}

std::vector<Statistic> SimDevice::statistics() const {
  return {{"sends", stats_.sends},        {"puts", stats_.puts},
          {"gets", stats_.gets},          {"atomics", stats_.atomics},
          {"confirms", stats_.confirms},  {"receives", stats_.receives},
          {"bytes_out", stats_.bytes_out}};
}

std::uint64_t SimDevice::busy_until_ns() const {
  return std::max(processor_free_ns_, network_.now_ns());
}

void SimDevice::compute(std::uint64_t ns) {
  processor_free_ns_ = busy_until_ns() + ns;
}

std::size_t SimDevice::memory_in_use() const {
  std::size_t total =
      sizeof *this + endpoints_.capacity() * sizeof(Endpoint) + lent_.capacity() * sizeof(Lent);
  if (rare_) {
    constexpr std::size_t kNode = 4 * sizeof(void*);  // what a hash table adds to an entry
    total += sizeof(Rare) + rare_->endpoint_of.size() * kNode +
             rare_->registrations.size() * (kNode + sizeof(Registration));
  }
  return total;
}

}  // namespace remit
