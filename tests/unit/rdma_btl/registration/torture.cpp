// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Torture of the registration cache: threads map, unmap, move, empty, fork and free while messages
// fly through the same addresses. The adapter is the kernel's own pinned pages, or a real one, so a
// stale registration shows as wrong data. With a monitor that reports nothing the same run must
// show it.
//
//   registration_torture [pinning|verbs] [SECONDS]       all runs, SECONDS each (1.5)
//   registration_torture --one ADAPTER MONITOR SECONDS   one run in this process; REMIT_TEST_SEED
//                                                        replays it
//
// 0: right; 1: wrong; 77: this machine can run none of it, and why.
#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "rdma_btl/registration/preload_monitor.hpp"
#include "rdma_btl/registration/registration_cache.hpp"
#include "rdma_btl/registration/userfaultfd_monitor.hpp"
#include "tests/unit/rdma_btl/registration/fakes.hpp"
#include "tests/unit/rdma_btl/registration/pinning_device.hpp"
#include "tests/unit/rdma_btl/verbs/pair.hpp"
#include "tests/unit/test_seed.hpp"

namespace {

using namespace remit;
using remit::testing::PinningDevice;
using remit::testing::VerbsPair;

constexpr int kRight = 0;
constexpr int kWrong = 1;
constexpr int kCannot = 77;
constexpr unsigned kThreads = 4;
constexpr uid_t kOrdinary = 65534;
constexpr std::uint64_t kEnough = 300;
constexpr std::uint64_t kTooMany = 100'000;

/// Memory of one thread under test.
struct Buffer {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// What registers memory, and moves data through registrations.
class Adapter {
 public:
  virtual ~Adapter() = default;
  [[nodiscard]] virtual Device& device() = 0;
  /// Copies what `region` holds for [address, address + length) to `out`.
  [[nodiscard]] virtual bool read(const Region& region, const void* address, void* out,
                                  std::size_t length) = 0;
  /// Copies `in` to what was at [address, address + length) when `region` was registered.
  [[nodiscard]] virtual bool write(const Region& region, const void* address, const void* in,
                                   std::size_t length) = 0;
};

Device& device_of(PinningDevice& adapter) {
  return adapter;
}
Device& device_of(VerbsPair& adapter) {
  return adapter.device();
}

template <class T>
class AdapterOf final : public Adapter {
 public:
  explicit AdapterOf(std::unique_ptr<T> adapter) : adapter_(std::move(adapter)) {}
  Device& device() override { return device_of(*adapter_); }
  bool read(const Region& region, const void* address, void* out, std::size_t length) override {
    return adapter_->adapter_read(region, address, out, length);
  }
  bool write(const Region& region, const void* address, const void* in,
             std::size_t length) override {
    return adapter_->adapter_write(region, address, in, length);
  }

 private:
  std::unique_ptr<T> adapter_;
};

template <class T>
Expected<std::unique_ptr<Adapter>> open_as() {
  auto opened = T::open();
  if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
  return std::make_unique<AdapterOf<T>>(std::move(*opened));
}

class Torture {
 public:
  Torture(std::unique_ptr<Adapter> adapter, std::vector<std::unique_ptr<MemoryMonitor>> monitors)
      : adapter_(std::move(adapter)),
        watch_(std::move(monitors)),
        cache_(adapter_->device(), watch_,
               {.bytes = std::min<std::size_t>(lockable_bytes(), std::size_t{1} << 20),
                .entries = 6}) {}

