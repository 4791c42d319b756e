// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: choosing an interface; opening and closing; counters.
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/tcp/endpoint.hpp"

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

}  // namespace

TcpDevice::TcpDevice(const TcpConfig& config) : config_(config) {}

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
  description_ = description_of(choice);
  const auto key = std::as_writable_bytes(std::span(&key_, 1));
  if (Expected<> random =
          shm::random_bytes({reinterpret_cast<std::uint8_t*>(key.data()), key.size()});
      !random) {
    return random;
  }
  sockaddr_storage address = choice.interface.address;
  Expected<shm::Fd> listener = net::listen_at(address);
  if (!listener) return tl::unexpected(listener.error());
  place_ = net::Place(
      {.magic = tcp::kMagic, .version = tcp::kVersion, .job = config_.job, .name = config_.name},
      address);
  listener_ = std::move(*listener);
  if (Expected<> chosen = choose_congestion(); !chosen) return chosen;
  kick_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  events_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!kick_ || !events_) return fail_errno(MPI_ERR_OTHER, errno, "making an epoll set");
  watch(listener_.get(), tcp::kListenerToken, false);
  watch(kick_.get(), tcp::kNoToken, false);

  caps_.name = "tcp";
  caps_.max_send = config_.message_bytes;
  caps_.max_message = kLongestMessage;
  caps_.max_pieces = kMostPieces;
  caps_.latency_ns = kLatencyNs;
  caps_.overhead_ns = kLatencyNs;
  caps_.bandwidth =
      choice.interface.bandwidth > 0 ? choice.interface.bandwidth : net::kUnknownBandwidth;
  caps_.get_slowdown = kGetSlowdown;
  caps_.eager_limit = config_.message_bytes;
  caps_.ordered = true;
  caps_.has_put = caps_.has_get = true;
  caps_.notify = NotifyMode::native;
  return {};
}

/// bbr spreads what it sends over time, by a bandwidth that it guesses from what was sent: after
/// small messages one of 64 KB takes six times as long as by the others. That pays where packets
/// are lost far away, not among hosts that are near.
Expected<> TcpDevice::choose_congestion() {
  const std::string system = net::congestion_of(listener_.get());
  if (!config_.congestion.empty()) {
    congestion_ = config_.congestion;
    if (net::set_congestion(listener_.get(), congestion_)) return {};
    return fail(MPI_ERR_ARG,
                "REMIT_TCP_CONGESTION is '{}', which this host does not have or this user may not "
                "use: see /proc/sys/net/ipv4/tcp_allowed_congestion_control (the system's is {})",
                congestion_, system);
  }
  if (!system.starts_with("bbr")) return {};
  for (const char* steady : {"cubic", "reno"}) {
    if (!net::set_congestion(listener_.get(), steady)) continue;
    congestion_ = steady;
    far_congestion_ = system;
    log(LogLevel::info, "tcp: congestion control {} to hosts that are near, instead of {}", steady,
        system);
    break;
  }
  return {};
}

TcpDevice::~TcpDevice() {
  if (!events_) return;
  const std::uint64_t end = shm::now_ns() + kPatienceNs;
  std::array<Completion, 16> out;
  while (poll(out) != 0 || (!flushed() && shm::now_ns() < end)) continue;
  for (const auto& endpoint : endpoints_) {
    if (endpoint->state != State::open || endpoint->peer == config_.name) continue;
    (void)send_frame(*endpoint, tcp::FrameKind::goodbye, {});
    (void)::shutdown(endpoint->socket.get(), SHUT_WR);
  }
  linger();
  close_all();
}

/// A socket that is closed with something unread in it drops what it has not sent. So: until the
/// peers' kernels have everything, or nobody will read it.
void TcpDevice::linger() {
  const std::uint64_t end = shm::now_ns() + kPatienceNs;
  const auto is_done = [](const std::unique_ptr<Endpoint>& endpoint) {
    constexpr int kReads = 64;
    if (endpoint->state != State::open || endpoint->cut || endpoint->other) return true;
    std::array<std::byte, 4096> ignored;
    ssize_t got = 1;
    for (int i = 0; i < kReads && got > 0; ++i) {
      got = ::recv(endpoint->socket.get(), ignored.data(), ignored.size(), 0);
    }
    int unsent = 0;
    const bool ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    const bool sent = ::ioctl(endpoint->socket.get(), SIOCOUTQ, &unsent) != 0 || unsent == 0;
    if (ended || (sent && got < 0)) endpoint->state = State::gone;
    return endpoint->state == State::gone;
  };
  while (!std::ranges::all_of(endpoints_, is_done) && shm::now_ns() < end) {
    std::array<epoll_event, 1> event;
    (void)::epoll_wait(events_.get(), event.data(), 1, 1);
  }
}

void TcpDevice::close_all() {
  for (const auto& endpoint : endpoints_) {
    endpoint->socket = {};
    endpoint->other = {};
  }
  guests_.clear();
  listener_.reset();
  events_.reset();
}

void TcpDevice::abort() {
  for (const auto& endpoint : endpoints_) endpoint->state = State::failed;
  close_all();
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
