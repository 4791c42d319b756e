// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The few services of the kernel that the shared-memory device needs, as values and owners.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "runtime/clock.hpp"
#include "runtime/error.hpp"

namespace remit::shm {

/// Owns a descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// Owns a shared mapping.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* address, std::size_t bytes) : address_(address), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    reset();
    address_ = std::exchange(other.address_, nullptr);
    bytes_ = other.bytes_;
    return *this;
  }
  ~Mapping() { reset(); }

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(address_); }
  [[nodiscard]] std::size_t size() const { return bytes_; }
  explicit operator bool() const { return address_ != nullptr; }
  void reset();

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Anonymous shared memory of `bytes` zeros whose size is sealed; close-on-exec.
[[nodiscard]] Expected<Fd> make_memory(const char* name, std::size_t bytes);

/// Maps `bytes` of our own memory.
[[nodiscard]] Expected<Mapping> map_memory(int fd, std::size_t bytes);

/// Maps `bytes` of a peer's memory, after checking that it is so large and that the peer cannot
/// make it smaller (which would kill us with SIGBUS).
[[nodiscard]] Expected<Mapping> map_foreign(int fd, std::size_t bytes);

/// Name of a datagram socket in the abstract namespace: no file, gone with its process.
struct SocketName {
  sockaddr_un address = {};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};
[[nodiscard]] SocketName socket_name(std::span<const std::uint8_t, 16> id);

/// A non-blocking socket with this name that learns its senders' credentials.
[[nodiscard]] Expected<Fd> bind_socket(const SocketName& name);

/// Sends a datagram with descriptors, copies of which the receiver gets; returns 0 or errno.
[[nodiscard]] int send_descriptors(int socket, const SocketName& to,
                                   std::span<const std::byte> data, std::span<const int> fds);
/// Such a failure that trying again later cures: the receiver's socket is full, or too many
/// descriptors are under way.
[[nodiscard]] bool is_passing(int error);

/// False if nobody has a socket of this name (any more). Disturbs nobody.
[[nodiscard]] bool socket_exists(const SocketName& name);

/// 64 bits of any text; the same in every process.
[[nodiscard]] std::uint64_t hash_of(std::string_view text);

/// A hash of what only this boot of this host has.
[[nodiscard]] std::uint64_t host_identity();
/// 0 if unknown.
[[nodiscard]] std::uint64_t network_namespace();

[[nodiscard]] Expected<> random_bytes(std::span<std::uint8_t> out);

/// From now on another process's barrier_everywhere() orders this process's memory accesses. May
/// take milliseconds in a process with threads. False: not available.
[[nodiscard]] bool register_for_barriers();
/// Whether this process has no thread but the calling one.
[[nodiscard]] bool has_one_thread();
/// A full memory barrier on every processor that runs a registered process. False: not available.
[[nodiscard]] bool barrier_everywhere();

/// Allows processes of this user to read and write this one's memory where the Yama security module
/// would only let parents do so.
void allow_direct_copies();

/// monotonic_ns() as the devices count it.
[[nodiscard]] inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(monotonic_ns());
}
/// So many milliseconds in its unit.
[[nodiscard]] constexpr std::uint64_t ms(std::uint64_t count) {
  return count * 1'000'000;
}

}  // namespace remit::shm
