// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/connections.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "rdma_btl/common/first_contact.hpp"
#include "rdma_btl/net/sockets.hpp"

namespace remit::tcp {

namespace {

ContactPhase phase_of(State state) {
  switch (state) {
    case State::idle:
      return ContactPhase::none;
    case State::connecting:
      return ContactPhase::asking;
    case State::yielding:
      return ContactPhase::yielding;
    case State::open:
      return ContactPhase::agreed;
    case State::gone:
    case State::failed:
      break;
  }
  return ContactPhase::over;
}

}  // namespace

Expected<> Connections::listen(shm::Fd listener) {
  Expected<> chosen = congestion_.choose(listener.get(), local_.config.congestion);
  if (!chosen) return chosen;
  if (!congestion_.far().empty()) {
    local_.log(LogLevel::info, "tcp: congestion control {} to hosts that are near, instead of {}",
               congestion_.first(), congestion_.far());
  }
  handshakes_.listen(std::move(listener));
  return {};
}

void Connections::close() {
  for (Endpoint& endpoint : table_) {
    endpoint.state = State::failed;
    endpoint.socket = {};
    endpoint.other = {};
  }
  handshakes_.close();
}

std::string Connections::way_to(const Endpoint& endpoint) const {
  return fmt::format("process {}{}{} at {} over TCP by {}", rank_of_name(endpoint.peer),
                     endpoint.host.empty() ? "" : " on host ", endpoint.host,
                     endpoint.where.empty() ? "an unknown address" : endpoint.where,
                     local_.description);
}

// --- asking ------------------------------------------------------------------------------------

/// The endpoint to a peer, known or new.
Endpoint& Connections::endpoint_to(PeerName peer) {
  const auto next = static_cast<EndpointId>(table_.size());
  return table_.find_or_add(peer, local_, own_, pool_, next, peer).first;
}

Expected<EndpointId> Connections::connect(PeerName peer, std::span<const std::byte> bytes) {
  const Endpoint* const known = table_.find(peer);
  if (known != nullptr && known->has_address) return known->id;
  Expected<net::Contact> contact =
      local_.addresses.contact(peer, bytes, "TCP by " + local_.description);
  if (!contact) return tl::unexpected(contact.error());
  Endpoint& endpoint = endpoint_to(peer);
  endpoint.address = contact->address;
  endpoint.where = std::move(contact->where);
  endpoint.host = std::move(contact->host);
  endpoint.has_address = true;
  if (endpoint.state == State::idle) begin(endpoint);
  return endpoint.id;
}

void Connections::begin(Endpoint& endpoint) {
  if (endpoint.peer == local_.config.name) return begin_with_itself(endpoint);
  endpoint.counted_as_connecting = true;
  ++connecting_;
  scheduler_.look_at_once();
  endpoint.state = State::connecting;
  Expected<shm::Fd> socket =
      net::connect_from(local_.addresses.listener(), endpoint.address, congestion_.first());
  if (!socket) {
    return fail(endpoint,
                fmt::format("no way to {}: {}", way_to(endpoint), socket.error().message));
  }
  endpoint.socket = std::move(*socket);
  endpoint.deadline_ns = shm::now_ns() + shm::ms(local_.config.connect_timeout_ms);
  if (!std::exchange(endpoint.timed, true)) timed_.push_back(&endpoint);
  set_.watch(endpoint.socket.get(), endpoint.id, true);
}

/// What is written to one end of it is read from the other.
void Connections::begin_with_itself(Endpoint& endpoint) {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(endpoint, fmt::format("no way to {}: {}", way_to(endpoint), std::strerror(errno)));
  }
  endpoint.socket.reset(ends[0]);
  endpoint.other.reset(ends[1]);
  set_.watch(endpoint.socket.get(), endpoint.id, false);
  open_endpoint(endpoint, local_.hello_to(endpoint.peer, Verdict::accepted));
}

