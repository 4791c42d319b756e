// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: addresses, and connections made.
//
// Two processes that speak to each other first at the same time each ask for a connection. The one
// with the lower name rejects the other's request, the one with the higher name drops its own: one
// connection stays. Nothing is posted before it is open, so nothing is lost.
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"

namespace remit {

namespace {

constexpr unsigned kResolveAttempts = 3;
constexpr std::uint64_t kFirstRetryMs = 50;
constexpr std::uint64_t kLastRetryMs = 2000;
/// How long the process with the higher name waits for the request of the other.
constexpr std::uint64_t kYieldMs = 30000;
/// Of a work request that found no receive: finite, and long enough for any receiver that lives.
constexpr std::uint8_t kReceiverNotReadyRetries = 6;
/// Of a packet that is not acknowledged. Soft-RoCE counts what needs no time, too (a link that
/// loses 5 % would use up six within one long write), and takes seven for "for ever": knock() ends
/// that.
constexpr std::uint8_t kRetries = 7;
/// What the kernel says when nobody listens at the port (InfiniBand, CM REJ reason 8).
constexpr int kNoListener = 8;
/// A port at which nobody listens: its host refuses the connection itself, whatever its processes
/// do. That is how a host is asked whether it is there.
constexpr std::uint16_t kNobodysPort = 1;
constexpr std::uint32_t kNobodysQueuePair = 0xfffffe;
constexpr std::uint64_t kAskAgainMs = 10000;

void* context_of(EndpointId id) {
  return reinterpret_cast<void*>(std::uintptr_t{id} + 1);
}

std::string words_of(const verbs::Rejection& rejection) {
  const std::string_view words(rejection.words, sizeof rejection.words);
  return std::string(words.substr(0, words.find('\0')));
}

template <class T>
bool read(std::span<const std::byte> data, T& out) {
  if (data.size() < sizeof out) return false;
  std::memcpy(&out, data.data(), sizeof out);
  return out.magic == verbs::kMagic;
}

}  // namespace

// --- addresses ---------------------------------------------------------------------------------

std::vector<std::byte> VerbsDevice::local_address() const {
  verbs::Address address;
  address.abilities = static_cast<std::uint16_t>((config_.mask.iwarp ? verbs::kIwarp : 0) |
                                                 (immediate_ ? verbs::kImmediate : 0));
  address.job = config_.job;
  address.name = config_.name;
  address.family = adapter_.address.ss_family;
  address.port = port_;
  if (address.family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(adapter_.address);
    std::memcpy(address.ip, &ip.sin_addr, sizeof ip.sin_addr);
  } else {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(adapter_.address);
    std::memcpy(address.ip, &ip.sin6_addr, sizeof ip.sin6_addr);
  }
  address.host_bytes = static_cast<std::uint32_t>(host_.size());
  std::vector<std::byte> bytes(sizeof address + host_.size());
  std::memcpy(bytes.data(), &address, sizeof address);
  std::memcpy(bytes.data() + sizeof address, host_.data(), host_.size());
  return bytes;
}

/// Whether a packet would find its way is known only when a connection is made.
bool VerbsDevice::reachable(std::span<const std::byte> bytes) const {
  verbs::Address address;
  if (!read(bytes, address) || bytes.size() != sizeof address + address.host_bytes) return false;
  return address.version == verbs::kVersion && address.job == config_.job &&
         address.family == adapter_.address.ss_family &&
         ((address.abilities & verbs::kIwarp) != 0) == config_.mask.iwarp;
}

PeerName VerbsDevice::peer(EndpointId endpoint) const {
  return endpoints_[endpoint]->peer;
}

bool VerbsDevice::connected(EndpointId endpoint) const {
  return endpoints_[endpoint]->state == State::open;
}

std::string VerbsDevice::explain(EndpointId endpoint) const {
  return endpoints_[endpoint]->words;
}

std::string VerbsDevice::way_to(const Endpoint& endpoint) const {
  return fmt::format("process {}{}{} at {} over RDMA adapter {} port {} ({}){}{}",
                     rank_of_name(endpoint.peer), endpoint.host.empty() ? "" : " on host ",
                     endpoint.host, endpoint.where.empty() ? "an unknown address" : endpoint.where,
                     adapter_.device, adapter_.port, adapter_.text, trouble_.empty() ? "" : ", ",
                     trouble_);
}

// --- connecting --------------------------------------------------------------------------------

VerbsDevice::Endpoint& VerbsDevice::make_endpoint(PeerName peer) {
  auto endpoint = std::make_unique<Endpoint>();
  endpoint->peer = peer;
  endpoint->id = static_cast<EndpointId>(endpoints_.size());
  by_name_.emplace(peer, endpoint->id);
  return *endpoints_.emplace_back(std::move(endpoint));
}

Expected<EndpointId> VerbsDevice::connect(PeerName peer, std::span<const std::byte> bytes) {
  const auto known = by_name_.find(peer);
  if (known != by_name_.end() && endpoints_[known->second]->has_address) return known->second;
  if (!reachable(bytes)) {
    return fail(MPI_ERR_OTHER,
                "process {} cannot be reached through RDMA adapter {}: its address is of another "
                "kind of adapter, another job or another version of Remit",
                rank_of_name(peer), adapter_.device);
  }
  verbs::Address address;
  (void)read(bytes, address);
  if (address.name != peer) {
    return fail(MPI_ERR_ARG, "process {} connects to process {} with the address of process {}",
                rank_of_name(config_.name), rank_of_name(peer), rank_of_name(address.name));
  }
  Endpoint& endpoint = known != by_name_.end() ? *endpoints_[known->second] : make_endpoint(peer);
  endpoint.address = {};
  endpoint.address.ss_family = address.family;
  if (address.family == AF_INET) {
    auto& ip = reinterpret_cast<sockaddr_in&>(endpoint.address);
    std::memcpy(&ip.sin_addr, address.ip, sizeof ip.sin_addr);
    ip.sin_port = address.port;
  } else {
    auto& ip = reinterpret_cast<sockaddr_in6&>(endpoint.address);
    std::memcpy(&ip.sin6_addr, address.ip, sizeof ip.sin6_addr);
    ip.sin6_port = address.port;
    ip.sin6_scope_id = reinterpret_cast<const sockaddr_in6&>(adapter_.address).sin6_scope_id;
  }
  endpoint.where =
      fmt::format("{}:{}", verbs::to_text(endpoint.address), __builtin_bswap16(address.port));
  endpoint.host.assign(reinterpret_cast<const char*>(bytes.data()) + sizeof address,
                       address.host_bytes);
  endpoint.has_address = true;
  if (endpoint.state == State::idle) begin(endpoint);
  return endpoint.id;
}

/// Starts an attempt to connect; events continue it.
void VerbsDevice::begin(Endpoint& endpoint) {
  if (!broken_.empty()) return fail_endpoint(endpoint, broken_);
  const std::uint64_t now = verbs::now_ns();
  if (endpoint.state == State::idle) {  // the first of a row of attempts
    endpoint.give_up_ns = now + verbs::ms(config_.connect_timeout_ms);
    endpoint.ask_ns = now + verbs::ms(config_.quiet_ms);
    endpoint.asked_ns = 0;
  }
  if (endpoint.attempts++ != 0) ++counters_.retried;
  if (!endpoint.timed) connecting_.push_back(endpoint.id);
  endpoint.timed = true;
  next_look_ns_ = std::min(next_look_ns_, now);
  drop_active(endpoint);
  if (api_.create_id(channel_, &endpoint.active, context_of(endpoint.id), RDMA_PS_TCP) != 0) {
    endpoint.active = nullptr;
    return retry_later(endpoint, fmt::format("rdma_create_id: {}", std::strerror(errno)));
  }
  endpoint.state = State::resolving;
  sockaddr_storage own = adapter_.address;
  if (api_.resolve_addr(endpoint.active, reinterpret_cast<sockaddr*>(&own),
                        reinterpret_cast<sockaddr*>(&endpoint.address),
                        static_cast<int>(config_.resolve_timeout_ms)) != 0) {
    const int error = errno;
    if (++endpoint.unresolved < kResolveAttempts) {
      return retry_later(endpoint, std::strerror(error));
    }
    fail_endpoint(endpoint, fmt::format("no way to {}: {}: is it on the same network?",
                                        way_to(endpoint), std::strerror(error)));
  }
}

void VerbsDevice::retry_later(Endpoint& endpoint, std::string words) {
  endpoint.state = State::waiting;
  drop_active(endpoint);
  endpoint.words = std::move(words);
  const unsigned doublings = std::min(endpoint.attempts, 6U);
  endpoint.timer_ns =
      verbs::now_ns() + verbs::ms(std::min(kFirstRetryMs << doublings, kLastRetryMs));
}

/// Receives are on their way back, to one of the two sides.
void VerbsDevice::retry_soon(Endpoint& endpoint) {
  constexpr std::uint64_t kSoonMs = 10;
  on_sign_of_life(endpoint);
  retry_later(endpoint, "waiting for receives of other peers");
  release_lease(endpoint);
  endpoint.timer_ns = verbs::now_ns() + verbs::ms(kSoonMs);
}

void VerbsDevice::destroy_id(rdma_cm_id* id) {
  if (id->qp != nullptr) {
    by_qp_num_.erase(id->qp->qp_num);
    if (last_qp_num_ == id->qp->qp_num) last_qp_num_ = 0;
    const std::uint32_t qp_num = id->qp->qp_num;
    api_.cm_destroy_qp(id);
    reclaim_slots(qp_num);
  }
  api_.destroy_id(id);
}

/// Only before anything was posted. With iWARP the kernel would wait for the peer's answer to a
/// request under way: it is destroyed when that has come.
void VerbsDevice::drop_active(Endpoint& endpoint) {
  if (endpoint.active == nullptr) return;
  if (endpoint.qp == endpoint.active->qp) endpoint.qp = nullptr;
  if (config_.mask.iwarp && endpoint.state == State::connecting) {
    withdrawn_.push_back(endpoint.active);
  } else {
    destroy_id(endpoint.active);
  }
  endpoint.active = nullptr;
}

void VerbsDevice::drop_passive(Endpoint& endpoint) {
  if (endpoint.passive == nullptr) return;
  if (endpoint.qp == endpoint.passive->qp) endpoint.qp = nullptr;
  destroy_id(endpoint.passive);
  endpoint.passive = nullptr;
}

/// With receives for the peer: leased from the shared queue, or posted to this connection.
Expected<> VerbsDevice::make_queue_pair(rdma_cm_id* id, Endpoint& endpoint, bool receives) {
  if (endpoint.records.empty()) endpoint.records.resize(config_.send_depth);
  if (Expected<> made = make_note(endpoint); !made) return made;
  ibv_qp_init_attr attributes = {};
  attributes.send_cq = attributes.recv_cq = cq_;
  attributes.srq = srq_;
  attributes.cap = {config_.send_depth, srq_ != nullptr ? 0 : config_.strict_window, max_sge_, 1,
                    max_inline_};
  attributes.qp_type = IBV_QPT_RC;
  errno = 0;  // not every library of an adapter sets it
  if (api_.cm_create_qp(id, pd_, &attributes) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno != 0 ? errno : ENOMEM, "creating a queue pair");
  }
  by_qp_num_[id->qp->qp_num] = endpoint.id;
  std::uint8_t timeout = config_.ack_timeout;
  (void)api_.set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, sizeof timeout);
  return receives ? lend_first(id->qp, endpoint) : Expected<>{};
}