  /// Runs for so long, and for kEnough messages on a slow machine; or, if `until_wrong`, until the
  /// data was wrong, however long that takes, within kTooMany messages.
  int run(std::uint64_t seed, double seconds, bool until_wrong) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([this, seed, i, end, until_wrong] {
        std::mt19937_64 random(seed * kThreads + i);
        while (until_wrong ? wrong_ == 0 && messages_ < kTooMany
                           : std::chrono::steady_clock::now() < end || messages_ < kEnough) {
          for (int round = 0; round < 20; ++round) one_life(random);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const RegistrationCounters c = cache_.counters();
    fmt::print(
        "  {} messages, {} wrong, {} refused, {} forks; hits {}, misses {} ({} "
        "uncached), "
        "invalidations {}, evictions {}, waits {}, pinned at most {} kB\n",
        messages_.load(), wrong_.load(), refused_.load(), forks_.load(), c.hits, c.misses,
        c.uncached, c.invalidations, c.evictions, c.waits, c.pinned_peak >> 10);
    return wrong_ != 0 ? kWrong : kRight;
  }

  RegistrationCounters counters() { return cache_.counters(); }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  using Random = std::mt19937_64;

  /// A buffer from its birth to its end, with messages in between.
  void one_life(Random& random) {
    const bool from_heap = random() % 3 == 0;
    Buffer buffer;
    // Few sizes, so that addresses come back.
    buffer.bytes = std::size_t{4096} << random() % 6;
    buffer.data =
        from_heap ? static_cast<std::byte*>(std::malloc(buffer.bytes)) : map(buffer.bytes);
    if (buffer.data == nullptr) std::abort();
    message(random, buffer);
    for (unsigned turns = random() % 4; turns != 0; --turns) {
      if (from_heap) {
        heap_turn(random, buffer);
      } else {
        map_turn(random, buffer);
      }
      message(random, buffer);
    }
    if (from_heap) {
      std::free(buffer.data);
      if (random() % 16 == 0) ::malloc_trim(0);
    } else {
      ::munmap(buffer.data, buffer.bytes);
    }
  }

  static std::byte* map(std::size_t bytes, void* at = nullptr) {
    void* mapped = ::mmap(at, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | (at != nullptr ? MAP_FIXED : 0), -1, 0);
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
  }

  void map_turn(Random& random, Buffer& buffer) {
    switch (random() % 7) {
      case 0:  // other pages at the same place
        ::munmap(buffer.data, buffer.bytes);
        buffer.data = map(buffer.bytes);
        break;
      case 1:
        map(buffer.bytes, buffer.data);
        break;
      case 2:
        ::madvise(buffer.data, buffer.bytes, MADV_DONTNEED);
        break;
      case 3: {  // move it, and put something new where it was
        renew(random, buffer);
        std::byte* place = map(buffer.bytes);
        void* moved =
            ::mremap(buffer.data, buffer.bytes, buffer.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
        if (moved == MAP_FAILED) std::abort();
        std::byte* other = map(buffer.bytes);
        Buffer replaced{other, buffer.bytes};
        message(random, replaced);
        ::munmap(other, buffer.bytes);
        buffer.data = place;
        break;
      }
      case 4:  // shrink or grow
        if (buffer.bytes > 4096) {
          ::munmap(buffer.data + buffer.bytes / 2, buffer.bytes / 2);
          buffer.bytes /= 2;
        } else {
          renew(random, buffer);
          void* grown = ::mremap(buffer.data, buffer.bytes, 4 * buffer.bytes, MREMAP_MAYMOVE);
          if (grown == MAP_FAILED) std::abort();
          buffer = {static_cast<std::byte*>(grown), 4 * buffer.bytes};
        }
        break;
      case 5:  // only a part of it changes
        map(4096, buffer.data + random() % (buffer.bytes / 4096) * 4096);
        break;
      default:
        if (random() % 8 == 0) fork_once(random, buffer);
    }
  }

  /// Kernels move only what is one mapping; watched in part, or mapped over, it is several.
  void renew(Random& random, Buffer& buffer) {
    ::munmap(buffer.data, buffer.bytes);
    buffer.data = map(buffer.bytes);
    message(random, buffer, true);
  }

  void heap_turn(Random& random, Buffer& buffer) {
    buffer.bytes = std::size_t{4096} << random() % 6;
    if (random() % 2 == 0) {
      buffer.data = static_cast<std::byte*>(std::realloc(buffer.data, buffer.bytes));
    } else {
      std::free(buffer.data);
      buffer.data = static_cast<std::byte*>(std::malloc(buffer.bytes));
    }
    if (buffer.data == nullptr) std::abort();
  }

  /// The child changes, empties and unmaps its copy while the parent's messages go on.
  void fork_once(Random& random, const Buffer& buffer) {
    ++forks_;
    const pid_t child = ::fork();
    if (child == 0) {
      std::memset(buffer.data, 0xdd, buffer.bytes);
      ::madvise(buffer.data, buffer.bytes, MADV_DONTNEED);
      ::munmap(buffer.data, buffer.bytes);
      ::_exit(0);
    }
    if (child < 0) return;
    message(random, buffer);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  void message(Random& random, const Buffer& buffer, bool whole = false) {
    const std::size_t skip = whole || random() % 2 == 0 ? 0 : random() % (buffer.bytes / 2);
    const std::size_t length = buffer.bytes - skip - (whole ? 0 : random() % (buffer.bytes / 4));
    const bool sends = random() % 2 == 0;
    const std::uint64_t pattern = random();
    std::vector<std::uint64_t> words((length + 7) / 8);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = pattern + i;
    std::byte* data = buffer.data + skip;
    if (sends) std::memcpy(data, words.data(), length);

    std::unique_lock lock(process_);  // MPI's one lock
    Expected<Lease> lease =
        cache_.acquire(data, length, sends ? Access::remote_read : Access::remote_write);
    ++messages_;
    if (!lease) {  // other messages have everything
      ++refused_;
      last_refusal_ = lease.error().message;
      return;
    }
    if (random() % 4 == 0) {  // others have a turn while it is under way
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    bool right = false;
    if (sends) {
      std::vector<std::uint64_t> seen(words.size());
      right = adapter_->read(lease->region(), data, seen.data(), length) &&
              std::memcmp(seen.data(), words.data(), length) == 0;
    } else {
      right = adapter_->write(lease->region(), data, words.data(), length) &&
              std::memcmp(data, words.data(), length) == 0;
    }
    lease->reset();
    if (!right && wrong_++ == 0) {
      fmt::print("  wrong data: {} of {} bytes at {}\n", sends ? "send" : "receive", length,
                 static_cast<void*>(data));
    }
  }

  std::unique_ptr<Adapter> adapter_;
  MemoryWatch watch_;
  RegistrationCache cache_;
  std::mutex process_;
  std::atomic<std::uint64_t> messages_{0}, wrong_{0}, refused_{0}, forks_{0};
  std::string last_refusal_;
};

/// In this process.
int one(std::string_view adapter, std::string_view monitor, double seconds) {
  std::vector<std::unique_ptr<MemoryMonitor>> monitors;
  std::string reason;
  if (monitor == "userfaultfd") {
    auto opened = UserfaultfdMonitor::open();
    if (opened) monitors.push_back(std::move(*opened));
    if (!opened) reason = opened.error().message;
  } else if (monitor == "preload") {
    auto opened = PreloadMonitor::open();
    if (opened) monitors.push_back(std::move(*opened));
    if (!opened) reason = opened.error().message;
  } else if (monitor == "blind") {
    monitors.push_back(std::make_unique<remit::testing::BlindMonitor>());
  } else if (monitor != "none") {
    fmt::print("unknown monitor {}\n", monitor);
    return kWrong;
  }
  auto opened = adapter == "verbs" ? open_as<VerbsPair>() : open_as<PinningDevice>();
  if (!opened) reason = opened.error().message;
  if (!reason.empty()) {
    fmt::print("  cannot run: {}\n", reason);
    return kCannot;
  }
  Torture torture(std::move(*opened), std::move(monitors));
  const int result = torture.run(remit::testing::test_seed(), seconds, monitor == "blind");
  const RegistrationCounters c = torture.counters();
  if (monitor == "blind") return result;
  const bool cached = monitor != "none";
  if (cached && (c.hits == 0 || c.invalidations == 0)) {
    fmt::print("  wrong: a run without hits or invalidations tests nothing\n");
    return kWrong;
  }
  if (!cached && (c.hits != 0 || c.uncached != c.misses)) {
    fmt::print("  wrong: something was cached without a monitor\n");
    return kWrong;
  }
  if (torture.refused() * 2 > torture.messages()) {
    fmt::print("  wrong: most messages found no memory to register\n");
    return kWrong;
  }
  return result;
}

struct Run {
  const char* title;
  const char* monitor;
  bool ordinary_user = false;
  bool preload = false;
  int expected = kRight;
};

constexpr Run kRuns[] = {
    {"userfaultfd", "userfaultfd"},
    {"userfaultfd as an ordinary user", "userfaultfd", true},
    {"preloaded library", "preload", false, true},
    {"preloaded library as an ordinary user", "preload", true, true},
    {"no monitor", "none"},
    {"blind monitor, which must be caught", "blind", false, false, kWrong},
};

/// Where the build left the library; tests run in the build's root.
std::string preload_library() {
  if (const char* given = std::getenv("REMIT_TEST_PRELOAD")) return given;
  char* full = ::realpath(".libs/libremit_memory.so", nullptr);
  std::string path = full == nullptr ? "" : full;
  std::free(full);
  return path;
}

/// One run in a process of its own: the exit status, or 128 + the signal that ended it.
int start(const Run& run, const char* adapter, const char* seconds, const std::string& library) {
  // Opened before the rights go: an ordinary user may not reach the folder of the build.
  const int self = ::open("/proc/self/exe", O_RDONLY);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(static_cast<unsigned>(std::atof(seconds)) * 3 + 60);
    if (run.preload) ::setenv("LD_PRELOAD", library.c_str(), 1);
    if (run.ordinary_user &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kOrdinary) != 0 || ::setuid(kOrdinary) != 0)) {
      ::_exit(kCannot);
    }
    const char* const arguments[] = {
        "registration_torture", "--one", adapter, run.monitor, seconds, nullptr};
    ::fexecve(self, const_cast<char* const*>(arguments), environ);
    ::_exit(kCannot);
  }
  ::close(self);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int all(const char* adapter, const char* seconds) {
  const std::string library = preload_library();
  int result = kCannot;
  for (const Run& run : kRuns) {
    fmt::print("{}:\n", run.title);
    int got = kCannot;
    if (run.ordinary_user && ::geteuid() != 0) {
      fmt::print("  left out: only root can become another user, and this user is ordinary\n");
    } else if (run.preload && library.empty()) {
      fmt::print("  left out: .libs/libremit_memory.so is not here\n");
    } else {
      got = start(run, adapter, seconds, library);
    }
    const bool right = got == run.expected;
    fmt::print("  {}\n", right            ? "ok"
                         : got == kCannot ? "not run"
                                          : fmt::format("FAILED ({})", got));
    if (got == kCannot) continue;
    if (!right) return kWrong;
    if (result == kCannot) result = kRight;
  }
  if (result == kCannot) fmt::print("nothing of this can run here\n");
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  ::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count == 5 && std::string_view(arguments[1]) == "--one") {
    return one(arguments[2], arguments[3], std::atof(arguments[4]));
  }
  const char* adapter = "pinning";
  if (count > 1 && std::isdigit(static_cast<unsigned char>(*arguments[1])) == 0) {
    adapter = arguments[1];
    ++arguments;
    --count;
  }
  return all(adapter, count > 1 ? arguments[1] : "1.5");
}
