// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun's side of the guardian: framing, requests, answers.
#include "launcher/host/guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/read.hpp>
#include <cerrno>
#include <utility>

#include "launcher/host/guardian_process.hpp"
#include "launcher/host/job_directory.hpp"
#include "launcher/tree/wire.hpp"
#include "runtime/nagle.hpp"

namespace remit::launcher {
namespace {

// What is for this program alone, and what no exec will close in a guardian: it must not hold
// another guardian's connection open, whose end is that one's sign to leave.
void close_private_descriptors(int kept) {
  for (const int fd : open_descriptors()) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (fd != kept && flags >= 0 && (flags & FD_CLOEXEC) != 0) ::close(fd);
  }
}

constexpr std::size_t kMostReply = 4096;  // a few numbers
constexpr std::size_t kPiece = std::size_t{64} << 10;

// All of it; descriptors that come along replace `fds`. False at the end of the conversation.
bool receive_all(int socket, char* target, std::size_t size, std::array<int, 3>* fds) {
  for (std::size_t got = 0; got < size;) {
    iovec piece{target + got, size - got};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::array<int, 3>))> control{};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t count = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const cmsghdr* rights = CMSG_FIRSTHDR(&header);
    if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS &&
        rights->cmsg_len == CMSG_LEN(sizeof *fds)) {
      std::memcpy(fds->data(), CMSG_DATA(rights), sizeof *fds);
    }
    got += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Expected<GuardianProcess> fork_guardian(const std::string& parent, std::span<char> title) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "socketpair for the guardian process");
  }
  // The name is known here before the directory exists, so that either process can remove it.
  const std::string directory = new_directory_name(parent);
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(MPI_ERR_OTHER, errno,
                      "fork of the guardian process (limits are 'ulimit -u' and 'ulimit -v')");
  }
  if (pid == 0) {
    close_private_descriptors(sockets[1]);
    run_guardian(sockets[1], directory, title);
  }
  ::setpgid(pid, pid);
  ::close(sockets[1]);
  return GuardianProcess{pid, sockets[0], directory};
}

Guardian::Guardian(asio::io_context& io, GuardianProcess process)
    : process_(std::move(process)), socket_(io, asio::local::stream_protocol(), process_.socket) {}

Guardian::~Guardian() = default;

Expected<std::unique_ptr<Guardian>> Guardian::connect(asio::io_context& io,
                                                      GuardianProcess process) {
  std::unique_ptr<Guardian> guardian(new Guardian(io, std::move(process)));
  std::string greeting;
  std::array<int, 3> no_fds{-1, -1, -1};
  if (!receive_frame(guardian->process_.socket, &greeting, &no_fds)) {
    return fail(MPI_ERR_OTHER, "the guardian process {}", guardian->how_it_ended());
  }
  WireReader reader(greeting);
  const std::int64_t error = reader.number();
  if (error != 0) {
    return fail_errno(MPI_ERR_OTHER, static_cast<int>(error),
                      "cannot make the job's directory " + guardian->directory() +
                          " (set TMPDIR to a directory you can write)");
  }
  return guardian;
}

void Guardian::start(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  read_next();
}

void Guardian::read_next() {
  asio::async_read(socket_, asio::buffer(length_), [this](std::error_code error, std::size_t) {
    if (error == asio::error::operation_aborted) return;
    if (error) return callbacks_.lost();
    std::uint32_t length = 0;
    std::memcpy(&length, length_.data(), sizeof length);
    if (length > kMostReply) return callbacks_.lost();
    message_.resize(length);
    asio::async_read(socket_, asio::buffer(message_), [this](std::error_code failed, std::size_t) {
      if (failed == asio::error::operation_aborted) return;
      if (failed) return callbacks_.lost();
      handle(message_);
      read_next();
    });
  });
}

