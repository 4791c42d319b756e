// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages of windows: a head, then what its kind says. Both ends have the same architecture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "links/link_user.hpp"
#include "onesided/adapter/put_notice.hpp"

namespace remit {

/// Those from an origin to a target come first. Messages of a link take effect in the order in
/// which they were sent.
enum class WindowMessage : std::uint8_t {
  put,           ///< `value` runs, then their bytes
  get,           ///< `value` runs, whose bytes are to be sent to `token` at `offset`
  accumulate,    ///< `value` runs of elements, then the elements, packed (none for MPI_NO_OP); what
                 ///< was there is to be sent to `token`, if that is not 0
  compare_swap,  ///< one element at the address `offset`: what it becomes, what it must have been
  lock,          ///< `value`: 1 for an exclusive one
  unlock,
  marker,     ///< to be answered behind everything that came before
  posted,     ///< the sender has exposed its memory to the receiver
  completed,  ///< the sender's accesses to the receiver have ended
  keys,       ///< asks for the keys of the memory; `token`: kAdapterKeys, or 0
  notify,     ///< adds 1 to the counter of index `value`; also PutNotice says so
  nudge,      ///< has come: that is all
  // Answers; `token` is that of the message which is answered.
  data,         ///< bytes of a result from `offset` on
  failed,       ///< the words; `value` is the MPI error class; token 0: nobody has a result to come
  granted,      ///< the lock is the receiver's; `value`: 1 if it was not free when it asked
  refused,      ///< the lock will not be; then as `failed`
  reached,      ///< the marker
  keys_are,     ///< AdapterKeys, or as OfferedMemory::keys(); empty: there are none
  acknowledge,  ///< `offset` bytes of messages in all have been taken
  count         ///< how many kinds there are
};
[[nodiscard]] constexpr bool is_answer(WindowMessage kind) {
  return kind >= WindowMessage::data;
}
/// Whether the bytes of such messages are acknowledged.
[[nodiscard]] constexpr bool is_counted(WindowMessage kind) {
  return kind < WindowMessage::nudge;
}

/// WindowHead::token of the question for AdapterKeys, and of the answer.
inline constexpr std::uint64_t kAdapterKeys = 1;

/// The beginning of each message.
struct WindowHead {
  std::uint8_t kind = 0;      ///< message_kind() of a WindowMessage
  std::uint8_t op = 0;        ///< accumulate: a Reduction
  std::uint16_t element = 0;  ///< accumulate, compare_swap: ElementCode::element
  std::uint32_t window = 0;   ///< the same number at all members
  std::uint64_t token = 0;    ///< names a result or a question at the origin
  std::uint64_t offset = 0;
  std::uint32_t value = 0;
  std::uint16_t index = 0;  ///< ElementCode::index
  std::uint16_t unused = 0;
};
static_assert(sizeof(WindowHead) == 32);

[[nodiscard]] inline WindowHead window_head(WindowMessage kind, std::uint32_t window) {
  WindowHead head;
  head.kind = message_kind(LinkUserId::windows, static_cast<std::uint8_t>(kind));
  head.window = window;
  return head;
}
/// The message that the notice of a put stands for.
[[nodiscard]] inline WindowHead head_of_notice(std::uint32_t notice) {
  WindowHead head = window_head(WindowMessage::notify, notice >> kNoticeIndexBits);
  head.value = notice & ((std::uint32_t{1} << kNoticeIndexBits) - 1);
  return head;
}
/// WindowMessage::count: none that is known.
[[nodiscard]] inline WindowMessage kind_of(const WindowHead& head) {
  constexpr std::uint8_t kKind = 63;
  const unsigned kind = head.kind & kKind;
  constexpr auto kKinds = static_cast<unsigned>(WindowMessage::count);
  return kind < kKinds ? static_cast<WindowMessage>(kind) : WindowMessage::count;
}

/// Memory of the target. Its length is in bytes; in an accumulate in elements, which lie the extent
/// of their type apart.
struct MemoryRun {
  std::uint64_t address = 0;
  std::uint64_t length = 0;

  friend bool operator==(const MemoryRun&, const MemoryRun&) = default;
};
static_assert(sizeof(MemoryRun) == 16);

/// Runs of one message, at most.
inline constexpr std::size_t kMostMemoryRuns = 256;
/// Bytes that one message may ask for.
inline constexpr std::size_t kMostAsked = std::size_t{256} << 10;
/// Bytes that may be on their way to or from one process without an answer.
inline constexpr std::size_t kMostUnderWay = std::size_t{1} << 20;
/// So many bytes are acknowledged at once.
inline constexpr std::size_t kAcknowledged = std::size_t{256} << 10;

/// The i-th of the runs with which `body` begins.
[[nodiscard]] inline MemoryRun run_at(std::span<const std::byte> body, std::size_t i) {
  MemoryRun run;
  std::memcpy(&run, body.data() + i * sizeof run, sizeof run);
  return run;
}

}  // namespace remit