/// Both sides know each other.
void Connections::open_endpoint(Endpoint& endpoint, const Hello& hello) {
  if (endpoint.host.empty()) {
    const std::string_view host(hello.host.data(), hello.host.size());
    endpoint.host = host.substr(0, host.find('\0'));
  }
  if (const int bytes = local_.config.socket_bytes; bytes != 0) {
    (void)::setsockopt(endpoint.out(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  }
  const unsigned round_trip = congestion_.settle(endpoint.out(), local_.config.far_us);
  if (round_trip != 0) {
    local_.log(LogLevel::info, "tcp: congestion control {} to {}, there and back in {:.1f} ms",
               congestion_.far(), endpoint.host, round_trip / 1e3);
  }
  settled(endpoint);
  endpoint.state = State::open;
  ++counters_.connections;
  scheduler_.warm(endpoint);
}

void Connections::settled(Endpoint& endpoint) {
  if (std::exchange(endpoint.counted_as_connecting, false)) --connecting_;
  endpoint.deadline_ns = 0;
}

// --- being asked -------------------------------------------------------------------------------

void Connections::on_event(std::uint64_t token) {
  if (token == EpollSet::kNoToken) return;
  if (token == Handshakes::kListenerToken) return accept_all();
  if ((token & Handshakes::kHandshakeBit) != 0)
    read_hello_of(static_cast<int>(token & 0xffffffffU));
}

void Connections::accept_all() {
  for (;;) {
    std::string shortage;
    const int fd = handshakes_.accept(shortage);
    if (!shortage.empty()) local_.log(LogLevel::warning, "tcp: {}", shortage);
    if (fd < 0) return;
    read_hello_of(fd);
  }
}

/// Who speaks another language, or leaves, is forgotten.
void Connections::read_hello_of(int fd) {
  std::optional<Handshakes::Handshake> handshake = handshakes_.read(fd);
  if (!handshake) return;
  if (!handshake->hello.speaks_our_language()) {
    ++counters_.rejected;
    return;
  }
  on_request(std::move(handshake->socket), handshake->hello.hello());
}

void Connections::on_request(shm::Fd socket, const Hello& hello) {
  const PeerName own = local_.config.name;
  const auto refuse = [&](Verdict verdict) {
    (void)write_hello(socket.get(), local_.hello_to(hello.from, verdict));
  };
  if (hello.job != local_.config.job || hello.to != own || hello.from == own) {
    ++counters_.rejected;
    local_.log(LogLevel::info, "tcp: process {} of another job, or looking for another process",
               rank_of_name(hello.from));
    return refuse(Verdict::stranger);
  }
  Endpoint& endpoint = endpoint_to(hello.from);
  if (endpoint.state == State::connecting) ++counters_.settled;
  const ContactAnswer answer = answer_contact(own, hello.from, phase_of(endpoint.state));
  if (answer == ContactAnswer::mine_wins) return refuse(Verdict::mine_wins);
  if (answer == ContactAnswer::refuse) return refuse(Verdict::over);
  if (!write_hello(socket.get(), local_.hello_to(hello.from, Verdict::accepted))) return;
  endpoint.socket = std::move(socket);
  set_.watch(endpoint.socket.get(), endpoint.id, false);
  open_endpoint(endpoint, hello);
}

// --- answers -----------------------------------------------------------------------------------

void Connections::on_connecting(Endpoint& endpoint) {
  const int socket = endpoint.socket.get();
  if (!endpoint.greeted) {
    if (const int error = net::error_of(socket); error != 0) return on_end(endpoint, error);
    endpoint.deadline_ns = 0;  // its host has answered; the process does when it has time
    if (!write_hello(socket, local_.hello_to(endpoint.peer, Verdict::accepted))) {
      return;  // not connected yet, or not any more: the next event says which
    }
    endpoint.greeted = true;
    set_.watch(socket, endpoint.id, false);
  }
  if (const int error = endpoint.answer.read(socket); error != 0) return on_end(endpoint, error);
  if (endpoint.answer.whole()) on_answer(endpoint, endpoint.answer);
}

void Connections::on_answer(Endpoint& endpoint, const HelloReader& answer) {
  const Hello& hello = answer.hello();
  if (!answer.speaks_our_language() || hello.from != endpoint.peer) {
    return fail(endpoint, fmt::format("{}: something else answered there", way_to(endpoint)));
  }
  switch (hello.verdict) {
    case Verdict::accepted:
      return open_endpoint(endpoint, hello);
    case Verdict::mine_wins:
      endpoint.state = State::yielding;
      endpoint.socket = {};
      return;
    case Verdict::stranger:
      return fail(endpoint,
                  fmt::format("{} is not that process of this job any more", way_to(endpoint)));
    case Verdict::over:
      return fail(endpoint, fmt::format("{} has given this process up", way_to(endpoint)));
  }
  fail(endpoint, fmt::format("{}: something else answered there", way_to(endpoint)));
}

void Connections::check_timers() {
  const std::uint64_t now = shm::now_ns();
  std::erase_if(timed_, [&](Endpoint* endpoint) {
    if (endpoint->deadline_ns > now) return false;
    endpoint->timed = false;
    if (endpoint->deadline_ns != 0) {
      fail(*endpoint, fmt::format("cannot connect to {}: no answer within {} s", way_to(*endpoint),
                                  local_.config.connect_timeout_ms / 1000));
    }
    return true;
  });
}

// --- ends --------------------------------------------------------------------------------------

void Connections::on_end(Endpoint& endpoint, int error) {
  if (endpoint.state == State::connecting && !endpoint.greeted) {
    return fail(endpoint,
                fmt::format("cannot connect to {}: {}", way_to(endpoint), std::strerror(error)));
  }
  const bool process = error == kEnded || error == ECONNRESET || error == EPIPE;
  fail(endpoint, fmt::format("{}: {}", way_to(endpoint),
                             process ? "its process has ended"
                                     : std::string("its host is gone or cannot be reached: ") +
                                           std::strerror(error)));
}

void Connections::on_goodbye(Endpoint& endpoint) {
  if (endpoint.peer == local_.config.name) return;
  endpoint.state = State::gone;
  endpoint.words = fmt::format("{} has finished", way_to(endpoint));
  give_up(endpoint);
  own_.closed(endpoint.id);
}

void Connections::fail_nonsense(Endpoint& endpoint) {
  ++counters_.rejected;
  fail(endpoint, fmt::format("{}: what came from there makes no sense", way_to(endpoint)));
}

std::size_t Connections::post_closed(Endpoint& endpoint, std::span<const Operation> operations) {
  if (endpoint.state == State::gone) {
    fail(endpoint, fmt::format("{} has finished", way_to(endpoint)));
  }
  if (endpoint.state != State::failed) return 0;
  return own_.refuse(endpoint.id, operations);
}

void Connections::fail(Endpoint& endpoint, std::string words) {
  if (endpoint.state == State::failed) return;
  endpoint.state = State::failed;
  endpoint.words = std::move(words);
  local_.log(LogLevel::info, "tcp: {}", endpoint.words);
  give_up(endpoint);
  own_.failed(endpoint.id);
}

/// What is under way comes to nothing.
void Connections::give_up(Endpoint& endpoint) {
  settled(endpoint);
  endpoint.socket = {};
  endpoint.other = {};
  endpoint.outgoing.fail();
  endpoint.requests.fail(own_, endpoint.id);
  endpoint.placement.drop();
  endpoint.incoming.drop(local_.config.message_bytes);
}

}  // namespace remit::tcp
