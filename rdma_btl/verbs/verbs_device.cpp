// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: what Device and its eager path ask, passed to the parts.
#include "rdma_btl/verbs/verbs_device.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "rdma_btl/verbs/clock.hpp"
#include "runtime/copy_small.hpp"

namespace remit {

namespace {

/// Slots are whole cache lines.
constexpr std::size_t kLine = 64;
/// What copy_small() is for.
constexpr std::size_t kFewBytes = 64;

}  // namespace

// --- opening and closing -----------------------------------------------------------------------

Expected<std::unique_ptr<VerbsDevice>> VerbsDevice::create(const VerbsConfig& config) {
  if (!std::has_single_bit(config.send_depth) || config.send_depth < 16 ||
      config.first_window < 4 || config.strict_window < 4 ||
      config.receive_slots < config.first_window ||
      config.send_slots < 2 * verbs::SendSlots::kSpare || config.message_bytes % kLine != 0 ||
      config.message_bytes < 192) {
    return fail(MPI_ERR_OTHER, "verbs: the configuration makes no sense");
  }
  std::unique_ptr<VerbsDevice> device(new VerbsDevice(config));
  if (Expected<> opened = device->open(); !opened) {
    return tl::unexpected<Error>(std::move(opened.error()));
  }
  return device;
}

Expected<std::string> VerbsDevice::survey(const VerbsConfig& config) {
  Expected<verbs::Api> api = verbs::load_api();
  if (!api) return tl::unexpected<Error>(std::move(api.error()));
  Expected<std::vector<verbs::Adapter>> adapters = verbs::find_adapters(*api);
  if (!adapters) return tl::unexpected<Error>(std::move(adapters.error()));
  Expected<verbs::Adapter> chosen = verbs::choose_adapter(*api, *adapters, config.device);
  if (!chosen) return tl::unexpected<Error>(std::move(chosen.error()));
  return verbs::describe(*chosen, *adapters, config.device);
}

Expected<> VerbsDevice::open() {
  VerbsConfig& config = parts_.config;
  verbs::OpenedAdapter& adapter = parts_.adapter;
  if (Expected<> opened = adapter.open(config); !opened) return opened;
  parts_.progress.open(adapter.queues().completions());
  parts_.work.open(adapter.limits(), config.send_depth);
  const auto block = parts_.memory.make_block(
      verbs::SendSlots::block_bytes(config.send_slots, config.message_bytes),
      IBV_ACCESS_LOCAL_WRITE, "memory for sends");
  if (!block) return adapter.about(tl::unexpected<Error>(block.error()));
  parts_.work.slots().make(static_cast<std::byte*>(block->base), block->mr->lkey, config.send_slots,
                           config.message_bytes);
  return adapter.about(parts_.lending.grow(config.receive_slots));
}

VerbsDevice::~VerbsDevice() {
  if (wait_fd() >= 0) say_goodbye();
  parts_.connections.close();
  parts_.adapter.listener().close();
  parts_.adapter.queues().close();
}

void VerbsDevice::abort() {
  parts_.connections.close();
  for (verbs::Endpoint& endpoint : parts_.endpoints) endpoint.state = verbs::State::failed;
  parts_.adapter.listener().close();
}

void VerbsDevice::pretend(EndpointId endpoint, ibv_event_type event) {
  parts_.events.on_queue_pair(parts_.endpoints[endpoint], event);
}

void VerbsDevice::pretend_credits(EndpointId endpoint, std::uint32_t credits) {
  parts_.endpoints[endpoint].borrowed.credits.grant(credits);
}

/// A connection that ends without this is a failure to the peer. The last messages are given time
/// to leave.
void VerbsDevice::say_goodbye() {
  constexpr std::uint64_t kLingerMs = 5000;  // on a link that loses packets
  const std::uint64_t end = verbs::now_ns() + verbs::ms(kLingerMs);
  std::vector<verbs::Endpoint*> due;
  for (verbs::Endpoint& endpoint : parts_.endpoints) {
    if (endpoint.state == verbs::State::open) due.push_back(&endpoint);
  }
  std::vector<verbs::Endpoint*> said;
  std::array<Completion, 16> ignored;
  while (!(due.empty() && said.empty()) && verbs::now_ns() < end) {
    std::erase_if(due, [&](verbs::Endpoint* endpoint) {
      if (endpoint->state != verbs::State::open) return true;
      if (endpoint->borrowed.credits.count() == 0) {
        endpoint->note.said->farewell = 1;
        parts_.notes.write(*endpoint);
      } else if (!parts_.messages.post_control(*endpoint, verbs::MessageKind::goodbye, 0, true)) {
        return false;
      }
      said.push_back(endpoint);
      return true;
    });
    (void)poll(ignored);
    parts_.progress.agenda().next_look_ns = 0;
    std::erase_if(said, [&](verbs::Endpoint* endpoint) {
      // poll() may have returned credits behind the goodbye
      parts_.work.flush_tail(*endpoint);
      return endpoint->state != verbs::State::open ||
             (endpoint->work.under_way() == 0 && !endpoint->note.due);
    });
  }
}

// --- peers -------------------------------------------------------------------------------------

std::vector<std::byte> VerbsDevice::local_address() const {
  return parts_.connections.handshake().local_address();
}

bool VerbsDevice::reachable(std::span<const std::byte> address) const {
  return parts_.connections.handshake().reachable(address).has_value();
}

Expected<EndpointId> VerbsDevice::connect(PeerName peer, std::span<const std::byte> address) {
  return parts_.connections.connect(peer, address);
}

PeerName VerbsDevice::peer(EndpointId endpoint) const {
  return parts_.endpoints[endpoint].peer;
}

bool VerbsDevice::connected(EndpointId endpoint) const {
  return parts_.endpoints[endpoint].state == verbs::State::open;
}

std::string VerbsDevice::explain(EndpointId endpoint) const {
  return parts_.endpoints[endpoint].words;
}

// --- memory ------------------------------------------------------------------------------------

Expected<Region> VerbsDevice::register_memory(void* address, std::size_t length, Access access) {
  return parts_.memory.add(address, length, access);
}

void VerbsDevice::deregister(const Region& region) {
  parts_.memory.remove(region);
}

// --- posting -----------------------------------------------------------------------------------

std::size_t VerbsDevice::post(EndpointId id, std::span<const Operation> operations) {
  verbs::Endpoint& endpoint = parts_.endpoints[id];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (endpoint.state != verbs::State::open) [[unlikely]]
      return i + post_closed(endpoint, operations.subspan(i));
    if (!parts_.operations.post(endpoint, operations[i])) return i;
  }
  return operations.size();
}

