// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Addresses of processes over an IP network.
#include "rdma_btl/net/address_book.hpp"

#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "rdma_btl/net/interfaces.hpp"
#include "runtime/os/os.hpp"

namespace remit::net {

namespace {

bool read(std::span<const std::byte> bytes, std::uint32_t magic, Address& address) {
  if (bytes.size() < sizeof address) return false;
  std::memcpy(&address, bytes.data(), sizeof address);
  return address.magic == magic && bytes.size() == sizeof address + address.host_bytes;
}

std::string host_name() {
  std::array<char, 256> name{};
  (void)::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

AddressBook::AddressBook(const Address& about, const sockaddr_storage& listener)
    : own_(about), listener_(listener), host_(host_name()) {
  own_.family = listener.ss_family;
  own_.host = shm::host_identity() ^ shm::network_namespace() * 0x9e3779b97f4a7c15;
  own_.port = port_of(listener);
  own_.host_bytes = static_cast<std::uint16_t>(host_.size());
  std::ranges::copy(bytes_of(listener), std::as_writable_bytes(std::span(own_.ip)).begin());
}

std::vector<std::byte> AddressBook::published() const {
  std::vector<std::byte> bytes(sizeof own_ + host_.size());
  std::memcpy(bytes.data(), &own_, sizeof own_);
  std::memcpy(bytes.data() + sizeof own_, host_.data(), host_.size());
  return bytes;
}

bool AddressBook::reaches(std::span<const std::byte> published) const {
  Address address;
  if (!read(published, own_.magic, address) || address.version != own_.version ||
      address.job != own_.job || address.family != own_.family ||
      address.protocol != own_.protocol) {
    return false;
  }
  const bool loopback =
      is_loopback(listener_) || is_loopback(address_of(address.family, address.ip.data()));
  return !loopback || address.host == own_.host;
}

Expected<Contact> AddressBook::contact(PeerName peer, std::span<const std::byte> published,
                                       std::string_view way) const {
  if (!reaches(published)) {
    return fail(MPI_ERR_OTHER,
                "process {} cannot be reached over {}: its address is of another host's loopback, "
                "family, provider or job, or another version of Remit",
                rank_of_name(peer), way);
  }
  Address address;
  (void)read(published, own_.magic, address);
  if (address.name != peer) {
    return fail(MPI_ERR_ARG, "process {} connects to process {} with the address of process {}",
                rank_of_name(own_.name), rank_of_name(peer), rank_of_name(address.name));
  }
  Contact contact;
  contact.address = address_of(address.family, address.ip.data());
  set_port(contact.address, address.port);
  if (address.family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(contact.address).sin6_scope_id =
        reinterpret_cast<const sockaddr_in6&>(listener_).sin6_scope_id;
  }
  contact.where = fmt::format("{}:{}", to_text(contact.address), ntohs(address.port));
  contact.host.assign(reinterpret_cast<const char*>(published.data()) + sizeof address,
                      address.host_bytes);
  return contact;
}

}  // namespace remit::net