void Guardian::handle(const std::string& message) {
  WireReader reader(message);
  const auto kind = static_cast<ReplyKind>(reader.number());
  const int rank = static_cast<int>(reader.number());
  switch (kind) {
    case ReplyKind::spawned: {
      SpawnResult result;
      result.pid = static_cast<pid_t>(reader.number());
      result.stage = static_cast<SpawnStage>(reader.number());
      result.error = static_cast<int>(reader.number());
      callbacks_.spawned(rank, result);
      break;
    }
    case ReplyKind::exited:
      callbacks_.exited(rank, static_cast<int>(reader.number()));
      break;
    case ReplyKind::empty:
      callbacks_.empty();
      break;
  }
}

// A guardian that is gone shows as end of file to the reader: errors here need no second report.
void Guardian::send(const std::string& message, const std::array<int, 3>* fds) {
  if (socket_.is_open()) (void)send_frame(socket_.native_handle(), message, fds);
}

void Guardian::spawn(int rank, const ChildSpec& spec) {
  WireWriter writer;
  writer.number(static_cast<std::int64_t>(RequestKind::spawn));
  writer.number(rank);
  writer.text(spec.program);
  writer.texts(spec.argv);
  writer.texts(spec.env);
  writer.text(spec.wdir);
  writer.numbers(spec.cpus);
  send(writer.bytes(), &spec.fds);
}

void Guardian::signal_rank(int rank, int signal) {
  WireWriter writer;
  writer.number(static_cast<std::int64_t>(RequestKind::signal_rank));
  writer.number(rank);
  writer.number(signal);
  send(writer.bytes(), nullptr);
}

void Guardian::signal_ranks(int signal) {
  WireWriter writer;
  writer.number(static_cast<std::int64_t>(RequestKind::signal_ranks));
  writer.number(signal);
  send(writer.bytes(), nullptr);
}

void Guardian::signal_all(int signal) {
  WireWriter writer;
  writer.number(static_cast<std::int64_t>(RequestKind::signal_all));
  writer.number(signal);
  send(writer.bytes(), nullptr);
}

// It is left for finish() to wait for.
std::string Guardian::how_it_ended() const {
  siginfo_t info{};
  for (int round = 0; round < 100 && info.si_pid == 0; ++round) {
    const auto pid = static_cast<id_t>(process_.pid);
    if (::waitid(P_PID, pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0) return "ended";
    if (info.si_pid == 0) ::usleep(1000);
  }
  if (info.si_pid == 0) return "does not answer";
  if (info.si_code != CLD_EXITED) return "was killed";
  if (info.si_status != kNoMemoryStatus) return "ended";
  return "ran out of memory: raise its limit ('ulimit -v'), or start fewer processes on this host";
}

bool Guardian::finish(double seconds) {
  std::error_code ignored;
  socket_.close(ignored);
  // Without pidfd (Linux before 5.3) the wait is not bounded.
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, process_.pid, 0));
  if (ended >= 0) {
    pollfd wait{ended, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(seconds * 1000));
    ::close(ended);
    if (ready == 0) return false;
  }
  while (::waitpid(process_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

bool send_frame(int socket, const std::string& message, const std::array<int, 3>* fds) {
  std::uint32_t length = static_cast<std::uint32_t>(message.size());
  std::string frame(reinterpret_cast<char*>(&length), sizeof length);
  frame += message;
  std::size_t sent = 0;
  while (sent < frame.size()) {
    iovec piece{frame.data() + sent, frame.size() - sent};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::array<int, 3>))> control{};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    if (fds != nullptr && sent == 0) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof *fds);
      std::memcpy(CMSG_DATA(rights), fds->data(), sizeof *fds);
    }
    const ssize_t count = ::sendmsg(socket, &header, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      pollfd wait{socket, POLLOUT, 0};
      (void)::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool receive_frame(int socket, std::string* message, std::array<int, 3>* fds) {
  std::uint32_t length = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&length), sizeof length, fds)) return false;
  // Memory grows with what has come, whatever the length says.
  message->clear();
  while (message->size() < length) {
    const std::size_t had = message->size();
    message->resize(std::min<std::size_t>(length, had + kPiece));
    if (!receive_all(socket, message->data() + had, message->size() - had, fds)) return false;
  }
  return true;
}

}  // namespace remit::launcher
