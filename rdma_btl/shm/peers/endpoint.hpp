// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the shared-memory device knows of a peer.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/rings/layout.hpp"
#include "rdma_btl/shm/rings/ring.hpp"
#include "runtime/os/os.hpp"

namespace remit::shm {

/// The ring of a peer that this process reads, without the place where it reads (Scan).
struct Inbound {
  RingControl* control = nullptr;
  std::byte* area = nullptr;
  std::size_t area_size = 0;
  std::uint64_t area_end = 0;   ///< stream position behind the last piece consumed
  std::uint64_t published = 0;  ///< of it, as the peer knows
  Mapping mapping;
};

/// The shared heap of a peer, as far as it is known.
struct HeapMapping {
  Mapping mapping;
  std::uint64_t begin = 0;  ///< its address in the peer
  bool sought = false;      ///< once is enough
  bool awaited = false;     ///< the peer was asked, the answer has not come
};

/// One peer. What a send touches comes first. PeerTable owns it; of its parts FirstContact fills
/// in what a HELLO brings, PeerHealth ends it, and Sender and Receiver write the cursors of their
/// direction.
struct Endpoint {
  TxRing tx;
  /// What tells that the peer sleeps: in its home, or before that is known in our own ring.
  std::atomic<std::uint32_t>* sleep_word = nullptr;
  Cell* mailbox = nullptr;
  std::uint64_t writer = 0;  ///< what marks our messages there
  bool fence = true;         ///< order our stores before reading sleep_word ourselves
  bool mail = false;         ///< the mailbox is ours to write, and the caller reads nothing there
  bool shut = false;         ///< failed, or the peer left: PeerHealth::refuse(); no memory is ours

  bool failed = false;
  std::byte* mail_bytes = nullptr;  ///< kMailBytes, ours as the mailbox is
  std::atomic<std::uint64_t>* mail_filled = nullptr;
  /// The last message of the mailbox: the caller reads it here while the mailbox is written again.
  alignas(16) std::array<std::byte, kInline> letter;

  bool attached = false;      ///< the peer's HELLO came: its ring and home are mapped
  bool cma = false;           ///< direct copies work
  bool gone = false;          ///< the peer's process is gone, its last cells may be unread
  bool stays_mapped = false;  ///< somebody has pointers into the peer's memory
  bool hello_sent = false;
  EndpointId id = 0;
  std::uint32_t scan = 0;  ///< where Receiver reads its ring
  std::uint32_t jobs = 0;  ///< transfers to and from it that are under way
  pid_t pid = 0;
  PeerName peer = 0;
  ConfirmQueue confirms;
  std::uint16_t assists_used = 0;  ///< bit set: slot of our ring's control in use

  Inbound rx;
  Home* home = nullptr;  ///< the peer's

  SocketName socket;
  Fd event;  ///< the peer's: wakes it
  Fd tx_memory;
  Mapping tx_mapping;
  Mapping home_mapping;
  HeapMapping heap;
  std::string words;  ///< behind the last failure
};

/// An event made by software.
inline Completion event_of(CompletionKind kind, EndpointId endpoint, int status,
                           std::uint64_t cookie = 0, std::uint32_t notification = 0) {
  return {kind, status, endpoint, notification, cookie, {}};
}

/// Bytes of one step through a data area: what one side copies while the other copies what came
/// before.
inline constexpr std::size_t kStreamChunk = 32 * 1024;

}  // namespace remit::shm
