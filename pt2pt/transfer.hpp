// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The engine's records of messages under way: those announced or awaiting an answer, and those
// that arrived before their receive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "links/device_memory.hpp"
#include "links/link_user.hpp"
#include "pt2pt/matching.hpp"
#include "pt2pt/memory_pool.hpp"
#include "pt2pt/request.hpp"
#include "pt2pt/wire.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/pool.hpp"

namespace remit {

struct Peer;

/// What a sender said of a message that waits there.
struct Announcement {
  std::size_t length = 0;
  SlabHandle sender = kNoSlabHandle;
  bool can_get = false;
  std::uint32_t put_chunk = 0;  ///< 0: the sender cannot put
  bool has_data = false;        ///< it is in `data`, and there is no `remote`
  RemoteAddress remote;
  std::array<std::byte, kRtsData> data = {};
};

enum class TransferKind : std::uint8_t {
  await_ack,        ///< sender: eager and synchronous, not matched yet
  await_answer,     ///< sender: announced; a cts, done or cancelled will come
  putting,          ///< sender: writes into the receiver's memory
  putting_pieces,   ///< sender: the same, gathered by the device
  sending,          ///< sender: fragments
  getting,          ///< receiver: reads into the user's memory
  getting_pieces,   ///< receiver: the same, scattered by the device
  getting_staged,   ///< receiver: reads into a staging buffer and unpacks
  put_target,       ///< receiver: waits for `outstanding` notifications
  fragment_target,  ///< receiver: unpacks fragments
};

/// Gets or puts of one message under way at a time.
inline constexpr std::uint32_t kOperationWindow = 4;

/// Runs of memory in one list.
inline constexpr std::size_t kMostRuns = 64;

/// The registrations of a message whose memory is registered piece by piece while it travels.
struct PinWindow {
  std::array<MemoryLease, kOperationWindow> leases;
  std::uint32_t busy = 0;  ///< a bit for each operation under way
  int bounced = -1;        ///< the operation that uses `bounce`; -1: none
  std::size_t bounced_from = 0;
  std::size_t bounced_bytes = 0;
  Staging bounce;
};

/// A message that needs more than one step. Its handle travels; the record never does.
struct Transfer {
  TransferKind kind = TransferKind::await_answer;
  bool is_send = false;
  bool failed = false;  ///< finishes with `error` as soon as nothing is outstanding
  bool stalls = false;  ///< what has come for it is noted, and will come again: it had no memory to
                        ///< go on
  int error = MPI_SUCCESS;
  Peer* peer = nullptr;
  Request* request = nullptr;
  SlabHandle remote_handle = kNoSlabHandle;
  std::uint32_t outstanding = 0;  ///< gets, puts or notifications under way
  std::uint32_t window = 0;       ///< fragments that may still be sent, or came since the last ack
  std::uint32_t chunk = 0;        ///< bytes of one get or put
  std::size_t length = 0;         ///< bytes that will move
  std::size_t next = 0;           ///< first byte not posted yet
  std::size_t done = 0;           ///< bytes unpacked
  RemoteAddress remote;
  MemoryLease memory;  ///< of the user's, holes between its runs included
  Staging staging;
  std::unique_ptr<PinWindow> pins;   ///< instead of `memory`
  Unexpected* unexpected = nullptr;  ///< fragment_target: into the pool, for this message
  MatchKey key;                      ///< sender: for cancel
  std::int64_t announced_ns = 0;     ///< sender: when, if somebody wants to know
};

/// Base of what improbe() hands out.
struct MatchedMessage {};

enum class UnexpectedKind : std::uint8_t {
  eager,      ///< its data is here
  announced,  ///< its data is at the sender
  arriving,   ///< announced, and on its way into the pool: `pull`
  from_self_eager,
  from_self,
};

/// A message that arrived before its receive.
struct Unexpected : UnexpectedLinks, MatchedMessage {
  UnexpectedKind kind = UnexpectedKind::eager;
  bool pulled = false;      ///< `units` are no sender's lease
  std::uint32_t units = 0;  ///< of the pool that it occupies
  std::size_t bytes = 0;
  std::byte* data = nullptr;    ///< eager: a block of the pool; null if bytes == 0
  Peer* peer = nullptr;         ///< null: from this process
  Request* request = nullptr;   ///< from_self: the send
  Transfer* pull = nullptr;     ///< arriving
  std::int64_t arrived_ns = 0;  ///< when its envelope came, if somebody wants to know
  Announcement announced;       ///< of eager synchronous messages only `sender`, else no handle
};
static_assert(sizeof(Unexpected) <= kRecordUnits * kUnitBytes);

}  // namespace remit
