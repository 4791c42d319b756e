// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Orders as messages.
#include "launcher/tree/daemon_orders.hpp"

#include "launcher/tree/wire.hpp"

namespace remit::launcher {

void DaemonOrders::launch(int job) {
  tree_.send(Message::kEveryone, MessageKind::launch, numbers(job));
}

void DaemonOrders::drop_job(int job) {
  tree_.send(Message::kEveryone, MessageKind::drop_job, numbers(job));
}

void DaemonOrders::carry_out(const JobControl& control) {
  tree_.send(Message::kEveryone, MessageKind::carry_out, write_control(control));
}

void DaemonOrders::signal_ranks(int signal) {
  tree_.send(Message::kEveryone, MessageKind::signal_ranks, numbers(signal));
}

void DaemonOrders::signal_all(int signal) {
  tree_.send(Message::kEveryone, MessageKind::signal_all, numbers(signal));
}

void DaemonOrders::close_output(int stream) {
  tree_.send(Message::kEveryone, MessageKind::close_output, numbers(stream));
}

void DaemonOrders::finish() {
  tree_.send(Message::kEveryone, MessageKind::finish);
}

}  // namespace remit::launcher
