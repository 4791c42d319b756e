// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The datagram socket by which processes of a host find each other.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma_btl/shm/rings/layout.hpp"
#include "runtime/error.hpp"
#include "runtime/os/os.hpp"

namespace remit::shm {

/// What came: bytes, copies of the sender's descriptors, and the kernel's word for who it is.
struct Datagram {
  std::array<std::byte, kLongestDatagram> bytes;
  std::size_t length = 0;
  bool cut = false;  ///< it was longer
  std::array<Fd, kHelloDescriptors> fds;
  ucred credentials = {};
  SocketName from;

  /// True if it is one of this kind, told by its length, magic and version; then `out` is it.
  template <class Message>
  [[nodiscard]] bool is(Message& out) const {
    const Message wanted;
    if (length != sizeof out || cut) return false;
    std::memcpy(&out, bytes.data(), sizeof out);
    return out.magic == wanted.magic && out.version == wanted.version;
  }
};

/// Has a random name in the abstract namespace, which goes with the process. Nothing blocks. One
/// thread.
class ContactSocket {
 public:
  /// `job`: processes of others are out of reach.
  [[nodiscard]] Expected<> open(std::uint64_t job);
  [[nodiscard]] int fd() const { return socket_.get(); }

  /// Device::local_address() and Device::reachable().
  [[nodiscard]] std::vector<std::byte> address() const;
  [[nodiscard]] bool reachable(std::span<const std::byte> address) const;

  /// Descriptors travel with it. Returns 0 or errno; is_passing() says whether to try again.
  [[nodiscard]] int send(const SocketName& to, std::span<const std::byte> bytes,
                         std::span<const int> fds) const {
    return send_descriptors(socket_.get(), to, bytes, fds);
  }
  /// Without descriptors, and without a word if it fails.
  void send(const SocketName& to, std::span<const std::byte> bytes) const;
  /// False: there is none. One of no length is for nobody: it was only to end a sleep.
  [[nodiscard]] bool receive(Datagram& out) const;

 private:
  [[nodiscard]] Address own_address() const;

  Fd socket_;
  std::array<std::uint8_t, 16> id_ = {};
  std::uint64_t host_ = 0;
  std::uint64_t network_ = 0;
  std::uint64_t job_ = 0;
};

}  // namespace remit::shm
