// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Two processes that a socket of the program's connects tell each other who they are: MPI_Comm_join
// (MPI-5.0, section 11.10.5).
#pragma once

#include <cstddef>
#include <span>

#include "links/passport.hpp"
#include "runtime/error.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// MPI_ERR_ARG unless `socket` is a stream socket.
[[nodiscard]] Expected<> check_stream_socket(int socket);

/// Transfers over a socket, which is the program's and may block or not. They wait, and MPI
/// advances meanwhile. Errors: MPI_ERR_OTHER, with the system's words.
class SocketExchange {
 public:
  /// Who is at the other end, and the tag that it has named.
  struct OtherEnd {
    int tag = 0;
    Passport passport;
  };

  SocketExchange(Progress& progress, int socket) : progress_(progress), socket_(socket) {}

  [[nodiscard]] Expected<> send(std::span<const std::byte> bytes);
  [[nodiscard]] Expected<> receive(std::span<std::byte> bytes);
  /// Each end says its passport and a tag, above 0, and hears those of the other one.
  [[nodiscard]] Expected<OtherEnd> passports(int tag, const Passport& own);

 private:
  [[nodiscard]] Expected<> wait(short events);

  Progress& progress_;
  int socket_;
};

}  // namespace remit
