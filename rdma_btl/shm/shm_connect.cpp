// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device: opening, first contact between two processes, and a peer's end.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "rdma_btl/shm/endpoint.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/signals_blocked.hpp"

namespace remit {

// --- opening and closing -----------------------------------------------------------------------

Expected<std::unique_ptr<ShmDevice>> ShmDevice::create(const ShmConfig& config) {
  if (!std::has_single_bit(config.ring_cells) || !std::has_single_bit(config.area_bytes) ||
      config.ring_cells < 16 || config.area_bytes < 4096) {
    return fail(MPI_ERR_OTHER,
                "shared memory: {} cells and {} bytes of data area must be powers of two, at least "
                "16 and 4096",
                config.ring_cells, config.area_bytes);
  }
  std::unique_ptr<ShmDevice> device(new ShmDevice(config));
  if (Expected<> opened = device->open(); !opened) {
    return tl::unexpected<Error>(std::move(opened.error()));
  }
  return device;
}

ShmDevice::ShmDevice(const ShmConfig& config)
    : facts_(config.facts), copies_(config.assist_from), config_(config) {
  use_facts();
  take_lines_to_ = config.take_lines_to;
  caps_.name = "shm";
  caps_.max_inline = shm::kInline;
  caps_.max_send = config.area_bytes / 4;
  // Two copies in the caches beat asking for a message: where lines are taken longer ones,
  // elsewhere as long as the program has written the data since or uses another buffer each time.
  caps_.eager_limit = (take_lines_to_ != 0 ? 64 : 32) * 1024;
  caps_.long_send = 8 * 1024 + 1;
  caps_.max_message = std::size_t{1} << 62;
  caps_.max_pieces = 1024;
  caps_.min_piece = 2048;  // measured: the kernel looks up pages for each
  caps_.latency_ns = 100;
  caps_.bandwidth = config.copy == ShmCopy::pipelined ? 8e9 : 10e9;
  caps_.overhead_ns = config.copy == ShmCopy::pipelined ? 500 : 1500;
  caps_.ordered = true;
  caps_.has_put = caps_.has_get = caps_.has_atomic = caps_.atomic_with_cpu = true;
  caps_.needs_registration = false;
  caps_.notify = NotifyMode::native;
}

Expected<> ShmDevice::open() {
  if (Expected<> got = shm::random_bytes(socket_id_); !got) return got;
  host_ = shm::host_identity();
  network_ = shm::network_namespace();

  Expected<shm::Fd> memory = shm::make_memory("remit-home", shm::kHomeSegmentBytes);
  if (!memory) return tl::unexpected<Error>(std::move(memory.error()));
  home_memory_ = std::move(*memory);
  Expected<shm::Mapping> mapping = shm::map_memory(home_memory_.get(), shm::kHomeSegmentBytes);
  if (!mapping) return tl::unexpected<Error>(std::move(mapping.error()));
  home_mapping_ = std::move(*mapping);
  home_ = reinterpret_cast<shm::Home*>(home_mapping_.data());
  home_->magic = shm::kHomeMagic;
  std::array<std::uint8_t, sizeof home_->token> token;
  if (Expected<> got = shm::random_bytes(token); !got) return got;
  std::memcpy(&home_->token, token.data(), token.size());

  Expected<shm::Fd> socket = shm::bind_socket(shm::socket_name(socket_id_));
  if (!socket) return tl::unexpected<Error>(std::move(socket.error()));
  socket_ = std::move(*socket);
  event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  wait_set_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!event_ || !wait_set_) return fail_errno(MPI_ERR_OTHER, errno, "creating an eventfd");
  for (const int fd : {event_.get(), socket_.get()}) {
    epoll_event event = {};
    event.events = EPOLLIN;
    if (::epoll_ctl(wait_set_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return fail_errno(MPI_ERR_OTHER, errno, "adding to an epoll set");
    }
  }
  if (config_.copy != ShmCopy::pipelined) shm::allow_direct_copies();
  looked_after_ns_ = shm::now_ns();
  register_barriers();
  return {};
}

/// With other threads about, the kernel takes milliseconds for it: a thread of its own waits, and
/// until then this process's senders pay a fence.
void ShmDevice::register_barriers() {
  if (!config_.membarrier || !shm::barrier_everywhere()) {
    config_.membarrier = false;
    home_->senders_fence = 1;
    return;
  }
  if (config_.registered || shm::has_one_thread()) {
    registered_ = config_.registered || shm::register_for_barriers();
    return;
  }
  const SignalsBlocked blocked;
  try {
    registrar_ = std::thread([this] {
      registering_.store(shm::register_for_barriers() ? 1 : -1, std::memory_order_release);
    });
  } catch (const std::system_error&) {
    // No thread to be had: fences it is.
  }
}

ShmDevice::~ShmDevice() {
  if (registrar_.joinable()) registrar_.join();
  if (home_ == nullptr) return;
  home_->life.closed.store(1, std::memory_order_release);
  const auto report = [&](const Expected<>& saved) {
    if (saved || config_.log == nullptr) return;
    config_.log->write(LogLevel::info, "shared memory: {}", saved.error().message);
  };
  if (copies_measured_) report(shm::save_copy_table(config_.copy_table, copies_));
  if (facts_news_ && !config_.facts_file.empty()) {
    if (config_.detours) facts_.kernel_trap.reset();  // a wish is no fact
    report(save_host_facts(config_.facts_file, facts_));
  }
}

// --- addresses ---------------------------------------------------------------------------------

shm::Address ShmDevice::own_address() const {
  shm::Address address;
  address.version = shm::kVersion;
  address.uid = ::geteuid();
  address.host = host_;
  address.network_namespace = network_;
  address.job = config_.job;
  std::memcpy(address.socket, socket_id_.data(), sizeof address.socket);
  return address;
}

std::vector<std::byte> ShmDevice::local_address() const {
  const shm::Address address = own_address();
  const auto* begin = reinterpret_cast<const std::byte*>(&address);
  return {begin, begin + sizeof address};
}

bool ShmDevice::reachable(std::span<const std::byte> address) const {
  shm::Address other;
  if (address.size() != sizeof other) return false;
  std::memcpy(&other, address.data(), sizeof other);
  const shm::Address own = own_address();
  return other.version == own.version && other.uid == own.uid && other.host == own.host &&
         other.network_namespace == own.network_namespace && other.job == own.job;
}

// --- first contact -----------------------------------------------------------------------------

Expected<EndpointId> ShmDevice::connect(PeerName peer, std::span<const std::byte> address) {
  if (const auto known = by_name_.find(peer); known != by_name_.end()) return known->second;
  if (!reachable(address)) {
    return fail(MPI_ERR_OTHER, "process {:#x} cannot be reached through shared memory",
                rank_of_name(peer));
  }
  shm::Address other;
  std::memcpy(&other, address.data(), sizeof other);
  const shm::SocketName socket = shm::socket_name(std::span<const std::uint8_t, 16>(other.socket));
  Expected<Endpoint*> endpoint = make_endpoint(peer, socket);
  if (!endpoint) return tl::unexpected<Error>(std::move(endpoint.error()));
  send_hello(**endpoint);
  return (*endpoint)->id;
}

/// An endpoint with its own direction's ring, which may be written at once.
Expected<ShmDevice::Endpoint*> ShmDevice::make_endpoint(PeerName peer,
                                                        const shm::SocketName& socket) {
  // Who has left gives its memory back before many others take some.
  if (++met_ > std::max(kFewMet, (scans_.size() - free_scans_.size()) / 2)) {
    met_ = 0;
    look_after_peers();
  }
  const std::size_t bytes = shm::ring_bytes(config_.ring_cells, config_.area_bytes);
  auto endpoint = std::make_unique<Endpoint>();
  Expected<shm::Fd> memory = shm::make_memory("remit-ring", bytes);
  if (!memory) return tl::unexpected<Error>(std::move(memory.error()));
  Expected<shm::Mapping> mapping = shm::map_memory(memory->get(), bytes);
  if (!mapping) return tl::unexpected<Error>(std::move(mapping.error()));
  endpoint->tx_memory = std::move(*memory);
  endpoint->tx_mapping = std::move(*mapping);
  endpoint->tx = shm::TxRing(endpoint->tx_mapping.data(), config_.ring_cells, config_.area_bytes);
  endpoint->sleep_word = &endpoint->tx.control().consumer.wake_request;
  endpoint->peer = peer;
  endpoint->socket = socket;
  endpoint->id = static_cast<EndpointId>(endpoints_.size());
  by_name_.emplace(peer, endpoint->id);
  ++unattached_;
  return endpoints_.emplace_back(std::move(endpoint)).get();
}

/// Sends our HELLO, or leaves it to retry_hellos() when the peer's socket is full.
void ShmDevice::send_hello(Endpoint& endpoint) {
  shm::Hello hello;
  hello.cells = static_cast<std::uint32_t>(config_.ring_cells);
  hello.area_bytes = static_cast<std::uint32_t>(config_.area_bytes);
  hello.job = config_.job;
  hello.from = config_.name;
  hello.to = endpoint.peer;
  hello.token_address = reinterpret_cast<std::uint64_t>(&home_->token);

  const int fds[shm::kHelloDescriptors] = {home_memory_.get(), event_.get(),
                                           endpoint.tx_memory.get()};
  const int error = shm::send_descriptors(socket_.get(), endpoint.socket,
                                          std::as_bytes(std::span(&hello, 1)), fds);
  if (error == 0) {
    endpoint.hello_sent = true;
    endpoint.tx_memory.reset();
    return;
  }
  if (shm::is_passing(error)) {
    ++counters_.hellos_retried;
    hellos_due_.push_back(endpoint.id);
    attention_ |= kWork;
    return;
  }
  if (error == ECONNREFUSED) {
    // It may have sent its HELLO and left: what it wrote can still be read.
    if (!endpoint.attached) service_socket();
    if (endpoint.failed || endpoint.gone) return;
    if (endpoint.attached) {
      endpoint.gone = true;
      gone_.push_back(endpoint.id);
      return;
    }
  }
  fail_endpoint(endpoint, error == ECONNREFUSED ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER,
                fmt::format("no first contact with process {:#x} of this host: {}",
                            rank_of_name(endpoint.peer),
                            error == ECONNREFUSED ? "it has exited" : std::strerror(error)));
}

void ShmDevice::retry_hellos() {
  std::vector<EndpointId> due;
  due.swap(hellos_due_);
  for (const EndpointId id : due) {
    if (!endpoints_[id]->failed) send_hello(*endpoints_[id]);
  }
}

void ShmDevice::service_socket() {
  while (receive_datagram()) {
  }
}

/// Takes one datagram; false when there is none.
bool ShmDevice::receive_datagram() {
  std::array<std::byte, shm::kLongestDatagram> data;
  alignas(cmsghdr) std::byte
      control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int) * shm::kHelloDescriptors)];
  shm::SocketName from;
  iovec part{data.data(), data.size()};
  msghdr message = {};
  message.msg_name = &from.address;
  message.msg_namelen = sizeof from.address;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EINTR;
  from.length = message.msg_namelen;

  std::array<shm::Fd, shm::kHelloDescriptors> fds;
  ucred credentials = {};
  credentials.uid = static_cast<uid_t>(-1);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    if (header->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
    } else if (header->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count && i < fds.size(); ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
        fds[i].reset(fd);
      }
    }
  }
  if (got == sizeof shm::kWakeMagic) return true;  // it was only to end a sleep
  take_datagram(std::span(data).first(static_cast<std::size_t>(got)),
                (message.msg_flags & MSG_TRUNC) != 0, fds, credentials, from);
  return true;
}

