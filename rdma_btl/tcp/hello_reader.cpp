// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/hello_reader.hpp"

#include <sys/socket.h>

#include <cerrno>

#include "rdma_btl/tcp/local_process.hpp"

namespace remit::tcp {

bool write_hello(int socket, const Hello& hello) {
  return ::send(socket, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello;
}

int HelloReader::read(int socket) {
  while (!whole()) {
    const ssize_t count =
        ::recv(socket, reinterpret_cast<std::byte*>(&hello_) + got_, sizeof hello_ - got_, 0);
    if (count > 0) {
      got_ += static_cast<std::size_t>(count);
    } else if (count == 0) {
      return kEnded;
    } else if (errno == EAGAIN) {
      return 0;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Hello LocalProcess::hello_to(PeerName peer, Verdict verdict) const {
  Hello hello;
  hello.verdict = verdict;
  hello.job = config.job;
  hello.from = config.name;
  hello.to = peer;
  addresses.host().copy(hello.host.data(), hello.host.size() - 1);
  return hello;
}

}  // namespace remit::tcp
