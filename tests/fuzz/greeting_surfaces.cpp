// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The beginning of a connection, when nobody has proved anything yet: the listener of a parent and
// the call of a child, each as it is, over loopback. The other end here knows the secret, so that
// an input may be a right greeting, or one that is wrong in a single bit.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "launcher/tree/tree_link.hpp"
#include "tests/fuzz/loopback.hpp"
#include "tests/fuzz/surface.hpp"
#include "tests/fuzz/wire_samples.hpp"

namespace remit::fuzz {
namespace {

using namespace launcher;

// Closed, it leaves nothing behind: a million of them would use all port numbers.
void forget_at_end(int socket) {
  const linger at_once{1, 0};
  (void)::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string proof_text(const Proof& proof) {
  return {proof.data(), proof.size()};
}

// `bytes` with `changes` over them, bit by bit.
std::string flipped(std::string bytes, const std::string& changes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(bytes[i] ^ changes[i]);
  }
  return bytes;
}

bool is_zero(const std::string& bytes) {
  return bytes.find_first_not_of('\0') == std::string::npos;
}

// --- the listener ------------------------------------------------------------------------------

enum CallerFlags : unsigned char {
  kKnowsMagic = 1,   // its call begins with the right number
  kKnowsSecret = 2,  // it waits for the answer and proves itself, but for the bits that it flips
  kSaysMore = 4,     // behind its proof
  kInPieces = 8,
};

// A parent that listens, for all inputs: its io_context is run by each for a while.
struct Parent {
  Parent() {
    auto opened = Listener::open(io, job_secret(),
                                 {[this](int node, asio::ip::tcp::socket socket) {
                                    forget_at_end(socket.native_handle());
                                    accepted.push_back(node);
                                    return true;
                                  },
                                  [this](const std::string& words) {
                                    require(!words.empty(), "a refusal is told in words");
                                    ++refused;
                                  },
                                  [this] { ++gone; }});
    if (!opened) violated("a listener opens", opened.error().message);
    listener = std::move(*opened);
  }

  // Until it has decided about one more.
  void decide() {
    const auto begin = std::chrono::steady_clock::now();
    while (accepted.empty() && refused + gone == 0) {
      io.run_one_for(std::chrono::seconds(1));
      require(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5),
              "who has hung up is dropped at once");
    }
  }

  asio::io_context io{1};
  std::unique_ptr<Listener> listener;
  std::vector<int> accepted;
  int refused = 0;
  int gone = 0;
};

// Runs the parent until `size` bytes have come from it; shorter if it hung up.
std::string read_answer(Parent& parent, asio::ip::tcp::socket& socket, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  bool done = false;
  asio::async_read(socket, asio::buffer(bytes), [&](std::error_code, std::size_t count) {
    got = count;
    done = true;
  });
  while (!done) parent.io.run_one();
  bytes.resize(got);
  return bytes;
}

void run_listener(std::string_view bytes) {
  static Parent parent;
  parent.accepted.clear();
  parent.refused = parent.gone = 0;
  Choices choices(bytes);
  const unsigned flags = choices.byte();
  Call call;
  const std::string first = choices.take(sizeof call);
  std::memcpy(&call, first.data(), sizeof call);
  if ((flags & kKnowsMagic) != 0) call.magic = Call::kMagic;
  const bool greets = call.magic == Call::kMagic;
  const std::string flips = choices.take(kProofBytes);

  asio::ip::tcp::socket socket(parent.io, asio::ip::tcp::v4());
  forget_at_end(socket.native_handle());
  connect_loopback(socket, parent.listener->port());
  std::error_code error;
  const auto say = [&](std::string_view words) {
    const std::size_t cut = (flags & kInPieces) != 0 ? words.size() / 2 : 0;
    asio::write(socket, asio::buffer(words.substr(0, cut)), error);
    if (cut > 0) parent.io.poll();
    asio::write(socket, asio::buffer(words.substr(cut)), error);
  };
  bool proved = false;
  if ((flags & kKnowsSecret) == 0) {
    // A stranger says all that he wants to say at once; the proof in it can only be guessed.
    std::string all(bytes.substr(bytes.empty() ? 0 : 1));
    if (greets && all.size() >= sizeof call) std::memcpy(all.data(), &call, sizeof call);
    say(all);
  } else {
    say({reinterpret_cast<const char*>(&call), sizeof call});
    const std::string answer = read_answer(parent, socket, sizeof(Answer));
    require(answer.empty() || greets, "only a greeting is answered");
    if (answer.size() == sizeof(Answer)) {
      Answer read;
      std::memcpy(&read, answer.data(), sizeof read);
      require(same(read.proof, *prove(job_secret(), Side::parent, call, read.nonce)),
              "a parent proves itself");
      say(flipped(proof_text(*prove(job_secret(), Side::child, call, read.nonce)), flips));
      proved = is_zero(flips);
      if ((flags & kSaysMore) != 0) say(choices.rest());
    }
  }
  socket.shutdown(asio::ip::tcp::socket::shutdown_send, error);
  parent.decide();
  require(parent.accepted.size() + static_cast<std::size_t>(parent.refused + parent.gone) == 1,
          "one decision for one connection");
  const bool is_node = call.node >= 0 && call.node <= std::numeric_limits<int>::max();
  require(parent.accepted.empty() == !(proved && is_node),
          "who proves himself is let in, no other");
  require(parent.accepted.empty() || parent.accepted.front() == call.node, "as whom he said");
}

std::vector<std::string> listener_seeds() {
  Call call;
  call.node = 7;
  const std::string greeting(reinterpret_cast<const char*>(&call), sizeof call);
  std::string wrong(kProofBytes, '\0');
  wrong[17] = 1;
  const auto flagged = [](int flags) { return std::string(1, static_cast<char>(flags)); };
  return {
      flagged(kKnowsSecret) + greeting + std::string(kProofBytes, '\0'),
      flagged(kKnowsSecret | kKnowsMagic | kInPieces | kSaysMore) + greeting +
          std::string(kProofBytes, '\0') + "more",
      flagged(kKnowsSecret) + greeting + wrong,
      flagged(0) + greeting + std::string(kProofBytes, 'x'),
      flagged(0) + "GET / HTTP/1.1\r\nHost: host.example\r\nAccept: text/html\r\n\r\n",
      flagged(0),
  };
}

// --- the child ---------------------------------------------------------------------------------

enum AnswererFlags : unsigned char {
  kAnswers = 1,  // with the right proof, but for the bits that it flips; else with any bytes
  kHangsUp = 2,  // before it has read the child's proof
};

// Whom the child finds at the address of its parent.
class Answerer {
 public:
  Answerer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    const bool good =
        ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(socket_, 4) == 0 &&
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    require(good, "a socket listens");
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] int port() const { return port_; }

