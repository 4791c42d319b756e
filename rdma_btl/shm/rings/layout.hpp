// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What two processes of a host agree on: the bytes of home segments, rings, cells and HELLOs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rdma_btl/device.hpp"
#include "rdma_btl/host_memory.hpp"

namespace remit::shm {

inline constexpr std::size_t kLine = 64;
inline constexpr std::size_t kAlignment = 8;  ///< of messages in a data area
inline constexpr std::uint32_t kVersion = 8;
inline constexpr std::uint64_t kHomeMagic = 0x656d6f6874696d72;
inline constexpr std::uint64_t kRingMagic = 0x676e697274696d72;
inline constexpr std::uint64_t kHelloMagic = 0x6f6c6c6574696d72;
inline constexpr std::uint64_t kHeapMagic = 0x616e657261696d72;
inline constexpr std::uint64_t kRefusalMagic = 0x7566657274696d72;
inline constexpr std::uint64_t kWakeMagic = 0x656b617774696d72;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// --- cells -------------------------------------------------------------------------------------

enum class CellKind : std::uint8_t {
  send_inline = 1,
  send_area,
  notification,
  put_data,
  put_done,
  get_request,
  get_data,
  atomic_request,
  atomic_reply,
  assist,
  heap_wanted,  ///< empty: send me a HeapOffer
};

inline constexpr std::size_t kInline = 56;

/// One cache line. The header is stored last, with release: once its number is the one that the
/// consumer expects, the payload is there. Bits: 0-5 length of the payload, 6 kLowerWrote, 8-11
/// kind, 12-63 number of the message in its direction, from 1. Numbers never come again, so what
/// is left of an earlier lap, or of a place that was skipped, never looks valid; nor does 0, which
/// the consumer may leave where it has read (claim_lines()).
struct alignas(kLine) Cell {
  std::atomic<std::uint64_t> header;
  std::byte payload[kInline];
};
static_assert(sizeof(Cell) == kLine && offsetof(Cell, payload) == 8);

constexpr unsigned kNumberShift = 12;
constexpr std::uint64_t cell_header(std::uint64_t number, CellKind kind, std::size_t length) {
  return number << kNumberShift | std::uint64_t{static_cast<std::uint8_t>(kind)} << 8 | length;
}
constexpr std::uint64_t cell_number(std::uint64_t header) {
  return header >> kNumberShift;
}
constexpr CellKind cell_kind(std::uint64_t header) {
  return static_cast<CellKind>(header >> 8 & 15U);
}
constexpr std::size_t cell_length(std::uint64_t header) {
  return header & 63U;
}

/// The two directions between two processes also share one more cell, the mailbox: who has read
/// what the other wrote there may write next, and so a dialogue moves a single line to and fro,
/// which costs half of two lines that are each polled by one and written by the other. A message
/// in the mailbox has its number in its direction, and leaves its place in the ring empty.
/// kLowerWrote says that the process with the lower name wrote it. Bytes that do not fit the cell
/// are behind the rings' cells, in memory that goes to and fro with it: who writes has read there
/// before, which is what caches are quickest at.
inline constexpr std::uint64_t kLowerWrote = 1U << 6;

/// Whether a mailbox holds message `number` of the one whose mark is `writer`.
constexpr bool is_mail(std::uint64_t header, std::uint64_t number, std::uint64_t writer) {
  return cell_number(header) == number && (header & kLowerWrote) == writer;
}

/// Bytes that go with the mailbox: those of the longest eager message of a dialogue.
inline constexpr std::size_t kMailBytes = 68 * 1024;
/// Bits of AreaRef::offset: the bytes are there, not in the data area; and only the first of them
/// when the cell is read, the others follow (RingControl::mail_filled).
inline constexpr std::uint32_t kInMail = 1U << 31;
inline constexpr std::uint32_t kInParts = 1U << 30;
/// What is read while the next as many bytes are written; of up to two such parts, the halves.
inline constexpr std::size_t kMailPart = 16 * 1024;
/// Data up to this length go as a whole: there is too little to copy meanwhile.
inline constexpr std::size_t kMailWhole = 2 * 1024;

/// The length of the parts (but the last) of so many bytes of data.
constexpr std::size_t mail_part(std::size_t bytes) {
  if (bytes > 2 * kMailPart) return kMailPart;
  return (bytes + 2 * kLine - 1) / (2 * kLine) * kLine;
}

/// Where in the producer's data area the bytes of a cell are.
struct AreaRef {
  std::uint64_t end = 0;     ///< stream position behind them: what the consumer gives back
  std::uint32_t offset = 0;  ///< in the area; or kInMail + that in the mailbox's bytes
  std::uint32_t length = 0;
};

/// {index, generation} of an operation of the cell's sender or receiver; never a pointer.
using JobName = std::uint64_t;

inline constexpr std::uint32_t kLast = 1;
inline constexpr std::uint32_t kNotify = 2;

struct PutData {
  AreaRef area;
  JobName job = 0;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  std::uint32_t flags = 0;
  std::uint32_t notification = 0;
};
struct PutDone {
  JobName job = 0;
  std::int32_t status = 0;
};
struct GetRequest {
  JobName job = 0;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  std::uint64_t length = 0;
};
struct GetData {
  AreaRef area;
  JobName job = 0;
  std::uint32_t flags = 0;
  std::int32_t status = 0;
};
struct AtomicRequest {
  JobName job = 0;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
  std::uint32_t notification = 0;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
};
struct AtomicReply {
  JobName job = 0;
  std::uint64_t old_value = 0;
  std::int32_t status = 0;
};
/// "Copy with me": see Assist. Addresses are those of the processes' own memory.
struct AssistRequest {
  std::uint64_t initiator_address = 0;
  std::uint64_t target_address = 0;
  std::uint64_t length = 0;
  std::uint64_t key = 0;  ///< of the target's region
  std::uint32_t chunk = 0;
  std::uint16_t slot = 0;
  std::uint16_t is_put = 0;
  std::uint32_t generation = 0;
};
static_assert(sizeof(PutData) <= kInline && sizeof(GetRequest) <= kInline &&
              sizeof(GetData) <= kInline && sizeof(AtomicRequest) <= kInline &&
              sizeof(AtomicReply) <= kInline && sizeof(AssistRequest) <= kInline);

// --- rings -------------------------------------------------------------------------------------

inline constexpr std::size_t kAssists = 8;

/// A transfer that both processes copy, the initiator from the front, the target from the back.
/// `claims`: bits 0-15 generation, 16-39 chunks taken from the front, 40-63 from the back. Whoever
/// advances its count owns that chunk. A finished transfer has another generation, so a late
/// helper claims nothing.
struct alignas(kLine) Assist {
  std::atomic<std::uint64_t> claims;
  std::atomic<std::uint32_t> finished;  ///< chunks that the target has copied
  std::atomic<std::uint32_t> failed;    ///< chunks that the target took and could not copy
};

/// First page of a ring. The ring belongs to the process that sends through it (the producer).
struct RingControl {
  std::uint64_t magic;
  std::uint32_t cells;
  std::uint32_t area_bytes;

