// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Set-up, sending, and the turn of the progress loop.
#include "links/links.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "links/bytes.hpp"

namespace remit {

namespace {

/// One get or put is at most this long, so that its length fits 32 bits and long transfers have
/// several under way.
constexpr std::size_t kMaxChunk = std::size_t{256} << 20;

}  // namespace

LinkDevice::LinkDevice(std::unique_ptr<Device> opened, const Params& params, MemoryWatch* watch)
    : device(std::move(opened)),
      eager(device->eager_path()),
      host_memory(device->host_memory()),
      ordered(device->caps().ordered),
      chunk(std::max<std::size_t>(1, std::min(device->caps().max_message, kMaxChunk))),
      memory(*device, params, watch, chunk) {
  if (eager != nullptr) return;
  posted = posted_sends(*device);
  eager = posted.get();
}

Links::Links(Process& process, std::vector<std::unique_ptr<Device>> devices, MakeLink make)
    : process_(process),
      table_(static_cast<std::size_t>(process.size()), make),
      foreign_(static_cast<ProcId>(process.size())) {
  const Params& params = process.params();
  for (std::unique_ptr<Device>& device : devices) {
    const bool registers = device->caps().needs_registration;
    if (registers && !memory_watch_) {
      auto watch = MemoryWatch::open(params);
      if (!watch) throw std::runtime_error(watch.error().message);
      memory_watch_ = std::move(*watch);
    }
    devices_.push_back(std::make_unique<LinkDevice>(std::move(device), params,
                                                    registers ? memory_watch_.get() : nullptr));
  }
  // Both sides rank alike, so they choose the same: the lowest latency that reaches the peer.
  std::stable_sort(devices_.begin(), devices_.end(), [](const auto& a, const auto& b) {
    return a->device->caps().latency_ns < b->device->caps().latency_ns;
  });
  for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i]->index = i;
  process_.progress().add(this);
}

Links::~Links() {
  process_.progress().remove(this);
}

void Links::send(Link& link, std::span<const Piece> pieces) {
  LinkDevice& slot = *link.device;
  SequenceHeader sequence;
  std::array<Piece, 3> all;
  std::size_t count = 0;
  if (!slot.ordered) {
    sequence.sequence = link.order->next++;
    all[count++] = {&sequence, sizeof sequence, 0};
  }
  for (const Piece& piece : pieces) all[count++] = piece;
  if (count > slot.device->caps().max_pieces) {
    gathered_.clear();
    for (const Piece& piece : std::span(all).first(count)) {
      const auto* bytes = static_cast<const std::byte*>(piece.address);
      gathered_.insert(gathered_.end(), bytes, bytes + piece.length);
    }
    all[0] = {gathered_.data(), gathered_.size(), 0};
    count = 1;
  }
  Operation operation;
  operation.local = std::span(all).first(count);
  slot.pending.post(*slot.device, link.endpoint, {&operation, 1});
}

Expected<OfferedMemory> Links::offer(void* address, std::size_t length, Access access) {
  OfferedMemory offered;
  put(offered.keys_, reinterpret_cast<std::uintptr_t>(address));
  for (const auto& slot : devices_) {
    Expected<MemoryLease> lease = slot->memory.acquire(address, length, access);
    if (!lease) return tl::unexpected(std::move(lease.error()));
    const std::string_view name = slot->device->caps().name;
    put(offered.keys_, static_cast<std::uint8_t>(name.size()));
    put_text(offered.keys_, name);
    put(offered.keys_, lease->region().remote_key);
    offered.leases_.push_back(std::move(*lease));
  }
  return offered;
}

Expected<RemoteAddress> Links::locate(const Link& link, std::span<const std::byte> keys,
                                      std::uint64_t offset) const {
  ByteReader reader{keys};
  const auto address = reader.number<std::uint64_t>();
  while (reader.good && !reader.rest.empty()) {
    const std::string name = reader.text(reader.number<std::uint8_t>());
    const auto key = reader.number<std::uint64_t>();
    if (reader.good && link.device != nullptr && name == link.device->device->caps().name) {
      return RemoteAddress{address + offset, key};
    }
  }
  return remit::fail(MPI_ERR_INTERN, "{} has offered no memory by the device that connects it",
                     words_of(link.id));
}