verbs::Hello VerbsDevice::hello_to(const Endpoint& endpoint) const {
  verbs::Hello hello;
  hello.abilities = immediate_ ? verbs::kImmediate : 0;
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = endpoint.peer;
  hello.credits = endpoint.lease;
  hello.note_key = endpoint.note_rkey;
  hello.note_address = reinterpret_cast<std::uintptr_t>(endpoint.heard);
  return hello;
}

rdma_conn_param VerbsDevice::connection_parameters(const verbs::Hello& hello) const {
  rdma_conn_param parameters = {};
  parameters.private_data = &hello;
  parameters.private_data_len = sizeof hello;
  parameters.responder_resources = max_served_reads_;
  parameters.initiator_depth = max_reads_;
  parameters.retry_count = kRetries;
  parameters.rnr_retry_count = kReceiverNotReadyRetries;
  return parameters;
}

void VerbsDevice::on_route_resolved(Endpoint& endpoint) {
  endpoint.unresolved = 0;
  // A connection to oneself has a second queue pair: that one receives.
  const bool receives = endpoint.peer != config_.name;
  if (receives && !can_admit(endpoint)) return retry_soon(endpoint);
  if (Expected<> made = make_queue_pair(endpoint.active, endpoint, receives); !made) {
    return fail_endpoint(endpoint, fmt::format("{}: {}", way_to(endpoint), made.error().message));
  }
  endpoint.qp = endpoint.active->qp;
  const verbs::Hello hello = hello_to(endpoint);
  rdma_conn_param parameters = connection_parameters(hello);
  endpoint.state = State::connecting;
  if (api_.connect(endpoint.active, &parameters) != 0) {
    const int error = errno;
    if (error == ECONNREFUSED) return on_rejected(endpoint, -error, {});  // soft-iWARP says so here
    return retry_later(endpoint, fmt::format("rdma_connect: {}", std::strerror(error)));
  }
}

