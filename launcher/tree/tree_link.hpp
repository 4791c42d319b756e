// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Connections between daemons: made by the child, proved by both, then a stream of messages. Only
// the greeting is authenticated; the stream is neither encrypted nor signed, so the network between
// the hosts must be trusted.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "launcher/tree/message.hpp"
#include "launcher/tree/secret.hpp"

namespace remit::launcher {

/// One authenticated connection. A silent peer is found by the kernel's keep-alive probes.
class TreeLink : public std::enable_shared_from_this<TreeLink> {
 public:
  struct Callbacks {
    std::function<void(Message)> received;
    std::function<void(std::string why)> closed;  ///< once; not after close()
  };

  /// `timeout_s`: a peer that is silent for so long is lost.
  TreeLink(asio::ip::tcp::socket socket, double timeout_s);

  /// Begins to read.
  void start(Callbacks callbacks);
  void send(const Message& message);
  void close();

 private:
  void read_next();
  void take(std::size_t bytes);
  void write_next();
  void end(const std::string& why);

  asio::ip::tcp::socket socket_;
  Callbacks callbacks_;
  MessageParser parser_;
  std::string buffer_;
  std::deque<std::string> waiting_;
  bool writing_ = false;
  bool open_ = true;
};

/// Where children connect. Whoever does not prove that he knows the secret is dropped: within ten
/// seconds, before he has been sent more than one answer, and at most kMostStrangers at a time.
class Listener {
 public:
  static constexpr std::size_t kMostStrangers = 64;

  struct Callbacks {
    /// A child that has proved itself; false: it is not expected.
    std::function<bool(int node, asio::ip::tcp::socket socket)> accepted;
    std::function<void(std::string words)> refused;  ///< a line for the log
    /// Somebody has left who had said nothing wrong; may be null.
    std::function<void()> gone = nullptr;
  };

  [[nodiscard]] static Expected<std::unique_ptr<Listener>> open(asio::io_context& io,
                                                                const Secret& secret,
                                                                Callbacks callbacks);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  [[nodiscard]] int port() const;

 private:
  struct Stranger;
  Listener(asio::io_context& io, const Secret& secret, Callbacks callbacks);
  void accept_next();
  void rest(const std::string& why);
  void read_call(const std::shared_ptr<Stranger>& stranger);
  void read_proof(const std::shared_ptr<Stranger>& stranger);
  void refuse(const std::shared_ptr<Stranger>& stranger, const std::string& why);
  void let_go(const std::shared_ptr<Stranger>& stranger);
  void hang_up(const std::shared_ptr<Stranger>& stranger);
  void forget(const std::shared_ptr<Stranger>& stranger);

  asio::io_context& io_;
  const Secret& secret_;
  Callbacks callbacks_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer resting_;
  bool rested_ = false;  // and that was said
  std::list<std::shared_ptr<Stranger>> strangers_;
};

/// Connects to the first of these addresses that answers and proves itself. Blocks, a few seconds
/// an address. The error names all that were tried.
[[nodiscard]] Expected<int> connect_to_parent(const std::vector<std::string>& addresses, int port,
                                              int node, const Secret& secret);

}  // namespace remit::launcher