Link* Links::link_of(LinkDevice& slot, EndpointId endpoint) {
  if (endpoint < slot.by_endpoint.size() && slot.by_endpoint[endpoint] != nullptr) [[likely]] {
    return slot.by_endpoint[endpoint];
  }
  const ProcId proc = proc_of(slot.device->peer(endpoint));
  if (proc == kAnyProc) return nullptr;
  Link& link = table_.get(proc);
  attach(link, slot, endpoint);
  return &link;
}

void Links::deliver(Link& link, std::span<const std::byte> message) {
  LinkUser* to =
      message.empty() ? nullptr : user(static_cast<std::size_t>(user_of_kind(message[0])));
  if (to == nullptr) {
    ++malformed_;
    return;
  }
  to->message(link, message);
}

/// The next message now, later ones later.
void Links::restore_order(Link& link, std::span<const std::byte> message) {
  SequenceHeader header;
  if (message.size() < sizeof header) {
    ++malformed_;
    return;
  }
  if (!link.order) link.order = std::make_unique<MessageOrder>();
  MessageOrder& order = *link.order;
  std::memcpy(&header, message.data(), sizeof header);
  if (header.sequence != order.expected) {
    order.early.emplace(header.sequence, std::vector<std::byte>(message.begin(), message.end()));
    return;
  }
  ++order.expected;
  deliver(link, message.subspan(sizeof header));
  for (auto next = order.early.find(order.expected); next != order.early.end();
       next = order.early.find(order.expected)) {
    const std::vector<std::byte> stored = std::move(next->second);
    order.early.erase(next);
    ++order.expected;
    deliver(link, std::span(stored).subspan(sizeof header));
  }
}

void Links::complete(std::uint64_t cookie, int status) {
  constexpr std::uint64_t kValue = (std::uint64_t{1} << kCookieBits) - 1;
  LinkUser* to = user(cookie >> kCookieBits);
  if (to != nullptr) to->completed(cookie & kValue, status);
}

void Links::dispatch(LinkDevice& slot, const Completion& completion) {
  if (completion.kind == CompletionKind::local) {
    return complete(completion.cookie, completion.status);
  }
  Link* link = link_of(slot, completion.endpoint);
  if (link == nullptr) {
    ++malformed_;
    return;
  }
  switch (completion.kind) {
    case CompletionKind::receive:
      if (slot.ordered) [[likely]] {
        deliver(*link, completion.data);
      } else {
        restore_order(*link, completion.data);
      }
      break;
    case CompletionKind::notification: {
      constexpr std::uint32_t kValue = (std::uint32_t{1} << kNotificationBits) - 1;
      LinkUser* to = user(completion.notification >> kNotificationBits);
      if (to == nullptr) {
        ++malformed_;
      } else {
        to->notified(*link, completion.notification & kValue);
      }
      break;
    }
    case CompletionKind::endpoint_closed:
    case CompletionKind::endpoint_failed:
      fail(*link, slot.device->explain(completion.endpoint),
           completion.kind == CompletionKind::endpoint_closed);
      break;
    case CompletionKind::local:
      break;
  }
}

int Links::progress() {
  std::size_t events = 0;
  unpolled = 0;
  LinkUser* first = users_[static_cast<std::size_t>(LinkUserId::matching)];
  for (const auto& slot : devices_) {
    const std::size_t count = slot->device->poll(completions_);
    if (count != 0) {
      const auto found = std::span(completions_).first(count);
      if (first != nullptr) [[likely]] {
        first->arrived(*slot, found);
      } else {
        for (const Completion& completion : found) dispatch(*slot, completion);
      }
      slot->eager->have_read();
    }
    events += count;
    if (!slot->pending.empty()) [[unlikely]]
      events += slot->pending.flush(*slot->device);
    slot->memory.reap();
  }
  if (lookups_ != 0) [[unlikely]]
    events += static_cast<std::size_t>(take_answers());
  if (!failed_.empty()) [[unlikely]]
    events += static_cast<std::size_t>(complete_failed());
  return static_cast<int>(events);
}

