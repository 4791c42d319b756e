// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: addresses, first contact, ends.
//
// Two processes that speak to each other first at the same time each ask over a connection of their
// own. The one with the lower name answers that its own request wins, the one with the higher name
// drops its own: one connection stays.
#include <sys/epoll.h>

#include <cerrno>
#include <cstring>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/tcp/endpoint.hpp"

namespace remit {

namespace {

bool speaks_our_language(const tcp::Hello& hello) {
  return hello.magic == tcp::kMagic && hello.version == tcp::kVersion;
}

/// Takes what is there of a hello, and nothing behind it. 0 or an errno or tcp::kEnded.
int read_hello(int socket, tcp::Hello& hello, std::size_t& got) {
  while (got < sizeof hello) {
    const ssize_t count =
        ::recv(socket, reinterpret_cast<std::byte*>(&hello) + got, sizeof hello - got, 0);
    if (count > 0) {
      got += static_cast<std::size_t>(count);
    } else if (count == 0) {
      return tcp::kEnded;
    } else if (errno == EAGAIN) {
      return 0;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// As the first bytes of a connection, a hello always finds room.
bool write_hello(int socket, const tcp::Hello& hello) {
  return ::send(socket, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello;
}

}  // namespace

// --- addresses ---------------------------------------------------------------------------------

std::vector<std::byte> TcpDevice::local_address() const {
  return place_.published();
}

bool TcpDevice::reachable(std::span<const std::byte> address) const {
  return place_.reaches(address);
}

PeerName TcpDevice::peer(EndpointId endpoint) const {
  return endpoints_[endpoint]->peer;
}

std::string TcpDevice::congestion(EndpointId endpoint) const {
  return net::congestion_of(endpoints_[endpoint]->out());
}

std::string TcpDevice::explain(EndpointId endpoint) const {
  return endpoints_[endpoint]->words;
}

std::string TcpDevice::way_to(const Endpoint& endpoint) const {
  return fmt::format("process {}{}{} at {} over TCP by {}", rank_of_name(endpoint.peer),
                     endpoint.host.empty() ? "" : " on host ", endpoint.host,
                     endpoint.where.empty() ? "an unknown address" : endpoint.where, description_);
}

// --- asking ------------------------------------------------------------------------------------

TcpDevice::Endpoint& TcpDevice::make_endpoint(PeerName peer) {
  auto endpoint = std::make_unique<Endpoint>();
  endpoint->peer = peer;
  endpoint->id = static_cast<EndpointId>(endpoints_.size());
  by_name_.emplace(peer, endpoint->id);
  return *endpoints_.emplace_back(std::move(endpoint));
}

Expected<EndpointId> TcpDevice::connect(PeerName peer, std::span<const std::byte> bytes) {
  const auto known = by_name_.find(peer);
  if (known != by_name_.end() && endpoints_[known->second]->has_address) return known->second;
  Expected<net::Contact> contact = place_.contact(peer, bytes, "TCP by " + description_);
  if (!contact) return tl::unexpected(contact.error());
  Endpoint& endpoint = known != by_name_.end() ? *endpoints_[known->second] : make_endpoint(peer);
  endpoint.address = contact->address;
  endpoint.where = std::move(contact->where);
  endpoint.host = std::move(contact->host);
  endpoint.has_address = true;
  if (endpoint.state == State::idle) begin(endpoint);
  return endpoint.id;
}

void TcpDevice::begin(Endpoint& endpoint) {
  if (endpoint.peer == config_.name) return begin_with_itself(endpoint);
  endpoint.counted = true;
  ++settling_;
  until_look_ = 0;
  endpoint.state = State::connecting;
  Expected<shm::Fd> socket = net::connect_from(place_.listener(), endpoint.address, congestion_);
  if (!socket) {
    return fail_endpoint(endpoint,
                         fmt::format("no way to {}: {}", way_to(endpoint), socket.error().message));
  }
  endpoint.socket = std::move(*socket);
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  endpoint.deadline_ns = shm::now_ns() + config_.connect_timeout_ms * kNsPerMs;
  if (!endpoint.timed) timed_.push_back(endpoint.id);
  endpoint.timed = true;
  watch(endpoint.socket.get(), endpoint.id, true);
}

/// What is written to one end of it is read from the other.
void TcpDevice::begin_with_itself(Endpoint& endpoint) {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_endpoint(endpoint,
                         fmt::format("no way to {}: {}", way_to(endpoint), std::strerror(errno)));
  }
  endpoint.socket.reset(ends[0]);
  endpoint.other.reset(ends[1]);
  watch(endpoint.socket.get(), endpoint.id, false);
  open_endpoint(endpoint, hello_to(endpoint.peer, tcp::Verdict::accepted));
}

tcp::Hello TcpDevice::hello_to(PeerName peer, tcp::Verdict verdict) const {
  tcp::Hello hello;
  hello.verdict = verdict;
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = peer;
  place_.host().copy(hello.host.data(), hello.host.size() - 1);
  return hello;
}

/// Both sides know each other.
void TcpDevice::open_endpoint(Endpoint& endpoint, const tcp::Hello& hello) {
  if (endpoint.host.empty()) {
    const std::string_view host(hello.host.data(), hello.host.size());
    endpoint.host = host.substr(0, host.find('\0'));
  }
  if (const int bytes = config_.socket_bytes; bytes != 0) {
    (void)::setsockopt(endpoint.out(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  }
  if (!far_congestion_.empty()) settle_congestion(endpoint);
  if (endpoint.counted) --settling_;
  endpoint.counted = false;
  endpoint.deadline_ns = 0;
  endpoint.state = State::open;
  ++counters_.connections;
  warm(endpoint);
}

/// A host that is far has the system's congestion control.
void TcpDevice::settle_congestion(const Endpoint& endpoint) {
  const unsigned round_trip = net::round_trip_us(endpoint.out());
  if (round_trip < config_.far_us || !net::set_congestion(endpoint.out(), far_congestion_)) return;
  log(LogLevel::info, "tcp: congestion control {} to {}, there and back in {:.1f} ms",
      far_congestion_, endpoint.host, round_trip / 1e3);
}

// --- events ------------------------------------------------------------------------------------

void TcpDevice::watch(int fd, std::uint64_t token, bool writable) {
  epoll_event wanted = {};
  wanted.events = EPOLLIN | (writable ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
  wanted.data.u64 = token;
  if (::epoll_ctl(events_.get(), EPOLL_CTL_MOD, fd, &wanted) == 0) return;
  (void)::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &wanted);
}

/// One that is of no endpoint.
void TcpDevice::on_event(std::uint64_t token) {
  if (token == tcp::kNoToken) return;
  if (token == tcp::kListenerToken) return accept_guests();
  if ((token & tcp::kGuestBit) != 0) on_guest(static_cast<int>(token & 0xffffffffU));
}

void TcpDevice::accept_guests() {
  for (;;) {
    shm::Fd socket = net::accept_one(listener_.get());
    if (!socket) {
      const std::string words = shortage_.words(errno);
      if (!words.empty()) log(LogLevel::warning, "tcp: {}", words);
      return;
    }
    if (guests_.size() >= net::kMostGuests) guests_.erase(guests_.begin());
    const int fd = socket.get();
    watch(fd, tcp::kGuestBit | static_cast<std::uint32_t>(fd), false);
    guests_[fd].socket = std::move(socket);
    on_guest(fd);
  }
}

/// Who speaks another language, or leaves, is forgotten.
void TcpDevice::on_guest(int fd) {
  const auto found = guests_.find(fd);
  if (found == guests_.end()) return;
  const int error = read_hello(fd, found->second.hello, found->second.got);
  if (error == 0 && found->second.got < sizeof(tcp::Hello)) return;
  Guest guest = std::move(found->second);
  guests_.erase(found);
  if (error != 0) return;
  if (!speaks_our_language(guest.hello)) {
    ++counters_.rejected;
    return;
  }
  on_request(std::move(guest.socket), guest.hello);
}

void TcpDevice::on_request(shm::Fd socket, const tcp::Hello& hello) {
  const auto refuse = [&](tcp::Verdict verdict) {
    (void)write_hello(socket.get(), hello_to(hello.from, verdict));
  };
  if (hello.job != config_.job || hello.to != config_.name || hello.from == config_.name) {
    ++counters_.rejected;
    log(LogLevel::info, "tcp: process {} of another job, or looking for another process",
        rank_of_name(hello.from));
    return refuse(tcp::Verdict::stranger);
  }
  const auto known = by_name_.find(hello.from);
  Endpoint& endpoint =
      known != by_name_.end() ? *endpoints_[known->second] : make_endpoint(hello.from);
  if (endpoint.state > State::yielding) return refuse(tcp::Verdict::over);
  if (endpoint.state == State::connecting) {
    ++counters_.settled;
    if (config_.name < hello.from) return refuse(tcp::Verdict::mine_wins);
  }
  if (!write_hello(socket.get(), hello_to(hello.from, tcp::Verdict::accepted))) return;
  endpoint.socket = std::move(socket);
  watch(endpoint.socket.get(), endpoint.id, false);
  open_endpoint(endpoint, hello);
}

void TcpDevice::on_connecting(Endpoint& endpoint) {
  if (!endpoint.greeted) {
    if (const int error = net::error_of(endpoint.socket.get()); error != 0) {
      return on_end(endpoint, error);
    }
    endpoint.deadline_ns = 0;  // its host has answered; the process does when it has time
    if (!write_hello(endpoint.socket.get(), hello_to(endpoint.peer, tcp::Verdict::accepted))) {
      return;  // not connected yet, or not any more: the next event says which
    }
    endpoint.greeted = true;
    watch(endpoint.socket.get(), endpoint.id, false);
  }
  const int error = read_hello(endpoint.socket.get(), endpoint.answer, endpoint.answer_bytes);
  if (error != 0) return on_end(endpoint, error);
  if (endpoint.answer_bytes == sizeof endpoint.answer) on_answer(endpoint, endpoint.answer);
}

void TcpDevice::on_answer(Endpoint& endpoint, const tcp::Hello& hello) {
  if (!speaks_our_language(hello) || hello.from != endpoint.peer) {
    return fail_endpoint(endpoint,
                         fmt::format("{}: something else answered there", way_to(endpoint)));
  }
  switch (hello.verdict) {
    case tcp::Verdict::accepted:
      return open_endpoint(endpoint, hello);
    case tcp::Verdict::mine_wins:
      endpoint.state = State::yielding;
      endpoint.socket = {};
      return;
    case tcp::Verdict::stranger:
      return fail_endpoint(
          endpoint, fmt::format("{} is not that process of this job any more", way_to(endpoint)));
    case tcp::Verdict::over:
      return fail_endpoint(endpoint, fmt::format("{} has given this process up", way_to(endpoint)));
  }
  fail_endpoint(endpoint, fmt::format("{}: something else answered there", way_to(endpoint)));
}

void TcpDevice::check_timers() {
  const std::uint64_t now = shm::now_ns();
  std::erase_if(timed_, [&](EndpointId id) {
    Endpoint& endpoint = *endpoints_[id];
    if (endpoint.deadline_ns > now) return false;
    endpoint.timed = false;
    if (endpoint.deadline_ns != 0) {
      fail_endpoint(endpoint, fmt::format("cannot connect to {}: no answer within {} s",
                                          way_to(endpoint), config_.connect_timeout_ms / 1000));
    }
    return true;
  });
}

// --- ends --------------------------------------------------------------------------------------

/// The connection has ended: an errno, or tcp::kEnded.
void TcpDevice::on_end(Endpoint& endpoint, int error) {
  if (endpoint.state == State::connecting && !endpoint.greeted) {
    return fail_endpoint(
        endpoint, fmt::format("cannot connect to {}: {}", way_to(endpoint), std::strerror(error)));
  }
  fail_endpoint(endpoint, fmt::format("{}: {}", way_to(endpoint),
                                      error == tcp::kEnded || error == ECONNRESET || error == EPIPE
                                          ? "its process has ended"
                                          : std::string("its host is gone or cannot be reached: ") +
                                                std::strerror(error)));
}

/// All that the peer has sent is here.
void TcpDevice::see_goodbye(Endpoint& endpoint) {
  if (endpoint.peer == config_.name) return;
  endpoint.state = State::gone;
  endpoint.words = fmt::format("{} has finished", way_to(endpoint));
  give_up(endpoint);
  event(CompletionKind::endpoint_closed, endpoint.id, MPI_SUCCESS);
}

void TcpDevice::fail_endpoint(Endpoint& endpoint, std::string words) {
  if (endpoint.state == State::failed) return;
  endpoint.state = State::failed;
  endpoint.words = std::move(words);
  log(LogLevel::info, "tcp: {}", endpoint.words);
  give_up(endpoint);
  event(CompletionKind::endpoint_failed, endpoint.id, MPI_ERR_PROC_ABORTED);
}

/// What is under way comes to nothing.
void TcpDevice::give_up(Endpoint& endpoint) {
  if (endpoint.counted) --settling_;
  endpoint.counted = false;
  endpoint.deadline_ns = 0;
  endpoint.socket = {};
  endpoint.other = {};
  for (const Transfer& transfer : endpoint.transfers) {
    complete(endpoint, transfer.cookie, MPI_ERR_PROC_ABORTED);
  }
  for (const Fetch& fetch : endpoint.fetches) {
    complete(endpoint, fetch.cookie, MPI_ERR_PROC_ABORTED);
  }
  for (const std::uint64_t cookie : endpoint.confirms) {
    complete(endpoint, cookie, MPI_ERR_PROC_ABORTED);
  }
  endpoint.transfers.clear();
  endpoint.fetches.clear();
  endpoint.confirms.clear();
  endpoint.answers = 0;
  endpoint.waiting.clear();
  endpoint.waiting_at = 0;
  endpoint.head_left = endpoint.body_left = endpoint.filling_left = 0;
  endpoint.placing = 0;
  endpoint.is_placing = false;
  endpoint.first = endpoint.last;  // the buffer itself may be lent
  if (!endpoint.is_lent) settle_buffer(endpoint);
}

}  // namespace remit