void VerbsDevice::take_hello(Endpoint& endpoint, const verbs::Hello& hello) {
  endpoint.credits = hello.credits;
  endpoint.immediate = immediate_ && (hello.abilities & verbs::kImmediate) != 0;
  endpoint.peer_note = {hello.note_address, hello.note_key};
}

void VerbsDevice::on_established(Endpoint& endpoint, std::span<const std::byte> data) {
  verbs::Hello hello;
  if (!read(data, hello) || hello.version != verbs::kVersion || hello.from != endpoint.peer) {
    return fail_endpoint(endpoint,
                         fmt::format("{}: something else answered there", way_to(endpoint)));
  }
  take_hello(endpoint, hello);
  greet(endpoint);
}

/// The other side may send only after this has come: with iWARP the active side must be first.
void VerbsDevice::greet(Endpoint& endpoint) {
  if (endpoint.state != State::connecting) return;
  const bool inlined = sizeof(verbs::Header) + host_.size() <= max_inline_;
  if (!spare_room(endpoint) || (!inlined && free_send_slots_.empty())) {
    flush_tails();
    greet_due_.push_back(endpoint.id);
    return;
  }
  open_endpoint(endpoint);
  const Piece host{host_.data(), host_.size(), 0};
  post_message(endpoint, verbs::MessageKind::open, 0, {&host, 1}, host_.size(), false);
}

