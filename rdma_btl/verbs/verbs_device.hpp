// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device: InfiniBand, RoCE and iWARP adapters through libibverbs and librdmacm.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rdma_btl/eager_sends.hpp"
#include "rdma_btl/verbs/parts.hpp"

namespace remit {

/// One reliable connected queue pair a peer, made by rdma_cm at the first contact; one completion
/// queue and one shared receive queue a process. One thread.
///
/// Receives are leased to peers as credits, strictly: what a peer may send has its receive
/// (verbs::Lending). A send and a notification use one each; they come back with messages the other
/// way, or by a message of the device itself when half of a lease is owed. A sender keeps its last
/// credit for such a message or a recall, so two processes never wait for each other. The pool is
/// of one size however many peers there are: credits of silent ones are called back.
///
/// The work is done by the parts (verbs/parts.hpp).
class VerbsDevice final : public EagerSends, public Device {
 public:
  /// Fails with words for the user if there is no adapter or it cannot be used.
  [[nodiscard]] static Expected<std::unique_ptr<VerbsDevice>> create(const VerbsConfig& config);
  /// One line for remit_info: which adapter would be used and why; or why none.
  [[nodiscard]] static Expected<std::string> survey(const VerbsConfig& config);
  /// Says goodbye to its peers, for which it waits five seconds at most.
  ~VerbsDevice() override;
  VerbsDevice(const VerbsDevice&) = delete;
  VerbsDevice& operator=(const VerbsDevice&) = delete;

  [[nodiscard]] const Caps& caps() const override { return parts_.adapter.caps(); }
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
  void arm() override { parts_.progress.arm(); }
  void disarm() override { parts_.progress.disarm(); }
  [[nodiscard]] int wait_fd() const override { return parts_.adapter.wakeup().fd(); }
  [[nodiscard]] int max_sleep_ms() const override;
  [[nodiscard]] bool flushed() const override { return parts_.progress.flushed(); }
  [[nodiscard]] std::string explain(EndpointId endpoint) const override;

  [[nodiscard]] std::vector<Statistic> statistics() const override;
  [[nodiscard]] EagerPath* eager_path() override { return this; }

  [[nodiscard]] VerbsCounters counters() const;
  /// "rxe0 port 1, 10.9.0.1 (eth0), GID 1 ...: why".
  [[nodiscard]] const std::string& description() const { return parts_.adapter.description(); }
  /// The adapter that it uses.
  [[nodiscard]] const verbs::OpenedAdapter& adapter() const { return parts_.adapter; }
  /// True once operations are accepted.
  [[nodiscard]] bool connected(EndpointId endpoint) const;
  /// Ends every connection without a goodbye, as if the process had been killed. For tests.
  void abort();
  /// Acts as if the adapter had reported this about the endpoint's queue pair. For tests.
  void pretend(EndpointId endpoint, ibv_event_type event);
  /// Takes so many credits that the peer has not lent, as if the counting were wrong. For tests.
  void pretend_credits(EndpointId endpoint, std::uint32_t credits);

 private:
  explicit VerbsDevice(const VerbsConfig& config) : parts_(config) {}
  [[nodiscard]] Expected<> open();
  [[nodiscard]] std::size_t post_closed(verbs::Endpoint& endpoint,
                                        std::span<const Operation> operations);
  void send_other(verbs::Endpoint& endpoint, SendHead head, const void* data, std::size_t length,
                  PendingQueue& refused);
  void say_goodbye();

  verbs::Parts parts_;
};

}  // namespace remit
