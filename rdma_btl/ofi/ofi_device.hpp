// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: networks that libfabric reaches, above all TCP between hosts without RDMA.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rdma_btl/net/interfaces.hpp"
#include "rdma_btl/net/place.hpp"
#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/ofi/api.hpp"
#include "rdma_btl/ofi/line.hpp"
#include "rdma_btl/ofi/ofi_config.hpp"
#include "rdma_btl/ofi/wire.hpp"

namespace remit {

/// One reliable-datagram endpoint of libfabric, one completion queue and one set of receive buffers
/// a process, whatever the number of peers. One thread.
///
/// Beside it a *line* to each peer that was talked to: a plain TCP connection, made at the first
/// contact. Over it two processes tell each other their addresses of libfabric and who they are,
/// return credits when no message is there to carry them, and say goodbye; and its kernels notice
/// when a process or a host is gone, which libfabric's reliable datagrams do not say.
///
/// Receives are leased to peers as credits, strictly: what a peer may send has its receive and its
/// place in the completion queue. A send and a notification use one each.
class OfiDevice final : public Device {
 public:
  /// Fails with words for the user if there is no libfabric, provider or interface.
  [[nodiscard]] static Expected<std::unique_ptr<OfiDevice>> create(const OfiConfig& config);
  /// One line for remit_info: which provider and interface would be used and why; or why none.
  [[nodiscard]] static Expected<std::string> survey(const OfiConfig& config);
  /// Whether this host has an adapter of a network that only libfabric reaches.
  [[nodiscard]] static bool any_adapter();
  /// Lets everything leave, for which it waits five seconds at most, and says goodbye to its peers.
  ~OfiDevice() override;
  OfiDevice(const OfiDevice&) = delete;
  OfiDevice& operator=(const OfiDevice&) = delete;

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
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void arm() override;
  void disarm() override;
  [[nodiscard]] int wait_fd() const override { return events_.get(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;
  [[nodiscard]] std::vector<Statistic> statistics() const override;

  /// Which provider and interface, and why.
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const OfiCounters& counters() const { return counters_; }
  [[nodiscard]] bool connected(EndpointId endpoint) const;
  /// As if the process had died: no goodbye.
  void abort();

 private:
  struct Endpoint;
  struct Request;
  enum class State : std::uint8_t;
  OfiDevice(const OfiConfig& config, ofi::Api api);

  // ofi_open.cpp
  struct Plan;  ///< which provider on which interface
  [[nodiscard]] static Expected<Plan> make_plan(const ofi::Api& api, const OfiConfig& config);
  [[nodiscard]] Expected<> open(Plan& plan);
  [[nodiscard]] Expected<> open_fabric();
  void open_wait_set();
  [[nodiscard]] Expected<> open_endpoint();
  [[nodiscard]] Expected<> open_events(const net::Interface& interface);
  void reach_all_memory();
  void set_caps(const net::Interface& interface);
  [[nodiscard]] Expected<> add_buffers(std::size_t count, bool receives);
  [[nodiscard]] tl::unexpected<Error> refused(long error, const char* attempt) const;
  void close_all();
  template <class... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (config_.log != nullptr) config_.log->write(level, format, std::forward<Args>(args)...);
  }

  // ofi_connect.cpp
  [[nodiscard]] std::string way_to(const Endpoint& endpoint) const;
  Endpoint& make_endpoint(PeerName peer);
  void begin(Endpoint& endpoint);
  [[nodiscard]] ofi::Hello hello_to(Endpoint& endpoint);
  void take_hello(Endpoint& endpoint, const ofi::Hello& hello);
  void watch(int fd, std::uint64_t token, bool writable);
  void look_at_lines();
  void on_event(std::uint64_t token, std::uint32_t events);
  void accept_guests();
  void on_guest(int fd);
  void on_request(ofi::Line line, const ofi::Hello& hello);
  void on_line(Endpoint& endpoint, std::uint32_t events);
  void on_answer(Endpoint& endpoint, const ofi::Hello& hello);
  void on_line_end(Endpoint& endpoint, int error);
  void say(Endpoint& endpoint, ofi::LineKind kind, std::uint64_t count);
  void say(Endpoint& endpoint, std::span<const std::byte> bytes);
  void hear(Endpoint& endpoint, const ofi::LineMessage& message);
  void see_goodbye(Endpoint& endpoint);
  void set_timer(Endpoint& endpoint, std::uint64_t ms);
  void check_timers();
  void fail_endpoint(Endpoint& endpoint, std::string words);
  void flush_opens();

  // ofi_post.cpp
  [[nodiscard]] bool post_one(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_send(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_put(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] bool post_get(Endpoint& endpoint, const Operation& operation);
  [[nodiscard]] std::size_t post_closed(Endpoint& endpoint, std::span<const Operation> operations);
  [[nodiscard]] bool send_message(Endpoint& endpoint, ofi::Header header,
                                  std::span<const Piece> pieces);
  [[nodiscard]] bool send_notification(Endpoint& endpoint, std::uint32_t value);
  [[nodiscard]] bool transfer(Endpoint& endpoint, const Operation& operation, bool remote_data);
  [[nodiscard]] bool has_credit(Endpoint& endpoint);
  [[nodiscard]] bool took(Endpoint& endpoint, long result, Request* request, const char* what);
  void complete(const Endpoint& endpoint, std::uint64_t cookie, int status);
  void event(CompletionKind kind, EndpointId endpoint, int status, std::uint64_t cookie = 0);

  // ofi_poll.cpp
  [[nodiscard]] std::size_t take_events(std::span<Completion> out);
  [[nodiscard]] std::size_t read_completions(std::span<Completion> out);
  [[nodiscard]] bool on_completion(const fi_cq_data_entry& entry, Completion& out);
  [[nodiscard]] bool on_message(Request& slot, std::size_t bytes, Completion& out);
  void on_open(Endpoint& endpoint);
  [[nodiscard]] bool on_remote_data(std::uint64_t data, Completion& out);
  void on_done(Request& request, int status, const std::string& words);
  void read_error();
  void repost();
  [[nodiscard]] bool quiet();
  void flush_notices();
  [[nodiscard]] bool lines_due(bool idle);

  // ofi_credits.cpp
  void lend_first(Endpoint& endpoint);
  void owe(Endpoint& endpoint);
  [[nodiscard]] std::uint32_t take_owed(Endpoint& endpoint);
  void put_back(Endpoint& endpoint, std::uint32_t credits);
  void note_due(Endpoint& endpoint);
  void queue_up(Endpoint& endpoint);
  void give(Endpoint& endpoint);
  void flush_credits();
  void wish(Endpoint& endpoint);
  void on_credits(Endpoint& endpoint, std::uint64_t count);
  void on_wish(Endpoint& endpoint);
  void on_recall(Endpoint& endpoint);
  void on_give_back(Endpoint& endpoint, std::uint64_t count);
  void recall_some();
  void serve_needy();
  void release_lease(Endpoint& endpoint);

  OfiConfig config_;
  ofi::Api api_;
  OfiCounters counters_;
  Caps caps_;
  std::string description_;

  ofi::Info info_;
  ofi::Owned<fid_fabric> fabric_;
  ofi::Owned<fid_domain> domain_;
  ofi::Owned<fid_av> peers_;
  ofi::Owned<fid_wait> wait_set_;  ///< of the queue; null: it has a descriptor of its own
  ofi::Owned<fid_cq> queue_;
  std::vector<ofi::Owned<fid_mr>> memory_;  ///< of buffers
  ofi::Owned<fid_mr> all_memory_;
  ofi::Owned<fid_ep> endpoint_;
  std::vector<std::byte> fabric_address_;
  bool remote_data_ = false;

  net::Place place_;  ///< at the interface
  shm::Fd listener_;
  shm::Fd kick_;    ///< an eventfd: readable when armed and something is there already
  shm::Fd events_;  ///< an epoll set: lines, the listener, kick_, the completion queue
  bool armed_ = false;
  net::Shortage shortage_;  ///< of descriptors, told once
  unsigned until_lines_ = 0;

  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::unordered_map<PeerName, EndpointId> by_name_;
  std::unordered_map<int, ofi::Line> guests_;  ///< accepted, and not known yet, by descriptor
  std::size_t settling_ = 0;                   ///< endpoints between their first step and open
  std::vector<EndpointId> opens_due_;          ///< a MessageKind::open is to be sent
  std::vector<EndpointId> timed_;              ///< have a deadline

  std::deque<Request> requests_;
  std::vector<std::unique_ptr<std::byte[]>> buffers_;
  std::vector<Request*> free_sends_;      ///< with a buffer
  std::vector<Request*> free_transfers_;  ///< without
  std::vector<Request*> to_repost_;       ///< receives; those of the last poll among them
  std::size_t under_way_ = 0;             ///< sends and transfers, without forgotten ones
  std::deque<std::pair<EndpointId, std::uint32_t>> notices_due_;  ///< behind writes that are done
  std::deque<Completion> ready_;

  std::size_t receive_slots_ = 0;
  std::size_t unleased_ = 0;
  std::vector<EndpointId> credit_due_;
  std::deque<EndpointId> needy_;  ///< have wished and got nothing
  std::uint64_t needy_since_ns_ = 0;
  std::size_t next_recall_ = 0;
};

}  // namespace remit