void VerbsDevice::open_endpoint(Endpoint& endpoint) {
  endpoint.state = State::open;
  on_sign_of_life(endpoint);
  endpoint.words.clear();
  ++counters_.connections;
  // The first message has overtaken the kernel's own: only an established connection is cut in
  // order.
  if (endpoint.passive != nullptr) (void)api_.notify(endpoint.passive, IBV_EVENT_COMM_EST);
  say(LogLevel::debug, "verbs: connected to {}", way_to(endpoint));
}

// --- requests of peers -------------------------------------------------------------------------

void VerbsDevice::reject(rdma_cm_id* id, verbs::Refusal reason, std::string_view words) {
  verbs::Rejection rejection;
  rejection.reason = reason;
  words.copy(rejection.words, sizeof rejection.words - 1);
  api_.reject(id, &rejection, sizeof rejection);
  api_.destroy_id(id);
}

void VerbsDevice::on_request(rdma_cm_id* id, std::span<const std::byte> data) {
  verbs::Hello hello;
  if (!read(data, hello) || hello.version != verbs::kVersion || hello.job != config_.job ||
      hello.to != config_.name) {
    ++counters_.rejected;
    say(LogLevel::warning, "verbs: the connection of a stranger from {} was rejected",
        verbs::to_text(id->route.addr.dst_storage));
    return reject(id, verbs::Refusal::stranger);
  }
  const auto known = by_name_.find(hello.from);
  Endpoint& endpoint =
      known != by_name_.end() ? *endpoints_[known->second] : make_endpoint(hello.from);
  if (endpoint.where.empty()) endpoint.where = verbs::to_text(id->route.addr.dst_storage);
  const bool over = endpoint.state == State::open || endpoint.state == State::gone ||
                    endpoint.state == State::failed;
  if (!over && !can_admit(endpoint)) return reject(id, verbs::Refusal::busy);
  if (hello.from == config_.name) return accept(id, endpoint, hello);
  switch (endpoint.state) {
    case State::failed:
    case State::gone:
      return reject(id, verbs::Refusal::failed);
    case State::open:  // it asked before it accepted ours
      ++counters_.settled;
      return reject(id, verbs::Refusal::mine_wins);
    case State::resolving:
    case State::routing:
    case State::connecting:
      ++counters_.settled;
      if (config_.name < hello.from) return reject(id, verbs::Refusal::mine_wins);
      drop_active(endpoint);
      return accept(id, endpoint, hello);
    case State::accepting:  // what we accepted had died at the peer
      drop_passive(endpoint);
      return accept(id, endpoint, hello);
    case State::idle:
    case State::waiting:
      return accept(id, endpoint, hello);
  }
}

