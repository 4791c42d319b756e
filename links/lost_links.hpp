// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Links that cannot be used any more, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "links/link.hpp"
#include "links/link_users.hpp"
#include "links/postponed.hpp"
#include "links/process_directory.hpp"
#include "links/process_id.hpp"
#include "runtime/log.hpp"

namespace remit {

/// A link is lost once and for good: its flag is set, its operations are refused and all users are
/// told here, and nowhere else. Called by the thread that drives the links.
class LostLinks {
 public:
  /// All must outlive it.
  LostLinks(Log& log, const ProcessDirectory& directory, const LinkTable& table,
            PostponedOperations& postponed, const LinkUsers& users)
      : log_(log), directory_(directory), table_(table), postponed_(postponed), users_(users) {}

  /// The link is lost; `words` say why. Does nothing if it is already.
  void add(Link& link, std::string words, bool left_in_order = false);
  /// How many there are.
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// Keeps words about an error of one operation, for explain().
  void note(const Link& link, std::string words) { words_[link.id] = std::move(words); }
  /// Why the link was lost, or the last note() of it; else empty.
  [[nodiscard]] std::string words_of(ProcId proc) const;
  /// The same, or else the device's words about the last error on the way to the process.
  [[nodiscard]] std::string explain(ProcId proc) const;

 private:
  Log& log_;
  const ProcessDirectory& directory_;
  const LinkTable& table_;
  PostponedOperations& postponed_;
  const LinkUsers& users_;
  std::uint32_t count_ = 0;
  std::map<ProcId, std::string> words_;
};

}  // namespace remit
