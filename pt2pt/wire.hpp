// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What travels between engines. Fixed-width fields in the byte order of the job's hosts; no
// pointer is ever followed: operations are named by {index, generation} handles.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "rdma_btl/device.hpp"
#include "runtime/pool.hpp"

namespace remit {

/// The first byte of a message: LinkUserId::matching and a number.
enum class MessageKind : std::uint8_t {
  eager = 1,     ///< EagerHeader, then the data
  eager_sync,    ///< EagerSyncHeader, then the data; answered by `ack` when matched
  rts,           ///< RtsHeader: a message waits at the sender
  cts,           ///< CtsHeader: matched, send or put it
  done,          ///< HandleHeader: the receiver has got everything; sender's handle
  ack,           ///< HandleHeader: a synchronous eager message was matched; sender's handle
  fragment,      ///< FragmentHeader, then data; receiver's handle
  fragment_ack,  ///< HandleHeader: `value` more fragments may be sent; sender's handle
  credits,       ///< HandleHeader: nothing but the credits of the common part
  recall,        ///< HandleHeader: give credits back
  give_back,     ///< HandleHeader: `value` units come back to their owner
  cancel,        ///< HandleHeader: take the message of this sender's handle out of matching
  cancelled,     ///< HandleHeader: that was done (value 1) or came too late (0)
};

enum MessageFlag : std::uint8_t {
  kHello = 1,     ///< the first message to this peer: `credits` is the window it may start with
  kStarved = 2,   ///< rts: would have been eager, had there been credits
  kCanGet = 4,    ///< rts: `remote` may be read
  kFailed = 8,    ///< done: the receiver could not read the data
  kMayPull = 32,  ///< rts: may be fetched before it is matched (not synchronous)
  kHasData = 64,  ///< rts: at most kRtsData bytes, which are in `data`; `done` answers
  kUsePut = 16,   ///< cts: write to `remote`, notify with `receiver`; else send fragments
};

/// Common start of every message.
struct EagerHeader {
  MessageKind kind = MessageKind::eager;
  std::uint8_t flags = 0;
  std::uint16_t credits = 0;  ///< units of receive memory that the receiver of this may use again
  std::uint32_t context = 0;
  std::int32_t source = 0;  ///< rank in the communicator
  std::int32_t tag = 0;
};
static_assert(sizeof(EagerHeader) == 16);

/// An EagerHeader of kind `eager` without flags, put together in registers: written field by field
/// and read as a whole it would wait for the store buffer.
[[nodiscard]] inline SendHead eager_head(std::uint32_t credits, std::uint32_t context, int source,
                                         int tag) {
  static_assert(std::endian::native == std::endian::little);
  return {
      std::uint64_t{context} << 32 | credits << 16 | static_cast<unsigned>(MessageKind::eager),
      std::uint64_t{static_cast<std::uint32_t>(tag)} << 32 | static_cast<std::uint32_t>(source)};
}

/// The kind and the flags in the first word of a head.
inline constexpr std::uint64_t kKindMask = 0xffff;
/// Where eager_head()s of different credits are alike.
inline constexpr SendHead kHeadMask{~(std::uint64_t{0xffff} << 16), ~std::uint64_t{0}};
[[nodiscard]] constexpr std::uint32_t credits_in(SendHead head) {
  return static_cast<std::uint16_t>(head.first >> 16);
}
[[nodiscard]] constexpr int tag_in(SendHead head) {
  return static_cast<int>(head.second >> 32);
}

struct EagerSyncHeader {
  EagerHeader match;
  SlabHandle sender = kNoSlabHandle;
  std::uint32_t unused = 0;
};
static_assert(sizeof(EagerSyncHeader) == 24);

/// Bytes that an announcement has room for.
inline constexpr std::size_t kRtsData = 16;

/// Where a receiver may get the data.
struct RtsMemory {
  std::uint64_t address;
  std::uint64_t key;
};

struct RtsHeader {
  EagerHeader match;
  std::uint64_t length = 0;  ///< bytes
  SlabHandle sender = kNoSlabHandle;
  std::uint32_t put_chunk = 0;  ///< the sender would put so many bytes at once; 0: it cannot put
  union {
    RtsMemory remote = {};                 ///< with kCanGet
    std::array<std::byte, kRtsData> data;  ///< with kHasData
  };
};
static_assert(sizeof(RtsHeader) == 48);

struct CtsHeader {
  MessageKind kind = MessageKind::cts;
  std::uint8_t flags = 0;
  std::uint16_t credits = 0;
  SlabHandle sender = kNoSlabHandle;
  SlabHandle receiver = kNoSlabHandle;  ///< notification of puts, name of fragments
  std::uint32_t unused = 0;
  std::uint64_t length = 0;  ///< bytes that the receiver wants
  std::uint64_t address = 0;
  std::uint64_t key = 0;
};
static_assert(sizeof(CtsHeader) == 40);

struct HandleHeader {
  MessageKind kind = MessageKind::done;
  std::uint8_t flags = 0;
  std::uint16_t credits = 0;
  SlabHandle handle = kNoSlabHandle;
  std::uint32_t value = 0;
  std::uint32_t context = 0;  ///< cancel only, with the two below
  std::int32_t source = 0;
  std::int32_t tag = 0;
};
static_assert(sizeof(HandleHeader) == 24);

struct FragmentHeader {
  MessageKind kind = MessageKind::fragment;
  std::uint8_t flags = 0;
  std::uint16_t credits = 0;
  SlabHandle receiver = kNoSlabHandle;
  std::uint64_t offset = 0;  ///< packed bytes
};
static_assert(sizeof(FragmentHeader) == 16);

/// Copies a header out of received bytes; false if they are too short.
template <class Header>
[[nodiscard]] bool read_header(std::span<const std::byte> data, Header& out) {
  static_assert(std::is_trivially_copyable_v<Header>);
  if (data.size() < sizeof(Header)) return false;
  std::memcpy(&out, data.data(), sizeof(Header));
  return true;
}

}  // namespace remit
