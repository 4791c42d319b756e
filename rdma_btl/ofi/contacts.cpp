// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// First contact of ofi devices.
#include "rdma_btl/ofi/contacts.hpp"

#include <sys/epoll.h>

#include <algorithm>

#include "runtime/os/os.hpp"

namespace remit::ofi {

namespace {

[[nodiscard]] bool speaks_ofi(const Hello& hello) {
  return hello.magic == kMagic && hello.version == kVersion &&
         hello.address_bytes <= hello.address.size();
}

[[nodiscard]] ContactPhase phase_of(State state) {
  switch (state) {
    case State::idle:
      return ContactPhase::none;
    case State::connecting:
      return ContactPhase::asking;
    case State::yielding:
      return ContactPhase::yielding;
    case State::opening:
    case State::open:
      return ContactPhase::agreed;
    case State::gone:
    case State::failed:
      break;
  }
  return ContactPhase::over;
}

}  // namespace

// --- asking ------------------------------------------------------------------------------------

Endpoint& Contacts::endpoint_of(PeerName peer) {
  const auto [endpoint, is_new] = endpoints_.find_or_add(peer);
  if (is_new) {
    const auto secret = std::as_writable_bytes(std::span(&endpoint.secret, 1));
    // Without random bytes it guards against mistakes only.
    (void)shm::random_bytes({reinterpret_cast<std::uint8_t*>(secret.data()), secret.size()});
    lender_.join(endpoint);
  }
  return endpoint;
}

Expected<EndpointId> Contacts::connect(PeerName peer, std::span<const std::byte> address) {
  if (const Endpoint* const known = endpoints_.find(peer); known != nullptr && known->has_address) {
    return known->id;
  }
  Expected<net::Contact> contact =
      lines_.addresses().contact(peer, address, "libfabric " + fabric_.description());
  if (!contact) return tl::unexpected(contact.error());
  Endpoint& endpoint = endpoint_of(peer);
  endpoint.address = contact->address;
  endpoint.where = std::move(contact->where);
  endpoint.host = std::move(contact->host);
  endpoint.has_address = true;
  if (endpoint.state == State::idle) begin(endpoint);
  return endpoint.id;
}

/// A process needs no line to itself.
void Contacts::begin(Endpoint& endpoint) {
  lifecycle_.begin(endpoint);
  lines_.hurry();
  endpoint.state = State::connecting;
  if (endpoint.peer == config_.name) {
    endpoint.active = true;
    return take_hello(endpoint, hello_to(endpoint));
  }
  if (Expected<> begun = lines_.connect(endpoint); !begun) {
    return lifecycle_.fail(endpoint, fmt::format("no way to {}: {}", lifecycle_.way_to(endpoint),
                                                 begun.error().message));
  }
  lifecycle_.await_host(endpoint);
}

Hello Contacts::hello_to(Endpoint& endpoint) {
  Hello hello;
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = endpoint.peer;
  hello.endpoint = endpoint.id;
  hello.secret = endpoint.secret;
  hello.credits = lender_.lend_first(endpoint);
  hello.address_bytes = static_cast<std::uint32_t>(fabric_.address().size());
  std::ranges::copy(fabric_.address(), hello.address.begin());
  hello.proof_address = fabric_.proof().address;
  hello.proof_key = fabric_.proof().key;
  lines_.addresses().host().copy(hello.host.data(), hello.host.size() - 1);
  return hello;
}

/// Both sides know each other: the first message can go.
void Contacts::take_hello(Endpoint& endpoint, const Hello& hello) {
  endpoint.theirs = hello.endpoint;
  endpoint.password = hello.secret;
  endpoint.proof = {hello.proof_address, hello.proof_key};
  endpoint.credits = {};
  endpoint.credits.grant(hello.credits);
  if (endpoint.host.empty()) {
    const std::string_view host(hello.host.data(), hello.host.size());
    endpoint.host = host.substr(0, host.find('\0'));
  }
  const Expected<fi_addr_t> to = fabric_.add_peer(hello.address.data());
  if (!to) {
    return lifecycle_.fail(
        endpoint, fmt::format("no way to {}: {}", lifecycle_.way_to(endpoint), to.error().message));
  }
  endpoint.to = *to;
  endpoint.state = State::opening;
  ++counters_.connections;
  if (endpoint.active) opens_due_.push_back(endpoint.id);
}

void Contacts::on_answer(Endpoint& endpoint, const Hello& hello) {
  if (!speaks_ofi(hello) || hello.from != endpoint.peer) {
    return lifecycle_.fail(
        endpoint, fmt::format("{}: something else answered there", lifecycle_.way_to(endpoint)));
  }
  switch (hello.verdict) {
    case Verdict::accepted:
      endpoint.active = true;
      return take_hello(endpoint, hello);
    case Verdict::mine_wins:
      endpoint.state = State::yielding;
      endpoint.greeted = false;
      endpoint.line = {};
      return;
    case Verdict::stranger:
      return lifecycle_.fail(endpoint, fmt::format("{} is not that process of this job any more",
                                                   lifecycle_.way_to(endpoint)));
    case Verdict::over:
      return lifecycle_.fail(
          endpoint, fmt::format("{} has given this process up", lifecycle_.way_to(endpoint)));
  }
}

// --- being asked -------------------------------------------------------------------------------

void Contacts::refuse(Guest& guest, Verdict verdict) const {
  Hello answer;
  answer.verdict = verdict;
  answer.from = config_.name;
  (void)guest.line.send(std::as_bytes(std::span(&answer, 1)));
}

void Contacts::on_guest(Guest guest) {
  const Hello& hello = guest.hello;
  if (!speaks_ofi(hello)) {
    ++counters_.rejected;
    return;
  }
  if (hello.job != config_.job || hello.to != config_.name || hello.from == config_.name) {
    ++counters_.rejected;
    if (config_.log != nullptr) {
      config_.log->write(LogLevel::info,
                         "ofi: process {} of another job, or looking for another process",
                         rank_of_name(hello.from));
    }
    return refuse(guest, Verdict::stranger);
  }
  Endpoint& endpoint = endpoint_of(hello.from);
  const ContactPhase phase = phase_of(endpoint.state);
  if (phase == ContactPhase::asking) ++counters_.settled;
  switch (answer_contact(config_.name, hello.from, phase)) {
    case ContactAnswer::accept:
      return accept(endpoint, std::move(guest));
    case ContactAnswer::mine_wins:
      return refuse(guest, Verdict::mine_wins);
    case ContactAnswer::refuse:
      return refuse(guest, Verdict::over);
  }
}

/// What we may have asked ourselves ends with its line.
void Contacts::accept(Endpoint& endpoint, Guest guest) {
  lifecycle_.begin(endpoint);
  Lifecycle::cancel_deadline(endpoint);
  endpoint.active = false;
  lines_.adopt(endpoint, std::move(guest.line));
  const Hello answer = hello_to(endpoint);
  take_hello(endpoint, guest.hello);
  if (endpoint.state == State::failed) return;
  endpoint.greeted = true;
  lines_.say(endpoint, answer);
  if (endpoint.line) on_line(endpoint.id, EPOLLIN);  // what came behind the hello
}

// --- lines -------------------------------------------------------------------------------------

void Contacts::poll_lines() {
  if (const std::string trouble = lines_.poll(*this); !trouble.empty() && config_.log != nullptr) {
    config_.log->write(LogLevel::warning, "ofi: {}", trouble);
  }
  lifecycle_.check_deadlines();
  if (lender_.any_needy()) lender_.serve();
}

/// The line of our request is made, or cannot be.
void Contacts::on_connected(Endpoint& endpoint, std::uint32_t events) {
  if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
  if (const int error = endpoint.line.error(); error != 0) {
    return lifecycle_.on_line_end(endpoint, error);
  }
  Lifecycle::cancel_deadline(endpoint);  // its host has answered; the process does when it has time
  endpoint.greeted = true;
  lines_.say(endpoint, hello_to(endpoint));
}

void Contacts::on_line(EndpointId id, std::uint32_t events) {
  Endpoint& endpoint = endpoints_[id];
  if (!endpoint.line) return;
  if (endpoint.state == State::connecting && !endpoint.greeted) {
    return on_connected(endpoint, events);
  }
  if ((events & EPOLLOUT) != 0) lines_.flush(endpoint);
  const int ended = endpoint.line.receive();
  Hello hello;
  if (endpoint.state == State::connecting &&
      endpoint.line.take(std::as_writable_bytes(std::span(&hello, 1)))) {
    on_answer(endpoint, hello);
  }
  LineMessage message;
  while (endpoint.line && endpoint.state != State::connecting &&
         endpoint.line.take(std::as_writable_bytes(std::span(&message, 1)))) {
    hear(endpoint, message);
  }
  if (ended != 0 && endpoint.line) lifecycle_.on_line_end(endpoint, ended);
}

void Contacts::hear(Endpoint& endpoint, const LineMessage& message) {
  if (message.magic != kMagic) {
    return lifecycle_.fail(
        endpoint, fmt::format("{}: its line carries nonsense", lifecycle_.way_to(endpoint)));
  }
  if (message.kind == LineKind::goodbye) return lifecycle_.on_goodbye(endpoint, message.count);
  lender_.hear(endpoint, message);
}

// --- the first messages through libfabric ------------------------------------------------------

void Contacts::on_open(Endpoint& endpoint) {
  endpoint.opened = true;
  lifecycle_.settle(endpoint);
  if (endpoint.active) {
    endpoint.state = State::open;
  } else {
    opens_due_.push_back(endpoint.id);
  }
}

/// The active side's comes first.
void Contacts::flush() {
  std::vector<EndpointId> due;
  due.swap(opens_due_);
  for (const EndpointId id : due) {
    Endpoint& endpoint = endpoints_[id];
    if (endpoint.state != State::opening) continue;
    if (!sender_.send_open(endpoint)) {
      opens_due_.push_back(id);
    } else if (endpoint.opened && endpoint.state == State::opening) {
      endpoint.state = State::open;
    }
  }
}

}  // namespace remit::ofi
