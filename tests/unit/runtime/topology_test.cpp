// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The topology of a host, mostly of machines that exist only as a description.
#include "runtime/topology.hpp"

#include <gtest/gtest.h>

#include "runtime/bootstrap/singleton_bootstrap.hpp"

namespace remit {
namespace {

constexpr const char* kTwoPackages = "pack:2 numa:1 l3:2 core:2 pu:2";

TEST(HostTopology, CountsObjects) {
  const auto host = HostTopology::synthetic(kTwoPackages);
  ASSERT_TRUE(host) << host.error().message;
  EXPECT_EQ(host->packages(), 2);
  EXPECT_EQ(host->numa_nodes(), 2);
  EXPECT_EQ(host->cores(), 8);
  EXPECT_EQ(host->processors(), 16);
}

TEST(HostTopology, LocalityOfProcessors) {
  const auto host = HostTopology::synthetic(kTwoPackages);
  ASSERT_TRUE(host);
  EXPECT_EQ(host->locality({0}, {1}), Locality::same_core);
  EXPECT_EQ(host->locality({0}, {2}), Locality::same_cache);
  EXPECT_EQ(host->locality({0}, {4}), Locality::same_numa);
  EXPECT_EQ(host->locality({0}, {8}), Locality::same_host);
  EXPECT_EQ(host->locality({0}, {}), Locality::same_host) << "not bound";
  const auto numa_inside = HostTopology::synthetic("pack:2 group:2 numa:1 core:2 pu:1");
  ASSERT_TRUE(numa_inside);
  EXPECT_EQ(numa_inside->locality({0}, {2}), Locality::same_package);
}

TEST(HostTopology, NumaNodesOfASet) {
  const auto host = HostTopology::synthetic(kTwoPackages);
  ASSERT_TRUE(host);
  EXPECT_EQ(host->numa_nodes_of({3}), (std::vector<int>{0}));
  EXPECT_EQ(host->numa_nodes_of({3, 9}), (std::vector<int>{0, 1}));
  EXPECT_EQ(host->numa_nodes_of({}), (std::vector<int>{0, 1}));
}

TEST(HostTopology, TravelsAsXml) {
  const auto host = HostTopology::synthetic(kTwoPackages);
  ASSERT_TRUE(host);
  const auto copy = HostTopology::from_xml(host->to_xml());
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->processors(), 16);
  EXPECT_EQ(copy->locality({0}, {8}), Locality::same_host);
  EXPECT_FALSE(HostTopology::from_xml("<nonsense/>"));
  EXPECT_FALSE(HostTopology::synthetic("nonsense"));
}

TEST(HostTopology, DiscoversThisHost) {
  auto alone = make_singleton_bootstrap();
  const auto host = HostTopology::open(*alone);
  ASSERT_TRUE(host) << host.error().message;
  EXPECT_GE(host->processors(), 1);
  const std::vector<int> allowed = allowed_processors();
  ASSERT_FALSE(allowed.empty());
  EXPECT_FALSE(host->numa_nodes_of(allowed).empty());
}

}  // namespace
}  // namespace remit
