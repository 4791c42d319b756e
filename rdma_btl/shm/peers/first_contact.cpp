// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/first_contact.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "rdma_btl/shm/copies/transfers.hpp"
#include "rdma_btl/shm/peers/peer_health.hpp"
#include "rdma_btl/shm/peers/peer_heaps.hpp"
#include "rdma_btl/shm/rings/receiver.hpp"

namespace remit::shm {

namespace {

/// So many may be met before it is seen who has gone.
constexpr std::size_t kFewMet = 16;

[[nodiscard]] bool sound(const Hello& hello) {
  return std::has_single_bit(hello.cells) && std::has_single_bit(hello.area_bytes) &&
         hello.cells >= 16 && hello.cells <= 1U << 20 && hello.area_bytes >= 4096 &&
         hello.area_bytes <= 1U << 30;
}

/// Reads the peer's token from its own memory: is it allowed, and is it that process?
[[nodiscard]] bool probe_copies(const Endpoint& endpoint, const Hello& hello) {
  std::uint64_t token = 0;
  const iovec local{&token, sizeof token};
  const iovec remote{reinterpret_cast<void*>(hello.token_address), sizeof token};
  return endpoint.pid > 0 &&
         ::process_vm_readv(endpoint.pid, &local, 1, &remote, 1, 0) == sizeof token &&
         token == endpoint.home->token;
}

}  // namespace

Expected<EndpointId> FirstContact::connect(PeerName peer, std::span<const std::byte> address) {
  if (const Endpoint* known = peers_.find(peer); known != nullptr) return known->id;
  if (!socket_.reachable(address)) {
    return fail(MPI_ERR_OTHER, "process {:#x} cannot be reached through shared memory",
                rank_of_name(peer));
  }
  Address other;
  std::memcpy(&other, address.data(), sizeof other);
  const SocketName socket = socket_name(std::span<const std::uint8_t, 16>(other.socket));
  Expected<Endpoint*> endpoint = make_endpoint(peer, socket);
  if (!endpoint) return tl::unexpected<Error>(std::move(endpoint.error()));
  if ((*endpoint)->attached) return (*endpoint)->id;  // its HELLO came meanwhile, and was answered
  send_hello(**endpoint);
  return (*endpoint)->id;
}

/// An endpoint with its own direction's ring, which may be written at once.
Expected<Endpoint*> FirstContact::make_endpoint(PeerName peer, const SocketName& socket) {
  // Who has left gives its memory back before many others take some.
  if (++met_ > std::max(kFewMet, receiver_.open_rings() / 2)) {
    met_ = 0;
    health_.check_peers();
    // That has read the socket: the peer's own HELLO may have been there.
    if (Endpoint* known = peers_.find(peer); known != nullptr) return known;
  }
  const std::size_t bytes = ring_bytes(config_.ring_cells, config_.area_bytes);
  auto endpoint = std::make_unique<Endpoint>();
  Expected<Fd> memory = make_memory("remit-ring", bytes);
  if (!memory) return tl::unexpected<Error>(std::move(memory.error()));
  Expected<Mapping> mapping = map_memory(memory->get(), bytes);
  if (!mapping) return tl::unexpected<Error>(std::move(mapping.error()));
  endpoint->tx_memory = std::move(*memory);
  endpoint->tx_mapping = std::move(*mapping);
  endpoint->tx = TxRing(endpoint->tx_mapping.data(), config_.ring_cells, config_.area_bytes);
  endpoint->sleep_word = &endpoint->tx.control().consumer.wake_request;
  endpoint->peer = peer;
  endpoint->socket = socket;
  ++unattached_;
  return &peers_.add(std::move(endpoint));
}

/// Sends our HELLO, or leaves it to retry() when the peer's socket is full.
void FirstContact::send_hello(Endpoint& endpoint) {
  Hello hello;
  hello.cells = static_cast<std::uint32_t>(config_.ring_cells);
  hello.area_bytes = static_cast<std::uint32_t>(config_.area_bytes);
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = endpoint.peer;
  hello.token_address = reinterpret_cast<std::uint64_t>(&home_.home().token);

  const int fds[kHelloDescriptors] = {home_.fd(), sleep_.event_fd(), endpoint.tx_memory.get()};
  const int error = socket_.send(endpoint.socket, std::as_bytes(std::span(&hello, 1)), fds);
  if (error == 0) {
    endpoint.hello_sent = true;
    endpoint.tx_memory.reset();
    return;
  }
  if (is_passing(error)) {
    ++counters_.hellos_retried;
    hellos_due_.push_back(endpoint.id);
    agenda_.add(Agenda::kWork);
    return;
  }
  hello_failed(endpoint, error);
}

void FirstContact::hello_failed(Endpoint& endpoint, int error) {
  if (error == ECONNREFUSED) {
    // It may have sent its HELLO and left: what it wrote can still be read.
    if (!endpoint.attached) serve();
    if (endpoint.failed || endpoint.gone) return;
    if (endpoint.attached) return health_.note_gone(endpoint);
  }
  health_.fail(endpoint, error == ECONNREFUSED ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER,
               fmt::format("no first contact with process {:#x} of this host: {}",
                           rank_of_name(endpoint.peer),
                           error == ECONNREFUSED ? "it has exited" : std::strerror(error)));
}

void FirstContact::retry() {
  std::vector<EndpointId> due;
  due.swap(hellos_due_);
  for (const EndpointId id : due) {
    if (!peers_[id].failed) send_hello(peers_[id]);
  }
}

void FirstContact::serve() {
  for (;;) {
    Datagram datagram;
    if (!socket_.receive(datagram)) return;
    if (datagram.length != 0) take(datagram);
  }
}

void FirstContact::take(Datagram& datagram) {
  const ucred& from = datagram.credentials;
  if (HeapOffer offer; datagram.is(offer)) {
    Endpoint* const sender = sender_of(offer, from);
    if (sender == nullptr || !sender->heap.awaited) {
      return reject("it offers memory that nobody asked for");
    }
    return heaps_.take_offer(*sender, datagram.fds[0]);
  }
  if (Refusal refusal; datagram.is(refusal)) return receive_refusal(refusal, from);
  if (Hello hello; datagram.is(hello)) return receive_hello(hello, datagram);
  reject("it is malformed");
}

void FirstContact::reject(const std::string& why) {
  ++counters_.hellos_rejected;
  if (config_.log != nullptr) {
    config_.log->write(LogLevel::warning,
                       "shared memory: a message of another process was dropped: {}", why);
  }
}

/// The endpoint of whom a datagram comes from; null: it is not for this process, or from a
/// stranger.
template <class Message>
Endpoint* FirstContact::sender_of(const Message& message, const ucred& from) const {
  const bool ours =
      from.uid == ::geteuid() && message.job == config_.job && message.to == config_.name;
  return ours ? peers_.find(message.from) : nullptr;
}

void FirstContact::receive_hello(const Hello& hello, Datagram& datagram) {
  const uid_t user = datagram.credentials.uid;
  if (user != ::geteuid()) {
    return reject(fmt::format("it is from user {}, this is user {}", user, ::geteuid()));
  }
  if (hello.job != config_.job || hello.to != config_.name) {
    return reject(fmt::format("it is for process {:#x} of job {:#x}", hello.to, hello.job));
  }
  Endpoint* endpoint = peers_.find(hello.from);
  if (endpoint == nullptr) {
    Expected<Endpoint*> made = make_endpoint(hello.from, datagram.from);
    if (!made) {
      refuse(hello.from, datagram.from, made.error().message);
      return reject(made.error().message);
    }
    endpoint = *made;
  } else if (endpoint->attached || endpoint->failed) {
    return reject("it is a second one");
  }
  if (Expected<> attached = attach(*endpoint, hello, datagram); !attached) {
    ++counters_.hellos_rejected;
    refuse(hello.from, datagram.from, attached.error().message);
    return health_.fail(*endpoint, attached.error().code, std::move(attached.error().message));
  }
  ++counters_.hellos_accepted;
  const bool due =
      std::find(hellos_due_.begin(), hellos_due_.end(), endpoint->id) != hellos_due_.end();
  if (!endpoint->hello_sent && !due) send_hello(*endpoint);
  transfers_.begin_waiting(*endpoint);
}

/// Tells a peer that its HELLO was in vain; it would wait for ours.
void FirstContact::refuse(PeerName peer, const SocketName& socket, const std::string& why) const {
  Refusal refusal;
  refusal.job = config_.job;
  refusal.from = config_.name;
  refusal.to = peer;
  why.copy(refusal.words, sizeof refusal.words - 1);
  // If there is no room the peer has to find out by itself: by a limit of time, or by our end.
  socket_.send(socket, std::as_bytes(std::span(&refusal, 1)));
}

void FirstContact::receive_refusal(const Refusal& refusal, const ucred& from) {
  Endpoint* const sender = sender_of(refusal, from);
  if (sender == nullptr || sender->attached) {
    return reject("it refuses what nobody asked for");
  }
  const std::string_view words(refusal.words, ::strnlen(refusal.words, sizeof refusal.words));
  health_.fail(*sender, MPI_ERR_OTHER,
               fmt::format("process {:#x} of this host (pid {}) cannot take a connection: {}",
                           rank_of_name(refusal.from), from.pid, words));
}

/// Maps what the HELLO brought and adds the peer's ring to those that are read.
Expected<> FirstContact::attach(Endpoint& endpoint, const Hello& hello, Datagram& datagram) {
  auto& fds = datagram.fds;
  if (!fds[0] || !fds[1] || !fds[2]) {
    return fail(MPI_ERR_OTHER,
                "the descriptors of process {:#x} did not arrive: this process may have too many "
                "open files (raise it with 'ulimit -n')",
                rank_of_name(endpoint.peer));
  }
  if (!sound(hello)) {
    return fail(MPI_ERR_OTHER, "the ring of process {:#x} has {} cells and {} bytes",
                rank_of_name(endpoint.peer), hello.cells, hello.area_bytes);
  }
  Expected<Mapping> home = map_foreign(fds[0].get(), kHomeSegmentBytes);
  if (!home) return tl::unexpected<Error>(std::move(home.error()));
  Expected<Mapping> ring = map_foreign(fds[2].get(), ring_bytes(hello.cells, hello.area_bytes));
  if (!ring) return tl::unexpected<Error>(std::move(ring.error()));
  auto* peer_home = reinterpret_cast<Home*>(home->data());
  auto* control = reinterpret_cast<RingControl*>(ring->data());
  if (peer_home->magic != kHomeMagic || control->magic != kRingMagic) {
    return fail(MPI_ERR_OTHER, "the memory of process {:#x} is not what it says",
                rank_of_name(endpoint.peer));
  }
  endpoint.home_mapping = std::move(*home);
  endpoint.rx.mapping = std::move(*ring);
  endpoint.event = std::move(fds[1]);
  endpoint.home = peer_home;
  endpoint.pid = datagram.credentials.pid;
  endpoint.rx.control = control;
  endpoint.rx.area = endpoint.rx.mapping.data() + area_at(hello.cells);
  endpoint.rx.area_size = hello.area_bytes;
  endpoint.cma = config_.copy != ShmCopy::pipelined && probe_copies(endpoint, hello);
  if (config_.copy == ShmCopy::cma && !endpoint.cma) {
    return fail(MPI_ERR_OTHER,
                "the memory of process {:#x} (pid {}) cannot be copied directly although shm_copy "
                "is cma: use shm_copy=auto, or allow process_vm_readv",
                rank_of_name(endpoint.peer), endpoint.pid);
  }
  endpoint.attached = true;
  --unattached_;
  endpoint.sleep_word = &endpoint.home->sleep.word;
  sleep_.update_fence(endpoint);
  RingControl::Producer& producer = endpoint.tx.control().producer;
  producer.can_copy.store(endpoint.cma ? 1 : 0);
  producer.knows_home.store(1);
  share_mailbox(endpoint, hello);
  auto* cells = reinterpret_cast<Cell*>(endpoint.rx.mapping.data() + kControlBytes);
  receiver_.open(endpoint, cells, hello.cells);
  sleep_.met_peer();
  return {};
}

/// The mailbox of a pair is in the ring of the process with the lower name, which writes it first.
void FirstContact::share_mailbox(Endpoint& endpoint, const Hello& hello) const {
  const bool lower = config_.name < endpoint.peer;
  RingControl& owner = lower ? endpoint.tx.control() : *endpoint.rx.control;
  endpoint.mailbox = &owner.mailbox;
  endpoint.mail_filled = &owner.mail_filled;
  endpoint.mail_bytes = lower ? endpoint.tx_mapping.data() + mail_at(config_.ring_cells)
                              : endpoint.rx.mapping.data() + mail_at(hello.cells);
  endpoint.writer = lower ? kLowerWrote : 0;
  endpoint.mail = lower;
}

void FirstContact::forget(const Endpoint& endpoint) {
  if (!endpoint.attached) --unattached_;
  std::erase(hellos_due_, endpoint.id);
}

}  // namespace remit::shm
