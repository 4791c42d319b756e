// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What two verbs devices say to each other: addresses, private data of connections, headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rdma_btl/device.hpp"

namespace remit::verbs {

inline constexpr std::uint32_t kMagic = 0x6276726d;  // "mrvb"
inline constexpr std::uint16_t kVersion = 4;

enum AbilityFlag : std::uint16_t {
  kIwarp = 1,      ///< of the adapter: the two families do not talk to each other
  kImmediate = 2,  ///< may be sent write-with-immediate
};

/// Device::local_address(), followed by the name of the host.
struct Address {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t abilities = 0;
  std::uint64_t job = 0;
  std::uint64_t name = 0;
  std::uint16_t family = 0;  ///< AF_INET, AF_INET6
  std::uint16_t port = 0;    ///< network byte order
  std::uint32_t host_bytes = 0;
  std::uint8_t ip[16] = {};
};
static_assert(sizeof(Address) == 48);

/// Private data of a connection's request and of its acceptance.
struct Hello {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t abilities = 0;
  std::uint64_t job = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint32_t credits = 0;  ///< receives that its sender has leased to the other side
  std::uint32_t note_key = 0;
  std::uint64_t note_address = 0;  ///< where the other side may write its Note
};
static_assert(sizeof(Hello) <= 56, "what rdma_cm leaves of a request's private data");

enum class Refusal : std::uint32_t {
  stranger = 1,  ///< of another job, or for another process
  mine_wins,     ///< both connect: wait for mine
  failed,        ///< this peer has failed here
  no_room,       ///< no queue pairs or memory left
  busy,          ///< all receives are lent; some were asked back: try again soon
};

/// Private data of a rejection.
struct Rejection {
  std::uint32_t magic = kMagic;
  Refusal reason = Refusal::stranger;
  char words[120] = {};  ///< for the user of the other side; ends with 0
};
static_assert(sizeof(Rejection) <= 148, "what InfiniBand has for a rejection's private data");

enum class MessageKind : std::uint8_t {
  data = 1,      ///< a send of the layer above follows
  open,          ///< the active side's first message: from now on both sides may send; the name
                 ///< of its host follows
  credits,       ///< nothing but the credits
  notification,  ///< `value`; without immediate data
  goodbye,       ///< its sender closes the device in order
  recall,        ///< its sender wants back all that it has lent
  give_back,     ///< the answer: `value` credits besides the one of this message
};

inline constexpr std::uint8_t kStarved = 1;  ///< its sender had run out of credits
inline constexpr std::uint8_t kHeaded = 2;   ///< a SendHead follows, which both sides keep

/// Before every send that is not brief.
struct Header {
  MessageKind kind = MessageKind::data;
  std::uint8_t flags = 0;
  std::uint16_t credits = 0;  ///< receives that may be used again
  std::uint32_t value = 0;
};
static_assert(sizeof(Header) == 8, "keeps the data behind it aligned");

/// A message that is not inline, and whose head was the last one of its place in the Heads of its
/// connection but for kVaries, is brief: its data alone, with immediate data that say the rest. So
/// 4096 bytes are one packet. Bits 16 to 31 of the immediate data are those of the head; below them
/// are
inline constexpr std::uint32_t kVaries = 0xffff0000;      ///< what may change of SendHead::first
inline constexpr std::uint32_t kBriefStarved = 1U << 15;  ///< as kStarved
inline constexpr std::uint32_t kBriefPlace = 8;           ///< the place's lowest bit
inline constexpr std::uint32_t kMostBriefCredits = 255;   ///< Header::credits

/// The last heads that one side of a connection has sent; both sides have the same.
class Heads {
 public:
  static constexpr std::uint32_t kPlaces = 8;

  [[nodiscard]] static std::uint32_t place_of(SendHead head) {
    const std::uint64_t mixed = (head.second ^ head.first >> 32) * 0x9e3779b97f4a7c15;
    return static_cast<std::uint32_t>(mixed >> 61);
  }
  [[nodiscard]] SendHead& operator[](std::uint32_t place) { return kept_[place % kPlaces]; }

 private:
  std::array<SendHead, kPlaces> kept_;
};

/// Before the data of every receive, for the head of a brief message. A cache line, so that the
/// adapter writes whole ones.
inline constexpr std::size_t kHeadRoom = 64;

/// What a process says to a peer without using one of its receives: written into the peer's memory,
/// as a whole, where only those look who expect it. All are counted from the connection on and
/// wrap.
struct Note {
  std::uint32_t lent = 0;     ///< credits given in this way
  std::uint8_t requests = 0;  ///< times that its writer asked for credits, having lost all
  std::uint8_t recalls = 0;   ///< MessageKind::recall of a writer that has no credit for it
  std::uint8_t farewell = 0;  ///< MessageKind::goodbye of a writer that has no credit for it
  std::uint8_t unused = 0;

  friend bool operator==(const Note&, const Note&) = default;
};
static_assert(sizeof(Note) == sizeof(std::uint64_t), "is written and read as one word");

}  // namespace remit::verbs
