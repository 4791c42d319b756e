// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <asio.hpp>
#include <cstdint>
#include <system_error>

#include "tests/fuzz/surface.hpp"

namespace remit::fuzz {

/// Connects to a listener on this host; libFuzzer's timer may interrupt that.
inline void connect_loopback(asio::ip::tcp::socket& socket, int port) {
  const asio::ip::tcp::endpoint listener{asio::ip::address_v4::loopback(),
                                         static_cast<std::uint16_t>(port)};
  std::error_code error;
  do {
    socket.connect(listener, error);
  } while (error == std::errc::interrupted);
  if (error) violated("a listener can be reached", error.message());
}

}  // namespace remit::fuzz
