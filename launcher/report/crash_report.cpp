// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Words are put together in memory of their own, by code that a signal handler may run.
#include "launcher/report/crash_report.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <new>
#include <system_error>

namespace remit::launcher {
namespace {

constexpr std::size_t kReserve = std::size_t{4} << 20;  // more than mpirun needs to end a job
constexpr int kPatienceMs = 2000;                       // for the main thread to act

// Text of bounded size, always ended by a zero.
class Words {
 public:
  Words& operator<<(std::string_view text) {
    const std::size_t size = std::min(text.size(), text_.size() - 1 - size_);
    std::copy_n(text.data(), size, text_.data() + size_);
    size_ += size;
    text_[size_] = '\0';
    return *this;
  }
  Words& operator<<(std::uint64_t number) {
    std::array<char, 20> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return *this << std::string_view(digits.data() + at, digits.size() - at);
  }
  void clear() { size_ = 0; }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
};

// Of the process. Signal handlers and the handlers of the C++ library get no argument to find it
// by.
struct State {
  Words speaker;    // speak_as()
  Words fatal;      // of the first thread that cannot go on
  Words exception;  // words_of_exception()
  pthread_t main_thread{};
  int wake = -1;
  std::atomic<void*> reserve{nullptr};
  std::atomic<bool> shortage{false};     // the reserve was needed
  std::atomic<bool> has_fatal{false};    // somebody writes the words
  std::atomic<bool> fatal_ready{false};  // they are written
  std::atomic<bool> taken{false};        // the main thread has seen them
  std::atomic<bool> may_exit{false};     // by exit()
};
State state;

struct SignalName {
  int number;
  std::string_view name;
};
constexpr std::array kCrashes{SignalName{SIGSEGV, "segmentation fault"},
                              SignalName{SIGBUS, "bus error"}, SignalName{SIGABRT, "aborted"},
                              SignalName{SIGFPE, "arithmetic error"},
                              SignalName{SIGILL, "illegal instruction"}};

void wake_main() {
  const std::uint64_t one = 1;
  if (state.wake >= 0) (void)!::write(state.wake, &one, sizeof one);
}

bool has_limit(rlimit* limit) {
  return ::getrlimit(RLIMIT_AS, limit) == 0 && limit->rlim_cur != RLIM_INFINITY;
}

void write_words(std::string_view words) {
  Words line;
  line << "mpirun: " << state.speaker.text() << words << "\n";
  (void)!::write(STDERR_FILENO, line.text().data(), line.text().size());
}

// What limits this process's memory, and what to do.
void describe_limit(Words* words) {
  if (rlimit limit{}; has_limit(&limit)) {
    *words << "mpirun may use " << std::uint64_t{limit.rlim_cur / 1024}
           << " kB of address space ('ulimit -v'): raise that limit";
  } else {
    *words << "start fewer processes on this host, or give it more memory";
  }
}

// To be called while an exception is handled.
void describe_exception(Words* words) noexcept {
  try {
    throw;
  } catch (const Breakdown& breakdown) {
    *words << breakdown.what();
  } catch (const std::bad_alloc&) {
    *words << "out of memory; ";
    describe_limit(words);
  } catch (const std::system_error& error) {
    *words << error.what();
    if (error.code() == std::errc::resource_unavailable_try_again) {
      *words << "; raise the limit of processes ('ulimit -u')";
      if (rlimit limit{}; has_limit(&limit)) {
        *words << ", or that of memory: ";
        describe_limit(words);
      }
    } else if (error.code() == std::errc::too_many_files_open) {
      *words << "; raise the limit of open files ('ulimit -n')";
    } else if (error.code() == std::errc::not_enough_memory) {
      *words << "; ";
      describe_limit(words);
    }
  } catch (const std::exception& error) {
    *words << "error in mpirun: " << error.what();
  } catch (...) {
    *words << "error in mpirun: an exception of unknown type";
  }
}

bool claim_fatal() {
  return !state.has_fatal.exchange(true);
}

void publish_fatal() {
  state.fatal_ready = true;
  wake_main();
}

// The words are there. Whoever calls this cannot go on: the main thread ends the process, unless it
// is this one, or is stuck.
[[noreturn]] void wait_for_the_end() {
  const timespec pause{0, 10'000'000};
  for (int waited_ms = 0; state.taken || (state.wake >= 0 && waited_ms < kPatienceMs);
       waited_ms += 10) {
    ::nanosleep(&pause, nullptr);
  }
  write_words(state.fatal.text());
  ::_exit(1);
}

bool in_main_thread() {
  return ::pthread_equal(::pthread_self(), state.main_thread) != 0;
}

[[noreturn]] void on_terminate() {
  Words words;
  if (std::current_exception()) {
    describe_exception(&words);
  } else {
    words << "error in mpirun: it was terminated";
  }
  if (in_main_thread()) {
    write_words(words.text());
    ::_exit(1);
  }
  if (claim_fatal()) {
    state.fatal << words.text();
    publish_fatal();
  }
  wait_for_the_end();
}

void on_crash(int number) {
  Words words;
  for (const SignalName& each : kCrashes) {
    if (each.number == number) words << "it crashed (" << each.name << ")";
  }
  words << ", or a library did that it uses (PMIx, hwloc)";
  if (rlimit limit{}; has_limit(&limit)) {
    words << "; such libraries crash where memory is short: ";
    describe_limit(&words);
  }
  if (!in_main_thread()) {
    if (claim_fatal()) {
      state.fatal << words.text();
      publish_fatal();
    }
    wait_for_the_end();
  }
  write_words(words.text());
  std::signal(number, SIG_DFL);
  std::raise(number);  // when this handler has returned; with a core file, where one is wanted
}

// Some libraries end a process when they have no memory, as readers made by flex do.
void on_exit() {
  if (state.may_exit) return;
  Words words;
  words << "a library that it uses (PMIx, hwloc) has ended it";
  if (rlimit limit{}; has_limit(&limit)) {
    words << "; some do where memory is short: ";
    describe_limit(&words);
  }
  write_words(words.text());
}

// A memory checker's handlers stay.
void watch_crashes() {
  static std::array<char, std::size_t{64} << 10> stack;  // for one that has used up its own
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const SignalName& each : kCrashes) {
    struct sigaction old {};
    if (::sigaction(each.number, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 ||
        old.sa_handler != SIG_DFL) {
      continue;
    }
    ::sigaction(each.number, &action, nullptr);
  }
}

// The first allocation that fails is tried again with what was kept back; later ones throw.
void on_shortage() {
  void* const reserve = state.reserve.exchange(nullptr);
  if (reserve == nullptr) throw std::bad_alloc();
  ::munmap(reserve, kReserve);
  state.shortage = true;
  wake_main();
}

}  // namespace

void prepare_crash_report() {
  state.main_thread = ::pthread_self();
  state.wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  void* const reserve = ::mmap(nullptr, kReserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  state.reserve = reserve == MAP_FAILED ? nullptr : reserve;
  std::set_new_handler(on_shortage);
  std::set_terminate(on_terminate);
  watch_crashes();
  (void)std::atexit(on_exit);
}

void speak_as(std::string_view who) {
  state.speaker << who << ": ";
}

void expect_exit() {
  state.may_exit = true;
}

void leave_crash_report() {
  state.wake = -1;  // its number may be another file's
  std::set_terminate(std::abort);
  for (const SignalName& each : kCrashes) {
    struct sigaction old {};
    const bool ours = ::sigaction(each.number, nullptr, &old) == 0 && old.sa_handler == on_crash;
    if (ours) std::signal(each.number, SIG_DFL);
  }
}

std::string memory_limit_advice() {
  Words words;
  if (rlimit limit{}; has_limit(&limit)) describe_limit(&words);
  return std::string(words.text());
}

int trouble_descriptor() {
  return state.wake;
}

Trouble trouble() {
  if (state.fatal_ready) {
    state.taken = true;
    return {true, state.fatal.text()};
  }
  if (!state.shortage) return {};
  state.exception.clear();
  state.exception << "out of memory; ";
  describe_limit(&state.exception);
  return {false, state.exception.text()};
}

void report_exception() noexcept {
  if (!claim_fatal()) return;
  describe_exception(&state.fatal);
  publish_fatal();
}

std::string_view words_of_exception() noexcept {
  state.exception.clear();
  describe_exception(&state.exception);
  return state.exception.text();
}

void tell_exception() noexcept {
  write_words(words_of_exception());
}

}  // namespace remit::launcher
