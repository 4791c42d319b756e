// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/tree/host_clocks.hpp"

#include <string>

#include "launcher/tree/wire.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

constexpr int kRounds = 6;
constexpr std::int64_t kPauseNs = 20'000'000;

}  // namespace

void HostClocks::start(int nodes) {
  is_on_ = true;
  for (int node = 1; node < nodes; ++node) ask(node);
}

void HostClocks::ask(int node) {
  if (!is_on_) return;
  Host& host = hosts_[node];
  if (host.rounds > 0 || (host.last && monotonic_ns() - host.asked_ns < kPauseNs)) return;
  host.rounds = kRounds;
  host.best.reset();
  send(node, host);
}

void HostClocks::send(int node, Host& host) {
  host.asked_ns = monotonic_ns();
  send_(node, numbers(host.asked_ns));
}

std::string HostClocks::answer(const Message& question) {
  WireReader reader(question.payload);
  const std::int64_t asked_ns = reader.number();
  return numbers(asked_ns, monotonic_ns());
}

void HostClocks::take(const Message& message) {
  const std::int64_t now = monotonic_ns();
  WireReader reader(message.payload);
  const std::int64_t asked_ns = reader.number();
  const std::int64_t told_ns = reader.number();
  const auto found = hosts_.find(message.from);
  if (!reader.complete() || found == hosts_.end()) return;
  Host& host = found->second;
  if (host.rounds == 0 || asked_ns != host.asked_ns || told_ns < 0) return;
  const std::int64_t half = (now - asked_ns + 1) / 2;
  const ClockSample sample{asked_ns + half, told_ns - (asked_ns + half), half};
  if (!host.best || sample.within_ns < host.best->within_ns) host.best = sample;
  if (--host.rounds > 0) return send(message.from, host);
  if (!host.first) host.first = host.best;
  host.last = host.best;
}

std::optional<SeenClock> HostClocks::of(int node) const {
  const auto found = hosts_.find(node);
  if (found == hosts_.end()) return std::nullopt;
  const Host& host = found->second;
  // A round under way has seen the clock last: that of a job that was killed is never done.
  const auto& newest = host.best ? host.best : host.last;
  if (newest) return SeenClock{host.first ? *host.first : *newest, *newest};
  return std::nullopt;
}

}  // namespace remit::launcher
