// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: the kernel's TCP, for hosts without a network that can do more.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/eager_sends.hpp"
#include "rdma_btl/net/interfaces.hpp"
#include "rdma_btl/net/place.hpp"
#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/tcp/tcp_config.hpp"
#include "rdma_btl/tcp/wire.hpp"
#include "runtime/os/os.hpp"

namespace remit {

/// One connection to each peer that was talked to, made at the first contact. One thread.
///
/// What is sent is a row of frames (wire.hpp). A send goes to the kernel at once. Long data are cut
/// into segments between which sends slip in, and travel without a copy of ours: from the memory
/// that they are in, into the memory that they are for.
///
/// There are no credits: who does not read holds his peers back through TCP itself. Memory to
/// receive is lent to a peer while a part of something of it is here, and one that is silent has
/// none.
class TcpDevice final : public EagerSends, public Device {
 public:
  /// Fails with words for the user if there is no interface.
  [[nodiscard]] static Expected<std::unique_ptr<TcpDevice>> create(const TcpConfig& config);
  /// One line for remit_info: which interface would be used and why; or why none.
  [[nodiscard]] static Expected<std::string> survey(const TcpConfig& config);
  /// Lets everything leave, for which it waits five seconds at most, and says goodbye to its peers.
  ~TcpDevice() override;
  TcpDevice(const TcpDevice&) = delete;
  TcpDevice& operator=(const TcpDevice&) = delete;