void ShmDevice::take_datagram(std::span<const std::byte> data, bool cut, std::span<shm::Fd> fds,
                              const ucred& credentials, const shm::SocketName& from) {
  shm::ArenaOffer offer;
  if (data.size() == sizeof offer) {
    std::memcpy(&offer, data.data(), sizeof offer);
    if (offer.magic == shm::kArenaMagic && offer.version == shm::kVersion) {
      return receive_arena(offer, fds[0], credentials);
    }
  }
  shm::Refusal refusal;
  if (data.size() == sizeof refusal && !cut) {
    std::memcpy(&refusal, data.data(), sizeof refusal);
    if (refusal.magic == shm::kRefusalMagic && refusal.version == shm::kVersion) {
      return receive_refusal(refusal, credentials);
    }
  }
  shm::Hello hello;
  if (data.size() == sizeof hello && !cut) {
    std::memcpy(&hello, data.data(), sizeof hello);
    if (hello.magic == shm::kHelloMagic && hello.version == shm::kVersion) {
      return receive_hello(hello, fds, credentials, from);
    }
  }
  reject_hello("it is malformed");
}

void ShmDevice::reject_hello(const std::string& why) {
  ++counters_.hellos_rejected;
  if (config_.log != nullptr) {
    config_.log->write(LogLevel::warning,
                       "shared memory: a message of another process was dropped: {}", why);
  }
}

