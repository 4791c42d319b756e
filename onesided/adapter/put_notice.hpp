// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Notifications of windows that travel with the bytes of a put.
#pragma once

#include <cstdint>
#include <optional>

#include "links/links.hpp"

namespace remit {

/// What a put by a device says to its target behind it, in place of WindowMessage::notify: a window
/// and one of its counters, in the bits that a notification has. None: it says nothing.
using PutNotice = std::optional<std::uint32_t>;
inline constexpr unsigned kNoticeIndexBits = 18;
inline constexpr unsigned kNoticeWindowBits = kNotificationBits - kNoticeIndexBits;

/// None: one of the numbers is too large, so it takes a message.
[[nodiscard]] constexpr PutNotice put_notice(std::uint32_t window, std::uint32_t index) {
  if (window >> kNoticeWindowBits != 0 || index >> kNoticeIndexBits != 0) return std::nullopt;
  return window << kNoticeIndexBits | index;
}

inline void set_notice(Operation& put, const PutNotice& notice) {
  put.notify = notice.has_value();
  if (notice) put.notification = notification_for(LinkUserId::windows, *notice);
}

/// Posts a put with its notice, if the device takes that at once. False: it has been posted without
/// it. A put that waited for the target to take notices would no longer end without the target, and
/// would keep buffers from puts to others.
[[nodiscard]] inline bool post_with_notice(LinkDevice& slot, EndpointId endpoint, Operation put,
                                           const PutNotice& notice) {
  if (notice && slot.pending.empty(endpoint)) {
    set_notice(put, notice);
    if (slot.device->post(endpoint, {&put, 1}) != 0) return true;
    set_notice(put, {});
  }
  slot.pending.post(*slot.device, endpoint, {&put, 1});
  return false;
}

}  // namespace remit
