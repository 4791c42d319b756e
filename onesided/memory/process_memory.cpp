// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Signs of processes, and copies that the kernel makes of all pieces, however many.
#include "onesided/memory/process_memory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "runtime/clock.hpp"
#include "runtime/os/os.hpp"
#include "runtime/waiting/core_yield.hpp"

namespace remit {

namespace {

/// Of the machine's process, not of an MPI process: other processes read `word`.
struct OwnWord {
  /// The process that `word` is of; negative: a thread of it is drawing one. Another process: this
  /// is what a parent has left here.
  std::atomic<pid_t> owner{0};
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint32_t> pid_namespace{0};  ///< of `owner`; 0: the system does not say
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t));

/// Asks the system. 0: it does not say.
std::uint32_t find_pid_namespace() {
  struct stat about = {};
  if (::stat("/proc/self/ns/pid", &about) != 0) return 0;
  return static_cast<std::uint32_t>(about.st_ino);
}

std::uint64_t draw_word(pid_t self) {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes;
  if (shm::random_bytes(bytes)) return std::bit_cast<std::uint64_t>(bytes);
  // It is no secret: only another process must not have it by chance.
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (static_cast<std::uint64_t>(monotonic_ns()) * kOdd ^ static_cast<std::uint64_t>(self)) *
         kOdd;
}

/// The pieces of one side that are left.
struct PiecesLeft {
  std::span<const iovec> pieces;
  std::size_t done = 0;  ///< of the first one

