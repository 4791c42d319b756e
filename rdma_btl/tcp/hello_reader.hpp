// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The first message of either side of a connection, on its socket.
#pragma once

#include <cstddef>

#include "rdma_btl/tcp/wire.hpp"

namespace remit::tcp {

inline constexpr int kEnded = -1;  ///< beside the errnos: the other side has closed the connection

/// As the first bytes of a connection, a hello always finds room: false means that it is not
/// connected (any more).
[[nodiscard]] bool write_hello(int socket, const Hello& hello);

/// The other side's hello, as far as it has arrived.
class HelloReader {
 public:
  /// Takes what is there of it, and nothing behind it. 0, an errno or kEnded.
  [[nodiscard]] int read(int socket);
  [[nodiscard]] bool whole() const { return got_ == sizeof hello_; }
  /// Whether a device of this version has written it.
  [[nodiscard]] bool speaks_our_language() const {
    return hello_.magic == kMagic && hello_.version == kVersion;
  }
  [[nodiscard]] const Hello& hello() const { return hello_; }

 private:
  Hello hello_;
  std::size_t got_ = 0;
};

}  // namespace remit::tcp
