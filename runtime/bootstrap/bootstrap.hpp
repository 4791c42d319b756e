// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a process learns who it is and finds its peers. PMIx is the real one; an in-memory one
// serves the simulator; a singleton needs none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace remit {

using Bytes = std::vector<std::byte>;

/// What a launcher says about this process; fixed after the bootstrap was opened.
struct Identity {
  std::string job;  ///< PMIx namespace; unique among the jobs of a user on this host
  /// The upper half of the names by which devices know the processes of this job, so that processes
  /// of several jobs can be connected; see job_key_of().
  std::uint32_t job_key = 0;
  int rank = 0;                  ///< in MPI_COMM_WORLD
  int size = 1;                  ///< of MPI_COMM_WORLD
  int local_rank = 0;            ///< among the ranks of this job on this host
  int local_size = 1;            ///< ranks of this job on this host
  std::vector<int> local_peers;  ///< world ranks on this host, ascending, this one included
  std::string host;              ///< the launcher's name of this host
  int app_number = 0;            ///< MPI_APPNUM; -1 if unknown
  int universe_size = 0;         ///< MPI_UNIVERSE_SIZE; 0 if unknown
  bool singleton = false;        ///< started without a launcher
  bool other_hosts = false;      ///< the launcher may start processes on other hosts for this job
  /// Ranks on this host that are bound to cores of this one, itself included; 0: unknown.
  int core_sharers = 0;
};

/// Processes of a job that belong together.
struct ProcessSet {
  std::string name;
  std::vector<int> ranks;  ///< in MPI_COMM_WORLD, in the set's order
};

/// The Identity::job_key of a job: never 0, and most likely no other job's.
[[nodiscard]] std::uint32_t job_key_of(std::string_view job);

/// One of the programs that spawn() starts.
struct SpawnProgram {
  std::string command;
  std::vector<std::string> arguments;  ///< without the program's name
  int processes = 0;
  std::string host;  ///< names of hosts, with commas between them; empty: any
  std::string wdir;  ///< empty: that of the program of this process
  std::string path;  ///< folders to look for the command in, before PATH
};

struct SpawnRequest {
  std::vector<SpawnProgram> programs;
  std::string parent_port;  ///< what parent_port() says to the new processes
};

/// Who am I, where are the others, how does the job end. All calls from the thread that holds the
/// MPI process, except that the answer to lookup() is picked up by poll() there too.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual const Identity& identity() const = 0;

  /// Publishes this process's one address blob. Called once, before any peer's lookup can be
  /// answered. Never blocks on other ranks.
  [[nodiscard]] virtual Expected<> publish(std::span<const std::byte> blob) = 0;

  /// Starts to fetch the blob of world rank `rank`; never blocks. The answer comes from poll().
  virtual void lookup(int rank) = 0;

  struct Answer {
    int rank;
    Expected<Bytes> blob;
  };
  /// The next answered look-up, if any. Cheap when there is none (one relaxed load).
  [[nodiscard]] virtual std::optional<Answer> poll() = 0;

  /// A descriptor that becomes readable when poll() may have an answer; -1 if it never does.
  [[nodiscard]] virtual int wait_fd() const = 0;

  /// All processes of the job have entered. Blocks. Under a foreign server the only correct fence
  /// is one over the whole namespace that collects data.
  [[nodiscard]] virtual Expected<> barrier() = 0;

  /// What the launcher found out about this host, as hwloc 2 XML; nothing if it does not say.
  [[nodiscard]] virtual std::optional<std::string> host_topology() { return std::nullopt; }

  /// The logical processors that a rank of this host was bound to, ascending, by the system's
  /// numbers; empty if it is not bound or the launcher does not say.
  [[nodiscard]] virtual std::vector<int> binding(int /*rank*/) { return {}; }

  /// Ends the whole job with `status` and one message for the user. Does not return.
  [[noreturn]] virtual void abort(int status, const std::string& message) = 0;

  /// Leaves the job in order. After it only identity() and reopen() may be called. It may have to
  /// wait for other processes: `meanwhile`, if there is one, is called every few milliseconds then,
  /// by this thread.
  virtual void finalize(const std::function<void()>& meanwhile = nullptr) = 0;

  /// Joins the job again after finalize(), as the same rank with the same published blob.
  [[nodiscard]] virtual Expected<> reopen() { return {}; }

  /// Starts processes as another job under the same launcher, and returns when all of them run.
  /// MPI_ERR_SPAWN, with the reason in words, if not one of them was left running.
  [[nodiscard]] virtual Expected<> spawn(const SpawnRequest& request);
  /// Where to reach the process that has spawned this job, which only rank 0 gets to know, once;
  /// nothing if none has.
  [[nodiscard]] virtual std::optional<std::string> parent_port() { return std::nullopt; }

  // Names that the processes of all jobs under one launcher can look up.

  /// MPI_ERR_SERVICE if the name is taken.
  [[nodiscard]] virtual Expected<> publish_name(const std::string& name, const std::string& value);
  /// MPI_ERR_NAME if nobody has published the name.
  [[nodiscard]] virtual Expected<std::string> lookup_name(const std::string& name);
  /// MPI_ERR_SERVICE if this process has not published the name.
  [[nodiscard]] virtual Expected<> unpublish_name(const std::string& name);

  /// The sets of processes of this job that the launcher has given names.
  [[nodiscard]] virtual std::vector<ProcessSet> process_sets() { return {}; }
};

}  // namespace remit
