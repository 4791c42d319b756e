// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies by the kernel, and the detour that some of them take.
#include "runtime/os/kernel_copy.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "runtime/copy.hpp"
#include "runtime/copy_time.hpp"
#include "runtime/os/os.hpp"

namespace remit {

namespace {

constexpr std::size_t kPageBytes = 4096;

/// Of five times: an interrupt must not decide.
template <class Copy>
std::uint64_t lowest_ns(Copy copy) {
  constexpr int kTries = 5;
  auto best = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t start = shm::now_ns();
    copy();
    best = std::min(best, shm::now_ns() - start);
  }
  return best;
}

}  // namespace

void FreeMemory::operator()(std::byte* memory) const {
  std::free(memory);
}

/// The pieces of one side, byte after byte.
struct KernelCopy::Cursor {
  std::span<const iovec> pieces;
  std::size_t done = 0;  ///< of the first one

  [[nodiscard]] bool at_end() {
    while (!pieces.empty() && done == pieces[0].iov_len) {
      pieces = pieces.subspan(1);
      done = 0;
    }
    return pieces.empty();
  }
  // Not at the end.
  [[nodiscard]] std::byte* address() const {
    return static_cast<std::byte*>(pieces[0].iov_base) + done;
  }
  [[nodiscard]] std::size_t run() const { return pieces[0].iov_len - done; }

  /// Copies the next bytes to `memory`, or from it.
  void exchange(std::byte* memory, std::size_t bytes, bool to_memory) {
    while (bytes != 0 && !at_end()) {
      const std::size_t part = std::min(bytes, run());
      if (to_memory) {
        copy_bytes(memory, address(), part);
      } else {
        copy_bytes(address(), memory, part);
      }
      memory += part;
      bytes -= part;
      done += part;
    }
  }
};

bool KernelCopy::needs_detour(bool to_peer, std::span<const iovec> local,
                              std::span<const iovec> remote) {
  Cursor here{local};
  Cursor there{remote};
  while (!here.at_end() && !there.at_end()) {
    const std::size_t run = std::min(here.run(), there.run());
    const auto own = reinterpret_cast<std::uintptr_t>(here.address());
    const auto peers = reinterpret_cast<std::uintptr_t>(there.address());
    if (run >= kTrapFrom && (to_peer ? in_copy_trap(peers, own) : in_copy_trap(own, peers))) {
      return true;
    }
    here.done += run;
    there.done += run;
  }
  return false;
}

namespace {

std::size_t bytes_of(std::span<const iovec> pieces) {
  std::size_t bytes = 0;
  for (const iovec& piece : pieces) bytes += piece.iov_len;
  return bytes;
}

}  // namespace

ssize_t KernelCopy::copy(pid_t peer, bool to_peer, std::span<const iovec> local,
                         std::span<const iovec> remote) {
  const TimedCopy time(CopyTime::is_wanted() ? bytes_of(local) : 0);
  if (takes_detours_ && needs_detour(to_peer, local, remote))
    return by_detour(peer, to_peer, local, remote);
  return to_peer ? ::process_vm_writev(peer, local.data(), local.size(), remote.data(),
                                       remote.size(), 0)
                 : ::process_vm_readv(peer, local.data(), local.size(), remote.data(),
                                      remote.size(), 0);
}

/// Memory of the detour for the next bytes of the peer, and where they are there.
struct KernelCopy::Step {
  static constexpr std::size_t kPieces = 64;
  std::array<iovec, kPieces> ours;
  std::array<iovec, kPieces> theirs;
  std::size_t pieces = 0;
  std::size_t bytes = 0;

