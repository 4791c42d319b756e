// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/storage/mapped_stores.hpp"

#include <atomic>
#include <csetjmp>
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

/// Who handled the signal before. Changed with the mutex, and only while this library does not.
struct sigaction handler_before;
std::mutex handler_mutex;
int handler_users = 0;

void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction& before = handler_before;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
  const bool was_sent = info->si_code <= 0;
  if (before.sa_handler == SIG_IGN && was_sent) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(number);
  }
  // The fault comes again, and ends the process.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(number, &usual, nullptr);
  if (was_sent) ::raise(number);
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const WayOut& way = way_out;
  const auto* address = static_cast<const std::byte*>(info->si_addr);
  if (way.back != nullptr && info->si_code > 0 && address >= way.begin && address < way.end) {
    siglongjmp(*way.back, 1);
  }
  pass_on(number, info, context);
}

/// Has nothing that an end in the middle would leave behind.
[[gnu::noinline]] void store(std::span<const iovec> targets, const std::byte* from) {
  for (const iovec& target : targets) {
    copy_bytes(target.iov_base, from, target.iov_len);
    from += target.iov_len;
  }
}

}  // namespace

MappedStores::MappedStores() {
  {
    const std::lock_guard guard(handler_mutex);
    if (handler_users == 0) {
      struct sigaction own = {};
      own.sa_sigaction = on_bus_error;
      // It is left by a jump, which does not end the blocking of a signal.
      own.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
      ::sigemptyset(&own.sa_mask);
      if (::sigaction(SIGBUS, &own, &handler_before) != 0) return;
    }
    ++handler_users;
    counts_ = true;
  }
  // A fault whose signal is blocked ends the process.
  sigset_t faults;
  ::sigemptyset(&faults);
  ::sigaddset(&faults, SIGBUS);
  handles_ = ::pthread_sigmask(SIG_UNBLOCK, &faults, &before_) == 0;
}

/// The program may have set a handler of its own meanwhile, which then stays.
MappedStores::~MappedStores() {
  if (handles_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  const std::lock_guard guard(handler_mutex);
  if (!counts_ || --handler_users != 0) return;
  struct sigaction now = {};
  ::sigaction(SIGBUS, nullptr, &now);
  const bool is_own = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error;
  if (is_own) ::sigaction(SIGBUS, &handler_before, nullptr);
}

bool MappedStores::copy(std::span<const std::byte> mapping, std::span<const iovec> targets,
                        const std::byte* from) const {
  if (!handles_) return false;
  sigjmp_buf back;
  if (sigsetjmp(back, 0) != 0) {
    way_out.back = nullptr;
    return false;
  }
  way_out = {&back, mapping.data(), mapping.data() + mapping.size()};
  std::atomic_signal_fence(std::memory_order_seq_cst);
  store(targets, from);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  way_out.back = nullptr;
  return true;
}

}  // namespace remit