void VerbsDevice::accept(rdma_cm_id* id, Endpoint& endpoint, const verbs::Hello& hello) {
  const bool self = hello.from == config_.name;
  on_sign_of_life(endpoint);
  if (self && endpoint.passive != nullptr) return reject(id, verbs::Refusal::mine_wins);
  if (Expected<> made = make_queue_pair(id, endpoint, true); !made) {
    if (id->qp != nullptr) {
      by_qp_num_.erase(id->qp->qp_num);
      const std::uint32_t qp_num = id->qp->qp_num;
      api_.cm_destroy_qp(id);
      reclaim_slots(qp_num);
    }
    reject(id, verbs::Refusal::no_room, made.error().message);
    if (self) return;  // our own request fails
    return fail_endpoint(endpoint, fmt::format("{}: {}", way_to(endpoint), made.error().message));
  }
  id->context = context_of(endpoint.id);
  endpoint.passive = id;
  if (!self) {
    endpoint.qp = id->qp;
    take_hello(endpoint, hello);
    endpoint.state = State::accepting;
  }
  const verbs::Hello own = hello_to(endpoint);
  rdma_conn_param parameters = connection_parameters(own);
  if (api_.accept(id, &parameters) == 0) return;
  // The request was withdrawn meanwhile; the peer asks again.
  drop_passive(endpoint);
  if (!self) endpoint.state = State::idle;
}

// --- events ------------------------------------------------------------------------------------

void VerbsDevice::service_connections() {
  rdma_cm_event* event = nullptr;
  while (api_.get_cm_event(channel_, &event) == 0) {
    // An identifier can be destroyed only after its events are acknowledged: copy.
    const rdma_cm_event copy = *event;
    std::array<std::byte, 256> data = {};
    const std::size_t bytes =
        copy.param.conn.private_data == nullptr
            ? 0
            : std::min<std::size_t>(copy.param.conn.private_data_len, data.size());
    if (bytes != 0) std::memcpy(data.data(), copy.param.conn.private_data, bytes);
    api_.ack_cm_event(event);
    handle_event(copy, std::span(data).first(bytes));
  }
}

void VerbsDevice::handle_event(const rdma_cm_event& event, std::span<const std::byte> data) {
  if (event.event == RDMA_CM_EVENT_CONNECT_REQUEST) return on_request(event.id, data);
  if (event.event == RDMA_CM_EVENT_DEVICE_REMOVAL) {
    return fail_all(fmt::format("RDMA adapter {} was removed", adapter_.device));
  }
  if (const auto found = std::find(withdrawn_.begin(), withdrawn_.end(), event.id);
      found != withdrawn_.end()) {
    withdrawn_.erase(found);
    return destroy_id(event.id);
  }
  const auto number = reinterpret_cast<std::uintptr_t>(event.id->context);
  if (number == 0 || number > endpoints_.size()) return;  // the listener's
  Endpoint& endpoint = *endpoints_[number - 1];
  if (event.id == endpoint.question) return on_answer(endpoint, event);
  const bool active = event.id == endpoint.active;
  if (!active && event.id != endpoint.passive) return;
  switch (event.event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      endpoint.state = State::routing;
      if (api_.resolve_route(event.id, static_cast<int>(config_.resolve_timeout_ms)) != 0) {
        retry_later(endpoint, fmt::format("rdma_resolve_route: {}", std::strerror(errno)));
      }
      return;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      return on_route_resolved(endpoint);
    case RDMA_CM_EVENT_ESTABLISHED:
      if (active) on_established(endpoint, data);
      return;  // the passive side waits for the first message
    case RDMA_CM_EVENT_REJECTED:
      return on_rejected(endpoint, event.status, data);
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
      return on_trouble(endpoint, event);
    case RDMA_CM_EVENT_DISCONNECTED:
      return leave(endpoint);
    default:
      return;
  }
}