void ShmDevice::receive_hello(const shm::Hello& hello, std::span<shm::Fd> fds, const ucred& from,
                              const shm::SocketName& socket) {
  if (from.uid != ::geteuid()) {
    return reject_hello(fmt::format("it is from user {}, this is user {}", from.uid, ::geteuid()));
  }
  if (hello.job != config_.job || hello.to != config_.name) {
    return reject_hello(fmt::format("it is for process {:#x} of job {:#x}", hello.to, hello.job));
  }
  Endpoint* endpoint = nullptr;
  if (const auto known = by_name_.find(hello.from); known != by_name_.end()) {
    endpoint = endpoints_[known->second].get();
    if (endpoint->attached || endpoint->failed) return reject_hello("it is a second one");
  } else {
    Expected<Endpoint*> made = make_endpoint(hello.from, socket);
    if (!made) {
      refuse(hello.from, socket, made.error().message);
      return reject_hello(made.error().message);
    }
    endpoint = *made;
  }
  if (Expected<> attached = attach(*endpoint, hello, fds, from); !attached) {
    ++counters_.hellos_rejected;
    refuse(hello.from, socket, attached.error().message);
    return fail_endpoint(*endpoint, attached.error().code, std::move(attached.error().message));
  }
  ++counters_.hellos_accepted;
  const bool due =
      std::find(hellos_due_.begin(), hellos_due_.end(), endpoint->id) != hellos_due_.end();
  if (!endpoint->hello_sent && !due) send_hello(*endpoint);
  begin_waiting(*endpoint);
}

