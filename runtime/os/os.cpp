// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The few services of the kernel that the shared-memory device needs.
#include "runtime/os/os.hpp"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

namespace remit::shm {
namespace {

/// First bytes of a small file of /proc; empty if it cannot be read.
std::string_view read_small(const char* path, std::span<char> buffer) {
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  return got > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(got))
                 : std::string_view();
}

}  // namespace

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

void Mapping::reset() {
  if (address_ != nullptr) ::munmap(address_, bytes_);
  address_ = nullptr;
}

Expected<Fd> make_memory(const char* name, std::size_t bytes) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail_errno(MPI_ERR_NO_MEM, errno, "creating shared memory (memfd_create)");
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return fail_errno(MPI_ERR_NO_MEM, errno,
                      fmt::format("sizing shared memory to {} bytes", bytes));
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "sealing shared memory");
  }
  return fd;
}

Expected<Mapping> map_memory(int fd, std::size_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) {
    return fail_errno(MPI_ERR_NO_MEM, errno, fmt::format("mapping {} bytes", bytes));
  }
  return Mapping(address, bytes);
}

Expected<Mapping> map_foreign(int fd, std::size_t bytes) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return fail_errno(MPI_ERR_OTHER, errno, "a peer's memory: fstat");
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return fail(MPI_ERR_OTHER, "a peer's memory is not sealed against shrinking");
  }
  if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) < bytes) {
    return fail(MPI_ERR_OTHER, "a peer's memory has {} bytes, not {}", status.st_size, bytes);
  }
  return map_memory(fd, bytes);
}

SocketName socket_name(std::span<const std::uint8_t, 16> id) {
  static constexpr std::string_view kPrefix = "remit-";
  static constexpr char kDigits[] = "0123456789abcdef";
  SocketName name;
  name.address.sun_family = AF_UNIX;
  char* out = name.address.sun_path + 1;  // a leading zero byte: the abstract namespace
  out += kPrefix.copy(out, kPrefix.size());
  for (const std::uint8_t byte : id) {
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
  name.length = static_cast<socklen_t>(out - reinterpret_cast<char*>(&name.address));
  return name;
}

Expected<Fd> bind_socket(const SocketName& name) {
  Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return fail_errno(MPI_ERR_OTHER, errno, "creating a local socket");
  const int on = 1;
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "asking for the credentials of local peers");
  }
  if (::bind(fd.get(), name.get(), name.length) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "naming a local socket");
  }
  return fd;
}

int send_descriptors(int socket, const SocketName& to, std::span<const std::byte> data,
                     std::span<const int> fds) {
  constexpr std::size_t kMost = 4;
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMost * sizeof(int))> control = {};
  assert(fds.size() <= kMost);
  iovec part{const_cast<std::byte*>(data.data()), data.size()};
  msghdr message = {};
  message.msg_name = const_cast<sockaddr*>(to.get());
  message.msg_namelen = to.length;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ? 0 : errno;
}

bool is_passing(int error) {
  return error == EAGAIN || error == ENOBUFS || error == ETOOMANYREFS || error == EINTR;
}

bool socket_exists(const SocketName& name) {
  const Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return true;  // out of descriptors: no news is good news
  return ::connect(fd.get(), name.get(), name.length) == 0 || errno != ECONNREFUSED;
}

std::uint64_t host_identity() {
  std::array<char, 64> buffer;
  const std::string_view boot = read_small("/proc/sys/kernel/random/boot_id", buffer);
  if (!boot.empty()) return hash_of(boot);
  if (::gethostname(buffer.data(), buffer.size()) != 0) return 0;
  return hash_of(std::string_view(buffer.data(), ::strnlen(buffer.data(), buffer.size())));
}

std::uint64_t network_namespace() {
  struct stat status = {};
  return ::stat("/proc/self/ns/net", &status) == 0 ? status.st_ino : 0;
}

Expected<> random_bytes(std::span<std::uint8_t> out) {
  if (::getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) {
    return fail_errno(MPI_ERR_OTHER, errno, "getting random bytes");
  }
  return {};
}

bool register_for_barriers() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool has_one_thread() {
  struct stat tasks = {};
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}

bool barrier_everywhere() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void allow_direct_copies() {
  std::array<char, 8> buffer;
  const std::string_view scope = read_small("/proc/sys/kernel/yama/ptrace_scope", buffer);
  if (scope.starts_with('1')) ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

}  // namespace remit::shm
