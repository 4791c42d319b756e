// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The guardian itself: one thread, one loop, no library state.
#include "launcher/host/guardian_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "launcher/host/guardian.hpp"
#include "launcher/host/job_directory.hpp"
#include "launcher/host/spawn.hpp"
#include "launcher/report/crash_report.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

// The parent of a process that is not a zombie; -1 if it is one or is gone.
pid_t living_parent(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/stat", pid);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 512> text{};
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  // "pid (name) state ppid": the name may hold anything, also ')'.
  const std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= line.size()) return -1;
  if (line[name_end + 2] == 'Z' || line[name_end + 2] == 'X') return -1;
  pid_t parent = -1;
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

std::vector<pid_t> living_descendants() {
  std::unordered_map<pid_t, pid_t> parents;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return {};
  while (const dirent* entry = ::readdir(directory)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0) parents[pid] = living_parent(pid);
  }
  ::closedir(directory);
  const pid_t self = ::getpid();
  std::vector<pid_t> found;
  for (const auto& [pid, parent] : parents) {
    if (parent < 0 || pid == self) continue;
    pid_t ancestor = parent;
    // A bound, because the snapshot is not atomic and could hold a circle of reused numbers.
    for (int depth = 0; depth < 4096 && ancestor > 1 && ancestor != self; ++depth) {
      const auto next = parents.find(ancestor);
      ancestor = next == parents.end() ? 0 : next->second;
    }
    if (ancestor == self) found.push_back(pid);
  }
  return found;
}

class GuardianLoop {
 public:
  GuardianLoop(int socket, const std::string& directory) : socket_(socket), directory_(directory) {
    // For the guardian itself as many as it may have; ranks get what mpirun was started with.
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      open_files_ = limit;
      limit.rlim_cur = limit.rlim_max;
      ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    const int error = make_job_directory(directory_);
    WireWriter greeting;
    greeting.number(error);
    if (error != 0) directory_.clear();
    (void)send_frame(socket_, greeting.bytes(), nullptr);
  }

  void run(int child_signals) {
    pollfd sources[2] = {{socket_, POLLIN, 0}, {child_signals, POLLIN, 0}};
    while (true) {
      if (::poll(sources, 2, -1) < 0) continue;
      // Requests first: a rank is known before its end can be seen.
      if (sources[0].revents != 0 && !handle_request()) return;
      if (sources[1].revents != 0) {
        signalfd_siginfo ignored{};
        (void)!::read(child_signals, &ignored, sizeof ignored);
        reap();
      }
    }
  }

  void leave_nothing() {
    useconds_t pause = 200;
    while (!reaped_all()) {
      signal_descendants(SIGKILL);
      ::usleep(pause);
      pause = std::min<useconds_t>(pause * 2, 50000);
    }
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }

 private:
  static bool reaped_all() {
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    return pid < 0 && errno == ECHILD;
  }

  bool handle_request() {
    std::array<int, 3> fds{-1, -1, -1};
    if (!receive_frame(socket_, &message_, &fds)) return false;
    WireReader reader(message_);
    switch (static_cast<RequestKind>(reader.number())) {
      case RequestKind::spawn:
        spawn(&reader, fds);
        break;
      case RequestKind::signal_ranks: {
        const int signal = static_cast<int>(reader.number());
        for (const auto& [pid, rank] : ranks_) ::kill(-pid, signal);
        break;
      }
      case RequestKind::signal_all:
        signal_descendants(static_cast<int>(reader.number()));
        break;
      case RequestKind::signal_rank: {
        const auto wanted = static_cast<int>(reader.number());
        const auto signal = static_cast<int>(reader.number());
        for (const auto& [pid, rank] : ranks_) {
          if (rank == wanted) ::kill(-pid, signal);
        }
        break;
      }
    }
    return true;
  }

  void spawn(WireReader* reader, const std::array<int, 3>& fds) {
    const int rank = static_cast<int>(reader->number());
    ChildSpec spec;
    spec.program = reader->text();
    spec.argv = reader->texts();
    spec.env = reader->texts();
    spec.wdir = reader->text();
    spec.cpus = reader->numbers();
    spec.fds = fds;
    spec.open_files = open_files_;
    SpawnResult result{-1, SpawnStage::fork, EPROTO};
    if (std::ranges::find(fds, -1) != fds.end()) {
      result = {-1, SpawnStage::fds, EMFILE};  // the kernel had no room to hand them over
    } else if (reader->complete()) {
      result = spawn_child(spec);
    }
    for (const int fd : fds) {
      if (fd >= 0) ::close(fd);
    }
    if (result.stage == SpawnStage::none) ranks_[result.pid] = rank;
    WireWriter reply;
    reply.number(static_cast<std::int64_t>(ReplyKind::spawned));
    reply.number(rank);
    reply.number(result.pid);
    reply.number(static_cast<std::int64_t>(result.stage));
    reply.number(result.error);
    (void)send_frame(socket_, reply.bytes(), nullptr);
  }

  void reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
      const auto found = ranks_.find(pid);
      if (found == ranks_.end()) continue;  // an orphan of a rank
      const int rank = found->second;
      ranks_.erase(found);
      WireWriter reply;
      reply.number(static_cast<std::int64_t>(ReplyKind::exited));
      reply.number(rank);
      reply.number(status);
      (void)send_frame(socket_, reply.bytes(), nullptr);
    }
    if (pid < 0 && errno == ECHILD) {
      WireWriter reply;
      reply.number(static_cast<std::int64_t>(ReplyKind::empty));
      reply.number(-1);
      (void)send_frame(socket_, reply.bytes(), nullptr);
    }
  }

  int socket_;
  std::string directory_;
  std::string message_;
  std::unordered_map<pid_t, int> ranks_;  // living ones
  std::optional<rlimit> open_files_;
};

}  // namespace

int signal_descendants(int signal) {
  const std::vector<pid_t> pids = living_descendants();
  for (const pid_t pid : pids) ::kill(pid, signal);
  return static_cast<int>(pids.size());
}

void run_guardian(int socket, const std::string& directory, std::span<char> title) {
  leave_crash_report();
  constexpr std::string_view kName = "remit-guardian";
  ::prctl(PR_SET_NAME, kName.data());
  std::ranges::fill(title, '\0');
  std::ranges::copy(kName.substr(0, title.empty() ? 0 : title.size() - 1), title.begin());
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Out of reach of what the terminal sends, and of killpg(mpirun).
  ::setpgid(0, 0);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU,
                           SIGUSR1, SIGUSR2, SIGALRM}) {
    std::signal(signal, SIG_IGN);
  }
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  std::signal(SIGCHLD, SIG_DFL);  // an inherited "ignore" would lose the exit statuses
  ::sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  const int child_signals = ::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  // mpirun's own input and output must see their end when mpirun ends.
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  if (null > 2) ::close(null);
  try {
    GuardianLoop loop(socket, directory);
    loop.run(child_signals);
    loop.leave_nothing();
    remove_abandoned_directories(std::filesystem::path(directory).parent_path());
  } catch (const std::exception&) {
    // Its children die with it, and what they have started comes to mpirun, which sees this status.
    ::_exit(kNoMemoryStatus);
  }
  ::_exit(0);
}

}  // namespace remit::launcher
