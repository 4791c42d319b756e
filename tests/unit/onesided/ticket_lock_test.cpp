// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What can be seen of a lock from outside.
#include "onesided/synchronization/ticket_lock.hpp"

#include <gtest/gtest.h>

namespace remit {
namespace {

/// Whether a writer has it is known wherever the tickets have come to, also where they count round.
TEST(TicketLock, SaysWhetherItIsWritten) {
  for (const TicketLock::Ticket first : {0U, 7U, 0xffffffffU, 0xfffffffeU}) {
    TicketLock lock;
    lock.begin_at(first);
    EXPECT_FALSE(lock.written());
    EXPECT_FALSE(lock.in_use());
    TicketLock::Ticket ticket = 0;
    ASSERT_TRUE(lock.try_writer(ticket));
    EXPECT_TRUE(lock.written());
    const TicketLock::Ticket reader = lock.take_ticket();
    EXPECT_TRUE(lock.written()) << "somebody waits";
    lock.writer_leaves(ticket);
    ASSERT_TRUE(lock.let_reader_in(reader));
    EXPECT_FALSE(lock.written());
    EXPECT_TRUE(lock.in_use());
    const TicketLock::Ticket writer = lock.take_ticket();
    EXPECT_FALSE(lock.written()) << "readers are in, and a writer waits";
    lock.reader_leaves();
    EXPECT_TRUE(lock.writer_is_in(writer));
    EXPECT_TRUE(lock.written());
    lock.writer_leaves(writer);
    EXPECT_FALSE(lock.written());
    EXPECT_FALSE(lock.in_use());
  }
}

}  // namespace
}  // namespace remit