/// An attempt has failed. A peer that computes does not answer, so silence is no failure until the
/// time is over; an address that cannot be found is.
void VerbsDevice::on_trouble(Endpoint& endpoint, const rdma_cm_event& event) {
  if (endpoint.state == State::accepting) {
    drop_passive(endpoint);
    endpoint.state = State::idle;
    if (endpoint.has_address) begin(endpoint);
    return;
  }
  if (endpoint.state == State::open || endpoint.state == State::failed) return;
  const std::string words =
      fmt::format("{} ({})", api_.cm_event_str(event.event),
                  event.status < 0 ? std::strerror(-event.status) : std::to_string(event.status));
  const bool unresolved =
      event.event == RDMA_CM_EVENT_ADDR_ERROR || event.event == RDMA_CM_EVENT_ROUTE_ERROR;
  const bool refused = event.status == -ECONNREFUSED;
  if (refused || (unresolved && ++endpoint.unresolved >= kResolveAttempts)) {
    return fail_endpoint(
        endpoint,
        fmt::format("no connection to {}: {}: {}", way_to(endpoint), words,
                    refused ? "its process has ended"
                            : "is its host up and on the same network, is the cable connected?"));
  }
  retry_later(endpoint, words);
}

void VerbsDevice::on_rejected(Endpoint& endpoint, int status, std::span<const std::byte> data) {
  if (endpoint.state == State::open) return leave(endpoint);  // ended before it was quite made
  if (endpoint.state != State::connecting) return;
  verbs::Rejection rejection;
  if (!read(data, rejection)) {
    // Reasons of the network itself: nobody listens, or something that may pass.
    if (status == kNoListener || status == -ECONNREFUSED || status == -ECONNRESET) {
      return fail_endpoint(
          endpoint, fmt::format("{} refuses connections: its process has ended", way_to(endpoint)));
    }
    return retry_later(endpoint, fmt::format("rejected (reason {})", status));
  }
  switch (rejection.reason) {
    case verbs::Refusal::mine_wins:
      endpoint.state = State::waiting;
      drop_active(endpoint);
      on_sign_of_life(endpoint);
      endpoint.timer_ns = verbs::now_ns() + verbs::ms(kYieldMs);
      endpoint.give_up_ns = endpoint.timer_ns + verbs::ms(config_.connect_timeout_ms);
      return;
    case verbs::Refusal::busy:
      return retry_soon(endpoint);
    case verbs::Refusal::no_room:
      return fail_endpoint(endpoint, fmt::format("{} has no room for another connection: {}",
                                                 way_to(endpoint), words_of(rejection)));
    case verbs::Refusal::failed:
      return fail_endpoint(endpoint,
                           fmt::format("{} has given this process up before", way_to(endpoint)));
    case verbs::Refusal::stranger:
      return fail_endpoint(endpoint, fmt::format("{} is of another job", way_to(endpoint)));
  }
}

// --- hosts that may be dead --------------------------------------------------------------------