/// Tells a peer that its HELLO was in vain; it would wait for ours.
void ShmDevice::refuse(PeerName peer, const shm::SocketName& socket, const std::string& why) {
  shm::Refusal refusal;
  refusal.job = config_.job;
  refusal.from = config_.name;
  refusal.to = peer;
  why.copy(refusal.words, sizeof refusal.words - 1);
  // If there is no room the peer has to find out by itself: by a limit of time, or by our end.
  ::sendto(socket_.get(), &refusal, sizeof refusal, MSG_DONTWAIT | MSG_NOSIGNAL, socket.get(),
           socket.length);
}

void ShmDevice::receive_refusal(const shm::Refusal& refusal, const ucred& from) {
  Endpoint* const sender = sender_of(refusal, from);
  if (sender == nullptr || sender->attached) {
    return reject_hello("it refuses what nobody asked for");
  }
  const std::string_view words(refusal.words, ::strnlen(refusal.words, sizeof refusal.words));
  fail_endpoint(*sender, MPI_ERR_OTHER,
                fmt::format("process {:#x} of this host (pid {}) cannot take a connection: {}",
                            rank_of_name(refusal.from), from.pid, words));
}

/// Maps what the HELLO brought and adds the peer's ring to those that poll() reads.
Expected<> ShmDevice::attach(Endpoint& endpoint, const shm::Hello& hello, std::span<shm::Fd> fds,
                             const ucred& from) {
  if (!fds[0] || !fds[1] || !fds[2]) {
    return fail(MPI_ERR_OTHER,
                "the descriptors of process {:#x} did not arrive: this process may have too many "
                "open files (raise it with 'ulimit -n')",
                rank_of_name(endpoint.peer));
  }
  if (!std::has_single_bit(hello.cells) || !std::has_single_bit(hello.area_bytes) ||
      hello.cells < 16 || hello.cells > 1U << 20 || hello.area_bytes < 4096 ||
      hello.area_bytes > 1U << 30) {
    return fail(MPI_ERR_OTHER, "the ring of process {:#x} has {} cells and {} bytes",
                rank_of_name(endpoint.peer), hello.cells, hello.area_bytes);
  }
  Expected<shm::Mapping> home = shm::map_foreign(fds[0].get(), shm::kHomeSegmentBytes);
  if (!home) return tl::unexpected<Error>(std::move(home.error()));
  Expected<shm::Mapping> ring =
      shm::map_foreign(fds[2].get(), shm::ring_bytes(hello.cells, hello.area_bytes));
  if (!ring) return tl::unexpected<Error>(std::move(ring.error()));
  auto* peer_home = reinterpret_cast<shm::Home*>(home->data());
  auto* control = reinterpret_cast<shm::RingControl*>(ring->data());
  if (peer_home->magic != shm::kHomeMagic || control->magic != shm::kRingMagic) {
    return fail(MPI_ERR_OTHER, "the memory of process {:#x} is not what it says",
                rank_of_name(endpoint.peer));
  }
  endpoint.home_mapping = std::move(*home);
  endpoint.rx_mapping = std::move(*ring);
  endpoint.event = std::move(fds[1]);
  endpoint.home = peer_home;
  endpoint.pid = from.pid;
  endpoint.rx = control;
  std::byte* const ring_memory = endpoint.rx_mapping.data();
  auto* cells = reinterpret_cast<shm::Cell*>(ring_memory + shm::kControlBytes);
  endpoint.rx_area = ring_memory + shm::area_at(hello.cells);
  endpoint.rx_area_size = hello.area_bytes;
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
  update_fence(endpoint);
  shm::RingControl::Producer& producer = endpoint.tx.control().producer;
  producer.can_copy.store(endpoint.cma ? 1 : 0);
  producer.knows_home.store(1);

  endpoint.scan = new_scan();
  const bool lower = config_.name < endpoint.peer;
  shm::RingControl& owner = lower ? endpoint.tx.control() : *control;
  endpoint.mailbox = &owner.mailbox;
  endpoint.mail_filled = &owner.mail_filled;
  endpoint.mail_bytes = lower ? endpoint.tx_mapping.data() + shm::mail_at(config_.ring_cells)
                              : ring_memory + shm::mail_at(hello.cells);
  endpoint.writer = lower ? shm::kLowerWrote : 0;
  endpoint.mail = lower;
  scans_[endpoint.scan] = {
      cells, cells,           endpoint.mailbox,          lower ? 0 : shm::kLowerWrote,
      1,     hello.cells - 1, publish_mask(hello.cells), endpoint.id};
  attention_ |= kScanAll;
  return {};
}

