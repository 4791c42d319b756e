// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/storage/mapped_stores.hpp"

#include <array>
#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <functional>
#include <mutex>

#include "runtime/copy.hpp"

namespace remit {
namespace {

/// Where a thread goes on if it cannot store into a mapping.
struct WayOut {
  sigjmp_buf* back = nullptr;  ///< null: it stores into none
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
};
// The handler must not allocate it.
[[gnu::tls_model("initial-exec")]] thread_local constinit WayOut way_out;

/// Who handled the signal before this library did, the last one of them behind. There are several
/// where a program has set a handler of its own while this library handled the signal: that one may
/// call the library's, which is to go on to the one before it then, and not to it again.
class HandlersBefore {
 public:
  // Changed with handler_mutex, and only while this library does not handle the signal. Handlers of
  // the program may call the library's at any time: an entry is written before it counts.
  /// False: there is no room.
  [[nodiscard]] bool add(const struct sigaction& handler) {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i != count; ++i) {
      if (!is_same(handlers_[i], handler)) continue;
      count_.store(i + 1, std::memory_order_release);
      return true;
    }
    if (count == kMost) return false;
    handlers_[count] = handler;
    count_.store(count + 1, std::memory_order_release);
    return true;
  }
  /// Null: there is none.
  [[nodiscard]] const struct sigaction* take_last() {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (count == 0) return nullptr;
    count_.store(count - 1, std::memory_order_release);
    return &handlers_[count - 1];
  }
  /// The one that comes behind so many others; null: whatever is usual.
  [[nodiscard]] const struct sigaction* behind(std::size_t others) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    return others < count ? &handlers_[count - 1 - others] : nullptr;
  }

 private:
  /// Programs set few handlers, again and again perhaps.
  static constexpr std::size_t kMost = 16;
  [[nodiscard]] static bool is_same(const struct sigaction& a, const struct sigaction& b) {
    if (((a.sa_flags ^ b.sa_flags) & SA_SIGINFO) != 0) return false;
    return (a.sa_flags & SA_SIGINFO) != 0 ? a.sa_sigaction == b.sa_sigaction
                                          : a.sa_handler == b.sa_handler;
  }

  std::array<struct sigaction, kMost> handlers_{};
  std::atomic<std::size_t> count_ = 0;
};
constinit HandlersBefore handlers_before;
std::mutex handler_mutex;
int handler_users = 0;

/// A fault that a thread passes on to handlers of the program, one of which may pass it back.
struct PassedFault {
  const siginfo_t* info = nullptr;
  const void* frame = nullptr;
  std::size_t handlers = 0;  ///< that have had it
};
[[gnu::tls_model("initial-exec")]] thread_local constinit PassedFault passed_fault;

void end_as_usual(int number, bool was_sent) {
  // The fault comes again, and ends the process.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(number, &usual, nullptr);
  if (was_sent) ::raise(number);
}

void hand_to(const struct sigaction* handler, int number, siginfo_t* info, void* context) {
  const bool was_sent = info->si_code <= 0;
  if (handler == nullptr) return end_as_usual(number, was_sent);
  if ((handler->sa_flags & SA_SIGINFO) != 0) return handler->sa_sigaction(number, info, context);
  if (handler->sa_handler == SIG_IGN && was_sent) return;
  if (handler->sa_handler == SIG_DFL || handler->sa_handler == SIG_IGN) {
    return end_as_usual(number, was_sent);
  }
  handler->sa_handler(number);
}

/// A handler that is left by a jump does not come back: another fault has other places.
[[gnu::noinline]] void pass_on(int number, siginfo_t* info, void* context) {
  const void* const frame = __builtin_frame_address(0);
  const PassedFault before = passed_fault;
  const bool came_back = before.info == info && std::less<const void*>()(frame, before.frame);
  passed_fault = {info, frame, came_back ? before.handlers + 1 : 0};
  hand_to(handlers_before.behind(passed_fault.handlers), number, info, context);
  passed_fault = before;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const WayOut& way = way_out;
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  if (way.back != nullptr && info->si_code > 0 && address >= way.begin && address < way.end) {
    siglongjmp(*way.back, 1);
  }
  pass_on(number, info, context);
}

bool is_own(const struct sigaction& handler) {
  return (handler.sa_flags & SA_SIGINFO) != 0 && handler.sa_sigaction == on_bus_error;
}

/// With the mutex.
bool start_handling() {
  struct sigaction own = {};
  own.sa_sigaction = on_bus_error;
  // It is left by a jump, which does not end the blocking of a signal.
  own.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  ::sigemptyset(&own.sa_mask);
  struct sigaction before = {};
  if (::sigaction(SIGBUS, nullptr, &before) != 0) return false;
  // The program may have set it again, when it took a handler of its own back.
  if (!is_own(before) && !handlers_before.add(before)) return false;
  return ::sigaction(SIGBUS, &own, nullptr) == 0;
}

/// With the mutex. The program may have set a handler of its own meanwhile, which then stays.
void stop_handling() {
  struct sigaction now = {};
  ::sigaction(SIGBUS, nullptr, &now);
  if (!is_own(now)) return;
  const struct sigaction* const before = handlers_before.take_last();
  if (before != nullptr) ::sigaction(SIGBUS, before, nullptr);
}

[[gnu::noinline]] void store(std::span<const iovec> targets, const std::byte* from) {
  for (const iovec& target : targets) {
    copy_bytes(target.iov_base, from, target.iov_len);
    from += target.iov_len;
  }
}

[[gnu::noinline]] void load(std::span<const iovec> sources, std::byte* to) {
  for (const iovec& source : sources) {
    copy_bytes(to, source.iov_base, source.iov_len);
    to += source.iov_len;
  }
}

}  // namespace

MappedStores::MappedStores() {
  {
    const std::lock_guard guard(handler_mutex);
    if (handler_users == 0 && !start_handling()) return;
    ++handler_users;
    counts_ = true;
  }
  // A fault whose signal is blocked ends the process.
  sigset_t faults;
  ::sigemptyset(&faults);
  ::sigaddset(&faults, SIGBUS);
  handles_ = ::pthread_sigmask(SIG_UNBLOCK, &faults, &before_) == 0;
}

MappedStores::~MappedStores() {
  if (handles_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  const std::lock_guard guard(handler_mutex);
  if (counts_ && --handler_users == 0) stop_handling();
}

/// `copy` has nothing that an end in the middle would leave behind.
template <class Copy>
bool MappedStores::guarded(std::span<const std::byte> mapping, Copy copy) const {
  if (!handles_) return false;
  sigjmp_buf back;
  if (sigsetjmp(back, 0) != 0) {
    way_out.back = nullptr;
    return false;
  }
  way_out = {&back, mapping.data(), mapping.data() + mapping.size()};
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  way_out.back = nullptr;
  return true;
}

bool MappedStores::copy(std::span<const std::byte> mapping, std::span<const iovec> targets,
                        const std::byte* from) const {
  return guarded(mapping, [&] { store(targets, from); });
}

bool MappedStores::copy_back(std::span<const std::byte> mapping, std::span<const iovec> sources,
                             std::byte* to) const {
  return guarded(mapping, [&] { load(sources, to); });
}

}  // namespace remit