/// A failed endpoint takes everything; one that is not connected yet takes nothing.
std::size_t VerbsDevice::post_closed(verbs::Endpoint& endpoint,
                                     std::span<const Operation> operations) {
  if (endpoint.state == verbs::State::gone) {
    parts_.teardown.fail_endpoint(endpoint,
                                  fmt::format("{} has finished", parts_.adapter.way_to(endpoint)));
  }
  if (endpoint.state == verbs::State::idle && endpoint.contact.has_address) {
    parts_.connections.begin(endpoint);
  }
  if (endpoint.state != verbs::State::failed) return 0;
  return parts_.progress.agenda().refuse(endpoint.id, operations);
}

/// The fast path of a small message: one descriptor with everything in it.
void VerbsDevice::send(EndpointId id, SendHead head, const void* data, std::size_t length,
                       PendingQueue& refused) {
  verbs::Endpoint& endpoint = parts_.endpoints[id];
  verbs::WorkQueue& work = parts_.work;
  const std::size_t bytes = sizeof(verbs::Header) + sizeof head + length;
  const bool can = endpoint.state == verbs::State::open && verbs::Borrowing::can_send(endpoint);
  if (!can || bytes > work.max_inline() || !work.has_room(endpoint, 1)) [[unlikely]]
    return send_other(endpoint, head, data, length, refused);
  ++parts_.counters.sends;
  ++parts_.counters.inlined;
  parts_.counters.sent_bytes += sizeof head + length;
  std::array<std::byte, verbs::kMostInline> small;
  const verbs::Header header = parts_.messages.take_header(endpoint, verbs::MessageKind::data, 0);
  std::memcpy(small.data(), &header, sizeof header);
  std::memcpy(small.data() + sizeof header, &head, sizeof head);
  std::byte* const rest = small.data() + sizeof header + sizeof head;
  if (length <= kFewBytes) [[likely]] {
    copy_small(rest, data, length);
  } else {
    std::memcpy(rest, data, length);
  }
  work.hand_over(endpoint, work.message(small.data(), bytes, IBV_SEND_INLINE), verbs::Record{},
                 false);
}

/// One that does not fit the descriptor, or that has to wait.
void VerbsDevice::send_other(verbs::Endpoint& endpoint, SendHead head, const void* data,
                             std::size_t length, PendingQueue& refused) {
  const bool can = endpoint.state == verbs::State::open && verbs::Borrowing::can_send(endpoint);
  const bool fits = sizeof(verbs::Header) + sizeof head + length <= parts_.work.max_inline();
  if (can && !fits && parts_.messages.send_headed(endpoint, head, data, length)) return;
  post_send(*this, endpoint.id, head, data, length, refused);
}

// --- progress ----------------------------------------------------------------------------------

std::size_t VerbsDevice::poll(std::span<Completion> out) {
  return parts_.progress.poll(out);
}

int VerbsDevice::max_sleep_ms() const {
  return parts_.progress.max_sleep_ms(parts_.counters.connections != 0);
}

VerbsCounters VerbsDevice::counters() const {
  VerbsCounters all = parts_.counters;
  static_cast<verbs::ReceiveCounters&>(all) = parts_.receiver.counters();
  all.registered = parts_.memory.bytes();
  return all;
}

/// The counters by name. "receiver_not_ready" are connections that died of it,
/// "port_receiver_not_ready" refusals by this port, whosever messages they were, which the senders'
/// adapters repeat: both are 0 if the lending of receives is right.
std::vector<Statistic> VerbsDevice::statistics() const {
  const VerbsCounters c = counters();
  std::vector<Statistic> all = {{"sends", c.sends},
                                {"receives", c.receives},
                                {"puts", c.puts},
                                {"gets", c.gets},
                                {"atomics", c.atomics},
                                {"sent_bytes", c.sent_bytes},
                                {"put_bytes", c.put_bytes},
                                {"got_bytes", c.got_bytes},
                                {"notifications", c.notifications},
                                {"notified", c.notified},
                                {"inlined", c.inlined},
                                {"brief", c.brief},
                                {"signalled", c.signalled},
                                {"credit_messages", c.credit_messages},
                                {"starved", c.starved},
                                {"receiver_not_ready", c.rnr},
                                {"receives_added", c.grown},
                                {"recalls", c.recalls},
                                {"loans", c.loans},
                                {"registered_bytes", c.registered},
                                {"connections", c.connections},
                                {"connections_retried", c.retried},
                                {"hosts_asked", c.asked},
                                {"knocks", c.keepalives},
                                {"strangers_rejected", c.rejected}};
  if (const auto refusals = parts_.adapter.refusals(); refusals) {
    all.push_back({"port_receiver_not_ready", *refusals});
  }
  return all;
}

}  // namespace remit
