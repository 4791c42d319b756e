// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: opening and closing; driving its parts; counters.
#include "rdma_btl/tcp/tcp_device.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/pending.hpp"

namespace remit {

namespace {

/// Reaching another process costs what a few system calls and an interrupt do.
constexpr double kLatencyNs = 8000;
/// A get and what tells its target that it is over take 8 us longer than a put, at 256 KB as at 1
/// MB.
constexpr double kGetSlowdown = 1.4;
constexpr std::uint64_t kPatienceNs = 5'000'000'000;

Expected<net::Choice> choose(const TcpConfig& config) {
  const Expected<std::vector<net::Interface>> interfaces = net::list_interfaces();
  if (!interfaces) return tl::unexpected(interfaces.error());
  return net::choose_interface(*interfaces, config.interface);
}

std::string description_of(const net::Choice& choice) {
  return fmt::format("{} {} ({})", choice.interface.name, choice.interface.text, choice.why);
}

/// A socket that is closed with something unread in it drops what it has not sent. So: until the
/// peers' kernels have everything, or nobody will read it.
void linger(const EndpointTable<tcp::Endpoint>& endpoints, const tcp::EpollSet& set) {
  const std::uint64_t end = shm::now_ns() + kPatienceNs;
  const auto is_done = [](tcp::Endpoint& endpoint) {
    constexpr int kReads = 64;
    const bool open = endpoint.state == tcp::State::open;
    if (!open || endpoint.outgoing.cut() || endpoint.other) return true;
    std::array<std::byte, 4096> ignored;
    ssize_t got = 1;
    for (int i = 0; i < kReads && got > 0; ++i) {
      got = ::recv(endpoint.socket.get(), ignored.data(), ignored.size(), 0);
    }
    int unsent = 0;
    const bool ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    const bool sent = ::ioctl(endpoint.socket.get(), SIOCOUTQ, &unsent) != 0 || unsent == 0;
    if (ended || (sent && got < 0)) endpoint.state = tcp::State::gone;
    return endpoint.state == tcp::State::gone;
  };
  const auto all_done = [&] {
    bool all = true;
    for (tcp::Endpoint& endpoint : endpoints) all = is_done(endpoint) && all;
    return all;
  };
  while (!all_done() && shm::now_ns() < end) {
    std::array<epoll_event, 1> event;
    (void)set.wait(event, 1);
  }
}

}  // namespace

TcpDevice::TcpDevice(const TcpConfig& config) {
  local_.config = config;
}

Expected<std::string> TcpDevice::survey(const TcpConfig& config) {
  return choose(config).map(description_of);
}

Expected<std::unique_ptr<TcpDevice>> TcpDevice::create(const TcpConfig& config) {
  const Expected<net::Choice> choice = choose(config);
  if (!choice) return tl::unexpected(choice.error());
  std::unique_ptr<TcpDevice> device(new TcpDevice(config));
  if (Expected<> opened = device->open(*choice); !opened) return tl::unexpected(opened.error());
  return device;
}

Expected<> TcpDevice::open(const net::Choice& choice) {
  const TcpConfig& config = local_.config;
  local_.description = description_of(choice);
  const auto key = std::as_writable_bytes(std::span(&local_.key, 1));
  if (Expected<> random =
          shm::random_bytes({reinterpret_cast<std::uint8_t*>(key.data()), key.size()});
      !random) {
    return random;
  }
  sockaddr_storage address = choice.interface.address;
  Expected<shm::Fd> listener = net::listen_at(address);
  if (!listener) return tl::unexpected(listener.error());
  local_.addresses = net::AddressBook(
      {.magic = tcp::kMagic, .version = tcp::kVersion, .job = config.job, .name = config.name},
      address);
  local_.bandwidth =
      choice.interface.bandwidth > 0 ? choice.interface.bandwidth : net::kUnknownBandwidth;
  if (Expected<> made = set_.open(); !made) return made;
  if (Expected<> listens = connections_.listen(std::move(*listener)); !listens) return listens;

  caps_.name = "tcp";
  caps_.max_send = config.message_bytes;
  caps_.max_message = kLongestMessage;
  caps_.max_pieces = kMostPieces;
  caps_.latency_ns = kLatencyNs;
  caps_.overhead_ns = kLatencyNs;
  caps_.bandwidth = local_.bandwidth;
  caps_.get_slowdown = kGetSlowdown;
  caps_.eager_limit = config.message_bytes;
  caps_.ordered = true;
  caps_.has_put = caps_.has_get = true;
  caps_.notify = NotifyMode::native;
  return {};
}

// --- closing -----------------------------------------------------------------------------------

TcpDevice::~TcpDevice() {
  if (!set_.is_open()) return;
  const std::uint64_t end = shm::now_ns() + kPatienceNs;
  std::array<Completion, 16> out;
  while (poll(out) != 0 || (!flushed() && shm::now_ns() < end)) continue;
  for (tcp::Endpoint& endpoint : connections_.all()) {
    if (endpoint.state != tcp::State::open || endpoint.other) continue;
    sender_.say_goodbye(endpoint);
    (void)::shutdown(endpoint.socket.get(), SHUT_WR);
  }
  linger(connections_.all(), set_);
  abort();
}

void TcpDevice::abort() {
  connections_.close();
  set_.close();
}

// --- what the parts answer ---------------------------------------------------------------------

std::vector<std::byte> TcpDevice::local_address() const {
  return local_.addresses.published();
}

bool TcpDevice::reachable(std::span<const std::byte> address) const {
  return local_.addresses.reaches(address);
}

Expected<EndpointId> TcpDevice::connect(PeerName peer, std::span<const std::byte> address) {
  return connections_.connect(peer, address);
}

PeerName TcpDevice::peer(EndpointId endpoint) const {
  return connections_.all()[endpoint].peer;
}

std::string TcpDevice::explain(EndpointId endpoint) const {
  return connections_.all()[endpoint].words;
}

std::string TcpDevice::congestion(EndpointId endpoint) const {
  return net::congestion_of(connections_.all()[endpoint].out());
}

/// All memory can be reached: no pages are pinned. Its key is a secret.
Expected<Region> TcpDevice::register_memory(void* address, std::size_t length, Access /*access*/) {
  return Region{address, length, 0, local_.key, 0};
}

void TcpDevice::deregister(const Region& /*region*/) {}

// --- sending -----------------------------------------------------------------------------------

std::size_t TcpDevice::post(EndpointId id, std::span<const Operation> operations) {
  tcp::Endpoint& endpoint = connections_[id];
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (endpoint.state != tcp::State::open) [[unlikely]]
      return i + connections_.post_closed(endpoint, operations.subspan(i));
    if (!accept(endpoint, operations[i], i == 0)) {
      ++counters_.refused;
      return i;
    }
  }
  return operations.size();
}

