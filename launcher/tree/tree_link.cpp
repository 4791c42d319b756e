// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Accepting, greeting, reading and writing.
#include "launcher/tree/tree_link.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace remit::launcher {
namespace {

constexpr std::size_t kLinkReadBytes = std::size_t{256} << 10;
constexpr int kConnectSeconds = 5;
constexpr std::chrono::seconds kGreetingTime{10};
constexpr std::chrono::milliseconds kRest{100};

void set_option(int socket, int level, int name, int value) {
  (void)::setsockopt(socket, level, name, &value, sizeof value);
}

// Both an idle and a busy connection to a host that has vanished end in about `seconds`.
void watch_peer(int socket, double seconds) {
  const int part = std::max(1, static_cast<int>(seconds / 6));
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 3 * part);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, part);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(seconds * 1000));
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
}

// All of it, within the time of SO_RCVTIMEO and SO_SNDTIMEO for each piece.
bool read_all(int socket, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = ::recv(socket, at, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int socket, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::send(socket, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// A connected socket, or -errno.
int connect_within(const addrinfo& target, int seconds) {
  const int socket = ::socket(target.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -errno;
  int error = ::connect(socket, target.ai_addr, target.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd wait{socket, POLLOUT, 0};
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    if (::poll(&wait, 1, seconds * 1000) > 0) {
      (void)::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error == 0) return socket;
  ::close(socket);
  return -error;
}

Expected<> greet(int socket, int node, const Secret& secret) {
  const timeval limit{kConnectSeconds, 0};
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const Expected<Proof> nonce = random_proof();
  if (!nonce) return tl::unexpected(nonce.error());
  const Call call{Call::kMagic, node, *nonce};
  Answer answer;
  if (!write_all(socket, &call, sizeof call) || !read_all(socket, &answer, sizeof answer)) {
    return fail(MPI_ERR_OTHER, "no answer");
  }
  const Expected<Proof> expected = prove(secret, Side::parent, call, answer.nonce);
  if (!expected) return tl::unexpected(expected.error());
  if (!same(*expected, answer.proof)) {
    return fail(MPI_ERR_OTHER, "somebody else, who does not know the job's secret");
  }
  const Expected<Proof> proof = prove(secret, Side::child, call, answer.nonce);
  if (!proof) return tl::unexpected(proof.error());
  if (!write_all(socket, proof->data(), proof->size())) return fail(MPI_ERR_OTHER, "no answer");
  return {};
}

std::string peer_address(const asio::ip::tcp::socket& socket) {
  std::error_code error;
  const auto address = socket.remote_endpoint(error).address();
  if (error) return "somewhere";
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address.to_string();
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
}

}  // namespace

TreeLink::TreeLink(asio::ip::tcp::socket socket, double timeout_s) : socket_(std::move(socket)) {
  watch_peer(socket_.native_handle(), timeout_s);
}

void TreeLink::start(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  buffer_.resize(kLinkReadBytes);
  read_next();
}

void TreeLink::read_next() {
  socket_.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](std::error_code error,
                                                                             std::size_t bytes) {
    if (!self->open_) return;
    if (error) {
      return self->end(error == asio::error::eof ? "the connection was closed" : error.message());
    }
    self->take(bytes);
  });
}

void TreeLink::take(std::size_t bytes) {
  parser_.append(std::string_view(buffer_).substr(0, bytes));
  while (open_) {
    Expected<std::optional<Message>> message = parser_.next();
    if (!message) return end(message.error().message);
    if (!*message) return read_next();
    callbacks_.received(std::move(**message));
  }
}

void TreeLink::send(const Message& message) {
  if (!open_) return;
  waiting_.push_back(encode(message));
  if (!writing_) write_next();
}

void TreeLink::write_next() {
  if (waiting_.empty() || !open_) {
    writing_ = false;
    return;
  }
  writing_ = true;
  asio::async_write(socket_, asio::buffer(waiting_.front()),
                    [self = shared_from_this()](std::error_code error, std::size_t) {
                      if (error) {
                        if (self->open_) self->end(error.message());
                        return;
                      }
                      self->waiting_.pop_front();
                      self->write_next();
                    });
}

void TreeLink::close() {
  open_ = false;
  std::error_code ignored;
  socket_.close(ignored);
}

void TreeLink::end(const std::string& why) {
  const auto self = shared_from_this();  // the callback may let go of it
  close();
  callbacks_.closed(why);
}

struct Listener::Stranger {
  Stranger(asio::io_context& io, asio::ip::tcp::socket accepted)
      : socket(std::move(accepted)), timer(io) {}

  asio::ip::tcp::socket socket;
  asio::steady_timer timer;
  Call call;
  Answer answer;
  Proof proof{};
};

Listener::Listener(asio::io_context& io, const Secret& secret, Callbacks callbacks)
    : io_(io), secret_(secret), callbacks_(std::move(callbacks)), acceptor_(io), resting_(io) {}

Listener::~Listener() {
  for (const auto& stranger : strangers_) {
    std::error_code ignored;
    stranger->socket.close(ignored);
    stranger->timer.cancel();
  }
}

Expected<std::unique_ptr<Listener>> Listener::open(asio::io_context& io, const Secret& secret,
                                                   Callbacks callbacks) {
  std::unique_ptr<Listener> listener(new Listener(io, secret, std::move(callbacks)));
  std::error_code error;
  // Both families where the host has both.
  for (const auto& family : {asio::ip::tcp::v6(), asio::ip::tcp::v4()}) {
    asio::ip::tcp::acceptor& acceptor = listener->acceptor_;
    acceptor.close(error);
    acceptor.open(family, error);
    if (error) continue;
    if (family == asio::ip::tcp::v6()) acceptor.set_option(asio::ip::v6_only(false), error);
    acceptor.bind({family, 0}, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) break;
  }
  if (error) return fail(MPI_ERR_OTHER, "cannot listen for daemons: {}", error.message());
  listener->accept_next();
  return listener;
}

int Listener::port() const {
  std::error_code error;
  return acceptor_.local_endpoint(error).port();
}

void Listener::accept_next() {
  acceptor_.async_accept([this](std::error_code error, asio::ip::tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return rest(error.message());
    if (strangers_.size() >= kMostStrangers) refuse(strangers_.front(), "too many wait");
    const auto stranger = std::make_shared<Stranger>(io_, std::move(socket));
    strangers_.push_back(stranger);
    stranger->timer.expires_after(kGreetingTime);
    stranger->timer.async_wait([this, stranger](std::error_code stopped) {
      if (!stopped) refuse(stranger, "it said nothing");
    });
    read_call(stranger);
    accept_next();
  });
}

// Who connects waits in the system's queue. Without descriptors the next try would fail as fast.
void Listener::rest(const std::string& why) {
  if (!std::exchange(rested_, true)) {
    callbacks_.refused(fmt::format("connections of daemons cannot be taken now: {}", why));
  }
  resting_.expires_after(kRest);
  resting_.async_wait([this](std::error_code stopped) {
    if (!stopped) accept_next();
  });
}

void Listener::read_call(const std::shared_ptr<Stranger>& stranger) {
  asio::async_read(stranger->socket, asio::buffer(&stranger->call, sizeof stranger->call),
                   [this, stranger](std::error_code error, std::size_t size) {
                     if (error == asio::error::operation_aborted) return;
                     if (error && size == 0) return let_go(stranger);
                     const std::int64_t node = stranger->call.node;
                     const bool good = !error && stranger->call.magic == Call::kMagic &&
                                       node == static_cast<int>(node) && node >= 0;
                     const Expected<Proof> nonce = random_proof();
                     if (!good || !nonce) return refuse(stranger, "it is no daemon");
                     stranger->answer.nonce = *nonce;
                     const auto proof = prove(secret_, Side::parent, stranger->call, *nonce);
                     if (!proof) return refuse(stranger, proof.error().message);
                     stranger->answer.proof = *proof;
                     asio::async_write(stranger->socket,
                                       asio::buffer(&stranger->answer, sizeof stranger->answer),
                                       [this, stranger](std::error_code failed, std::size_t) {
                                         if (failed == asio::error::operation_aborted) return;
                                         if (failed) return let_go(stranger);
                                         read_proof(stranger);
                                       });
                   });
}

void Listener::read_proof(const std::shared_ptr<Stranger>& stranger) {
  asio::async_read(
      stranger->socket, asio::buffer(stranger->proof),
      [this, stranger](std::error_code error, std::size_t size) {
        if (error == asio::error::operation_aborted) return;
        if (error && size == 0) return let_go(stranger);
        const auto expected = prove(secret_, Side::child, stranger->call, stranger->answer.nonce);
        if (error || !expected || !same(*expected, stranger->proof)) {
          return refuse(stranger, "it does not know the job's secret");
        }
        forget(stranger);
        const auto node = static_cast<int>(stranger->call.node);
        if (!callbacks_.accepted(node, std::move(stranger->socket))) {
          callbacks_.refused(fmt::format("a second daemon says that it is number {}", node));
        }
      });
}

void Listener::forget(const std::shared_ptr<Stranger>& stranger) {
  stranger->timer.cancel();
  strangers_.remove(stranger);
}

void Listener::refuse(const std::shared_ptr<Stranger>& stranger, const std::string& why) {
  callbacks_.refused(
      fmt::format("a connection from {} was refused: {}", peer_address(stranger->socket), why));
  hang_up(stranger);
}

void Listener::let_go(const std::shared_ptr<Stranger>& stranger) {
  if (callbacks_.gone) callbacks_.gone();
  hang_up(stranger);
}

void Listener::hang_up(const std::shared_ptr<Stranger>& stranger) {
  std::error_code ignored;
  stranger->socket.close(ignored);
  forget(stranger);  // last: it may be the list's own
}

Expected<int> connect_to_parent(const std::vector<std::string>& addresses, int port, int node,
                                const Secret& secret) {
  std::string tried;
  for (const std::string& address : addresses) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) continue;
    const int socket = connect_within(*found, kConnectSeconds);
    ::freeaddrinfo(found);
    std::string why = socket < 0 ? std::strerror(-socket) : "";
    if (socket >= 0) {
      // The greeting is a plain conversation; asio makes the socket nonblocking again.
      (void)::fcntl(socket, F_SETFL, 0);
      const Expected<> greeted = greet(socket, node, secret);
      if (greeted) return socket;
      why = greeted.error().message;
      ::close(socket);
    }
    tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", address, why);
  }
  return fail(MPI_ERR_OTHER, "cannot connect to port {} of the host that started it; tried: {}",
              port, tried.empty() ? "no address" : tried);
}

}  // namespace remit::launcher
