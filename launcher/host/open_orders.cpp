// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/host/open_orders.hpp"

#include <utility>

#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {

std::string OpenOrders::open(const SpawnOrder& order, Answer answer) {
  WireWriter writer;
  writer.number(next_);
  writer.text(write_order(order));
  open_[next_++] = std::move(answer);
  return writer.bytes();
}

void OpenOrders::close(const std::string& payload) {
  WireReader reader(payload);
  const auto found = open_.find(reader.number());
  const std::string error = reader.text();
  const std::string job = reader.text();
  if (!reader.complete() || found == open_.end()) return;
  // Whoever hears of it may ask for the next.
  const Answer answer = std::move(found->second);
  open_.erase(found);
  answer(error, job);
}

}  // namespace remit::launcher
