// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The MPI process as the makers of communicators see it.
#include "communicators/comm_process.hpp"

#include "communicators/group_mail.hpp"
#include "communicators/ports.hpp"

namespace remit {

CommProcess::CommProcess(Engine& engine, CallingThreads& threads)
    : process_(engine.process()), engine_(engine), threads_(threads) {}

CommProcess::~CommProcess() = default;

GroupMail& CommProcess::mail() {
  if (mail_ == nullptr) mail_ = std::make_unique<GroupMail>(*this);
  return *mail_;
}

Ports& CommProcess::ports() {
  if (ports_ == nullptr) ports_ = std::make_unique<Ports>(*this);
  return *ports_;
}

void CommProcess::close_ports() {
  if (ports_ != nullptr) ports_->close_all();
}

}  // namespace remit