/// The place of a peer that has left, or a new one, which poll() visits often if few are.
std::uint32_t ShmDevice::new_scan() {
  if (!free_scans_.empty()) {
    const std::uint32_t index = free_scans_.back();
    free_scans_.pop_back();
    return index;
  }
  const auto index = static_cast<std::uint32_t>(scans_.size());
  scans_.emplace_back();
  if (hot_count_ < kHot) hot_[hot_count_++] = index;
  return index;
}

/// Reads the peer's token from its own memory: is it allowed, and is it that process?
bool ShmDevice::probe_copies(const Endpoint& endpoint, const shm::Hello& hello) const {
  std::uint64_t token = 0;
  const iovec local{&token, sizeof token};
  const iovec remote{reinterpret_cast<void*>(hello.token_address), sizeof token};
  return endpoint.pid > 0 &&
         ::process_vm_readv(endpoint.pid, &local, 1, &remote, 1, 0) == sizeof token &&
         token == endpoint.home->token;
}

void ShmDevice::update_fence(Endpoint& endpoint) {
  if (endpoint.shut) return;
  endpoint.fence = !registered_ || !endpoint.attached || endpoint.home->senders_fence != 0;
}

// --- a peer's end ------------------------------------------------------------------------------

/// The peer has left in order.
void ShmDevice::close_endpoint(Endpoint& endpoint) {
  shut_endpoint(endpoint);
  endpoint.words = fmt::format("process {:#x} (pid {}) of this host has left already",
                               rank_of_name(endpoint.peer), endpoint.pid);
  ready_.push_back(event_of(CompletionKind::endpoint_closed, endpoint.id, MPI_SUCCESS));
  attention_ |= kWork;
}