  /// As many as there is memory for. Each piece lies as the peer's does.
  Step(Cursor& there, std::byte* memory, std::size_t room) {
    std::size_t used = 0;
    while (pieces < kPieces && !there.at_end()) {
      const auto address = reinterpret_cast<std::uintptr_t>(there.address());
      const std::size_t at = used + (address - used) % kPageBytes;
      if (at >= room) return;
      const std::size_t length = std::min(there.run(), room - at);
      ours[pieces] = {memory + at, length};
      theirs[pieces] = {there.address(), length};
      ++pieces;
      bytes += length;
      used = at + length;
      there.done += length;
    }
  }

  /// Copies its first bytes between its memory and this process's pieces.
  void exchange(Cursor& here, std::size_t count, bool to_memory) const {
    for (std::size_t i = 0; i < pieces && count != 0; ++i) {
      const std::size_t part = std::min(count, ours[i].iov_len);
      here.exchange(static_cast<std::byte*>(ours[i].iov_base), part, to_memory);
      count -= part;
    }
  }
};

ssize_t KernelCopy::by_detour(pid_t peer, bool to_peer, std::span<const iovec> local,
                              std::span<const iovec> remote) {
  constexpr std::size_t kRoom = kStep + kPageBytes;
  ++detours_;
  if (detour_ == nullptr) {
    detour_.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, kRoom)));
    if (detour_ == nullptr) return -1;
  }
  Cursor here{local};
  Cursor there{remote};
  ssize_t copied = 0;
  while (!there.at_end()) {
    const Step step(there, detour_.get(), kRoom);
    if (to_peer) step.exchange(here, step.bytes, true);
    const auto move = to_peer ? ::process_vm_writev : ::process_vm_readv;
    const ssize_t moved =
        move(peer, step.ours.data(), step.pieces, step.theirs.data(), step.pieces, 0);
    if (moved <= 0) return copied != 0 ? copied : moved;
    if (!to_peer) step.exchange(here, static_cast<std::size_t>(moved), false);
    copied += moved;
    if (static_cast<std::size_t>(moved) != step.bytes) return copied;
  }
  return copied;
}

HostFacts measure_kernel_copies(bool trap) {
  constexpr std::size_t kBytes = std::size_t{64} << 10;
  constexpr std::size_t kShort = std::size_t{16} << 10;
  constexpr std::size_t kMostAhead = 31;
  constexpr double kSlow = 1.3;
  // Both begin with a page: no distance at which some processors are slow.
  const std::unique_ptr<std::byte, FreeMemory> from(
      static_cast<std::byte*>(std::aligned_alloc(kPageBytes, kBytes)));
  const std::unique_ptr<std::byte, FreeMemory> to(
      static_cast<std::byte*>(std::aligned_alloc(kPageBytes, kBytes + kPageBytes)));
  HostFacts facts;
  if (from == nullptr || to == nullptr) return facts;
  std::memset(from.get(), 1, kBytes);
  bool allowed = true;
  const auto by_kernel = [&](std::size_t bytes, std::size_t ahead = 0) {
    const iovec source{from.get(), bytes};
    const iovec target{to.get() + ahead, bytes};
    return lowest_ns([&, self = ::getpid()] {
      const ssize_t copied = ::process_vm_readv(self, &target, 1, &source, 1, 0);
      allowed = allowed && copied == static_cast<ssize_t>(bytes);
    });
  };
  const auto direct = static_cast<std::uint32_t>(by_kernel(kBytes));
  const std::uint64_t by_itself = lowest_ns([&] { copy_bytes(to.get(), from.get(), kBytes); });
  // Two copies between caches take two to four times as long as one within a cache.
  const bool quick = by_kernel(kShort) <= by_itself;
  if (trap) {
    std::uint64_t slowest = 0;
    for (const std::size_t ahead : {std::size_t{1}, kMostAhead / 2 + 1, kMostAhead}) {
      slowest = std::max(slowest, by_kernel(kBytes, ahead));
    }
    facts.kernel_trap = !allowed || static_cast<double>(slowest) > kSlow * direct;
  }
  facts.kernel = allowed ? KernelCopies{direct, quick} : KernelCopies{};
  return facts;
}

}  // namespace remit
