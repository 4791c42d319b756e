// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The engine's set-up, its connections, and its turn of the progress loop.
#include "pt2pt/engine.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace remit {

namespace {

const ParamDecl eager_pool_param{
    "eager_pool", std::int64_t{4} << 20, "bytes",
    "receive memory of a process for messages that arrive before their receives, whatever the "
    "number of its peers",
    ParamRange{0, std::int64_t{1} << 40}};

/// One get or put is at most this long, so that its length fits 32 bits and long transfers have
/// several under way.
constexpr std::size_t kMaxChunk = std::size_t{256} << 20;
constexpr std::uint32_t kMaxFirstWindow = 4096;
constexpr std::uint32_t kMaxLease = 32768;
/// How long calls wait for a connection to be made, from its beginning. Where the peer polls that
/// is done within milliseconds.
constexpr std::uint64_t kPatienceNs = 500'000'000;

}  // namespace

Engine::Engine(Process& process, std::vector<std::unique_ptr<Device>> devices)
    : process_(process),
      self_(static_cast<ProcId>(process.rank())),
      peers_(static_cast<std::size_t>(process.size())),
      foreign_(static_cast<ProcId>(process.size())),
      blocks_(static_cast<std::size_t>(
          std::max<std::int64_t>(0, process.params().integer(eager_pool_param)))) {
  const auto pool = std::max<std::int64_t>(0, process.params().integer(eager_pool_param));
  pool_units_ = static_cast<std::uint32_t>(
      std::min<std::int64_t>(pool / static_cast<std::int64_t>(kUnitBytes), std::int64_t{1} << 30));
  const auto size = static_cast<std::uint32_t>(process.size());
  first_window_ = std::min(kMaxFirstWindow, pool_units_ / 2 / size);
  unleased_ = pool_units_ - first_window_ * size;
  max_lease_ = std::max(first_window_, std::min(kMaxLease, pool_units_ / 4));

  const ProtocolOptions options = ProtocolOptions::from(process.params());
  std::size_t longest = 0;
  for (std::unique_ptr<Device>& device : devices) {
    auto slot = std::make_unique<DeviceSlot>();
    const Caps& caps = device->caps();
    slot->owner = std::move(device);
    slot->device = slot->owner.get();
    slot->ordered = caps.ordered;
    slot->table = ProtocolTable(caps, options);
    slot->long_send = caps.long_send;
    slot->fragment = std::min(options.fragment, max_send_payload(caps, sizeof(FragmentHeader)));
    slot->chunk = std::max<std::size_t>(1, std::min(caps.max_message, kMaxChunk));
    prepare_registration(*slot);
    longest = std::max({longest, slot->fragment,
                        max_send_payload(caps, sizeof(EagerHeader)) != 0
                            ? slot->table.eager_below(LayoutClass::scattered)
                            : 0});
    devices_.push_back(std::move(slot));
  }
  // Both sides rank alike, so they choose the same: the lowest latency that reaches the peer.
  std::stable_sort(devices_.begin(), devices_.end(), [](const auto& a, const auto& b) {
    return a->device->caps().latency_ns < b->device->caps().latency_ns;
  });
  scratch_.resize(longest);
  publish();
  process_.progress().add(this);
}

Engine::~Engine() {
  process_.progress().remove(this);
  for (Peer* peer : peers_.all()) peer->waiting.clear();
  matcher_.arrivals().clear();
  unexpected_.for_each([this](Unexpected& message) {
    if (message.data != nullptr) blocks_.free(message.data, message.bytes);
  });
  for (const auto& slot : devices_) end_registration(*slot);
}

AddressBlob Engine::own_address() const {
  AddressBlob blob;
  blob.first_window = first_window_;
  for (const auto& slot : devices_) {
    blob.devices.push_back({std::string(slot->device->caps().name), slot->device->local_address()});
  }
  return blob;
}

void Engine::publish() {
  const std::vector<std::byte> bytes = encode(own_address());
  if (Expected<> done = process_.bootstrap().publish(bytes); !done) {
    throw std::runtime_error(done.error().message);
  }
}

void Engine::start_lookup(Peer& peer) {
  if (is_foreign(peer.id)) {
    const std::vector<std::byte>& address = foreign_.passport_of(peer.id).address;
    if (!address.empty()) return connect(peer, address);
    return fail_peer(peer, fmt::format("nobody has said where {} is", words_of(peer.id)));
  }
  if (peer.looking_up) return;
  peer.looking_up = true;
  ++lookups_;
  process_.bootstrap().lookup(static_cast<int>(peer.id));
}

