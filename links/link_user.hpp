// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who uses the links of a process, and how what arrives finds the one it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma_btl/device.hpp"

namespace remit {

struct Link;
struct LinkDevice;

/// The users of a process's links. Each is named by the two highest bits of the first byte of its
/// messages, of its notifications and of its cookies; the others are its own.
enum class LinkUserId : std::uint8_t { matching, windows, files, extra };
inline constexpr std::size_t kLinkUsers = 4;

/// Bits of a notification that its user may choose.
inline constexpr unsigned kNotificationBits = 30;
/// Bits of a cookie that its user may choose.
inline constexpr unsigned kCookieBits = 62;

/// The first byte of a message: `kind` below 64.
[[nodiscard]] constexpr std::uint8_t message_kind(LinkUserId user, std::uint8_t kind) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(user) << 6 | kind);
}
[[nodiscard]] constexpr LinkUserId user_of_kind(std::byte first) {
  return static_cast<LinkUserId>(static_cast<unsigned>(first) >> 6);
}

/// Operation::notification for `user`; `value` has at most kNotificationBits.
[[nodiscard]] constexpr std::uint32_t notification_for(LinkUserId user, std::uint32_t value) {
  return static_cast<std::uint32_t>(user) << kNotificationBits | value;
}
/// Operation::cookie of `user`; `value` has at most kCookieBits. Not kNoCompletion for any of the
/// users that exist, as long as no value is all ones.
[[nodiscard]] constexpr std::uint64_t cookie_of(LinkUserId user, std::uint64_t value) {
  return static_cast<std::uint64_t>(user) << kCookieBits | value;
}

/// What a user of links is told. Every function is called by the thread that drives Links, mostly
/// from inside Links::progress(); connected(), introduced() and lost() also from inside whatever
/// begins to connect or gives a link up: connect(), post(), fail(). Each may post to any link.
class LinkUser {
 public:
  virtual ~LinkUser() = default;

  /// Operations on this link leave from now on; those that were posted before have been offered to
  /// the device. Told once, and not for a link that was lost before.
  virtual void connected(Link& link) = 0;
  /// What the process has published (Links::publish): one word for all users, 0 from a process of
  /// another job. Told once at most, as soon as it is known: perhaps behind connected(), or never,
  /// if the peer connected first.
  virtual void introduced(Link& link, std::uint32_t word) = 0;

  /// An operation of this user is done; `value` is its cookie without the user's name, `status`
  /// MPI_SUCCESS or an MPI error class.
  virtual void completed(std::uint64_t value, int status) = 0;
  /// A peer's put or atomic is visible here; `value` is its notification without the user's name.
  virtual void notified(Link& link, std::uint32_t value) = 0;
  /// A message for this user has come; its first byte names the user. `data` is valid until the
  /// call returns.
  virtual void message(Link& link, std::span<const std::byte> data) = 0;
  /// The process has left in order, or it or the way to it died; told once. Operations of this user
  /// that are under way still complete, by completed(): with an error if the device lost the way.
  virtual void lost(Link& link, bool left_in_order) = 0;

  /// What a device's poll has found, for the user that takes nearly all of it: it may take messages
  /// of its own at once and gives everything else to Links::dispatch(). Links calls it for the
  /// matching user only.
  virtual void arrived(LinkDevice& device, std::span<const Completion> completions) = 0;
};

}  // namespace remit
