// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The suite that every device over an IP network passes beside DeviceSuite, on the loopback: first
// contact, strangers, ends. A device's test gives a Kind:
//
//   struct Kind {
//     using Real = TcpDevice;          // the device
//     static TcpConfig config(PeerName name);
//   };
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string>

#include "rdma_btl/net/address_book.hpp"
#include "rdma_btl/net/interfaces.hpp"
#include "tests/unit/rdma_btl/device_nodes.hpp"

namespace remit::testing {

template <class Kind>
class IpDeviceSuite : public NodesTest<typename Kind::Real> {
 protected:
  using Real = typename Kind::Real;
  Real& add(PeerName name) { return NodesTest<Real>::add(Kind::config(name)); }
};
TYPED_TEST_SUITE_P(IpDeviceSuite);

TYPED_TEST_P(IpDeviceSuite, MessagesToItself) {
  Node& self = (this->add(0), this->node(0));
  const EndpointId endpoint = self.connect(self);
  for (std::uint32_t i = 0; i < 1000; ++i) self.send(endpoint, std::as_bytes(std::span(&i, 1)));
  Buffer from(self.device, 100000);
  Buffer to(self.device, 100000);
  fill_pattern(from.bytes(), 3);
  const Piece piece = from.piece();
  (void)self.start(endpoint, notifying(put_of({&piece, 1}, to.remote()), 17));
  const std::uint64_t confirmed = self.start(endpoint, confirm_of_all());
  ASSERT_TRUE(this->wait_until([&] { return self.done(confirmed); }));
  EXPECT_EQ(self.completed[confirmed], MPI_SUCCESS);
  EXPECT_EQ(find_mismatch(to.bytes(), 3), -1);
  ASSERT_TRUE(this->wait_until(
      [&] { return self.receives.size() == 1000 && self.notifications.size() == 1; }));
  EXPECT_EQ(find_mismatch(to.bytes(), 3), -1);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(std::memcmp(self.receives[i].data.data(), &i, sizeof i), 0);
  }
}

TYPED_TEST_P(IpDeviceSuite, WhoOnlyWaitsHearsOfADeath) {
  this->add(0);
  this->add(1);
  this->talk(0, 1);
  this->device(1).abort();
  this->nodes_[1].reset();
  ASSERT_TRUE(
      this->wait_until([&] { return !this->node(0).failures.empty(); }, std::chrono::seconds(20)));
  const std::string words = this->device(0).explain(0);
  EXPECT_NE(words.find("process 1 on host "), std::string::npos) << words;
  EXPECT_NE(words.find("its process has ended"), std::string::npos) << words;
  EXPECT_TRUE(this->node(0).departures.empty());
}

/// Else who waits for a message would never sleep.
TYPED_TEST_P(IpDeviceSuite, TheDescriptorOfAnIdleDeviceIsQuiet) {
  this->add(0);
  this->add(1);
  for (int i = 0; i < 100; ++i) this->talk(0, 1);
  for (const std::size_t index : {0, 1}) {
    Device& idle = this->device(index);
    bool quiet = false;
    for (int tries = 0; !quiet && tries < 1000; ++tries) {
      idle.arm();
      (void)this->node(index).progress();
      pollfd waiting{idle.wait_fd(), POLLIN, 0};
      quiet = ::poll(&waiting, 1, 0) == 0;
      idle.disarm();
      (void)this->node(index).progress();
    }
    EXPECT_TRUE(quiet) << index;
  }
}

TYPED_TEST_P(IpDeviceSuite, WhoLeavesInOrderIsNoFailure) {
  this->add(0);
  this->add(1);
  this->talk(0, 1);
  const Bytes data(3000, std::byte{5});
  for (int i = 0; i < 6; ++i) this->node(1).send(0, data);
  this->close(1);
  ASSERT_TRUE(this->wait_until([&] { return !this->node(0).departures.empty(); }));
  EXPECT_EQ(this->node(0).receives.size(), 6U) << "all that was sent before comes first";
  EXPECT_TRUE(this->node(0).failures.empty());
}

TYPED_TEST_P(IpDeviceSuite, NobodyListensThere) {
  this->add(0);
  this->add(1);
  const Bytes address = this->device(1).local_address();
  this->close(1);
  const Expected<EndpointId> endpoint = this->device(0).connect(1, address);
  ASSERT_TRUE(endpoint.has_value()) << endpoint.error().message;
  ASSERT_TRUE(this->wait_until([&] { return !this->node(0).failures.empty(); }));
  const std::string words = this->device(0).explain(*endpoint);
  EXPECT_NE(words.find("Connection refused"), std::string::npos) << words;
  EXPECT_NE(words.find("process 1 on host "), std::string::npos) << words;
  EXPECT_NE(words.find("127.0.0.1:"), std::string::npos) << words;
}

TYPED_TEST_P(IpDeviceSuite, StrangersAreTurnedAway) {
  this->add(0);
  auto other = TypeParam::config(1);
  other.job = 4712;
  this->NodesTest<typename TypeParam::Real>::add(other);
  EXPECT_FALSE(this->device(0).reachable(this->device(1).local_address()));
  net::Address address;
  const Bytes bytes = this->device(0).local_address();
  std::memcpy(&address, bytes.data(), sizeof address);

  // Garbage, and nothing at all.
  sockaddr_storage to = net::address_of(address.family, address.ip.data());
  net::set_port(to, address.port);
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{5000}}) {
    const shm::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), net::length_of(to)), 0);
    const std::string garbage(length, 'G');
    ASSERT_EQ(::send(socket.get(), garbage.data(), length, MSG_NOSIGNAL),
              static_cast<ssize_t>(length));
    (void)this->wait_until([] { return false; }, std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(this->wait_until([&] { return this->device(0).counters().rejected != 0; }));
  EXPECT_EQ(this->device(0).counters().rejected, 1U) << "the one that was long enough";

  // A process of another job that has got hold of the address.
  Bytes forged = bytes;
  address.job = 4712;
  std::memcpy(forged.data(), &address, sizeof address);
  ASSERT_TRUE(this->device(1).connect(0, forged).has_value());
  ASSERT_TRUE(this->wait_until([&] { return !this->node(1).failures.empty(); }));
  EXPECT_EQ(this->device(0).counters().rejected, 2U);
  EXPECT_TRUE(this->node(0).failures.empty());
  this->add(2);
  this->talk(0, 2);
}

TYPED_TEST_P(IpDeviceSuite, AllConnectAtOnce) {
  constexpr std::size_t kNodes = 12;
  for (std::size_t i = 0; i < kNodes; ++i) this->add(i);
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t j = 0; j < kNodes; ++j) {
      if (i != j)
        this->node(i).send(this->node(i).connect(this->node(j)), std::as_bytes(std::span("all")));
    }
  }
  ASSERT_TRUE(this->wait_until([&] {
    return std::ranges::all_of(this->nodes_,
                               [](const auto& n) { return n->receives.size() == kNodes - 1; });
  }));
  for (const auto& device : this->devices_) {
    EXPECT_EQ(device->counters().connections, kNodes - 1);
    EXPECT_EQ(device->counters().rejected, 0U);
  }
}

REGISTER_TYPED_TEST_SUITE_P(IpDeviceSuite, MessagesToItself, WhoOnlyWaitsHearsOfADeath,
                            TheDescriptorOfAnIdleDeviceIsQuiet, WhoLeavesInOrderIsNoFailure,
                            NobodyListensThere, StrangersAreTurnedAway, AllConnectAtOnce);

}  // namespace remit::testing