int Engine::take_answers() {
  int count = 0;
  while (std::optional<Bootstrap::Answer> answer = process_.bootstrap().poll()) {
    ++count;
    --lookups_;
    Peer& peer = peers_.get(static_cast<ProcId>(answer->rank));
    peer.looking_up = false;
    if (answer->blob) {
      connect(peer, *answer->blob);
    } else if (peer.device == nullptr) {
      fail_peer(peer, answer->blob.error().message);
    }
  }
  return count;
}

void Engine::connect(Peer& peer, std::span<const std::byte> blob) {
  const Expected<AddressBlob> decoded = decode(blob);
  if (!decoded) return fail_peer(peer, decoded.error().message);
  if (!peer.base_known) {
    peer.base_known = true;
    peer.their_window = decoded->first_window;
    peer.credits += decoded->first_window;
  }
  if (peer.device != nullptr) return;  // it connected first
  std::string words;
  for (const auto& slot : devices_) {
    for (const AddressBlob::Entry& entry : decoded->devices) {
      if (entry.device != slot->device->caps().name || !slot->device->reachable(entry.address)) {
        continue;
      }
      const Expected<EndpointId> endpoint = slot->device->connect(name_of(peer.id), entry.address);
      if (endpoint) return attach(peer, *slot, *endpoint);
      words = endpoint.error().message;
    }
  }
  if (words.empty()) {
    words = fmt::format("no device of rank {} reaches {}", process_.rank(), words_of(peer.id));
  }
  fail_peer(peer, std::move(words));
}

/// Messages can leave from now on; sends what has waited.
void Engine::attach(Peer& peer, DeviceSlot& slot, EndpointId endpoint) {
  if (slot.by_endpoint.size() <= endpoint) slot.by_endpoint.resize(endpoint + 1, nullptr);
  slot.by_endpoint[endpoint] = &peer;
  if (peer.device != nullptr) {
    if (peer.device != &slot) peer.same_device = false;
    return;
  }
  peer.device = &slot;
  peer.endpoint = endpoint;
  peer.settle_by_ns = process_.clock().now_ns() + kPatienceNs;
  peer.base = peer.lease = is_foreign(peer.id) ? 0 : first_window_;
  while (Request* request = peer.waiting.pop_front()) {
    --waiting_;
    request->place = RequestPlace::nowhere;
    start_send(peer, *request);
  }
}

Peer* Engine::peer_of(DeviceSlot& slot, EndpointId endpoint) {
  if (endpoint < slot.by_endpoint.size() && slot.by_endpoint[endpoint] != nullptr) [[likely]] {
    return slot.by_endpoint[endpoint];
  }
  const ProcId proc = proc_of(slot.device->peer(endpoint));
  if (proc == kAnyProc) return nullptr;
  Peer& peer = peers_.get(proc);
  attach(peer, slot, endpoint);
  return &peer;
}

void Engine::handle(DeviceSlot& slot, const Completion& completion) {
  if (completion.kind == CompletionKind::local) {
    local_done(completion.cookie, completion.status);
    return;
  }
  Peer* peer = peer_of(slot, completion.endpoint);
  if (peer == nullptr) {
    ++counters_.malformed;
    return;
  }
  switch (completion.kind) {
    case CompletionKind::receive:
      if (slot.ordered) [[likely]] {
        receive(slot, *peer, completion.data);
      } else {
        take_in_order(slot, *peer, completion.data);
      }
      break;
    case CompletionKind::notification:
      receive_notification(*peer, completion.notification);
      break;
    case CompletionKind::endpoint_closed:
    case CompletionKind::endpoint_failed:
      fail_peer(*peer, slot.device->explain(completion.endpoint),
                completion.kind == CompletionKind::endpoint_closed);
      break;
    case CompletionKind::local:
      break;
  }
}

int Engine::progress() {
  std::size_t events = 0;
  unpolled_ = 0;
  for (const auto& slot : devices_) {
    const std::size_t count = slot->device->poll(completions_);
    if (count != 0) {
      take(*slot, std::span(completions_).first(count));
      slot->device->have_read();
    }
    events += count;
    if (!slot->pending.empty()) [[unlikely]]
      events += slot->pending.flush(*slot->device);
    if (slot->cache) slot->cache->reap();
  }
  if (lookups_ != 0) [[unlikely]]
    events += static_cast<std::size_t>(take_answers());
  return static_cast<int>(events);
}

