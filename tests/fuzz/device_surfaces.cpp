// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a tcp device does with the bytes of who connects to it: a whole device on the loopback, and
// a peer that says right things, wrong ones and garbage, in pieces of any length.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "rdma_btl/tcp/tcp_device.hpp"
#include "tests/fuzz/surface.hpp"

namespace remit::fuzz {
namespace {

constexpr std::size_t kMemory = 4096;
constexpr std::size_t kLongestMessage = 2048;
constexpr std::uint64_t kJob = 7;
constexpr std::uint64_t kPeer = 1;

enum Step : unsigned char {
  kGarbage,
  kFrame,  ///< a right frame of any kind and length, with any head
  kPut,    ///< into the memory
  kGet,    ///< out of it
  kMessage,
  kAnswer,  ///< to a get, right only if there is one
  kAsk,     ///< the device gets from its peer
  kPoll,
  kPutThere,   ///< the device puts into its peer's memory, and has that confirmed
  kConfirmed,  ///< right only if the device has asked
  kSteps,
};

std::string bytes_of(const void* data, std::size_t bytes) {
  return {static_cast<const char*>(data), bytes};
}
template <class T>
std::string bytes_of(const T& value) {
  return bytes_of(&value, sizeof value);
}

std::string frame_of(tcp::FrameKind kind, const std::string& head, std::string body) {
  tcp::Frame frame;
  frame.kind = kind;
  frame.length = static_cast<std::uint32_t>(body.size());
  body.resize(body.size() + tcp::filling(body.size()));
  return bytes_of(frame) + head + body;
}

std::string hello() {
  tcp::Hello hello;
  hello.job = kJob;
  hello.from = kPeer;
  return bytes_of(hello);
}

/// A device, its memory, and one who has connected.
class Scene {
 public:
  Scene() {
    TcpConfig config;
    config.job = kJob;
    config.interface = "lo";
    config.message_bytes = kLongestMessage;
    config.segment_bytes = 512;
    config.most_transfers = 4;
    auto made = TcpDevice::create(config);
    if (!made) violated("a device opens on the loopback", made.error().message);
    device_ = std::move(*made);
    key_ = device_->register_memory(memory_.data(), memory_.size(), Access::all)->remote_key;
    connect();
  }
  ~Scene() { hang_up(); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void say(const std::string& bytes) { said_ += bytes; }

  void take(Choices& choices) {
    const auto step = static_cast<Step>(choices.byte() % kSteps);
    const std::size_t length = choices.byte() * std::size_t{9};
    const std::size_t offset = choices.byte() * std::size_t{7};
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) + offset;
    switch (step) {
      case kGarbage:
        return say(choices.take(length));
      case kFrame: {
        const auto kind = static_cast<tcp::FrameKind>(choices.byte());
        return say(frame_of(kind, choices.take(tcp::head_bytes(kind)), choices.take(length)));
      }
      case kPut:
        return say(
            frame_of(tcp::FrameKind::put,
                     bytes_of(tcp::PutHead{address, key_, choices.byte(), choices.byte() % 2U}),
                     choices.take(std::min(length, kMemory - offset))));
      case kGet:
        return say(frame_of(tcp::FrameKind::get,
                            bytes_of(tcp::GetHead{
                                address, key_, std::min<std::uint64_t>(length, kMemory - offset)}),
                            {}));
      case kMessage:
        return say(
            frame_of(tcp::FrameKind::message, {}, choices.take(std::min(length, kLongestMessage))));
      case kAnswer:
        return say(frame_of(tcp::FrameKind::answer, {}, choices.take(length)));
      case kAsk:
        return ask(length);
      case kPutThere:
        return put_there(length);
      case kConfirmed:
        return say(frame_of(tcp::FrameKind::confirmed, {}, {}));
      default:
        return poll(1 + length % 4);
    }
  }

  /// The peer goes; everything has an end.
  void end() {
    poll(4);
    hang_up();
    const auto ended = [&] { return closed_ + failed_ != 0 && open_gets_ == 0; };
    for (int i = 0; i < 100000 && !ended(); ++i) poll_once(4);
    require(open_gets_ == 0, "gets and confirms complete when their peer has gone");
    // One that has left fails when something is posted to it.
    require(closed_ <= 1 && failed_ <= 1, "the end of a peer is told once");
  }

 private:
  void connect() {
    const std::vector<std::byte> bytes = device_->local_address();
    net::Address address;
    std::memcpy(&address, bytes.data(), sizeof address);
    sockaddr_storage to = net::address_of(address.family, address.ip.data());
    net::set_port(to, address.port);
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (::connect(socket_, reinterpret_cast<sockaddr*>(&to), net::length_of(to)) != 0) {
      require(errno == EINTR, "the device listens");
    }
  }

  /// Leaves no port behind: a million of them would use all.
  void hang_up() {
    if (socket_ < 0) return;
    const linger at_once{1, 0};
    (void)::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(socket_);
    socket_ = -1;
  }

