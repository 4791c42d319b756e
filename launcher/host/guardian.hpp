// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The guardian: a small process, forked first, that is the parent of all ranks and outlives mpirun
// for as long as it takes to leave nothing behind. It is a subreaper, so that also processes whose
// own parent is gone become its children; when the socket to mpirun closes, however mpirun ended,
// it kills every descendant, removes the job's directory and exits.
#pragma once

#include <sys/types.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "launcher/host/spawn.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// A guardian that was forked but is not yet being listened to.
struct GuardianProcess {
  pid_t pid = -1;
  int socket = -1;        ///< closing it ends the job
  std::string directory;  ///< the job's: the guardian makes it, and removes it at the end
};

/// Forks the guardian. Call before any thread exists. The job's directory is made inside `parent`
/// by the guardian itself; both processes remove it, so that one of them may be killed. `title` is
/// the memory of mpirun's arguments, which /proc shows: the guardian calls itself something else
/// there, so that "pkill -9 -f mpirun" leaves it to do its work.
[[nodiscard]] Expected<GuardianProcess> fork_guardian(const std::string& parent,
                                                      std::span<char> title);

/// mpirun's end of the conversation. All callbacks run in the io_context's thread.
class Guardian {
 public:
  struct Callbacks {
    std::function<void(int rank, const SpawnResult& result)> spawned;
    std::function<void(int rank, int wait_status)> exited;
    std::function<void()> empty;  ///< no descendant is left; may come more than once
    std::function<void()> lost;   ///< the guardian is gone
  };

  /// Waits for the guardian's greeting, which is quick.
  [[nodiscard]] static Expected<std::unique_ptr<Guardian>> connect(asio::io_context& io,
                                                                   GuardianProcess process);
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  /// The job's private directory (mode 0700).
  [[nodiscard]] const std::string& directory() const { return process_.directory; }

  /// Begins to listen. Nothing is called before.
  void start(Callbacks callbacks);

  /// Asks for a rank; `spawned` answers. The descriptors of the spec may be closed afterwards.
  void spawn(int rank, const ChildSpec& spec);

  /// Sends a signal to the process group of a rank, if it lives.
  void signal_rank(int rank, int signal);

  /// Sends a signal to the process group of every living rank.
  void signal_ranks(int signal);

  /// Sends a signal to every descendant, process groups or not.
  void signal_all(int signal);

  /// How the guardian has ended, which is lost: "was killed", say.
  [[nodiscard]] std::string how_it_ended() const;

  /// Ends the conversation: everything that still lives is killed, the directory removed. Returns
  /// when the guardian is gone, or false after `seconds` (a process that cannot be killed).
  bool finish(double seconds);
  static constexpr double kPatience = 10;  ///< seconds for the kernel to end killed processes

 private:
  Guardian(asio::io_context& io, GuardianProcess process);

  void read_next();
  void handle(const std::string& message);
  void send(const std::string& message, const std::array<int, 3>* fds);

  GuardianProcess process_;
  asio::local::stream_protocol::socket socket_;
  Callbacks callbacks_;
  std::array<char, sizeof(std::uint32_t)> length_{};
  std::string message_;
};

/// Sends a signal to every descendant of this process; returns how many there were. With SIGKILL,
/// call again until it returns 0: what was forked meanwhile is found then.
int signal_descendants(int signal);

}  // namespace remit::launcher