/// Fails the endpoints whose process is gone, after everything that it wrote has been read. Who
/// left in order and owes nothing is only failed when it is spoken to.
void ShmDevice::look_after_peers() {
  gone_.clear();
  for (std::size_t i = 0; i != endpoints_.size(); ++i) {  // may grow meanwhile
    Endpoint* const endpoint = endpoints_[i].get();
    if (endpoint->shut || (!endpoint->attached && !endpoint->hello_sent)) continue;
    if (!endpoint->gone) endpoint->gone = !shm::socket_exists(endpoint->socket);
    if (!endpoint->gone) continue;
    if (!endpoint->attached) service_socket();  // its HELLO may have come just before its end
    if (endpoint->attached) {
      const Scan& scan = scans_[endpoint->scan];
      const std::uint64_t cell = scan.next->header.load(std::memory_order_acquire);
      const std::uint64_t mail = scan.mailbox->header.load(std::memory_order_acquire);
      if (shm::cell_number(cell) == scan.expected ||
          (shm::is_mail(mail, scan.expected, scan.writer) && mail_is_whole(*endpoint, scan))) {
        gone_.push_back(endpoint->id);
        continue;
      }
      if (endpoint->home->life.closed.load() != 0 && endpoint->jobs == 0 &&
          !endpoint->tx.blocked()) {
        close_endpoint(*endpoint);
        continue;
      }
    }
    fail_endpoint(*endpoint, MPI_ERR_PROC_ABORTED, exit_words(*endpoint));
  }
}

std::string ShmDevice::exit_words(const Endpoint& endpoint) {
  return fmt::format("process {:#x} (pid {}) of this host has exited", rank_of_name(endpoint.peer),
                     endpoint.pid);
}

void ShmDevice::fail_endpoint(Endpoint& endpoint, int status, std::string words) {
  if (endpoint.failed) return;
  endpoint.failed = true;
  endpoint.words = std::move(words);
  if (config_.log != nullptr) config_.log->write(LogLevel::info, "{}", endpoint.words);
  for (const auto& job : jobs_) {
    if (job->phase != Phase{} && job->endpoint == endpoint.id) finish(*job, status);
  }
  if (!endpoint.shut) shut_endpoint(endpoint);
  ready_.push_back(event_of(CompletionKind::endpoint_failed, endpoint.id, status));
  attention_ |= kWork;
}

/// Nothing is read from the peer or written to it any more, once: gives back what it took, the
/// memory with the next poll, until which the caller may read messages there.
void ShmDevice::shut_endpoint(Endpoint& endpoint) {
  endpoint.shut = true;
  endpoint.event.reset();
  if (!endpoint.attached) --unattached_;
  if (endpoint.arena_awaited) --arenas_awaited_;
  endpoint.arena_awaited = false;
  const auto of_it = [&](const auto& item) { return item.endpoint == endpoint.id; };
  std::erase_if(outgoing_, of_it);
  std::erase_if(replies_, of_it);
  std::erase_if(helping_, of_it);
  std::erase(hellos_due_, endpoint.id);
  std::erase(arenas_due_, endpoint.id);
  if (endpoint.attached) {
    // Never matches again: no further cell of it is read.
    static constexpr std::uint64_t kNever = 0;
    static shm::Cell dead_cell = {.header = ~std::uint64_t{0}, .payload = {}};
    Scan& scan = scans_[endpoint.scan];
    scan.next = &dead_cell;
    scan.mailbox = &dead_cell;
    scan.expected = kNever;
    free_scans_.push_back(endpoint.scan);
  }
  unmap_due_.push_back(endpoint.id);
  attention_ |= kWork;
}

void ShmDevice::unmap_shut() {
  for (const EndpointId id : unmap_due_) {
    Endpoint& endpoint = *endpoints_[id];
    endpoint.tx_mapping = {};
    endpoint.rx_mapping = {};
    endpoint.tx_memory.reset();
    if (endpoint.stays_mapped) continue;
    endpoint.home_mapping = {};
    endpoint.arena_mapping = {};
    endpoint.home = nullptr;
  }
  unmap_due_.clear();
}

}  // namespace remit
