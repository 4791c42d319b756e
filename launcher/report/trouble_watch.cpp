// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waiting for trouble.
#include "launcher/report/trouble_watch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>
#include <utility>

#include "launcher/report/crash_report.hpp"

namespace remit::launcher {

TroubleWatch::TroubleWatch(asio::io_context& io,
                           std::function<void(const std::string& words)> survived)
    : descriptor_(io), survived_(std::move(survived)) {}

void TroubleWatch::start() {
  if (!descriptor_.is_open()) {
    const int fd = ::fcntl(trouble_descriptor(), F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return;
    descriptor_.assign(fd);
  }
  descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code error) {
    if (error) return;
    std::uint64_t times = 0;
    (void)!::read(descriptor_.native_handle(), &times, sizeof times);
    const Trouble found = trouble();
    if (found.is_fatal) throw Breakdown(found.words);
    if (!found.words.empty()) survived_(std::string(found.words));
    start();
  });
}

}  // namespace remit::launcher