  void ask(std::size_t length) {
    const Piece piece{fetched_.data(), std::min(length, fetched_.size()), 0};
    Operation get;
    get.kind = OpKind::get;
    get.local = {&piece, 1};
    get.cookie = next_cookie_;
    if (!known_ || device_->post(0, {&get, 1}) == 0) return;
    gets_[next_cookie_++] = false;
    ++open_gets_;
  }

  void put_there(std::size_t length) {
    const Piece piece{fetched_.data(), std::min(length, fetched_.size()), 0};
    std::array<Operation, 2> both;
    both[0].kind = OpKind::put;
    both[0].local = {&piece, 1};
    both[1].kind = OpKind::confirm;
    both[1].cookie = next_cookie_;
    if (!known_ || device_->post(0, both) < both.size()) return;
    gets_[next_cookie_++] = false;
    ++open_gets_;
  }

  void poll(std::size_t room) {
    for (std::size_t at = 0; at < said_.size();) {
      const ssize_t sent = ::send(socket_, said_.data() + at, said_.size() - at, MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) break;
      at += sent < 0 ? 0 : static_cast<std::size_t>(sent);
    }
    said_.clear();
    for (int i = 0; i < 8; ++i) poll_once(room);
  }

  void poll_once(std::size_t room) {
    std::array<Completion, 4> out;
    const std::size_t count = device_->poll(std::span(out).first(room));
    require(count <= room, "poll() keeps to its room");
    for (const Completion& told : std::span(out).first(count)) take(told);
  }

  void take(const Completion& told) {
    known_ = true;
    require(told.endpoint == 0, "there is one peer");
    if (told.kind == CompletionKind::receive) {
      require(told.data.size() <= kLongestMessage, "a message is no longer than allowed");
      for (const std::byte one : told.data) sum_ += static_cast<unsigned>(one);
    } else if (told.kind == CompletionKind::local) {
      const auto get = gets_.find(told.cookie);
      require(get != gets_.end() && !get->second,
              "a completion is of a get or a confirm, and comes once");
      get->second = true;
      --open_gets_;
    } else if (told.kind == CompletionKind::endpoint_closed) {
      require(failed_ == 0, "who has failed does not leave");
      ++closed_;
    } else if (told.kind == CompletionKind::endpoint_failed) {
      ++failed_;
    }
  }

  std::unique_ptr<TcpDevice> device_;
  std::array<std::byte, kMemory> memory_ = {};
  std::array<std::byte, 256> fetched_ = {};
  std::uint64_t key_ = 0;
  int socket_ = -1;
  std::string said_;
  bool known_ = false;  ///< the device has told of its peer: endpoint 0 exists
  std::map<std::uint64_t, bool> gets_;
  std::uint64_t next_cookie_ = 1;
  std::size_t open_gets_ = 0;
  std::size_t closed_ = 0;
  std::size_t failed_ = 0;
  unsigned sum_ = 0;
};

void run_tcp(std::string_view bytes) {
  Choices choices(bytes);
  Scene scene;
  if (choices.byte() % 8 != 0) {
    // Known to the device from here on, by a notification.
    scene.say(hello() +
              frame_of(tcp::FrameKind::notification, bytes_of(tcp::NotificationHead{}), {}));
  }
  while (!choices.rest().empty()) scene.take(choices);
  scene.end();
}

std::vector<std::string> tcp_seeds() {
  const auto step = [](Step kind, char length, char offset, const std::string& rest = {}) {
    return std::string{static_cast<char>(kind), length, offset} + rest;
  };
  const std::string body(300, 'b');
  return {
      std::string(1, '\0') + step(kGarbage, 20, 0, hello() + body),
      "\1" + step(kPoll, 3, 0) + step(kMessage, 5, 0, body.substr(0, 45)) + step(kPoll, 1, 0),
      "\1" + step(kPut, 9, 3, std::string(1, '\5') + body.substr(0, 81)) + step(kPoll, 2, 0),
      "\1" + step(kGet, 100, 9) + step(kGet, 3, 1) + step(kPoll, 2, 0),
      "\1" + step(kPoll, 2, 0) + step(kAsk, 9, 0) + step(kAnswer, 9, 0, body.substr(0, 81)) +
          step(kPoll, 2, 0),
      "\1" + step(kPoll, 2, 0) + step(kPutThere, 9, 0) + step(kConfirmed, 0, 0) + step(kPoll, 2, 0),
      "\1" + step(kFrame, 0, 0, "\10") + step(kPoll, 2, 0),
      "\1" + step(kFrame, 0, 0, "\7") + step(kPoll, 2, 0),
      "\1" + step(kFrame, 1, 0, "\6" + body.substr(0, 9)) + step(kPoll, 2, 0)};
}

}  // namespace

std::vector<Surface> device_surfaces() {
  return {{"tcp", 4096, 4096 * kKb, 64, run_tcp, tcp_seeds}};
}

}  // namespace remit::fuzz
