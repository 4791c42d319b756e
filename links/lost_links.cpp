// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "links/lost_links.hpp"

#include "links/device_set.hpp"

namespace remit {

void LostLinks::add(Link& link, std::string words, bool left_in_order) {
  if (link.failed) return;
  link.failed = true;
  ++count_;
  log_.write(LogLevel::info, "{} is lost: {}", directory_.words_of(link.id), words);
  note(link, std::move(words));
  postponed_.drop(link);
  users_.lost(link, left_in_order);
}

std::string LostLinks::words_of(ProcId proc) const {
  const auto words = words_.find(proc);
  return words != words_.end() ? words->second : "";
}

std::string LostLinks::explain(ProcId proc) const {
  if (std::string words = words_of(proc); !words.empty()) return words;
  const Link* link = table_.find(proc);
  if (link == nullptr || link->device == nullptr) return "";
  return link->device->device->explain(link->endpoint);
}

}  // namespace remit
