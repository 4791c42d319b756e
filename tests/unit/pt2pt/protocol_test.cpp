// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The protocol table of devices that exist only on paper.
#include "pt2pt/protocol.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pt2pt/address_blob.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kEnd = ~std::size_t{0};

Caps adapter() {
  Caps caps;
  caps.name = "paper";
  caps.max_inline = 200;
  caps.max_send = 16384;
  caps.max_message = std::size_t{1} << 30;
  caps.max_pieces = 8;
  caps.latency_ns = 1000;
  caps.overhead_ns = 1500;
  caps.bandwidth = 12.5e9;
  caps.has_put = caps.has_get = true;
  caps.notify = NotifyMode::immediate;
  return caps;
}

ProtocolOptions options() {
  return ProtocolOptions::from(Params{});
}

std::vector<Protocol> order(const ProtocolTable& table, LayoutClass layout) {
  std::vector<Protocol> out;
  for (const ProtocolRow& row : table.rows(layout)) out.push_back(row.protocol);
  return out;
}

TEST(ProtocolTable, FullAdapter) {
  const ProtocolTable table(adapter(), options());
  EXPECT_EQ(order(table, LayoutClass::contiguous),
            (std::vector{Protocol::inline_eager, Protocol::eager, Protocol::rendezvous_get}));
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 0), Protocol::inline_eager);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 184), Protocol::inline_eager);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 185), Protocol::eager);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 8192), Protocol::eager);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 8193), Protocol::rendezvous_get);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, kEnd), Protocol::rendezvous_get);
  EXPECT_EQ(table.eager_below(LayoutClass::contiguous), 8193U);
  EXPECT_EQ(order(table, LayoutClass::scattered),
            (std::vector{Protocol::eager, Protocol::pipelined}));
  EXPECT_EQ(order(table, LayoutClass::long_runs),
            (std::vector{Protocol::eager, Protocol::rendezvous_put}));
}

TEST(ProtocolTable, SlowGetsYieldToPuts) {
  Caps caps = adapter();
  caps.get_slowdown = 1.3;
  const ProtocolTable table(caps, options());
  EXPECT_EQ(table.choose(LayoutClass::contiguous, kEnd), Protocol::rendezvous_put);
  caps.has_put = false;
  EXPECT_EQ(ProtocolTable(caps, options()).choose(LayoutClass::contiguous, kEnd),
            Protocol::rendezvous_get);
}

TEST(ProtocolTable, WhatTheDeviceLacksIsNotChosen) {
  Caps caps = adapter();
  caps.has_get = false;
  EXPECT_EQ(ProtocolTable(caps, options()).choose(LayoutClass::contiguous, kEnd),
            Protocol::rendezvous_put);
  caps.max_pieces = 3;  // too few for lists
  EXPECT_EQ(ProtocolTable(caps, options()).choose(LayoutClass::long_runs, kEnd),
            Protocol::pipelined);
  caps.notify = NotifyMode::none;
  EXPECT_EQ(ProtocolTable(caps, options()).choose(LayoutClass::contiguous, kEnd),
            Protocol::pipelined);
  caps.max_inline = 0;
  caps.max_send = 1024;
  const ProtocolTable table(caps, options());
  EXPECT_EQ(order(table, LayoutClass::contiguous),
            (std::vector{Protocol::eager, Protocol::pipelined}));
  EXPECT_EQ(table.eager_below(LayoutClass::contiguous), 1024U - 24 + 1);
}

TEST(ProtocolTable, ParametersDecide) {
  Params params;
  ASSERT_TRUE(params.set("rendezvous", "put"));
  ASSERT_TRUE(params.set("eager_limit", "1k"));
  const ProtocolTable table(adapter(), ProtocolOptions::from(params));
  EXPECT_EQ(table.eager_below(LayoutClass::contiguous), 1025U);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, kEnd), Protocol::rendezvous_put);
  ASSERT_TRUE(params.set("rendezvous", "pipelined"));
  ASSERT_TRUE(params.set("eager_limit", "0"));
  const ProtocolTable none(adapter(), ProtocolOptions::from(params));
  EXPECT_EQ(none.choose(LayoutClass::contiguous, 1), Protocol::pipelined);
  EXPECT_FALSE(params.set("rendezvous", "gett"));
}

TEST(ProtocolTable, CheaperRendezvousTakesOverBeforeTheLimit) {
  Caps caps = adapter();
  caps.latency_ns = 10;
  caps.overhead_ns = 100;
  const ProtocolTable table(caps, options());
  // eager costs 10 + 0.18 n, get 110 + 0.08 n.
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 990), Protocol::eager);
  EXPECT_EQ(table.choose(LayoutClass::contiguous, 1010), Protocol::rendezvous_get);
}

TEST(AddressBlob, OnlyItsOwnBytesAreOne) {
  const AddressBlob blob{7, {{"shm", std::vector<std::byte>(9, std::byte{1})}, {"verbs", {}}}};
  std::vector<std::byte> bytes = encode(blob);
  const Expected<AddressBlob> read = decode(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->first_window, 7U);
  EXPECT_EQ(encode(*read), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(std::span(bytes).first(size)).has_value()) << size;
  }
  bytes.push_back(std::byte{});
  EXPECT_FALSE(decode(bytes).has_value());
}

TEST(LowerEnvelope, IsTheCheapestEverywhere) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 300; ++round) {
    std::vector<CostCurve> curves;
    const auto real = [&](int bound) {
      return static_cast<double>(random() % static_cast<unsigned>(bound));
    };
    for (int i = 0; i < 4; ++i) {
      curves.push_back({static_cast<Protocol>(i), real(1000), real(100) / 100, 0, random() % 5000});
    }
    curves.push_back({Protocol::pipelined, 500 + real(2000), 0.01 + real(100) / 100, 0, kEnd});
    const std::vector<ProtocolRow> rows = lower_envelope(curves);
    ASSERT_EQ(rows.front().from_bytes, 0U);
    ASSERT_EQ(rows.back().to_bytes, kEnd);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].from_bytes, rows[i - 1].to_bytes + 1);
      ASSERT_NE(rows[i].protocol, rows[i - 1].protocol);
    }
    for (int probe = 0; probe < 100; ++probe) {
      const std::size_t bytes = random() % 8000;
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const ProtocolRow& r) { return bytes <= r.to_bytes; });
      double best = 1e300, chosen = 1e300;
      for (const CostCurve& c : curves) {
        if (bytes > c.max_bytes) continue;
        const double cost = c.base_ns + c.ns_per_byte * static_cast<double>(bytes);
        best = std::min(best, cost);
        if (c.protocol == row->protocol) chosen = cost;
      }
      ASSERT_NEAR(chosen, best, 1e-6) << "round " << round << ", " << bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace remit::testing
