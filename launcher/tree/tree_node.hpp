// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One process of the tree of daemons, mpirun included: it starts the daemons below it through an
// agent, ssh for each or one srun for all, and passes messages on. The start frame, with the job's
// secret, is all that the agent's standard input carries; everything else goes over authenticated
// connections (link.hpp).
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/host/guardian.hpp"
#include "launcher/tree/tree.hpp"
#include "launcher/tree/tree_link.hpp"

namespace remit::launcher {

/// What all daemons of a job know.
struct TreePlan {
  std::vector<std::string> hosts;  ///< by node; 0 is mpirun's own
  int width = 32;
  std::vector<std::string> agent;  ///< the command that runs a command on a host, with options
  std::string program;             ///< mpirun's path on the other hosts
  double timeout_s = 15;           ///< a host that is silent for so long is lost

  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static std::optional<TreePlan> from(const std::string& bytes);

  /// What the user calls the hosts of these nodes.
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<int>& nodes) const;
  /// The process that runs `command` on these hosts: on all of them where the agent is srun, else
  /// on the first. Fails if there is no such agent.
  [[nodiscard]] Expected<ChildSpec> agent_for(const std::vector<std::string>& names,
                                              const std::vector<std::string>& command) const;
};

/// What daemons are told on their standard input: one of its own, or all that one srun starts.
struct StartFrame {
  std::string version;
  std::vector<int> nodes;
  std::vector<std::string> hosts;  ///< of these nodes
  std::string secret;
  std::vector<std::string> addresses;  ///< of its parent
  int port = 0;
  double timeout_s = 0;

  [[nodiscard]] std::string bytes() const;
  /// Reads it from a descriptor.
  [[nodiscard]] static Expected<StartFrame> read(int fd);
  /// Which of the nodes the reader is. `slurm_name`: what Slurm calls its host, if Slurm started
  /// it.
  [[nodiscard]] Expected<int> find_node(const char* slurm_name) const;
  /// What the user calls the host of one of these nodes.
  [[nodiscard]] const std::string& host_of(int node) const;
};

/// One process of the tree. For the io_context's thread.
class TreeNode {
 public:
  struct Callbacks {
    std::function<void(Message)> received;  ///< for this node
    /// A daemon below this node could not be started, or is lost; with all below it.
    std::function<void(int node, std::string why)> failed;
    std::function<void(int node, std::string text)> said;  ///< on a daemon's standard error
  };

  /// `keeper` starts the agents, and ends them with this process.
  TreeNode(asio::io_context& io, int self, TreePlan plan, const Secret& secret, Guardian& keeper,
           Callbacks callbacks);
  ~TreeNode();

  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] const TreePlan& plan() const { return plan_; }
  [[nodiscard]] int self() const { return self_; }

  /// The connection to the parent; its messages are this node's to route.
  void set_parent(std::shared_ptr<TreeLink> link) { parent_ = std::move(link); }
  /// Starts the daemons of the children; failures are told later.
  [[nodiscard]] Expected<> start_children(const std::vector<std::string>& addresses);

  /// Sends to a node; kEveryone: to all below this one.
  void send(int to, MessageKind kind, std::string payload = {});
  /// Hangs up on a daemon that does not answer, if it is a child of this node: its end is not
  /// waited for, and it ends what runs there should it go on.
  void cut(int node);
  /// What came from the parent.
  void route(Message message);
  /// From now on the end of a connection is no failure.
  void expect_end() { ending_ = true; }
  [[nodiscard]] bool has_children() const;
  /// Removes these folders on these hosts where nobody else may have: srun's step, guardians and
  /// all, can be killed as a whole. After expect_end(); has_agents() says when it is done.
  void remove_folders(const std::vector<int>& nodes, const std::vector<std::string>& folders);
  /// An srun has not ended though its daemons have, as they were told. An ssh may be killed then.
  [[nodiscard]] bool has_agents() const;

 private:
  struct Agent;
  struct Child;

  Expected<> listen();
  Expected<> start_agent(const std::vector<int>& nodes);
  Expected<Agent*> spawn_agent(int id, const std::vector<int>& nodes, ChildSpec spec,
                               const std::string& input_bytes);
  void read_words(Agent& agent);
  void took_words(Agent& agent, std::string_view text);
  bool attach(int node, asio::ip::tcp::socket socket);
  void detach(Child& child, const std::string& why);
  void agent_ended(int id, int wait_status);
  void give_up(Agent& agent, const std::string& why);
  [[nodiscard]] std::vector<int> missing(const Agent& agent) const;
  void forward(const Message& message);

  asio::io_context& io_;
  int self_;
  TreePlan plan_;
  Tree tree_;
  const Secret& secret_;
  Guardian& keeper_;
  Callbacks callbacks_;
  std::shared_ptr<TreeLink> parent_;
  std::unique_ptr<Listener> listener_;
  std::vector<std::string> addresses_;
  std::map<int, std::unique_ptr<Agent>> agents_;  // by their id: the first of their nodes
  std::map<int, std::unique_ptr<Child>> children_;
  int refusals_ = 0;
  bool ending_ = false;
};

}  // namespace remit::launcher
