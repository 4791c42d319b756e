// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Context ids of one process, and how the members of a new communicator agree on one.
#include "pt2pt/context_ids.hpp"

#include <algorithm>
#include <cassert>

namespace remit {

namespace {

/// Mixes the bits of a number (the end of splitmix64).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t ContextIds::propose(std::uint64_t distance) const {
  assert(live_.size() + kReserved < slots_);
  std::uint64_t number = next_ + distance;
  while (number % slots_ < kReserved || live_.contains(number % slots_)) ++number;
  return number;
}

bool ContextIds::take(std::uint64_t number) {
  if (number % slots_ < kReserved) return false;
  if (!live_.insert(number % slots_).second) return false;
  next_ = std::max(next_, number + 1);
  return true;
}

ContextAgreement::ContextAgreement(ContextIds& ids, bool alone, CommCore* made)
    : ids_(ids), made_(made), alone_(alone), serial_(ids.begin_agreement()) {}

ContextAgreement::~ContextAgreement() {
  if (!ended_) end(false);
}

void ContextAgreement::end(bool agreed) {
  ended_ = true;
  ids_.end_agreement();
  if (!agreed && taken_) ids_.release(context());
  if (agreed && made_ != nullptr) made_->set_context(context());
}

ContextAgreement::Words ContextAgreement::mine() {
  if (round_ == 0) {
    const bool competes = !alone_ || ids_.under_way() > 1;
    return {ids_.propose(), competes ? 1U : 0U};
  }
  // What is proposed now matters only if somebody could not take the number.
  const std::uint64_t spread = std::uint64_t{8} << std::min(round_, 16U);
  return {ids_.propose(mixed(serial_ + round_) % spread), taken_ ? 0U : 1U};
}

bool ContextAgreement::settle(const Words& maxima) {
  const bool agreed = would_agree(maxima);
  if (round_++ == 0 || !agreed) {
    if (taken_) ids_.release(context());
    number_ = maxima[0];
    taken_ = ids_.take(number_);
    assert((taken_ || !agreed) && "above every number taken by a member, and nothing came between");
  }
  if (agreed) end(true);
  return agreed;
}

}  // namespace remit
