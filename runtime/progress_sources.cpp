// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "runtime/progress_sources.hpp"

#include <algorithm>
#include <utility>

namespace remit {

int tighter_sleep_ms(int a, int b) {
  if (a < 0) return b;
  return b < 0 ? a : std::min(a, b);
}

void ProgressSources::add(ProgressSource* source) {
  all_.push_back(source);
  if (armed_) source->arm();
}

void ProgressSources::remove(ProgressSource* source) {
  if (std::erase(all_, source) != 0 && armed_) source->disarm();
}

void ProgressSources::arm() {
  armed_ = true;
  for (ProgressSource* source : all_) source->arm();
}

void ProgressSources::disarm() {
  if (!std::exchange(armed_, false)) return;
  for (ProgressSource* source : all_) source->disarm();
}

int ProgressSources::wait_fds(std::vector<int>& out) const {
  int bound = -1;
  for (const ProgressSource* source : all_) {
    source->wait_fds(out);
    bound = tighter_sleep_ms(bound, source->max_sleep_ms());
  }
  return bound;
}

}  // namespace remit