  void skip(std::size_t bytes) {
    while (!pieces.empty() && bytes >= pieces[0].iov_len - done) {
      bytes -= pieces[0].iov_len - done;
      pieces = pieces.subspan(1);
      done = 0;
    }
    done += bytes;
  }
  [[nodiscard]] std::uint64_t address() const {
    return pieces.empty() ? 0 : reinterpret_cast<std::uint64_t>(pieces[0].iov_base) + done;
  }
};

/// As many of the next pieces of one side as go into a call.
class PieceBatch {
 public:
  explicit PieceBatch(const PiecesLeft& left) {
    count_ = std::min(left.pieces.size(), pieces_.size());
    std::copy_n(left.pieces.begin(), count_, pieces_.begin());
    if (count_ != 0) {
      pieces_[0].iov_base = static_cast<std::byte*>(pieces_[0].iov_base) + left.done;
      pieces_[0].iov_len -= left.done;
    }
    for (std::size_t i = 0; i < count_; ++i) bytes_ += pieces_[i].iov_len;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Its first bytes, at most bytes().
  [[nodiscard]] std::span<const iovec> first(std::size_t bytes) {
    while (bytes_ - bytes >= pieces_[count_ - 1].iov_len) bytes_ -= pieces_[--count_].iov_len;
    pieces_[count_ - 1].iov_len -= bytes_ - bytes;
    bytes_ = bytes;
    return {pieces_.data(), count_};
  }

 private:
  std::array<iovec, 256> pieces_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

std::size_t bytes_of(std::span<const iovec> pieces) {
  std::size_t bytes = 0;
  for (const iovec& piece : pieces) bytes += piece.iov_len;
  return bytes;
}

tl::unexpected<Error> refused_to_open(const ProcessSign& sign, int error) {
  switch (error) {
    case ESRCH:
      return fail(MPI_ERR_RMA_SHARED,
                  "there is no process {} here: it has ended, or counts its processes apart "
                  "(containers of one job need one PID namespace: --pid=host)",
                  sign.pid);
    case EFAULT:
      return fail(MPI_ERR_RMA_SHARED,
                  "process {} is not the one that is meant, which counts its processes apart "
                  "(containers of one job need one PID namespace: --pid=host)",
                  sign.pid);
    case EPERM:
      return fail(MPI_ERR_RMA_SHARED,
                  "the kernel does not let this process copy memory of process {}: processes of "
                  "a job need the same user and /proc/sys/kernel/yama/ptrace_scope 0 or 1; a "
                  "container needs --cap-add=SYS_PTRACE, or a seccomp profile that allows "
                  "process_vm_readv and process_vm_writev",
                  sign.pid);
    case ENOSYS:
      return fail(MPI_ERR_RMA_SHARED,
                  "the kernel has no process_vm_readv, by which process {} is reached: it is not "
                  "built in (CONFIG_CROSS_MEMORY_ATTACH), or a seccomp profile hides it",
                  sign.pid);
    default:
      return fail_errno(MPI_ERR_RMA_SHARED, error,
                        fmt::format("reading memory of process {}", sign.pid));
  }
}

tl::unexpected<Error> failed_to_copy(pid_t pid, bool to_peer, std::uint64_t address, int error) {
  switch (error) {
    case ESRCH:
      return fail(MPI_ERR_PROC_ABORTED, "process {} has ended", pid);
    case EFAULT:
      return fail(MPI_ERR_RMA_RANGE,
                  "process {} has no memory at {:#x} that can be {}, or this one has none on its "
                  "side",
                  pid, address, to_peer ? "written" : "read");
    case EPERM:
      return fail(MPI_ERR_RMA_SHARED,
                  "the kernel lets this process copy memory of process {} no longer: one of them "
                  "has changed its user or its rights, or the process is another one",
                  pid);
    default:
      return fail_errno(MPI_ERR_OTHER, error,
                        fmt::format("copying memory {} process {} at {:#x}",
                                    to_peer ? "to" : "from", pid, address));
  }
}

}  // namespace

bool is_seen_to_end(const ProcessSign& sign) {
  return sign.pid > 0 && sign.pid_namespace != 0 &&
         sign.pid_namespace == own_process_sign().pid_namespace;
}

bool has_ended(const ProcessSign& sign) {
  return is_seen_to_end(sign) && ::kill(sign.pid, 0) != 0 && errno == ESRCH;
}

ProcessSign own_process_sign() {
  static OwnWord own;
  const pid_t self = ::getpid();
  for (pid_t seen = own.owner.load(std::memory_order_acquire); seen != self;) {
    if (seen == -self) {
      yield_core();
      seen = own.owner.load(std::memory_order_acquire);
    } else if (own.owner.compare_exchange_weak(seen, -self, std::memory_order_acq_rel)) {
      own.word.store(draw_word(self), std::memory_order_relaxed);
      own.pid_namespace.store(find_pid_namespace(), std::memory_order_relaxed);
      shm::allow_direct_copies();
      own.owner.store(self, std::memory_order_release);
      seen = self;
    }
  }
  ProcessSign sign;
  sign.pid = self;
  sign.pid_namespace = own.pid_namespace.load(std::memory_order_relaxed);
  sign.word_address = reinterpret_cast<std::uint64_t>(&own.word);
  sign.word = own.word.load(std::memory_order_relaxed);
  return sign;
}

Expected<std::unique_ptr<ProcessMemory>> ProcessMemory::open(const ProcessSign& sign,
                                                             KernelCopy& kernel) {
  // Zeros are words that nobody has written, and process 0 is no process.
  if (sign.pid <= 0 || sign.word_address == 0)
    return fail(MPI_ERR_RMA_SHARED, "a process that has said nothing of itself is not reached");
  std::uint64_t word = 0;
  const iovec here{&word, sizeof word};
  const iovec there{reinterpret_cast<void*>(sign.word_address), sizeof word};
  const ssize_t copied = kernel.copy(sign.pid, false, {&here, 1}, {&there, 1});
  if (copied < 0) return refused_to_open(sign, errno);
  if (copied != sizeof word || word != sign.word) return refused_to_open(sign, EFAULT);
  return std::unique_ptr<ProcessMemory>(new ProcessMemory(sign.pid, kernel));
}

Expected<> ProcessMemory::copy(bool to_peer, std::span<const iovec> local,
                               std::span<const iovec> remote) {
  PiecesLeft here{local};
  PiecesLeft there{remote};
  if (local.size() <= IOV_MAX && remote.size() <= IOV_MAX) {
    const ssize_t copied = kernel_.copy(pid_, to_peer, local, remote);
    if (copied < 0) return failed_to_copy(pid_, to_peer, there.address(), errno);
    if (static_cast<std::size_t>(copied) == bytes_of(local)) [[likely]]
      return {};
    here.skip(static_cast<std::size_t>(copied));
    there.skip(static_cast<std::size_t>(copied));
  }
  // The rest; the kernel says why where it cannot go on.
  for (;;) {
    here.skip(0);  // pieces of no bytes
    there.skip(0);
    PieceBatch ours(here);
    PieceBatch theirs(there);
    const std::size_t bytes = std::min(ours.bytes(), theirs.bytes());
    if (bytes == 0) return {};
    const ssize_t copied = kernel_.copy(pid_, to_peer, ours.first(bytes), theirs.first(bytes));
    if (copied <= 0)
      return failed_to_copy(pid_, to_peer, there.address(), copied == 0 ? EFAULT : errno);
    here.skip(static_cast<std::size_t>(copied));
    there.skip(static_cast<std::size_t>(copied));
  }
}

Expected<> ProcessMemory::read(std::span<const iovec> local, std::span<const iovec> remote) {
  return copy(false, local, remote);
}

Expected<> ProcessMemory::write(std::span<const iovec> local, std::span<const iovec> remote) {
  return copy(true, local, remote);
}

Expected<> ProcessMemory::read(void* to, std::uint64_t address, std::size_t bytes) {
  const iovec here{to, bytes};
  const iovec there{reinterpret_cast<void*>(address), bytes};
  return copy(false, {&here, 1}, {&there, 1});
}

Expected<> ProcessMemory::write(const void* from, std::uint64_t address, std::size_t bytes) {
  const iovec here{const_cast<void*>(from), bytes};
  const iovec there{reinterpret_cast<void*>(address), bytes};
  return copy(true, {&here, 1}, {&there, 1});
}

}  // namespace remit