  /// Written by the producer.
  struct alignas(kLine) Producer {
    std::atomic<std::uint32_t> knows_home;  ///< it can wake the consumer by its sleep word
    std::atomic<std::uint32_t> blocked;     ///< it found no room: wake it when there is some
    std::atomic<std::uint32_t> can_copy;    ///< its probe of the consumer's memory succeeded
  } producer;

  /// Written by the consumer, in batches; read by the producer only when it seems to be full.
  struct alignas(kLine) Consumer {
    std::atomic<std::uint64_t> cells;         ///< consumed so far
    std::atomic<std::uint64_t> area;          ///< stream position of the data area, given back
    std::atomic<std::uint32_t> wake_request;  ///< a sleep word for a producer without my home
  } consumer;

  Assist assists[kAssists];

  // Used in the ring of the process with the lower name, as the bytes with the mailbox.
  Cell mailbox;
  /// Of a message in parts, from the second one on: filled_mark() | bytes of data that are there.
  alignas(kLine) std::atomic<std::uint64_t> mail_filled;
};
inline constexpr unsigned kFilledShift = 20;
static_assert(kMailBytes < std::size_t{1} << kFilledShift);

/// What says that mail_filled is about message `number` of the one whose mark is `writer`.
constexpr std::uint64_t filled_mark(std::uint64_t number, std::uint64_t writer) {
  return (number << 1 | (writer != 0 ? 1U : 0U)) << kFilledShift;
}

inline constexpr std::size_t kControlBytes = 4096;
static_assert(sizeof(RingControl) <= kControlBytes);

// Behind it: the cells, kMailBytes, the data area.
constexpr std::size_t mail_at(std::size_t cells) {
  return kControlBytes + cells * sizeof(Cell);
}
constexpr std::size_t area_at(std::size_t cells) {
  return mail_at(cells) + kMailBytes;
}

// --- home --------------------------------------------------------------------------------------

/// Values of a sleep word.
inline constexpr std::uint32_t kAwake = 0;
inline constexpr std::uint32_t kAsleep = 1;
inline constexpr std::uint32_t kWoken = 2;  ///< asleep, and somebody has rung already

/// A registered region, for initiators that copy directly. stamp 0: none. Read it before and after
/// the others.
struct RegionEntry {
  std::atomic<std::uint64_t> stamp;  ///< generation << 8 | access
  std::atomic<std::uint64_t> address;
  std::atomic<std::uint64_t> length;
  std::uint64_t unused;
};
inline constexpr std::size_t kSharedRegions = 1000;

/// The segment that each process gives to each peer. Of this part peers write sleep_word only; of
/// the notices behind it, what whoever uses them has agreed on.
struct Home {
  std::uint64_t magic;
  std::uint64_t token;          ///< random: what a probe of this process's memory must find
  std::uint32_t senders_fence;  ///< this process has no membarrier: its senders need a fence
  struct alignas(kLine) Sleep {
    std::atomic<std::uint32_t> word;
  } sleep;
  struct alignas(kLine) Life {
    std::atomic<std::uint32_t> closed;  ///< left in order
  } life;
  /// Where the owner's shared heap is in its memory, and what opens it; bytes 0: it has none.
  /// Stored once, bytes last.
  struct alignas(kLine) HeapPlace {
    std::atomic<std::uint64_t> address;
    std::atomic<std::uint64_t> inode;  ///< of the file of that descriptor, which has no other name
    std::atomic<std::int32_t> fd;      ///< of the owner
    std::atomic<std::uint64_t> bytes;
  } heap;
  alignas(kLine) RegionEntry regions[kSharedRegions];
};
inline constexpr std::size_t kHomeBytes = 32768;
static_assert(sizeof(Home) <= kHomeBytes);

/// Behind it: notices (HostMemory::take_notices()). Memory is taken as they are used.
inline constexpr std::uint32_t kNoticeBoards = 32;
constexpr std::size_t notices_at(std::uint32_t index) {
  return kHomeBytes + index * kNoticeBytes;
}
inline constexpr std::size_t kHomeSegmentBytes = notices_at(kNoticeBoards);

// --- first contact -----------------------------------------------------------------------------

/// Device::local_address().
struct Address {
  std::uint32_t version = 0;
  std::uint32_t uid = 0;
  std::uint64_t host = 0;               ///< hash of the kernel's boot id
  std::uint64_t network_namespace = 0;  ///< abstract socket names live in one
  std::uint64_t job = 0;
  std::uint8_t socket[16] = {};  ///< random name of the socket
};

/// The datagram that opens one direction. With it travel the descriptors of the home segment, the
/// eventfd and the ring, and the kernel's word for the sender's process and user.
struct Hello {
  std::uint64_t magic = kHelloMagic;
  std::uint32_t version = kVersion;
  std::uint32_t cells = 0;
  std::uint32_t area_bytes = 0;
  std::uint32_t unused = 0;
  std::uint64_t job = 0;
  PeerName from = 0;
  PeerName to = 0;
  std::uint64_t token_address = 0;  ///< of Home::token in the sender's memory
};
inline constexpr std::size_t kHelloDescriptors = 3;

/// A later datagram, with the descriptor of the sender's shared heap.
struct HeapOffer {
  std::uint64_t magic = kHeapMagic;
  std::uint32_t version = kVersion;
  std::uint32_t unused = 0;
  std::uint64_t job = 0;
  PeerName from = 0;
  PeerName to = 0;
};

/// The answer to a HELLO that could not be taken: no other one will come.
struct Refusal {
  std::uint64_t magic = kRefusalMagic;
  std::uint32_t version = kVersion;
  std::uint32_t unused = 0;
  std::uint64_t job = 0;
  PeerName from = 0;
  PeerName to = 0;
  char words[160] = {};  ///< why; ends with a zero
};
inline constexpr std::size_t kLongestDatagram = sizeof(Refusal);
static_assert(sizeof(HeapOffer) != sizeof(Hello) && sizeof(Hello) < kLongestDatagram);

}  // namespace remit::shm
