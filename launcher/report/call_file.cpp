// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Making and reading the file of the calls that ranks are blocked in.
#include "launcher/report/call_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/clock.hpp"

namespace remit::launcher {

namespace {

/// Programs that test in a loop do it more often.
constexpr std::int64_t kStalePollNs = 2'000'000'000;

}  // namespace

Expected<std::unique_ptr<CallFile>> CallFile::create(const std::string& directory,
                                                     const std::string& job, int ranks) {
  const std::string name = call_file_path(directory, job);
  const std::size_t bytes = static_cast<std::size_t>(ranks) * call_page_bytes();
  const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno(MPI_ERR_OTHER, errno, "cannot make the file " + name);
  // Space that the disk does not have must be missed here, not as a signal in a rank.
  int error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  ::close(fd);
  if (memory == MAP_FAILED) {
    ::unlink(name.c_str());
    return fail_errno(MPI_ERR_OTHER, error,
                      "cannot make the file " + name + " (set TMPDIR to a directory with space)");
  }
  return std::unique_ptr<CallFile>(
      new CallFile(name, static_cast<const std::byte*>(memory), bytes));
}

CallFile::~CallFile() {
  ::munmap(const_cast<std::byte*>(pages_), bytes_);
  ::unlink(name_.c_str());
}

RankCalls CallFile::read(int rank) const {
  RankCalls calls;
  const std::size_t offset = static_cast<std::size_t>(rank) * call_page_bytes();
  if (offset + call_page_bytes() > bytes_) return calls;
  const auto* page = reinterpret_cast<const CallPage*>(pages_ + offset);
  calls.known = page->magic.load(std::memory_order_acquire) == CallPage::kMagic;
  if (!calls.known) return calls;
  const std::int64_t now = monotonic_ns();
  calls.seen_ns = now;
  for (const CallSlot& slot : page->slots) {
    BlockedCall call;
    if (!read_slot(slot, call.record, call.since_ns)) continue;
    // A loop may have ended without another MPI call.
    const bool stale = call.record.polled_ns != 0 && now - call.record.polled_ns > kStalePollNs;
    if (!stale) calls.blocked.push_back(call);
  }
  return calls;
}

}  // namespace remit::launcher
