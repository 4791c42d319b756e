// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parts of the engine that own records, each by itself.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "pt2pt/peer.hpp"
#include "pt2pt/transfer_table.hpp"
#include "pt2pt/unexpected_store.hpp"

namespace remit::testing {
namespace {

TEST(TransferTable, HandlesOfPeersReachTheirOwn) {
  TransferTable table;
  Peer near(ProcId{1}), far(ProcId{2});
  Request send(RequestKind::send), receive(RequestKind::receive);
  Transfer& sending = table.begin_send(near, send, TransferKind::await_ack);
  EXPECT_EQ(send.place, RequestPlace::transfer);
  EXPECT_EQ(send.transfer, TransferTable::handle_of(sending));
  EXPECT_EQ(table.find(near, send.transfer), &sending);
  EXPECT_EQ(table.find(far, send.transfer), nullptr) << "of another peer";
  EXPECT_EQ(table.find(near, ~SlabHandle{0}), nullptr);

  Transfer& receiving = table.begin_receive(far, nullptr, 77);
  EXPECT_EQ(receiving.remote_handle, SlabHandle{77});
  TransferTable::adopt(receiving, receive);
  EXPECT_EQ(table.find(far, receive.transfer), &receiving);
  EXPECT_EQ(table.live(), 2U);
  EXPECT_EQ(table.sends(), 1U);

  const SlabHandle stale = send.transfer;
  table.end(sending);
  EXPECT_EQ(table.sends(), 0U);
  EXPECT_EQ(table.get(stale), nullptr);
  table.begin_send(near, send, TransferKind::await_answer);
  EXPECT_EQ(table.get(stale), nullptr) << "no later transfer has its name";
  std::vector<const Peer*> all;
  const TransferTable& same = table;
  same.for_each([&](const Transfer& transfer) { all.push_back(transfer.peer); });
  EXPECT_EQ(all.size(), 2U);
  table.for_each([&](Transfer& transfer) { table.end(transfer); });
  EXPECT_EQ(table.live(), 0U);
}

TEST(UnexpectedStore, CountsWhatItHolds) {
  UnexpectedStore store(100 * kUnitBytes);
  EXPECT_EQ(store.bytes(), 0U);
  Unexpected& bare = store.add({1, 2, 3}, 5000);
  EXPECT_EQ(store.bytes(), sizeof(Unexpected)) << "its data are at its sender";
  EXPECT_EQ(bare.key(), (MatchKey{1, 2, 3}));
  Unexpected& whole = store.add({1, 2, 4}, kUnitBytes + 1);
  store.hold_data(whole);
  EXPECT_EQ(store.bytes(), 2 * sizeof(Unexpected) + 2 * kUnitBytes);
  store.free(whole);
  store.free(bare);
  EXPECT_EQ(store.bytes(), 0U);
  EXPECT_EQ(store.peak(), 2 * sizeof(Unexpected) + 2 * kUnitBytes);
  store.hold_data(store.add({}, 10));  // freed with the store
}

}  // namespace
}  // namespace remit::testing
