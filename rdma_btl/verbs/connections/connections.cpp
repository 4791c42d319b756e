// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making connections.
#include "rdma_btl/verbs/connections/connections.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/connections/greetings.hpp"
#include "rdma_btl/verbs/connections/host_questions.hpp"
#include "rdma_btl/verbs/connections/queue_pairs.hpp"
#include "rdma_btl/verbs/credits/lending.hpp"
#include "rdma_btl/verbs/teardown.hpp"

namespace remit::verbs {

namespace {

constexpr unsigned kResolveAttempts = 3;
constexpr std::uint64_t kFirstRetryMs = 50;
constexpr std::uint64_t kLastRetryMs = 2000;
/// How long the process with the higher name waits for the request of the other.
constexpr std::uint64_t kYieldMs = 30000;
/// What the kernel says when nobody listens at the port (InfiniBand, CM REJ reason 8).
constexpr int kNoListener = 8;

/// A link-local address of IPv6 is one of the link of this host's own address.
void set_scope(sockaddr_storage& address, const sockaddr_storage& own) {
  if (address.ss_family != AF_INET6) return;
  reinterpret_cast<sockaddr_in6&>(address).sin6_scope_id =
      reinterpret_cast<const sockaddr_in6&>(own).sin6_scope_id;
}

ContactPhase phase_of(State state) {
  switch (state) {
    case State::resolving:
    case State::routing:
    case State::connecting:
      return ContactPhase::asking;
    case State::open:
      return ContactPhase::agreed;
    case State::failed:
    case State::gone:
      return ContactPhase::over;
    case State::waiting:
      return ContactPhase::yielding;
    case State::accepting:  // another request says that nothing has come of it
    case State::idle:
      break;
  }
  return ContactPhase::none;
}

std::string words_of(const Rejection& rejection) {
  const std::string_view words(rejection.words, sizeof rejection.words);
  return std::string(words.substr(0, words.find('\0')));
}

}  // namespace

void Connections::close() {
  for (rdma_cm_id* const id : withdrawn_) destroy_id(id);
  withdrawn_.clear();
  for (Endpoint& endpoint : endpoints_) {
    questions_.drop(endpoint);
    for (rdma_cm_id* const id : {endpoint.contact.active, endpoint.contact.passive}) {
      if (id == nullptr) continue;
      if (id->qp != nullptr) {
        adapter_.cm().disconnect(id);
        adapter_.cm().destroy_qp(id);
      }
      adapter_.cm().destroy_id(id);
    }
    endpoint.contact.active = endpoint.contact.passive = nullptr;
  }
}

Expected<EndpointId> Connections::connect(PeerName peer, std::span<const std::byte> bytes) {
  Endpoint* const known = endpoints_.find(peer);
  if (known != nullptr && known->contact.has_address) return known->id;
  const std::optional<Unpacked> there = handshake_.reachable(bytes);
  if (!there) {
    return fail(MPI_ERR_OTHER,
                "process {} cannot be reached through RDMA adapter {}: its address is of another "
                "kind of adapter, another job or another version of Remit",
                rank_of_name(peer), adapter_.chosen().device);
  }
  if (there->address.name != peer) {
    return fail(MPI_ERR_ARG, "process {} connects to process {} with the address of process {}",
                rank_of_name(config_.name), rank_of_name(peer), rank_of_name(there->address.name));
  }
  Endpoint& endpoint = find_or_add(peer);
  endpoint.contact.address = there->where.address;
  set_scope(endpoint.contact.address, adapter_.chosen().address);
  endpoint.where =
      fmt::format("{}:{}", to_text(endpoint.contact.address), ntohs(there->where.port));
  endpoint.host = there->where.host;
  endpoint.contact.has_address = true;
  if (endpoint.state == State::idle) begin(endpoint);
  return endpoint.id;
}

void Connections::begin(Endpoint& endpoint) {
  if (!teardown_.broken().empty()) return teardown_.fail_endpoint(endpoint, teardown_.broken());
  const std::uint64_t now = now_ns();
  if (endpoint.state == State::idle) {  // the first of a row of attempts
    endpoint.contact.give_up_ns = now + ms(config_.connect_timeout_ms);
    questions_.begin(endpoint, now);
  }
  if (endpoint.contact.attempts++ != 0) ++counters_.retried;
  if (!endpoint.contact.timed) timed_.push_back(endpoint.id);
  endpoint.contact.timed = true;
  agenda_.next_look_ns = std::min(agenda_.next_look_ns, now);
  drop_active(endpoint);
  if (adapter_.cm().create_id(adapter_.listener().channel(), &endpoint.contact.active,
                              context_of(endpoint.id), RDMA_PS_TCP) != 0) {
    endpoint.contact.active = nullptr;
    return retry_later(endpoint, fmt::format("rdma_create_id: {}", std::strerror(errno)));
  }
  endpoint.state = State::resolving;
  sockaddr_storage own = adapter_.chosen().address;
  if (adapter_.cm().resolve_addr(endpoint.contact.active, reinterpret_cast<sockaddr*>(&own),
                                 reinterpret_cast<sockaddr*>(&endpoint.contact.address),
                                 static_cast<int>(config_.resolve_timeout_ms)) != 0) {
    const int error = errno;
    if (++endpoint.contact.unresolved < kResolveAttempts) {
      return retry_later(endpoint, std::strerror(error));
    }
    teardown_.fail_endpoint(endpoint, fmt::format("no way to {}: {}: is it on the same network?",
                                                  adapter_.way_to(endpoint), std::strerror(error)));
  }
}

void Connections::retry_later(Endpoint& endpoint, std::string words) {
  endpoint.state = State::waiting;
  drop_active(endpoint);
  endpoint.words = std::move(words);
  const unsigned doublings = std::min(endpoint.contact.attempts, 6U);
  endpoint.contact.timer_ns = now_ns() + ms(std::min(kFirstRetryMs << doublings, kLastRetryMs));
}

/// Receives are on their way back, to one of the two sides.
void Connections::retry_soon(Endpoint& endpoint) {
  constexpr std::uint64_t kSoonMs = 10;
  on_sign_of_life(endpoint);
  retry_later(endpoint, "waiting for receives of other peers");
  lending_.release(endpoint);
  endpoint.contact.timer_ns = now_ns() + ms(kSoonMs);
}

/// Only before anything was posted. With iWARP the kernel would wait for the peer's answer to a
/// request under way: it is destroyed when that has come.
void Connections::drop_active(Endpoint& endpoint) {
  if (endpoint.contact.active == nullptr) return;
  if (endpoint.qp == endpoint.contact.active->qp) endpoint.qp = nullptr;
  if (config_.mask.iwarp && endpoint.state == State::connecting) {
    withdrawn_.push_back(endpoint.contact.active);
  } else {
    destroy_id(endpoint.contact.active);
  }
  endpoint.contact.active = nullptr;
}

void Connections::drop_passive(Endpoint& endpoint) {
  if (endpoint.contact.passive == nullptr) return;
  if (endpoint.qp == endpoint.contact.passive->qp) endpoint.qp = nullptr;
  destroy_id(endpoint.contact.passive);
  endpoint.contact.passive = nullptr;
}

void Connections::on_route_resolved(Endpoint& endpoint) {
  endpoint.contact.unresolved = 0;
  // A connection to oneself has a second queue pair: that one receives.
  const bool receives = endpoint.peer != config_.name;
  if (receives && !lending_.can_admit(endpoint)) return retry_soon(endpoint);
  if (Expected<> made = queue_pairs_.make(endpoint.contact.active, endpoint, receives); !made) {
    return teardown_.fail_endpoint(
        endpoint, fmt::format("{}: {}", adapter_.way_to(endpoint), made.error().message));
  }
  endpoint.qp = endpoint.contact.active->qp;
  const Hello hello = handshake_.hello_to(endpoint);
  rdma_conn_param parameters = handshake_.parameters(hello);
  endpoint.state = State::connecting;
  if (adapter_.cm().connect(endpoint.contact.active, &parameters) != 0) {
    const int error = errno;
    if (error == ECONNREFUSED) return on_rejected(endpoint, -error, {});  // soft-iWARP says so here
    return retry_later(endpoint, fmt::format("rdma_connect: {}", std::strerror(error)));
  }
}

void Connections::on_established(Endpoint& endpoint, std::span<const std::byte> data) {
  const std::optional<Hello> hello = Handshake::read_hello(data);
  if (!hello || hello->from != endpoint.peer) {
    return teardown_.fail_endpoint(
        endpoint, fmt::format("{}: something else answered there", adapter_.way_to(endpoint)));
  }
  handshake_.on_hello(endpoint, *hello);
  greetings_.send(endpoint);
}

void Connections::open_endpoint(Endpoint& endpoint) {
  endpoint.state = State::open;
  on_sign_of_life(endpoint);
  endpoint.words.clear();
  ++counters_.connections;
  // The first message has overtaken the kernel's own: only an established connection is cut in
  // order.
  if (endpoint.contact.passive != nullptr)
    (void)adapter_.cm().notify(endpoint.contact.passive, IBV_EVENT_COMM_EST);
  say(config_, LogLevel::debug, "verbs: connected to {}", adapter_.way_to(endpoint));
}

void Connections::on_request(rdma_cm_id* id, std::span<const std::byte> data) {
  const std::optional<Hello> asked = Handshake::read_hello(data);
  if (!asked || !handshake_.is_meant(*asked)) {
    ++counters_.rejected;
    say(config_, LogLevel::warning, "verbs: the connection of a stranger from {} was rejected",
        to_text(id->route.addr.dst_storage));
    return handshake_.reject(id, Refusal::stranger);
  }
  const Hello& hello = *asked;
  Endpoint& endpoint = find_or_add(hello.from);
  if (endpoint.where.empty()) endpoint.where = to_text(id->route.addr.dst_storage);
  const bool over = endpoint.state == State::open || endpoint.state == State::gone ||
                    endpoint.state == State::failed;
  if (!over && !lending_.can_admit(endpoint)) return handshake_.reject(id, Refusal::busy);
  if (hello.from == config_.name) return accept(id, endpoint, hello);
  switch (answer_contact(config_.name, hello.from, phase_of(endpoint.state))) {
    case ContactAnswer::accept:
      if (phase_of(endpoint.state) == ContactPhase::asking) ++counters_.settled;
      drop_active(endpoint);
      drop_passive(endpoint);  // what we accepted had died at the peer
      return accept(id, endpoint, hello);
    case ContactAnswer::refuse:
      if (endpoint.state != State::open) return handshake_.reject(id, Refusal::failed);
      break;  // it asked before it accepted ours
    case ContactAnswer::mine_wins:
      break;
  }
  ++counters_.settled;
  handshake_.reject(id, Refusal::mine_wins);
}

void Connections::accept(rdma_cm_id* id, Endpoint& endpoint, const Hello& hello) {
  const bool self = hello.from == config_.name;
  on_sign_of_life(endpoint);
  if (self && endpoint.contact.passive != nullptr) return handshake_.reject(id, Refusal::mine_wins);
  if (Expected<> made = queue_pairs_.make(id, endpoint, true); !made) {
    queue_pairs_.destroy(id);
    handshake_.reject(id, Refusal::no_room, made.error().message);
    if (self) return;  // our own request fails
    return teardown_.fail_endpoint(
        endpoint, fmt::format("{}: {}", adapter_.way_to(endpoint), made.error().message));
  }
  id->context = context_of(endpoint.id);
  endpoint.contact.passive = id;
  if (!self) {
    endpoint.qp = id->qp;
    handshake_.on_hello(endpoint, hello);
    endpoint.state = State::accepting;
  }
  const Hello own = handshake_.hello_to(endpoint);
  rdma_conn_param parameters = handshake_.parameters(own);
  if (adapter_.cm().accept(id, &parameters) == 0) return;
  // The request was withdrawn meanwhile; the peer asks again.
  drop_passive(endpoint);
  if (!self) endpoint.state = State::idle;
}

void Connections::service() {
  rdma_cm_event* event = nullptr;
  while (adapter_.cm().get_cm_event(adapter_.listener().channel(), &event) == 0) {
    // An identifier can be destroyed only after its events are acknowledged: copy.
    const rdma_cm_event copy = *event;
    std::array<std::byte, 256> data = {};
    const std::size_t bytes =
        copy.param.conn.private_data == nullptr
            ? 0
            : std::min<std::size_t>(copy.param.conn.private_data_len, data.size());
    if (bytes != 0) std::memcpy(data.data(), copy.param.conn.private_data, bytes);
    adapter_.cm().ack_cm_event(event);
    handle_event(copy, std::span(data).first(bytes));
  }
}

void Connections::handle_event(const rdma_cm_event& event, std::span<const std::byte> data) {
  if (event.event == RDMA_CM_EVENT_CONNECT_REQUEST) return on_request(event.id, data);
  if (event.event == RDMA_CM_EVENT_DEVICE_REMOVAL) {
    return teardown_.fail_all(fmt::format("RDMA adapter {} was removed", adapter_.chosen().device));
  }
  if (const auto found = std::find(withdrawn_.begin(), withdrawn_.end(), event.id);
      found != withdrawn_.end()) {
    withdrawn_.erase(found);
    return destroy_id(event.id);
  }
  const auto number = reinterpret_cast<std::uintptr_t>(event.id->context);
  if (number == 0 || number > endpoints_.size()) return;  // the listener's
  Endpoint& endpoint = endpoints_[static_cast<EndpointId>(number - 1)];
  if (event.id == endpoint.question.id) {
    if (questions_.on_answer(endpoint, event)) on_sign_of_life(endpoint);
    return;
  }
  const bool active = event.id == endpoint.contact.active;
  if (!active && event.id != endpoint.contact.passive) return;
  switch (event.event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      endpoint.state = State::routing;
      if (adapter_.cm().resolve_route(event.id, static_cast<int>(config_.resolve_timeout_ms)) !=
          0) {
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
      return teardown_.on_disconnect(endpoint);
    default:
      return;
  }
}

/// An attempt has failed. A peer that computes does not answer, so silence is no failure until the
/// time is over; an address that cannot be found is.
void Connections::on_trouble(Endpoint& endpoint, const rdma_cm_event& event) {
  if (endpoint.state == State::accepting) {
    drop_passive(endpoint);
    endpoint.state = State::idle;
    if (endpoint.contact.has_address) begin(endpoint);
    return;
  }
  if (endpoint.state == State::open || endpoint.state == State::failed) return;
  const std::string words =
      fmt::format("{} ({})", adapter_.cm().event_str(event.event),
                  event.status < 0 ? std::strerror(-event.status) : std::to_string(event.status));
  const bool unresolved =
      event.event == RDMA_CM_EVENT_ADDR_ERROR || event.event == RDMA_CM_EVENT_ROUTE_ERROR;
  const bool refused = event.status == -ECONNREFUSED;
  if (refused || (unresolved && ++endpoint.contact.unresolved >= kResolveAttempts)) {
    return teardown_.fail_endpoint(
        endpoint,
        fmt::format("no connection to {}: {}: {}", adapter_.way_to(endpoint), words,
                    refused ? "its process has ended"
                            : "is its host up and on the same network, is the cable connected?"));
  }
  retry_later(endpoint, words);
}

void Connections::on_rejected(Endpoint& endpoint, int status, std::span<const std::byte> data) {
  if (endpoint.state == State::open)
    return teardown_.on_disconnect(endpoint);  // ended before it was quite made
  if (endpoint.state != State::connecting) return;
  const std::optional<Rejection> rejection = Handshake::read_rejection(data);
  if (!rejection) {
    // Reasons of the network itself: nobody listens, or something that may pass.
    if (status == kNoListener || status == -ECONNREFUSED || status == -ECONNRESET) {
      return teardown_.fail_endpoint(
          endpoint,
          fmt::format("{} refuses connections: its process has ended", adapter_.way_to(endpoint)));
    }
    return retry_later(endpoint, fmt::format("rejected (reason {})", status));
  }
  switch (rejection->reason) {
    case Refusal::mine_wins:
      endpoint.state = State::waiting;
      drop_active(endpoint);
      on_sign_of_life(endpoint);
      endpoint.contact.timer_ns = now_ns() + ms(kYieldMs);
      endpoint.contact.give_up_ns = endpoint.contact.timer_ns + ms(config_.connect_timeout_ms);
      return;
    case Refusal::busy:
      return retry_soon(endpoint);
    case Refusal::no_room:
      return teardown_.fail_endpoint(endpoint,
                                     fmt::format("{} has no room for another connection: {}",
                                                 adapter_.way_to(endpoint), words_of(*rejection)));
    case Refusal::failed:
      return teardown_.fail_endpoint(
          endpoint, fmt::format("{} has given this process up before", adapter_.way_to(endpoint)));
    case Refusal::stranger:
      return teardown_.fail_endpoint(
          endpoint, fmt::format("{} is of another job", adapter_.way_to(endpoint)));
  }
}

/// Whether the attempts to connect have ended.
bool Connections::given_up(Endpoint& endpoint, std::uint64_t now) {
  if (questions_.overdue(endpoint, now)) {
    teardown_.fail_endpoint(endpoint,
                            fmt::format("{}: its host has not answered for {} s: is it up, and is "
                                        "the link?",
                                        adapter_.way_to(endpoint),
                                        (config_.quiet_ms + config_.host_timeout_ms) / 1000));
    return true;
  }
  if (now >= endpoint.contact.give_up_ns) {
    teardown_.fail_endpoint(
        endpoint, fmt::format("{} has not answered for {} s{}{}", adapter_.way_to(endpoint),
                              config_.connect_timeout_ms / 1000, endpoint.words.empty() ? "" : ": ",
                              endpoint.words));
    return true;
  }
  if (endpoint.state == State::connecting) questions_.ask(endpoint, now);
  return false;
}

void Connections::check_timers(std::uint64_t now) {
  std::vector<EndpointId> waiting;
  waiting.swap(timed_);
  for (const EndpointId id : waiting) {
    Endpoint& endpoint = endpoints_[id];
    endpoint.contact.timed = false;
    const bool under_way = endpoint.state == State::resolving || endpoint.state == State::routing ||
                           endpoint.state == State::connecting;
    if (!under_way && endpoint.state != State::waiting) continue;
    if (given_up(endpoint, now)) continue;
    endpoint.contact.timed = true;
    timed_.push_back(id);
    if (endpoint.state == State::waiting && now >= endpoint.contact.timer_ns) begin(endpoint);
  }
}

Endpoint& Connections::find_or_add(PeerName peer) {
  const auto [endpoint, added] = endpoints_.find_or_add(peer);
  if (added) lending_.meet(endpoint);
  return endpoint;
}

void Connections::destroy_id(rdma_cm_id* id) {
  queue_pairs_.destroy(id);
  adapter_.cm().destroy_id(id);
}

void Connections::on_sign_of_life(Endpoint& endpoint) {
  const std::uint64_t now = now_ns();
  questions_.on_sign_of_life(endpoint, now);
  endpoint.contact.give_up_ns = now + ms(config_.connect_timeout_ms);
}

}  // namespace remit::verbs