void Links::arm() {
  for (const auto& slot : devices_) slot->device->arm();
}

void Links::disarm() {
  for (const auto& slot : devices_) slot->device->disarm();
}

void Links::wait_fds(std::vector<int>& out) const {
  for (const auto& slot : devices_) {
    if (const int fd = slot->device->wait_fd(); fd >= 0) out.push_back(fd);
  }
  if (lookups_ != 0) {
    if (const int fd = process_.bootstrap().wait_fd(); fd >= 0) out.push_back(fd);
  }
}

int Links::max_sleep_ms() const {
  int bound = -1;
  const auto at_most = [&](int ms) { bound = bound < 0 ? ms : std::min(bound, ms); };
  for (const auto& slot : devices_) {
    if (const int ms = slot->device->max_sleep_ms(); ms >= 0) at_most(ms);
    if (slot->device->wait_fd() < 0 || !slot->pending.empty()) at_most(1);
  }
  if (lookups_ != 0 && process_.bootstrap().wait_fd() < 0) at_most(1);
  if (!failed_.empty()) at_most(0);
  return bound;
}

bool Links::departed() const {
  const bool left = std::all_of(devices_.begin(), devices_.end(), [](const auto& slot) {
    return slot->pending.empty() && slot->device->flushed();
  });
  return left && unconnected_.empty();
}

/// Of 100 ms, so that 32 bits last for the life of any host.
std::uint32_t Links::now_ticks() const {
  constexpr std::uint64_t kTickNs = 100'000'000;
  return static_cast<std::uint32_t>(process_.clock().now_ns() / kTickNs);
}

bool Links::unsettled(LinkDevice& slot) const {
  const std::uint32_t now = now_ticks();
  return slot.pending.waits_for(
      [&](EndpointId endpoint) { return now < slot.by_endpoint[endpoint]->settle_by; });
}

// While something waits, no sleep is long (max_sleep_ms).
void Links::await_connections(const WaitSubject* subject) {
  const auto settled = [this] {
    return std::none_of(devices_.begin(), devices_.end(), [this](const auto& slot) {
      return !slot->pending.empty() && unsettled(*slot);
    });
  };
  process_.progress().wait(settled, subject);
}

Links::HostPath Links::host_path(ProcId proc) const {
  const Link* link = table_.find(proc);
  if (link == nullptr || link->device == nullptr || link->failed) return {};
  return {link->device->host_memory, link->endpoint};
}

Links::OwnNotices Links::take_notices() {
  for (const auto& slot : devices_) {
    if (slot->host_memory == nullptr) continue;
    if (const Notices taken = slot->host_memory->take_notices(); taken.memory != nullptr) {
      return {slot->host_memory, taken};
    }
  }
  return {};
}

void* Links::allocate(std::size_t bytes) {
  for (const auto& slot : devices_) {
    if (slot->host_memory == nullptr) continue;
    if (void* memory = slot->host_memory->allocate(bytes)) return memory;
  }
  return nullptr;
}

Released Links::release(void* memory) {
  for (const auto& slot : devices_) {
    if (slot->host_memory == nullptr) continue;
    const Released released = slot->host_memory->release(memory);
    if (released != Released::foreign) return released;
  }
  return Released::foreign;
}

RegistrationCounters Links::registrations() const {
  RegistrationCounters sum;
  for (const auto& slot : devices_) {
    if (slot->memory.cache() == nullptr) continue;
    const RegistrationCounters one = slot->memory.cache()->counters();
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

}  // namespace remit
