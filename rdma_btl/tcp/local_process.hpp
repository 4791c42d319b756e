// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process is to those that speak to it over TCP.
#pragma once

#include <string>

#include "rdma_btl/net/address_book.hpp"
#include "rdma_btl/tcp/tcp_config.hpp"
#include "rdma_btl/tcp/wire.hpp"

namespace remit::tcp {

/// Constant once the device is open.
struct LocalProcess {
  TcpConfig config;
  std::string description;     ///< which interface, and why
  net::AddressBook addresses;  ///< at the interface
  double bandwidth = 0;        ///< of the interface, bytes per second
  std::uint64_t key = 0;       ///< of all memory of this process: a secret

  [[nodiscard]] Hello hello_to(PeerName peer, Verdict verdict) const;

  template <class... Args>
  void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    if (config.log != nullptr) config.log->write(level, format, std::forward<Args>(args)...);
  }
};

}  // namespace remit::tcp