  [[nodiscard]] const Caps& caps() const override { return caps_; }
  [[nodiscard]] std::vector<std::byte> local_address() const override;
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const override;
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer,
                                             std::span<const std::byte> address) override;
  [[nodiscard]] PeerName peer(EndpointId endpoint) const override;
  [[nodiscard]] Expected<Region> register_memory(void* address, std::size_t length,
                                                 Access access) override;
  void deregister(const Region& region) override;
  [[nodiscard]] std::size_t post(EndpointId endpoint,
                                 std::span<const Operation> operations) override;
  void send(EndpointId endpoint, SendHead head, const void* data, std::size_t length,
            PendingQueue& refused) override;
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void arm() override;
  void disarm() override;
  [[nodiscard]] int wait_fd() const override { return events_.get(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;
  [[nodiscard]] std::vector<Statistic> statistics() const override;
  [[nodiscard]] EagerPath* eager_path() override { return this; }

  /// Which interface, and why.
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const TcpCounters& counters() const { return counters_; }
  /// The congestion control of an open connection.
  [[nodiscard]] std::string congestion(EndpointId endpoint) const;
  /// As if the process had died: no goodbye.
  void abort();

 private:
  struct Endpoint;
  struct Transfer;
  struct Fetch;
  enum class State : std::uint8_t;
  /// A connection that has not said who it is.
  struct Guest {
    shm::Fd socket;
    tcp::Hello hello;
    std::size_t got = 0;  ///< bytes of the hello
  };
  explicit TcpDevice(const TcpConfig& config);

  // tcp_open.cpp
  [[nodiscard]] Expected<> open(const net::Choice& choice);
  [[nodiscard]] Expected<> choose_congestion();
  void close_all();
  void linger();
  template <class... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (config_.log != nullptr) config_.log->write(level, format, std::forward<Args>(args)...);
  }

  // tcp_connect.cpp
  [[nodiscard]] std::string way_to(const Endpoint& endpoint) const;
  Endpoint& make_endpoint(PeerName peer);
  void begin(Endpoint& endpoint);
  void begin_with_itself(Endpoint& endpoint);
  [[nodiscard]] tcp::Hello hello_to(PeerName peer, tcp::Verdict verdict) const;
  void open_endpoint(Endpoint& endpoint, const tcp::Hello& hello);
  void settle_congestion(const Endpoint& endpoint);
  void watch(int fd, std::uint64_t token, bool writable);
  void on_event(std::uint64_t token);
  void accept_guests();
  void on_guest(int fd);
  void on_request(shm::Fd socket, const tcp::Hello& hello);
  void on_connecting(Endpoint& endpoint);
  void on_answer(Endpoint& endpoint, const tcp::Hello& hello);
  void check_timers();
  void on_end(Endpoint& endpoint, int error);
  void see_goodbye(Endpoint& endpoint);
  void fail_endpoint(Endpoint& endpoint, std::string words);
  void give_up(Endpoint& endpoint);

  // tcp_send.cpp
  [[nodiscard]] bool post_one(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] std::size_t post_closed(Endpoint& endpoint, std::span<const Operation> operations);
  [[nodiscard]] bool post_put(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_get(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_confirm(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool send_frame(Endpoint& endpoint, tcp::FrameKind kind,
                                std::span<const Piece> pieces);
  [[nodiscard]] long give(Endpoint& endpoint, std::span<const iovec> pieces);
  void write(Endpoint& endpoint);
  [[nodiscard]] bool write_waiting(Endpoint& endpoint);
  void begin_segment(Endpoint& endpoint);
  [[nodiscard]] bool write_segment(Endpoint& endpoint);
  void end_transfer(Endpoint& endpoint);
  void block(Endpoint& endpoint);
  void write_blocked();
  void complete(const Endpoint& endpoint, std::uint64_t cookie, int status);
  void event(CompletionKind kind, EndpointId endpoint, int status, std::uint64_t cookie = 0);

  // tcp_receive.cpp
  [[nodiscard]] std::size_t take_events(std::span<Completion> out);
  [[nodiscard]] bool rests(bool idle) const;
  void warm(Endpoint& endpoint);
  [[nodiscard]] std::size_t read_unfinished(std::span<Completion> out);
  [[nodiscard]] std::size_t read_hot(std::span<Completion> out);
  [[nodiscard]] bool look_due(bool idle);
  [[nodiscard]] std::size_t look_around(std::span<Completion> out);
  [[nodiscard]] bool has_cooled(EndpointId id);
  [[nodiscard]] std::size_t read(Endpoint& endpoint, std::span<Completion> out);
  [[nodiscard]] bool read_socket(Endpoint& endpoint);
  static void move_on(Endpoint& endpoint, std::size_t bytes);
  void parse(Endpoint& endpoint, std::span<Completion> out, std::size_t& count);
  [[nodiscard]] bool on_frame(Endpoint& endpoint, const tcp::Frame& frame,
                              std::span<const std::byte> rest, Completion& out);
  void on_put(Endpoint& endpoint, const tcp::PutHead& head, std::size_t bytes);
  /// As many as a peer may ask for: gets and confirms.
  [[nodiscard]] std::size_t most_answers() const { return 2 * config_.most_transfers; }
  void on_get(Endpoint& endpoint, const tcp::GetHead& head);
  void on_answer_frame(Endpoint& endpoint, std::size_t bytes);
  [[nodiscard]] bool on_refusal(Endpoint& endpoint, Completion& out);
  void on_confirm(Endpoint& endpoint);
  [[nodiscard]] bool on_confirmed(Endpoint& endpoint, Completion& out);
  static void begin_placing(Endpoint& endpoint, std::size_t bytes, bool fetching);
  static void place_buffered(Endpoint& endpoint);
  [[nodiscard]] bool end_placing(Endpoint& endpoint, Completion& out);
  void fail_nonsense(Endpoint& endpoint);
  void take_buffer(Endpoint& endpoint);
  void take_back();
  void settle_buffer(Endpoint& endpoint);
  void watch_writable(Endpoint& endpoint, bool writable);

  TcpConfig config_;
  TcpCounters counters_;
  Caps caps_;
  std::string description_;

  net::Place place_;       ///< at the interface
  std::uint64_t key_ = 0;  ///< of all memory of this process: a secret
  shm::Fd listener_;
  std::string congestion_;      ///< control that connections begin with; empty: the system's
  std::string far_congestion_;  ///< ... to hosts that are far, if it is another one
  shm::Fd kick_;                ///< an eventfd: readable when armed and something is there already
  shm::Fd events_;              ///< an epoll set: connections, the listener, kick_
  bool armed_ = false;
  net::Shortage shortage_;           ///< of descriptors, told once
  unsigned until_look_ = 0;          ///< polls until all connections are looked at
  unsigned pause_ = 0;               ///< ... after the last such look
  std::uint64_t rest_until_ns_ = 0;  ///< no socket is read before
  std::size_t taken_ = 0;            ///< by the layer above since anything was sent

  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::unordered_map<PeerName, EndpointId> by_name_;
  std::unordered_map<int, Guest> guests_;  ///< by descriptor
  std::size_t settling_ = 0;               ///< endpoints between their first step and open
  std::vector<EndpointId> timed_;          ///< have a deadline
  std::vector<EndpointId> hot_;         ///< are read at every poll: something comes, or is awaited
  std::deque<EndpointId> blocked_;      ///< have something that their socket did not take
  std::vector<EndpointId> watched_;     ///< their sockets wake a sleeper when they take more
  std::vector<EndpointId> unfinished_;  ///< have something here for which poll() had no room
  std::vector<EndpointId> lent_;  ///< what they have received is being read by the layer above
  std::vector<std::unique_ptr<std::byte[]>> free_buffers_;
  std::deque<Completion> ready_;
};

}  // namespace remit