/// What there is no memory for is refused, but for the first one.
bool TcpDevice::accept(tcp::Endpoint& endpoint, const Operation& operation, bool is_first) {
  try {
    return sender_.post(endpoint, operation);
  } catch (const std::bad_alloc&) {
    if (is_first) throw;
    return false;
  }
}

/// As post(), in one piece and without a table of pieces, where it may go at once.
void TcpDevice::send(EndpointId id, SendHead head, const void* data, std::size_t length,
                     PendingQueue& refused) {
  tcp::Endpoint& endpoint = connections_[id];
  if (!tcp::Sender::takes_short(endpoint, length)) [[unlikely]]
    return post_send(*this, id, head, data, length, refused);
  sender_.send_short(endpoint, head, data, length);
}

// --- receiving ---------------------------------------------------------------------------------

std::size_t TcpDevice::poll(std::span<Completion> out) {
  reader_.take_back();
  std::size_t count = own_.take(out);
  if (reader_.has_unfinished()) count += reader_.read_unfinished(out.subspan(count));
  // Nothing came a moment ago, and nothing but something that comes is waited for.
  const bool awaits = armed_ || connections_.expects();
  if (count == 0 && !awaits && !sender_.has_blocked() && scheduler_.rests(shm::now_ns())) return 0;
  if (scheduler_.few()) count += reader_.read_hot(out.subspan(count));
  if (scheduler_.look_due(count == 0 && (awaits || !scheduler_.few()))) {
    count += look_around(out.subspan(count));
  }
  if (sender_.has_blocked()) sender_.write_blocked();
  if (count == 0) count = own_.take(out);
  if (count == 0 && reader_.take_shortage()) [[unlikely]]
    throw std::bad_alloc();
  scheduler_.polled(count, count == 0 ? shm::now_ns() : 0);
  return count;
}

/// A look at all connections.
std::size_t TcpDevice::look_around(std::span<Completion> out) {
  std::array<epoll_event, 32> events;
  const std::size_t found = set_.wait(events, 0);
  scheduler_.looked(found != 0);
  std::size_t count = 0;
  for (const epoll_event& event : std::span(events).first(found)) {
    const std::uint64_t token = event.data.u64;
    if (!connections_.all().has(token)) {
      connections_.on_event(token);
      continue;
    }
    tcp::Endpoint& endpoint = connections_[static_cast<EndpointId>(token)];
    if (endpoint.state == tcp::State::connecting) connections_.on_connecting(endpoint);
    if (endpoint.state != tcp::State::open) continue;
    scheduler_.warm(endpoint);
    if (count < out.size()) count += reader_.read(endpoint, out.subspan(count));
  }
  scheduler_.cool();
  if (connections_.has_timers()) connections_.check_timers();
  return count;
}

// --- waiting -----------------------------------------------------------------------------------

/// The connections make wait_fd() readable by themselves; what is there already must do it, too.
void TcpDevice::arm() {
  armed_ = true;
  sender_.arm();
  if (!own_.empty() || reader_.has_unfinished()) set_.wake();
}

void TcpDevice::disarm() {
  armed_ = false;
  sender_.disarm();
  scheduler_.look_at_once();
  set_.calm();
}

/// While connecting there is a time after which it has failed.
int TcpDevice::max_sleep_ms() const {
  constexpr int kTimedMs = 50;
  return connections_.has_timers() ? kTimedMs : -1;
}

/// The kernel sends what it has, also when the process is gone.
bool TcpDevice::flushed() const {
  for (const tcp::Endpoint& endpoint : connections_.all()) {
    if (!endpoint.outgoing.written() && !endpoint.outgoing.cut()) return false;
  }
  return true;
}

std::vector<Statistic> TcpDevice::statistics() const {
  const TcpCounters& c = counters_;
  return {{"sends", c.sends},
          {"receives", c.receives},
          {"puts", c.puts},
          {"gets", c.gets},
          {"confirms", c.confirms},
          {"sent_bytes", c.sent_bytes},
          {"put_bytes", c.put_bytes},
          {"got_bytes", c.got_bytes},
          {"notifications", c.notifications},
          {"notified", c.notified},
          {"blocked", c.blocked},
          {"refused", c.refused},
          {"connections", c.connections},
          {"connections_settled", c.settled},
          {"strangers_rejected", c.rejected}};
}

}  // namespace remit
