// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What runs inside the guardian, and the messages both sides agree on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace remit::launcher {

/// mpirun to guardian: kind, then what the kind needs.
enum class RequestKind : std::int64_t {
  spawn = 1,         ///< rank, program, argv, env, wdir, cpus; with three descriptors
  signal_ranks = 2,  ///< signal
  signal_all = 3,    ///< signal
  signal_rank = 4,   ///< rank, signal
};

/// Guardian to mpirun: kind, rank, then what the kind needs. Before all of them one greeting:
/// errno of making the directory (0: made).
enum class ReplyKind : std::int64_t {
  spawned = 1,  ///< pid, stage, errno
  exited = 2,   ///< wait status
  empty = 3,    ///< (rank -1) no descendant is left
};

/// The exit status of a guardian that has had no memory to go on.
inline constexpr int kNoMemoryStatus = 12;

/// Sends one length-prefixed message, with descriptors if `fds` is given. False if the peer is
/// gone. Blocks, also on a nonblocking socket.
[[nodiscard]] bool send_frame(int socket, const std::string& message,
                              const std::array<int, 3>* fds);

/// Receives one message from a blocking socket; descriptors that came along replace `fds`. False
/// at the end of the conversation.
[[nodiscard]] bool receive_frame(int socket, std::string* message, std::array<int, 3>* fds);

/// The life of the guardian, from behind the fork to its exit. `title`: see fork_guardian().
[[noreturn]] void run_guardian(int socket, const std::string& directory, std::span<char> title);

}  // namespace remit::launcher
