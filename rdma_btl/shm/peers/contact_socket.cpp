// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/peers/contact_socket.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace remit::shm {

Expected<> ContactSocket::open(std::uint64_t job) {
  if (Expected<> got = random_bytes(id_); !got) return got;
  host_ = host_identity();
  network_ = network_namespace();
  job_ = job;
  Expected<Fd> socket = bind_socket(socket_name(id_));
  if (!socket) return tl::unexpected<Error>(std::move(socket.error()));
  socket_ = std::move(*socket);
  return {};
}

Address ContactSocket::own_address() const {
  Address address;
  address.version = kVersion;
  address.uid = ::geteuid();
  address.host = host_;
  address.network_namespace = network_;
  address.job = job_;
  std::memcpy(address.socket, id_.data(), sizeof address.socket);
  return address;
}

std::vector<std::byte> ContactSocket::address() const {
  const Address own = own_address();
  const auto* begin = reinterpret_cast<const std::byte*>(&own);
  return {begin, begin + sizeof own};
}

bool ContactSocket::reachable(std::span<const std::byte> address) const {
  Address other;
  if (address.size() != sizeof other) return false;
  std::memcpy(&other, address.data(), sizeof other);
  const Address own = own_address();
  return other.version == own.version && other.uid == own.uid && other.host == own.host &&
         other.network_namespace == own.network_namespace && other.job == own.job;
}

void ContactSocket::send(const SocketName& to, std::span<const std::byte> bytes) const {
  ::sendto(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL, to.get(),
           to.length);
}

bool ContactSocket::receive(Datagram& out) const {
  alignas(cmsghdr)
      std::byte control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int) * kHelloDescriptors)];
  iovec part{out.bytes.data(), out.bytes.size()};
  msghdr message = {};
  message.msg_name = &out.from.address;
  message.msg_namelen = sizeof out.from.address;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  out.length = 0;
  const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EINTR;
  out.from.length = message.msg_namelen;
  out.cut = (message.msg_flags & MSG_TRUNC) != 0;
  out.credentials.uid = static_cast<uid_t>(-1);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    if (header->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&out.credentials, CMSG_DATA(header), sizeof out.credentials);
    } else if (header->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
        // The kernel delivers as many as find room beside the credentials, which may be one more.
        Fd received(fd);
        if (i < out.fds.size()) out.fds[i] = std::move(received);
      }
    }
  }
  // A wake-up is no message.
  if (got != sizeof kWakeMagic) out.length = static_cast<std::size_t>(got);
  return true;
}

}  // namespace remit::shm
