// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of those who use the links of a process: finds the one that something is for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "links/link_user.hpp"

namespace remit {

/// Each user by its number, and what is told to all of them. One thread, which also holds the users
/// while they are told; a user outlives its place here.
class LinkUsers {
 public:
  /// Who is told what comes for `id`; null: nobody any more.
  void set(LinkUserId id, LinkUser* user) { users_[static_cast<std::size_t>(id)] = user; }
  /// The one that is offered everything first (LinkUser::arrived()), or null.
  [[nodiscard]] LinkUser* matching() const {
    return users_[static_cast<std::size_t>(LinkUserId::matching)];
  }

  // To all.
  void connected(Link& link) const;
  void introduced(Link& link, std::uint32_t word) const;
  void lost(Link& link, bool left_in_order) const;

  // To the one whose name is in it.
  void message(Link& link, std::span<const std::byte> data);
  void notified(Link& link, std::uint32_t notification);
  void completed(std::uint64_t cookie, int status);

  // Of these the matching user has done nothing where it throws std::bad_alloc, so that it may be
  // told again. What another user has no memory for is lost to it.

  /// Whether something was lost so since this was asked.
  [[nodiscard]] bool take_shortage() { return std::exchange(lacks_memory_, false); }

  /// Something came that makes no sense.
  void note_malformed() { ++malformed_; }
  /// Events that were dropped because they made no sense.
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }

 private:
  template <class Tell>
  void tell(LinkUser& user, Tell&& tell_it);

  std::array<LinkUser*, kLinkUsers> users_ = {};
  bool lacks_memory_ = false;
  std::uint64_t malformed_ = 0;
};

}  // namespace remit
