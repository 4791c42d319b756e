// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The choice of a network interface.
#include "rdma_btl/net/interfaces.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <string>
#include <vector>

namespace remit::testing {
namespace {

net::Interface interface(const char* name, const char* text, std::array<std::uint8_t, 4> ip) {
  net::Interface made;
  made.name = name;
  made.text = text;
  made.address = net::address_of(AF_INET, ip.data());
  made.up = true;
  return made;
}

class Interfaces : public ::testing::Test {
 protected:
  Interfaces() {
    all_[0].loopback = true;
    all_[1].local_bridge = true;
    all_[2].link_local = true;
    all_[4].bandwidth = 2.5e9;
    all_[5].up = false;
    all_[5].bandwidth = 1e10;
  }
  std::string chosen(std::string_view wanted = "") {
    const Expected<net::Choice> choice = net::choose_interface(all_, wanted);
    if (!choice) return "error: " + choice.error().message;
    why_ = choice->why;
    return choice->interface.name;
  }
  std::vector<net::Interface> all_ = {
      interface("lo", "127.0.0.1", {127, 0, 0, 1}),
      interface("docker0", "172.17.0.1", {172, 17, 0, 1}),
      interface("eth2", "169.254.3.4", {169, 254, 3, 4}),
      interface("eth0", "10.0.0.1", {10, 0, 0, 1}),
      interface("eth1", "10.1.0.1", {10, 1, 0, 1}),
      interface("eth3", "10.2.0.1", {10, 2, 0, 1}),
  };
  std::string why_;
};

TEST_F(Interfaces, TheFastestThatIsUp) {
  EXPECT_EQ(chosen(), "eth1");
  EXPECT_NE(why_.find("docker0 172.17.0.1 (a bridge of this host)"), std::string::npos) << why_;
  EXPECT_NE(why_.find("eth3 10.2.0.1 (down)"), std::string::npos) << why_;
  EXPECT_NE(why_.find("lo 127.0.0.1 (loopback)"), std::string::npos) << why_;
}

TEST_F(Interfaces, TheLessGoodOnlyWhenNothingElseIsLeft) {
  for (const char* next : {"eth0", "docker0", "eth2", "lo"}) {
    const std::string best = chosen();
    for (net::Interface& interface : all_) {
      if (interface.name == best) interface.up = false;
    }
    EXPECT_EQ(chosen(), next);
  }
  for (net::Interface& interface : all_) interface.up = false;
  EXPECT_EQ(chosen().substr(0, 6), "error:");
}

TEST_F(Interfaces, WhatIsWanted) {
  EXPECT_EQ(chosen("docker0"), "docker0");
  EXPECT_EQ(chosen("10.0.0.1"), "eth0");
  EXPECT_EQ(chosen("10.0.0.0/16"), "eth0");
  EXPECT_EQ(chosen("10.0.0.0/8"), "eth1");
  EXPECT_EQ(chosen("127.0.0.0/8"), "lo");
  EXPECT_EQ(chosen("0.0.0.0/0"), "eth1");
  for (const char* wrong :
       {"eth9", "10.0.0.2", "10.0.0.0/33", "10.0.0.0/x", "11.0.0.0/8", "eth3"}) {
    EXPECT_EQ(chosen(wrong).substr(0, 6), "error:") << wrong;
    EXPECT_NE(chosen(wrong).find("eth0 10.0.0.1"), std::string::npos) << "says what there is";
  }
}

}  // namespace
}  // namespace remit::testing
