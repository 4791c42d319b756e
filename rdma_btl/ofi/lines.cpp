// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lines of an ofi device.
#include "rdma_btl/ofi/lines.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

namespace remit::ofi {

namespace {

/// Between two polls of the lines when nothing is expected of them.
constexpr unsigned kIdlePolls = 32;
constexpr unsigned kBusyPolls = 256;

template <class T>
std::span<const std::byte> bytes_of_value(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

Expected<> Lines::open(const net::Address& about, sockaddr_storage address, int queue_fd) {
  Expected<shm::Fd> listener = net::listen_at(address);
  if (!listener) return tl::unexpected(listener.error());
  self_ = about.name;
  addresses_ = net::AddressBook(about, address);
  listener_ = std::move(*listener);
  kick_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  events_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!kick_ || !events_) return fail_errno(MPI_ERR_OTHER, errno, "making an epoll set");
  if (!watch(listener_.get(), kListenerToken, false) || !watch(kick_.get(), kNoToken, false) ||
      !watch(queue_fd, kNoToken, false)) {
    return fail_errno(MPI_ERR_OTHER, errno, "adding to an epoll set");
  }
  return {};
}

void Lines::close() {
  guests_.clear();
  listener_.reset();
}

bool Lines::watch(int fd, std::uint64_t token, bool writable) {
  epoll_event wanted = {};
  wanted.events = EPOLLIN | (writable ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
  wanted.data.u64 = token;
  return ::epoll_ctl(events_.get(), EPOLL_CTL_MOD, fd, &wanted) == 0 ||
         ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &wanted) == 0;
}

std::span<const epoll_event> Lines::wait(std::array<epoll_event, kEvents>& events) {
  const int count = ::epoll_wait(events_.get(), events.data(), static_cast<int>(events.size()), 0);
  return std::span(events).first(static_cast<std::size_t>(std::max(count, 0)));
}

// --- guests ------------------------------------------------------------------------------------

/// The descriptor of one that has connected; nothing: nobody has, or it cannot be accepted.
std::optional<int> Lines::accept(std::string& trouble) {
  shm::Fd socket = net::accept_one(listener_.get());
  if (!socket) {
    trouble = shortage_.words(errno);
    return std::nullopt;
  }
  if (guests_.size() >= net::kMostGuests) guests_.erase(guests_.begin());
  const int fd = socket.get();
  (void)watch(fd, kGuestBit | static_cast<std::uint32_t>(fd), false);
  guests_.emplace(fd, Line(std::move(socket)));
  return fd;
}

/// Nothing: the rest of its hello is on its way; or it has left, and is forgotten.
std::optional<Guest> Lines::read_guest(int fd) {
  const auto found = guests_.find(fd);
  if (found == guests_.end()) return std::nullopt;
  const int error = found->second.receive();
  Hello hello;
  if (!found->second.take(std::as_writable_bytes(std::span(&hello, 1)))) {
    if (error != 0) guests_.erase(found);
    return std::nullopt;
  }
  Guest guest{std::move(found->second), hello};
  guests_.erase(found);
  return guest;
}

// --- lines of endpoints ------------------------------------------------------------------------

Expected<> Lines::connect(Endpoint& endpoint) {
  Expected<Line> line = Line::connect(addresses_.listener(), endpoint.address);
  if (!line) return tl::unexpected(line.error());
  endpoint.line = std::move(*line);
  (void)watch(endpoint.line.fd(), endpoint.id, true);
  return {};
}

void Lines::adopt(Endpoint& endpoint, Line line) {
  endpoint.line = std::move(line);
  (void)watch(endpoint.line.fd(), endpoint.id, false);
}

void Lines::say(Endpoint& endpoint, LineKind kind, std::uint64_t count) {
  LineMessage message;
  message.kind = kind;
  message.count = count;
  if (endpoint.peer == self_) {
    to_itself_.emplace_back(endpoint.id, message);
    hurry();
    if (armed_) (void)::eventfd_write(kick_.get(), 1);  // it may be the last poll before a sleep
  } else if (endpoint.line) {
    send(endpoint, bytes_of_value(message), false);
  }
}

/// It is the first message of a line, which was watched until it could be written.
void Lines::say(Endpoint& endpoint, const Hello& hello) {
  send(endpoint, bytes_of_value(hello), true);
}

void Lines::send(Endpoint& endpoint, std::span<const std::byte> bytes, bool rewatch) {
  const bool waited = rewatch || !endpoint.line.flushed();
  if (endpoint.line.send(bytes) != 0) return;
  if (waited || !endpoint.line.flushed()) {
    (void)watch(endpoint.line.fd(), endpoint.id, !endpoint.line.flushed());
  }
}

// --- waiting -----------------------------------------------------------------------------------

bool Lines::due(bool idle, bool expected) {
  if (((expected || armed_) && idle) || until_poll_ == 0) {
    until_poll_ = kBusyPolls;
    return true;
  }
  const unsigned step = idle ? kBusyPolls / kIdlePolls : 1;
  until_poll_ -= std::min(until_poll_, step);
  return false;
}

/// The lines and libfabric's descriptor make fd() readable by themselves; what is there already
/// does it through kick_.
void Lines::arm(bool already) {
  armed_ = true;
  if (already || !to_itself_.empty()) (void)::eventfd_write(kick_.get(), 1);
}

void Lines::disarm() {
  armed_ = false;
  eventfd_t value = 0;
  (void)::eventfd_read(kick_.get(), &value);
}

}  // namespace remit::ofi
