// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: networks that libfabric reaches, above all TCP between hosts without RDMA.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rdma_btl/common/own_completions.hpp"
#include "rdma_btl/ofi/contacts.hpp"
#include "rdma_btl/ofi/fabric.hpp"
#include "rdma_btl/ofi/lender.hpp"
#include "rdma_btl/ofi/lifecycle.hpp"
#include "rdma_btl/ofi/lines.hpp"
#include "rdma_btl/ofi/ofi_config.hpp"
#include "rdma_btl/ofi/receiver.hpp"
#include "rdma_btl/ofi/request_pool.hpp"
#include "rdma_btl/ofi/sender.hpp"

namespace remit {

/// One reliable-datagram endpoint of libfabric, one completion queue and one set of receive buffers
/// a process, whatever the number of peers. One thread.
///
/// Beside it a *line* to each peer that was talked to: a plain TCP connection, made at the first
/// contact. Over it two processes tell each other their addresses of libfabric and who they are,
/// return credits when no message is there to carry them, and say goodbye; and its kernels notice
/// when a process or a host is gone, which libfabric's reliable datagrams do not say.
///
/// Its parts, of which each knows those before it:
///   ofi::Fabric       what is open of libfabric
///   ofi::RequestPool  what libfabric has to do, and the buffers of messages
///   ofi::Lines        the lines
///   ofi::Lender       credits: receives are leased to peers, strictly
///   ofi::Lifecycle    how endpoints fail and are closed
///   ofi::Sender       messages, puts and gets
///   ofi::Contacts     first contact
///   ofi::Receiver     the completion queue
class OfiDevice final : public Device {
 public:
  /// Fails with words for the user if there is no libfabric, provider or interface.
  [[nodiscard]] static Expected<std::unique_ptr<OfiDevice>> create(const OfiConfig& config);
  /// One line for remit_info: which provider and interface would be used and why; or why none.
  [[nodiscard]] static Expected<std::string> survey(const OfiConfig& config);
  /// Whether this host has an adapter of a network that only libfabric reaches.
  [[nodiscard]] static bool any_adapter() { return ofi::any_adapter(); }
  /// Lets everything leave, for which it waits five seconds at most, and says goodbye to its peers.
  ~OfiDevice() override;

  [[nodiscard]] const Caps& caps() const override { return caps_; }
  [[nodiscard]] std::vector<std::byte> local_address() const override {
    return lines_.addresses().published();
  }
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const override {
    return lines_.addresses().reaches(address);
  }
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer,
                                             std::span<const std::byte> address) override {
    return contacts_.connect(peer, address);
  }
  [[nodiscard]] PeerName peer(EndpointId endpoint) const override {
    return endpoints_[endpoint].peer;
  }
  [[nodiscard]] Expected<Region> register_memory(void* address, std::size_t length,
                                                 Access access) override;
  void deregister(const Region& /*region*/) override {}
  [[nodiscard]] std::size_t post(EndpointId endpoint,
                                 std::span<const Operation> operations) override {
    return sender_.post(endpoints_[endpoint], operations);
  }
  [[nodiscard]] std::size_t poll(std::span<Completion> out) override;
  void arm() override;
  void disarm() override { lines_.disarm(); }
  [[nodiscard]] int wait_fd() const override { return lines_.fd(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override;
  [[nodiscard]] std::string explain(EndpointId endpoint) const override {
    return endpoints_[endpoint].words;
  }
  [[nodiscard]] std::vector<Statistic> statistics() const override;

  /// Which provider and interface, and why.
  [[nodiscard]] const std::string& description() const { return fabric_.description(); }
  [[nodiscard]] const OfiCounters& counters() const { return counters_; }
  [[nodiscard]] bool connected(EndpointId endpoint) const {
    return endpoints_[endpoint].state == ofi::State::open;
  }
  /// As if the process had died: no goodbye.
  void abort();

 private:
  OfiDevice(const OfiConfig& config, const ofi::Api& api);
  [[nodiscard]] Expected<> open(ofi::Plan& plan);
  void close();

  OfiConfig config_;
  OfiCounters counters_;
  Caps caps_;
  ofi::Fabric fabric_;
  OwnCompletions own_;
  ofi::Endpoints endpoints_;
  ofi::RequestPool requests_;
  ofi::Lines lines_;
  ofi::Lender lender_;
  ofi::Lifecycle lifecycle_;
  ofi::Sender sender_;
  ofi::Contacts contacts_;
  ofi::Receiver receiver_;
};

}  // namespace remit