/// A request for a connection is answered by the peer's process, which may compute; a request to
/// nobody's port is answered by its host. iWARP has no request without a queue pair.
void VerbsDevice::ask_host(Endpoint& endpoint, std::uint64_t now) {
  if (adapter_.iwarp || endpoint.question != nullptr || now < endpoint.ask_ns) return;
  endpoint.ask_ns = now + verbs::ms(kLastRetryMs);  // if the question itself fails
  if (endpoint.asked_ns == 0) endpoint.asked_ns = now;
  if (api_.create_id(channel_, &endpoint.question, context_of(endpoint.id), RDMA_PS_TCP) != 0) {
    endpoint.question = nullptr;
    return;
  }
  ++counters_.asked;
  sockaddr_storage own = adapter_.address;
  sockaddr_storage there = endpoint.address;
  const std::uint16_t port = htons(kNobodysPort);
  if (there.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(there).sin_port = port;
  } else {
    reinterpret_cast<sockaddr_in6&>(there).sin6_port = port;
  }
  if (api_.resolve_addr(endpoint.question, reinterpret_cast<sockaddr*>(&own),
                        reinterpret_cast<sockaddr*>(&there),
                        static_cast<int>(config_.resolve_timeout_ms)) != 0) {
    drop_question(endpoint);
  }
}

void VerbsDevice::on_answer(Endpoint& endpoint, const rdma_cm_event& event) {
  if (event.event == RDMA_CM_EVENT_ADDR_RESOLVED) {
    if (api_.resolve_route(event.id, static_cast<int>(config_.resolve_timeout_ms)) == 0) return;
  } else if (event.event == RDMA_CM_EVENT_ROUTE_RESOLVED) {
    rdma_conn_param parameters = {};
    parameters.qp_num = kNobodysQueuePair;
    parameters.retry_count = kRetries;
    if (api_.connect(event.id, &parameters) == 0) return;
  } else if (event.event == RDMA_CM_EVENT_REJECTED ||
             event.event == RDMA_CM_EVENT_CONNECT_RESPONSE) {
    return on_sign_of_life(endpoint);
  }
  drop_question(endpoint);
}

void VerbsDevice::on_sign_of_life(Endpoint& endpoint) {
  const std::uint64_t now = verbs::now_ns();
  drop_question(endpoint);
  endpoint.asked_ns = 0;
  endpoint.ask_ns = now + verbs::ms(kAskAgainMs);
  endpoint.give_up_ns = now + verbs::ms(config_.connect_timeout_ms);
}

void VerbsDevice::drop_question(Endpoint& endpoint) {
  if (endpoint.question != nullptr) api_.destroy_id(endpoint.question);
  endpoint.question = nullptr;
}

/// Whether the attempts to connect have ended.
bool VerbsDevice::given_up(Endpoint& endpoint, std::uint64_t now) {
  if (endpoint.asked_ns != 0 && now >= endpoint.asked_ns + verbs::ms(config_.host_timeout_ms)) {
    fail_endpoint(endpoint, fmt::format("{}: its host has not answered for {} s: is it up, and is "
                                        "the link?",
                                        way_to(endpoint),
                                        (config_.quiet_ms + config_.host_timeout_ms) / 1000));
    return true;
  }
  if (now >= endpoint.give_up_ns) {
    fail_endpoint(endpoint, fmt::format("{} has not answered for {} s{}{}", way_to(endpoint),
                                        config_.connect_timeout_ms / 1000,
                                        endpoint.words.empty() ? "" : ": ", endpoint.words));
    return true;
  }
  if (endpoint.state == State::connecting) ask_host(endpoint, now);
  return false;
}

void VerbsDevice::look_at_timers(std::uint64_t now) {
  std::vector<EndpointId> waiting;
  waiting.swap(connecting_);
  for (const EndpointId id : waiting) {
    Endpoint& endpoint = *endpoints_[id];
    endpoint.timed = false;
    const bool under_way = endpoint.state == State::resolving || endpoint.state == State::routing ||
                           endpoint.state == State::connecting;
    if (!under_way && endpoint.state != State::waiting) continue;
    if (given_up(endpoint, now)) continue;
    endpoint.timed = true;
    connecting_.push_back(id);
    if (endpoint.state == State::waiting && now >= endpoint.timer_ns) begin(endpoint);
  }
  std::erase_if(dying_, [&](EndpointId id) {
    Endpoint& endpoint = *endpoints_[id];
    if (endpoint.under_way() != 0 && now < endpoint.timer_ns) return false;
    abandon(endpoint);
    return true;
  });
}

}  // namespace remit
