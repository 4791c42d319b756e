// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device: the kernel's TCP, for hosts without a network that can do more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/eager_sends.hpp"
#include "rdma_btl/net/interfaces.hpp"
#include "rdma_btl/tcp/connections.hpp"
#include "rdma_btl/tcp/reader.hpp"
#include "rdma_btl/tcp/sender.hpp"
#include "rdma_btl/tcp/tcp_config.hpp"

namespace remit {

/// One connection to each peer that was talked to, made at the first contact. One thread.
///
/// What is sent is a row of frames (wire.hpp). A send goes to the kernel at once. Long data are cut
/// into segments between which sends slip in, and travel without a copy of ours: from the memory
/// that they are in, into the memory that they are for.
///
/// Its parts: Connections make and end connections, a Sender turns operations into frames, a Reader
/// acts upon frames that arrive, a ReadScheduler says which connections are read when.
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
  [[nodiscard]] int wait_fd() const override { return set_.fd(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;
  [[nodiscard]] std::vector<Statistic> statistics() const override;
  [[nodiscard]] EagerPath* eager_path() override { return this; }

  /// Which interface, and why.
  [[nodiscard]] const std::string& description() const { return local_.description; }
  [[nodiscard]] const TcpCounters& counters() const { return counters_; }
  /// The congestion control of an open connection.
  [[nodiscard]] std::string congestion(EndpointId endpoint) const;
  /// As if the process had died: no goodbye.
  void abort();

 private:
  explicit TcpDevice(const TcpConfig& config);
  [[nodiscard]] Expected<> open(const net::Choice& choice);
  [[nodiscard]] bool accept(tcp::Endpoint& endpoint, const Operation& operation, bool is_first);
  [[nodiscard]] std::size_t look_around(std::span<Completion> out);

  Caps caps_;
  TcpCounters counters_;
  tcp::LocalProcess local_;
  OwnCompletions own_;
  tcp::EpollSet set_;
  bool armed_ = false;
  tcp::ReadScheduler scheduler_;
  tcp::Connections connections_{local_, counters_, own_, set_, scheduler_};
  tcp::Sender sender_{local_, counters_, own_, set_, scheduler_};
  tcp::Reader reader_{local_, counters_, connections_, sender_, scheduler_};
};

}  // namespace remit
