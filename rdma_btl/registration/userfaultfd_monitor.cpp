// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory monitor that the kernel itself informs.
#include "rdma_btl/registration/userfaultfd_monitor.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "runtime/signals_blocked.hpp"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

namespace remit {
namespace {

constexpr std::uint64_t kWantedEvents =
    UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE;
constexpr std::size_t kStackBytes = std::size_t{256} << 10;
constexpr AddressRange kEverything{0, std::numeric_limits<std::uintptr_t>::max()};

/// User faults only is all that is needed, and all that an ordinary user may have; kernels before
/// 5.11 do not know the word.
int open_userfaultfd() {
  constexpr int kFlags = O_CLOEXEC | O_NONBLOCK;
  auto fd = static_cast<int>(::syscall(SYS_userfaultfd, kFlags | UFFD_USER_MODE_ONLY));
  if (fd < 0 && errno == EINVAL) fd = static_cast<int>(::syscall(SYS_userfaultfd, kFlags));
  return fd;
}

/// Waits for nothing and changes nothing: a range of no bytes is refused, but an event that nobody
/// has read is reported first.
bool event_pending(int fd) noexcept {
  uffdio_writeprotect nothing{};
  return ::ioctl(fd, UFFDIO_WRITEPROTECT, &nothing) < 0 && errno == EAGAIN;
}

}  // namespace

UserfaultfdMonitor::UserfaultfdMonitor(int fd, int stop)
    : fd_(fd), stop_(stop), owner_(::getpid()) {}

Expected<std::unique_ptr<UserfaultfdMonitor>> UserfaultfdMonitor::open() {
  const int fd = open_userfaultfd();
  if (fd < 0) {
    return fail_errno(MPI_ERR_OTHER, errno,
                      "memory_monitor=userfaultfd does not work here: opening a userfaultfd");
  }
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kWantedEvents;
  if (::ioctl(fd, UFFDIO_API, &api) < 0 || (api.features & kWantedEvents) != kWantedEvents) {
    const int error = errno;
    ::close(fd);
    return fail_errno(MPI_ERR_OTHER, error,
                      "memory_monitor=userfaultfd does not work here: this kernel's userfaultfd "
                      "has no events for unmap, remap and remove");
  }
  const int stop = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop < 0) {
    const int error = errno;
    ::close(fd);
    return fail_errno(MPI_ERR_OTHER, error, "making an eventfd for the memory monitor");
  }
  return std::unique_ptr<UserfaultfdMonitor>(new UserfaultfdMonitor(fd, stop));
}

/// A child of fork() has this object, but neither the thread nor memory of its own in the
/// userfaultfd, which still is the parent's: it must not touch it.
bool UserfaultfdMonitor::forked() const {
  return ::getpid() != owner_;
}

UserfaultfdMonitor::~UserfaultfdMonitor() {
  if (started_ && !forked()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop_, &one, sizeof one);
    ::pthread_join(thread_, nullptr);
    if (moved_) end_everywhere();
  }
  ::close(stop_);
  ::close(fd_);
}

/// Memory that was moved took the userfaultfd along, and no cache knows the new place. A child may
/// keep the descriptor open: then unmapping that memory would wait for a reader for ever.
void UserfaultfdMonitor::end_everywhere() noexcept {
  std::FILE* maps = std::fopen("/proc/self/smaps", "re");
  if (maps == nullptr) return;
  std::array<char, 512> line;
  AddressRange range;
  while (std::fgets(line.data(), line.size(), maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.data(), "%lx-%lx ", &begin, &end) == 2) {  // NOLINT(cert-err34-c)
      range = {begin, end};
    } else if (std::strncmp(line.data(), "VmFlags:", 8) == 0 &&
               std::strstr(line.data(), " uw") != nullptr) {  // write-protect mode
      [[maybe_unused]] const bool ended = end_part(range);
    }
  }
  std::fclose(maps);
}

bool UserfaultfdMonitor::start() {
  if (started_) return true;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  const SignalsBlocked blocked;
  started_ = ::pthread_create(&thread_, &attributes, run, this) == 0;
  if (started_) ::pthread_setname_np(thread_, "remit-memory");
  ::pthread_attr_destroy(&attributes);
  return started_;
}

bool UserfaultfdMonitor::watch(AddressRange pages) {
  if (broken_.load(std::memory_order_acquire) || forked() || !start()) return false;
  uffdio_register request{};
  request.range = {pages.begin, pages.size()};
  request.mode = UFFDIO_REGISTER_MODE_WP;
  return ::ioctl(fd_, UFFDIO_REGISTER, &request) == 0;
}

bool UserfaultfdMonitor::end_part(AddressRange pages) noexcept {
  uffdio_range range{pages.begin, pages.size()};
  return ::ioctl(fd_, UFFDIO_UNREGISTER, &range) == 0;
}

/// What has been mapped over a part of it since may make the kernel refuse the whole: then by
/// halves, within reason; what is left causes superfluous events and no harm.
void UserfaultfdMonitor::unwatch(AddressRange pages) noexcept {
  if (forked() || end_part(pages)) return;
  constexpr std::size_t kPending = 16;
  constexpr int kTries = 64;
  std::array<AddressRange, kPending> parts;
  std::size_t count = 1;
  parts[0] = pages;
  for (int tried = 0; count != 0 && tried < kTries; ++tried) {
    const AddressRange part = parts[--count];
    const std::size_t half = part.size() / page_bytes() / 2 * page_bytes();
    if (end_part(part) || half == 0 || count + 2 > kPending) continue;
    parts[count++] = {part.begin + half, part.end};
    parts[count++] = {part.begin, part.begin + half};
  }
}

bool UserfaultfdMonitor::quiet() noexcept {
  return !event_pending(fd_) || broken_.load(std::memory_order_acquire);
}

void* UserfaultfdMonitor::run(void* self) {
  auto& monitor = *static_cast<UserfaultfdMonitor*>(self);
  std::array<pollfd, 2> ready{pollfd{monitor.fd_, POLLIN, 0}, pollfd{monitor.stop_, POLLIN, 0}};
  while (ready[1].revents == 0 && !monitor.broken_.load(std::memory_order_relaxed)) {
    if (::poll(ready.data(), ready.size(), -1) < 0) continue;
    if (ready[0].revents != 0) monitor.read_events();
  }
  return nullptr;
}

void UserfaultfdMonitor::read_events() noexcept {
  std::array<uffd_msg, 16> messages;
  const std::lock_guard lock(events_->mutex());
  const ssize_t bytes = ::read(fd_, messages.data(), sizeof messages);
  if (bytes <= 0) {
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
    broken_.store(true, std::memory_order_release);
    events_->memory_changed(kEverything, MemoryEvent::emptied);
    return;
  }
  const auto count = static_cast<std::size_t>(bytes) / sizeof(uffd_msg);
  for (std::size_t i = 0; i < count; ++i) {
    const uffd_msg& message = messages[i];
    if (message.event == UFFD_EVENT_REMAP) {
      const auto& moved = message.arg.remap;
      events_->memory_changed({moved.from, moved.from + moved.len}, MemoryEvent::unmapped);
      events_->memory_changed({moved.to, moved.to + moved.len}, MemoryEvent::unmapped);
      moved_ = true;
    } else if (message.event == UFFD_EVENT_UNMAP || message.event == UFFD_EVENT_REMOVE) {
      events_->memory_changed(
          {message.arg.remove.start, message.arg.remove.end},
          message.event == UFFD_EVENT_REMOVE ? MemoryEvent::emptied : MemoryEvent::unmapped);
    }
  }
}

}  // namespace remit