void Engine::arm() {
  for (const auto& slot : devices_) slot->device->arm();
}

void Engine::disarm() {
  for (const auto& slot : devices_) slot->device->disarm();
}

void Engine::wait_fds(std::vector<int>& out) const {
  for (const auto& slot : devices_) {
    if (const int fd = slot->device->wait_fd(); fd >= 0) out.push_back(fd);
  }
  if (lookups_ != 0) {
    if (const int fd = process_.bootstrap().wait_fd(); fd >= 0) out.push_back(fd);
  }
}

int Engine::max_sleep_ms() const {
  int bound = -1;
  const auto at_most = [&](int ms) { bound = bound < 0 ? ms : std::min(bound, ms); };
  for (const auto& slot : devices_) {
    if (const int ms = slot->device->max_sleep_ms(); ms >= 0) at_most(ms);
    if (slot->device->wait_fd() < 0 || !slot->pending.empty()) at_most(1);
  }
  if (lookups_ != 0 && process_.bootstrap().wait_fd() < 0) at_most(1);
  return bound;
}

bool Engine::flushed() const {
  return waiting_ == 0 && sending_ == 0 && departed();
}

bool Engine::departed() const {
  return std::all_of(devices_.begin(), devices_.end(), [](const auto& slot) {
    return slot->pending.empty() && slot->device->flushed();
  });
}

bool Engine::busy() const {
  return lookups_ != 0 || transfers_.live() != 0 || matcher_.any_posted() || !flushed();
}

Engine::OwnNotices Engine::take_notices() {
  for (const auto& slot : devices_) {
    if (const Notices taken = slot->device->take_notices(); taken.memory != nullptr) {
      return {slot->device, taken};
    }
  }
  return {};
}

void* Engine::allocate(std::size_t bytes) {
  for (const auto& slot : devices_) {
    if (void* memory = slot->device->allocate(bytes)) return memory;
  }
  return nullptr;
}

Released Engine::release(void* memory) {
  for (const auto& slot : devices_) {
    const Released released = slot->device->release(memory);
    if (released != Released::foreign) return released;
  }
  return Released::foreign;
}

void Engine::flush(const WaitSubject* subject) {
  process_.progress().wait([this] { return flushed(); }, subject);
}

bool Engine::unsettled(DeviceSlot& slot) {
  const std::uint64_t now = process_.clock().now_ns();
  return slot.pending.waits_for(
      [&](EndpointId endpoint) { return now < slot.by_endpoint[endpoint]->settle_by_ns; });
}

// While something waits, no sleep is long (max_sleep_ms).
void Engine::await_connections(const WaitSubject* subject) {
  const auto settled = [this] {
    return std::none_of(devices_.begin(), devices_.end(), [this](const auto& slot) {
      return !slot->pending.empty() && unsettled(*slot);
    });
  };
  process_.progress().wait(settled, subject);
}

std::size_t Engine::unexpected_bytes() const {
  return blocks_.in_use() + unexpected_.live() * sizeof(Unexpected);
}

std::string Engine::explain(const CommCore& comm, int rank) const {
  if (rank < 0 || rank >= comm.peers().size()) {
    const auto has = [&](ProcId proc) {
      return comm.local->rank_of(proc) != MPI_UNDEFINED ||
             comm.peers().rank_of(proc) != MPI_UNDEFINED;
    };
    for (const Peer* peer : peers_.all()) {
      if (!peer->failure.empty() && has(peer->id)) {
        return fmt::format("{}: {}", words_of(peer->id), peer->failure);
      }
    }
    return "";
  }
  const Peer* peer = peers_.find(comm.peers().proc(rank));
  if (peer == nullptr) return "";
  if (!peer->failure.empty() || peer->device == nullptr) return peer->failure;
  return peer->device->device->explain(peer->endpoint);
}

std::vector<Engine::ProtocolRange> Engine::protocols() const {
  std::vector<ProtocolRange> out;
  for (const auto& slot : devices_) {
    for (std::size_t i = 0; i < kLayoutClasses; ++i) {
      const auto layout = static_cast<LayoutClass>(i);
      for (const ProtocolRow& row : slot->table.rows(layout)) {
        out.push_back({std::string(slot->device->caps().name), std::string(to_string(layout)),
                       std::string(to_string(row.protocol)), row.from_bytes, row.to_bytes});
      }
    }
  }
  return out;
}

}  // namespace remit