  // In a thread of its own: the child waits for the answer. True if the child has proved itself.
  [[nodiscard]] bool answer(Choices choices) const {
    const int peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    forget_at_end(peer);
    const unsigned flags = choices.byte();
    Call call;
    const bool called = ::recv(peer, &call, sizeof call, MSG_WAITALL) == sizeof call;
    require(called && call.magic == Call::kMagic && call.node == kNode, "a child calls its parent");
    Answer answer;
    std::memcpy(answer.nonce.data(), choices.take(kProofBytes).data(), kProofBytes);
    const std::string flips = choices.take(kProofBytes);
    std::string words(choices.rest());
    if ((flags & kAnswers) != 0) {
      const Proof right = *prove(job_secret(), Side::parent, call, answer.nonce);
      words = proof_text(answer.nonce) + flipped(proof_text(right), flips) + words;
    }
    (void)!::send(peer, words.data(), words.size(), MSG_NOSIGNAL);
    ::shutdown(peer, SHUT_WR);
    Proof proof{};
    const bool waits = (flags & kHangsUp) == 0;
    const bool got = waits && ::recv(peer, proof.data(), proof.size(), MSG_WAITALL) ==
                                  static_cast<ssize_t>(proof.size());
    ::close(peer);
    const bool proved = got && same(proof, *prove(job_secret(), Side::child, call, answer.nonce));
    require(!got || proved, "what a child sends is its proof");
    return proved;
  }

  static constexpr int kNode = 5;

 private:
  int socket_;
  int port_ = 0;
};

void run_child(std::string_view bytes) {
  static const Answerer answerer;
  bool proved = false;
  std::thread parent([&] { proved = answerer.answer(Choices(bytes)); });
  const Expected<int> socket =
      connect_to_parent({"127.0.0.1"}, answerer.port(), Answerer::kNode, job_secret());
  if (socket) forget_at_end(*socket);
  if (socket) ::close(*socket);
  parent.join();
  Choices choices(bytes);
  const unsigned flags = choices.byte();
  (void)choices.take(kProofBytes);
  const bool right = (flags & kAnswers) != 0 && is_zero(choices.take(kProofBytes));
  require(!socket || right, "who does not know the secret is no parent");
  require(!proved || right, "a child proves itself to its parent alone");
  require(socket || !right || (flags & kHangsUp) != 0, "a parent that proves itself is taken");
}

std::vector<std::string> child_seeds() {
  const std::string nonce(kProofBytes, 'n');
  std::string wrong(kProofBytes, '\0');
  wrong[31] = '\x80';
  const auto flagged = [](int flags) { return std::string(1, static_cast<char>(flags)); };
  return {flagged(kAnswers) + nonce + std::string(kProofBytes, '\0') + "more",
          flagged(kAnswers | kHangsUp) + nonce, flagged(kAnswers) + nonce + wrong,
          flagged(0) + std::string(4 * kProofBytes, 'x'), flagged(0)};
}

}  // namespace

std::vector<Surface> greeting_surfaces() {
  return {
      {"listener", 512, 64 * kKb, 16, run_listener, listener_seeds},
      {"child", 512, 64 * kKb, 16, run_child, child_seeds},
  };
}

}  // namespace remit::fuzz
