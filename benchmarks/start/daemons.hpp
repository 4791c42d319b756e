// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun and its daemons in virtual time: the tree and the bytes of the launcher's own code, its
// messages on servers that take time for each.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/start/events.hpp"
#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/message.hpp"
#include "launcher/tree/tree.hpp"
#include "launcher/tree/tree_node.hpp"
#include "runtime/bootstrap/bootstrap.hpp"

namespace remit::start {

/// What things cost, in nanoseconds. `simulate --measure` says how they were found.
struct Costs {
  double ssh = 0;       ///< from the start of an agent to the connection of its daemon
  double fork = 0;      ///< a daemon's time to start a process
  double init = 0;      ///< a rank's own time until it is in its job
  double server = 0;    ///< a daemon's time for a request of a rank
  double message = 0;   ///< a daemon's time to receive a message, and to send one
  double per_byte = 0;  ///< the same, for each byte
  double prepare = 0;   ///< a daemon's time for each rank of a job that it gets
  double latency = 0;   ///< from one daemon to another
  double local = 0;     ///< from a rank to its daemon, and back
};

/// A job of `ranks` ranks, `per_host` on each host; node n of the tree is host n.
struct Shape {
  int ranks = 0;
  int per_host = 0;
  int width = 0;

  [[nodiscard]] int hosts() const { return (ranks + per_host - 1) / per_host; }
  [[nodiscard]] int host_of(int rank) const { return rank / per_host; }
  [[nodiscard]] int first_of(int host) const { return host * per_host; }
  [[nodiscard]] int count_of(int host) const { return std::min(ranks - first_of(host), per_host); }
};

/// The job as mpirun lays it out, on hosts of as many cores as they have ranks, each bound to one.
[[nodiscard]] launcher::DaemonJob make_job(const Shape& shape);

/// The servers and what they say to each other.
class Daemons {
 public:
  /// Of one daemon.
  struct Node {
    Time free = 0;  ///< it has done what came so far
    std::uint64_t sent = 0, received = 0;
    std::uint64_t bytes_in = 0, bytes_out = 0;
    std::uint64_t requests = 0;  ///< of its ranks
    [[nodiscard]] std::uint64_t messages() const { return sent + received; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_in + bytes_out; }
  };
  using Done = std::function<void()>;
  using ByNode = std::function<void(int node)>;

  Daemons(Events& events, const Costs& costs, const Shape& shape)
      : events_(events),
        costs_(costs),
        shape_(shape),
        tree_(shape.hosts(), shape.width),
        nodes_(static_cast<std::size_t>(shape.hosts())) {}

  [[nodiscard]] const launcher::Tree& tree() const { return tree_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Costs& costs() const { return costs_; }
  [[nodiscard]] Events& events() { return events_; }

  /// Gives a daemon work; when it is done.
  Time work(int node, double ns);
  /// A rank's request arrives at its daemon, which then does `done`.
  void request(int host, Done done);
  /// A message of a payload of so many bytes, along the tree; `done` at its receiver.
  void send(int from, int to, std::size_t payload, Done done);
  /// To all below a node, each of which passes it on before it takes it.
  void broadcast(int from, std::size_t payload, const ByNode& done);

 private:
  void hop(int at, int to, std::size_t bytes, Done done);
  void leave(int node, std::size_t bytes);

  Events& events_;
  const Costs costs_;
  const Shape shape_;
  const launcher::Tree tree_;
  std::vector<Node> nodes_;
};

/// Raises the daemons, gives them the job, starts the ranks: what RemoteHosts and HostJobs do.
class Launch {
 public:
  /// `begun`: the process of a rank runs.
  Launch(Daemons& daemons, std::function<void(int rank)> begun);

  void start();

  struct Times {
    Time raised = 0;    ///< all daemons have reported
    Time prepared = 0;  ///< all have the job
    Time begun = 0;     ///< the last rank was started
    Time ended = 0;     ///< mpirun knows that all ranks have ended
  };
  [[nodiscard]] const Times& times() const { return times_; }
  [[nodiscard]] std::size_t plan_bytes() const { return plan_bytes_; }
  [[nodiscard]] std::size_t job_bytes() const { return job_bytes_; }

  /// What mpirun is told of a rank that has come, or left.
  void connected(int rank);
  void finalized(int rank);

 private:
  void raise(int node);
  void give_job();
  void launch();
  void start_next(int host, int local);
  void tell(
      int rank, std::size_t payload, Daemons::Done done = [] {});

  Daemons& daemons_;
  std::function<void(int)> begun_;
  std::size_t plan_bytes_ = 0, frame_bytes_ = 0, hello_bytes_ = 0, job_bytes_ = 0;
  int missing_hellos_ = 0, missing_ready_ = 0, missing_ends_ = 0;
  Times times_;
};

/// What ranks publish, and how others get it: HostExchange and the PMIx servers.
class Exchange {
 public:
  using Found = std::function<void(const Bytes& blob)>;

  struct Options {
    std::size_t frame = 0;  ///< bytes by which PMIx makes a blob longer
    bool by_host = false;   ///< an answer between hosts is about all ranks of a host that are there
  };
  Exchange(Daemons& daemons, const Options& options);

  void publish(int rank, std::span<const std::byte> blob);
  /// `found` is called when the answer has come back to the asker.
  void lookup(int asker, int rank, Found found);
  /// A fence of all ranks that collects data; `done` at each of them. All hosts have everything
  /// that was published then, and look-ups end at the asker's own.
  void fence(int rank, Daemons::Done done);

  /// Look-ups that left their host, all together.
  [[nodiscard]] std::uint64_t remote_lookups() const { return remote_lookups_; }

 private:
  /// What a host knows of another host's rank.
  struct Entry {
    bool known = false;
    std::vector<Daemons::Done> waiting;
  };
  /// A host's part of a fence.
  struct Gathering {
    int missing = 0;  // ranks of the host, and hosts below
    std::size_t bytes = 0;
    std::vector<Daemons::Done> waiting;
  };

  void when_published(int rank, Daemons::Done done);
  void ask_host(int host, int rank);
  void answer_host(int host, int rank);
  void learn(int host, int rank);
  void contribute(int host, std::size_t bytes);
  void release(int host, std::size_t bytes);
  [[nodiscard]] std::size_t framed(int rank) const;
  [[nodiscard]] std::string fence_key() const;

  Daemons& daemons_;
  const Options options_;
  std::vector<Bytes> blobs_;
  std::unordered_map<int, std::vector<Daemons::Done>> unpublished_;
  std::vector<std::unordered_map<int, Entry>> known_;  // by host
  /// If by_host: which hosts ask which, and for which ranks.
  std::map<std::pair<int, int>, std::vector<int>> asked_;
  std::vector<Gathering> gatherings_;  // by host
  bool all_known_ = false;
  std::uint64_t remote_lookups_ = 0;
};

}  // namespace remit::start
