// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/link_users.hpp"

#include <new>

#include "links/link.hpp"

namespace remit {

/// A user may give the link up while it is told; the others are not told then that it is there.
void LinkUsers::connected(Link& link) const {
  for (LinkUser* user : users_) {
    if (user != nullptr && !link.failed) user->connected(link);
  }
}

void LinkUsers::introduced(Link& link, std::uint32_t word) const {
  for (LinkUser* user : users_) {
    if (user != nullptr) user->introduced(link, word);
  }
}

void LinkUsers::lost(Link& link, bool left_in_order) const {
  for (LinkUser* user : users_) {
    if (user != nullptr) user->lost(link, left_in_order);
  }
}

template <class Tell>
void LinkUsers::tell(LinkUser& user, Tell&& tell_it) {
  try {
    tell_it();
  } catch (const std::bad_alloc&) {
    if (&user == matching()) throw;
    lacks_memory_ = true;
  }
}

void LinkUsers::message(Link& link, std::span<const std::byte> data) {
  LinkUser* to = data.empty() ? nullptr : users_[static_cast<std::size_t>(user_of_kind(data[0]))];
  if (to == nullptr) return note_malformed();
  tell(*to, [&] { to->message(link, data); });
}

void LinkUsers::notified(Link& link, std::uint32_t notification) {
  constexpr std::uint32_t kValue = (std::uint32_t{1} << kNotificationBits) - 1;
  LinkUser* to = users_[notification >> kNotificationBits];
  if (to == nullptr) return note_malformed();
  tell(*to, [&] { to->notified(link, notification & kValue); });
}

void LinkUsers::completed(std::uint64_t cookie, int status) {
  constexpr std::uint64_t kValue = (std::uint64_t{1} << kCookieBits) - 1;
  LinkUser* to = users_[cookie >> kCookieBits];
  if (to != nullptr) tell(*to, [&] { to->completed(cookie & kValue, status); });
}

}  // namespace remit
