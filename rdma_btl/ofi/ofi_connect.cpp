// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: addresses, lines, first contact and ends.
//
// Two processes that speak to each other first at the same time each ask over a line of their own.
// The one with the lower name answers that its own request wins, the one with the higher name drops
// its own: one line stays. Then the side that asked sends the first message through libfabric, and
// the other answers it: so a provider makes one connection, too, and both know that it works.
// Nothing of the layer above is sent before.
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "rdma_btl/ofi/endpoint.hpp"

namespace remit {

namespace {

/// How long what is under way to a peer that is gone may still come back by itself.
constexpr std::uint64_t kGraceMs = 2000;
/// How long the rest of what a peer has sent before it left may take.
constexpr std::uint64_t kRestMs = 10000;

template <class T>
std::span<const std::byte> bytes_of_value(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

// --- addresses ---------------------------------------------------------------------------------

std::vector<std::byte> OfiDevice::local_address() const {
  return place_.published();
}

bool OfiDevice::reachable(std::span<const std::byte> address) const {
  return place_.reaches(address);
}

PeerName OfiDevice::peer(EndpointId endpoint) const {
  return endpoints_[endpoint]->peer;
}

bool OfiDevice::connected(EndpointId endpoint) const {
  return endpoints_[endpoint]->state == State::open;
}

std::string OfiDevice::explain(EndpointId endpoint) const {
  return endpoints_[endpoint]->words;
}

std::string OfiDevice::way_to(const Endpoint& endpoint) const {
  return fmt::format("process {}{}{} at {} over libfabric {}", rank_of_name(endpoint.peer),
                     endpoint.host.empty() ? "" : " on host ", endpoint.host,
                     endpoint.where.empty() ? "an unknown address" : endpoint.where, description_);
}

// --- asking ------------------------------------------------------------------------------------

OfiDevice::Endpoint& OfiDevice::make_endpoint(PeerName peer) {
  auto endpoint = std::make_unique<Endpoint>();
  endpoint->peer = peer;
  endpoint->id = static_cast<EndpointId>(endpoints_.size());
  const auto secret = std::as_writable_bytes(std::span(&endpoint->secret, 1));
  // Without random bytes it guards against mistakes only.
  (void)shm::random_bytes({reinterpret_cast<std::uint8_t*>(secret.data()), secret.size()});
  by_name_.emplace(peer, endpoint->id);
  return *endpoints_.emplace_back(std::move(endpoint));
}

Expected<EndpointId> OfiDevice::connect(PeerName peer, std::span<const std::byte> bytes) {
  const auto known = by_name_.find(peer);
  if (known != by_name_.end() && endpoints_[known->second]->has_address) return known->second;
  Expected<net::Contact> contact = place_.contact(peer, bytes, "libfabric " + description_);
  if (!contact) return tl::unexpected(contact.error());
  Endpoint& endpoint = known != by_name_.end() ? *endpoints_[known->second] : make_endpoint(peer);
  endpoint.address = contact->address;
  endpoint.where = std::move(contact->where);
  endpoint.host = std::move(contact->host);
  endpoint.has_address = true;
  if (endpoint.state == State::idle) begin(endpoint);
  return endpoint.id;
}

/// A process needs no line to itself.
void OfiDevice::begin(Endpoint& endpoint) {
  endpoint.counted = true;
  ++settling_;
  until_lines_ = 0;
  endpoint.state = State::connecting;
  if (endpoint.peer == config_.name) {
    endpoint.active = true;
    return take_hello(endpoint, hello_to(endpoint));
  }
  Expected<ofi::Line> line = ofi::Line::connect(place_.listener(), endpoint.address);
  if (!line) {
    return fail_endpoint(endpoint,
                         fmt::format("no way to {}: {}", way_to(endpoint), line.error().message));
  }
  endpoint.line = std::move(*line);
  set_timer(endpoint, config_.connect_timeout_ms);
  watch(endpoint.line.fd(), endpoint.id, true);
}

ofi::Hello OfiDevice::hello_to(Endpoint& endpoint) {
  lend_first(endpoint);
  ofi::Hello hello;
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = endpoint.peer;
  hello.endpoint = endpoint.id;
  hello.secret = endpoint.secret;
  hello.credits = endpoint.first_lease;
  hello.address_bytes = static_cast<std::uint32_t>(fabric_address_.size());
  std::ranges::copy(fabric_address_, hello.address.begin());
  place_.host().copy(hello.host.data(), hello.host.size() - 1);
  return hello;
}

/// Both sides know each other: the first message can go.
void OfiDevice::take_hello(Endpoint& endpoint, const ofi::Hello& hello) {
  endpoint.theirs = hello.endpoint;
  endpoint.password = hello.secret;
  endpoint.credits = hello.credits;
  if (endpoint.host.empty()) {
    const std::string_view host(hello.host.data(), hello.host.size());
    endpoint.host = host.substr(0, host.find('\0'));
  }
  const int inserted =
      ::fi_av_insert(peers_.get(), hello.address.data(), 1, &endpoint.to, 0, nullptr);
  if (inserted != 1) {
    return fail_endpoint(endpoint, fmt::format("no way to {}: fi_av_insert: {}", way_to(endpoint),
                                               api_.strerror(inserted < 0 ? -inserted : 0)));
  }
  endpoint.state = State::opening;
  ++counters_.connections;
  if (endpoint.active) opens_due_.push_back(endpoint.id);
}

/// The first messages through libfabric; the active side's comes first.
void OfiDevice::flush_opens() {
  std::vector<EndpointId> due;
  due.swap(opens_due_);
  for (const EndpointId id : due) {
    Endpoint& endpoint = *endpoints_[id];
    if (endpoint.state != State::opening) continue;
    ofi::Header header;
    header.kind = ofi::MessageKind::open;
    if (!has_credit(endpoint) || !send_message(endpoint, header, {})) {
      opens_due_.push_back(id);
    } else if (endpoint.opened) {
      endpoint.state = State::open;
    }
  }
}

// --- events ------------------------------------------------------------------------------------

void OfiDevice::watch(int fd, std::uint64_t token, bool writable) {
  epoll_event wanted = {};
  wanted.events = EPOLLIN | (writable ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
  wanted.data.u64 = token;
  if (::epoll_ctl(events_.get(), EPOLL_CTL_MOD, fd, &wanted) == 0) return;
  (void)::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &wanted);
}

void OfiDevice::look_at_lines() {
  std::array<epoll_event, 32> events;
  const int count = ::epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    on_event(events[static_cast<std::size_t>(i)].data.u64,
             events[static_cast<std::size_t>(i)].events);
  }
  if (!timed_.empty() || !needy_.empty()) check_timers();
}

void OfiDevice::on_event(std::uint64_t token, std::uint32_t events) {
  if (token == ofi::kNoToken) return;
  if (token == ofi::kListenerToken) return accept_guests();
  if ((token & ofi::kGuestBit) != 0) return on_guest(static_cast<int>(token & 0xffffffffU));
  on_line(*endpoints_[token], events);
}

void OfiDevice::accept_guests() {
  for (;;) {
    shm::Fd socket = net::accept_one(listener_.get());
    if (!socket) {
      const std::string words = shortage_.words(errno);
      if (!words.empty()) log(LogLevel::warning, "ofi: {}", words);
      return;
    }
    if (guests_.size() >= net::kMostGuests) guests_.erase(guests_.begin());
    const int fd = socket.get();
    watch(fd, ofi::kGuestBit | static_cast<std::uint32_t>(fd), false);
    guests_.emplace(fd, ofi::Line(std::move(socket)));
    on_guest(fd);
  }
}

/// Who speaks another language, or leaves, is forgotten.
void OfiDevice::on_guest(int fd) {
  const auto guest = guests_.find(fd);
  if (guest == guests_.end()) return;
  const int error = guest->second.receive();
  ofi::Hello hello;
  if (!guest->second.take(std::as_writable_bytes(std::span(&hello, 1)))) {
    if (error != 0) guests_.erase(guest);
    return;
  }
  ofi::Line line = std::move(guest->second);
  guests_.erase(guest);
  if (hello.magic != ofi::kMagic || hello.version != ofi::kVersion ||
      hello.address_bytes > hello.address.size()) {
    ++counters_.rejected;
    return;
  }
  on_request(std::move(line), hello);
}

void OfiDevice::on_request(ofi::Line line, const ofi::Hello& hello) {
  const auto refuse = [&](ofi::Verdict verdict) {
    ofi::Hello answer;
    answer.verdict = verdict;
    answer.from = config_.name;
    (void)line.send(bytes_of_value(answer));
  };
  if (hello.job != config_.job || hello.to != config_.name || hello.from == config_.name) {
    ++counters_.rejected;
    log(LogLevel::info, "ofi: process {} of another job, or looking for another process",
        rank_of_name(hello.from));
    return refuse(ofi::Verdict::stranger);
  }
  const auto known = by_name_.find(hello.from);
  Endpoint& endpoint =
      known != by_name_.end() ? *endpoints_[known->second] : make_endpoint(hello.from);
  if (endpoint.state > State::yielding) return refuse(ofi::Verdict::over);
  if (endpoint.state == State::connecting) {
    ++counters_.settled;
    if (config_.name < hello.from) return refuse(ofi::Verdict::mine_wins);
  }
  if (!endpoint.counted) ++settling_;
  endpoint.counted = true;
  endpoint.deadline_ns = 0;
  endpoint.active = false;
  endpoint.line = std::move(line);
  watch(endpoint.line.fd(), endpoint.id, false);
  const ofi::Hello answer = hello_to(endpoint);
  take_hello(endpoint, hello);
  if (endpoint.state == State::failed) return;
  endpoint.greeted = true;
  say(endpoint, bytes_of_value(answer));
  if (endpoint.line) on_line(endpoint, EPOLLIN);  // what came behind the hello
}

void OfiDevice::on_line(Endpoint& endpoint, std::uint32_t events) {
  if (!endpoint.line) return;
  if (endpoint.state == State::connecting && !endpoint.greeted) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    if (const int error = endpoint.line.error(); error != 0) return on_line_end(endpoint, error);
    endpoint.deadline_ns = 0;  // its host has answered; the process does when it has time
    endpoint.greeted = true;
    const ofi::Hello hello = hello_to(endpoint);
    return say(endpoint, bytes_of_value(hello));
  }
  if ((events & EPOLLOUT) != 0) say(endpoint, {});
  if (!endpoint.line) return;
  const int ended = endpoint.line.receive();
  ofi::Hello hello;
  if (endpoint.state == State::connecting &&
      endpoint.line.take(std::as_writable_bytes(std::span(&hello, 1)))) {
    on_answer(endpoint, hello);
  }
  ofi::LineMessage message;
  while (endpoint.line && endpoint.state != State::connecting &&
         endpoint.line.take(std::as_writable_bytes(std::span(&message, 1)))) {
    hear(endpoint, message);
  }
  if (ended != 0 && endpoint.line) on_line_end(endpoint, ended);
}

void OfiDevice::on_answer(Endpoint& endpoint, const ofi::Hello& hello) {
  if (hello.magic != ofi::kMagic || hello.version != ofi::kVersion || hello.from != endpoint.peer ||
      hello.address_bytes > hello.address.size()) {
    return fail_endpoint(endpoint,
                         fmt::format("{}: something else answered there", way_to(endpoint)));
  }
  switch (hello.verdict) {
    case ofi::Verdict::accepted:
      endpoint.active = true;
      return take_hello(endpoint, hello);
    case ofi::Verdict::mine_wins:
      endpoint.state = State::yielding;
      endpoint.greeted = false;
      endpoint.line = {};
      return;
    case ofi::Verdict::stranger:
      return fail_endpoint(
          endpoint, fmt::format("{} is not that process of this job any more", way_to(endpoint)));
    case ofi::Verdict::over:
      return fail_endpoint(endpoint, fmt::format("{} has given this process up", way_to(endpoint)));
  }
}

void OfiDevice::on_line_end(Endpoint& endpoint, int error) {
  endpoint.line = {};
  if (endpoint.state == State::gone) return;
  if (endpoint.leaving) return set_timer(endpoint, kRestMs);
  if (endpoint.state == State::connecting && !endpoint.greeted) {
    return fail_endpoint(
        endpoint, fmt::format("cannot connect to {}: {}", way_to(endpoint), std::strerror(error)));
  }
  fail_endpoint(endpoint, fmt::format("{}: {}", way_to(endpoint),
                                      error == ofi::Line::kEnded || error == ECONNRESET
                                          ? "its process has ended"
                                          : std::string("its host is gone or cannot be reached: ") +
                                                std::strerror(error)));
}

// --- what is said ------------------------------------------------------------------------------

void OfiDevice::say(Endpoint& endpoint, ofi::LineKind kind, std::uint64_t count) {
  ofi::LineMessage message;
  message.kind = kind;
  message.count = count;
  if (endpoint.peer == config_.name) return hear(endpoint, message);
  if (endpoint.line) say(endpoint, bytes_of_value(message));
}

/// With nothing to say: what waits. The end of a line is seen when it is read.
void OfiDevice::say(Endpoint& endpoint, std::span<const std::byte> bytes) {
  const bool waited = !endpoint.line.flushed() || bytes.empty();
  if (endpoint.line.send(bytes) != 0) return;
  if (waited || !endpoint.line.flushed()) {
    watch(endpoint.line.fd(), endpoint.id, !endpoint.line.flushed());
  } else if (bytes.size() == sizeof(ofi::Hello)) {
    watch(endpoint.line.fd(), endpoint.id, false);
  }
}

void OfiDevice::hear(Endpoint& endpoint, const ofi::LineMessage& message) {
  if (message.magic != ofi::kMagic) {
    return fail_endpoint(endpoint, fmt::format("{}: its line carries nonsense", way_to(endpoint)));
  }
  switch (message.kind) {
    case ofi::LineKind::credits:
      return on_credits(endpoint, message.count);
    case ofi::LineKind::wish:
      return on_wish(endpoint);
    case ofi::LineKind::recall:
      return on_recall(endpoint);
    case ofi::LineKind::give_back:
      return on_give_back(endpoint, message.count);
    case ofi::LineKind::goodbye:
      endpoint.leaving = true;
      endpoint.expected = message.count;
      return see_goodbye(endpoint);
  }
}

/// The peer has left when all that it sent is here.
void OfiDevice::see_goodbye(Endpoint& endpoint) {
  if (endpoint.received < endpoint.expected || endpoint.state == State::failed) return;
  if (endpoint.peer == config_.name) return;
  endpoint.state = State::gone;
  endpoint.words = fmt::format("{} has finished", way_to(endpoint));
  if (endpoint.counted) --settling_;
  endpoint.counted = false;
  release_lease(endpoint);
  event(CompletionKind::endpoint_closed, endpoint.id, MPI_SUCCESS);
  endpoint.deadline_ns = 0;
  if (endpoint.under_way != 0) set_timer(endpoint, kGraceMs);
}

// --- ends --------------------------------------------------------------------------------------

void OfiDevice::set_timer(Endpoint& endpoint, std::uint64_t ms) {
  endpoint.deadline_ns = shm::now_ns() + ofi::ms(ms);
  if (!endpoint.timed) timed_.push_back(endpoint.id);
  endpoint.timed = true;
}

void OfiDevice::check_timers() {
  const std::uint64_t now = shm::now_ns();
  std::vector<EndpointId> timed;
  timed.swap(timed_);
  for (const EndpointId id : timed) {
    Endpoint& endpoint = *endpoints_[id];
    endpoint.timed = endpoint.deadline_ns > now;
    if (endpoint.timed) {
      timed_.push_back(id);
    } else if (endpoint.deadline_ns == 0) {
      continue;
    } else if (endpoint.state == State::failed || endpoint.state == State::gone) {
      for (Request& request : requests_) {
        const bool under_way = request.kind != Request::Kind::receive && request.bytes != 0;
        if (!under_way || request.endpoint != id || request.forgotten) continue;
        request.forgotten = true;
        --under_way_;
        complete(endpoint, request.cookie, MPI_ERR_PROC_ABORTED);
      }
    } else if (endpoint.leaving) {
      fail_endpoint(endpoint, fmt::format("{} has finished, but not all that it had sent arrived",
                                          way_to(endpoint)));
    } else {
      fail_endpoint(endpoint, fmt::format("cannot connect to {}: no answer within {} s",
                                          way_to(endpoint), config_.connect_timeout_ms / 1000));
    }
  }
  if (!needy_.empty()) serve_needy();
}

/// What is under way comes back with errors when libfabric notices, or soon without that.
void OfiDevice::fail_endpoint(Endpoint& endpoint, std::string words) {
  if (endpoint.state == State::failed) return;
  if (endpoint.counted) --settling_;
  endpoint.counted = false;
  endpoint.state = State::failed;
  endpoint.words = std::move(words);
  endpoint.line = {};
  endpoint.greeted = false;
  log(LogLevel::info, "ofi: {}", endpoint.words);
  release_lease(endpoint);
  endpoint.deadline_ns = 0;
  if (endpoint.under_way != 0) set_timer(endpoint, kGraceMs);
  event(CompletionKind::endpoint_failed, endpoint.id, MPI_ERR_PROC_ABORTED);
}

}  // namespace remit
