// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting daemons, and passing messages through the tree.
#include "launcher/tree/tree_node.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "config.h"
#include "launcher/host/daemon.hpp"
#include "launcher/host/host_names.hpp"
#include "launcher/host/spawn.hpp"
#include "launcher/plan/job.hpp"
#include "launcher/plan/slurm.hpp"
#include "launcher/tree/wire.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kMostStartBytes = std::size_t{1} << 20;
constexpr std::size_t kMostAgentWords = 4096;  // of a failed start, for the message
constexpr int kMostToldStrangers = 5;          // that are told of
constexpr std::chrono::seconds kStartTime{60};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("was killed by signal {}", WTERMSIG(wait_status));
  return fmt::format("ended with status {}", WEXITSTATUS(wait_status));
}

bool read_exactly(int fd, char* data, std::size_t size, MonotonicTime end) {
  while (size > 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - MonotonicClock::now());
    pollfd wait{fd, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t count = ::read(fd, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Of a timeout: the other side can use what one side writes. 0: it is none.
constexpr double kMostSeconds = 1e6;

double read_seconds(WireReader* reader) {
  const double seconds = static_cast<double>(reader->number()) / 1000;
  return seconds > 0 && seconds <= kMostSeconds ? seconds : 0;
}

std::int64_t milliseconds(double seconds) {
  return std::llround(std::clamp(seconds, 0.001, kMostSeconds) * 1000);
}

}  // namespace

std::string TreePlan::bytes() const {
  WireWriter writer;
  writer.texts(hosts);
  writer.number(width);
  writer.texts(agent);
  writer.text(program);
  writer.number(milliseconds(timeout_s));
  return writer.bytes();
}

std::optional<TreePlan> TreePlan::from(const std::string& bytes) {
  WireReader reader(bytes);
  TreePlan plan;
  plan.hosts = reader.texts();
  plan.width = reader.integer();
  plan.agent = reader.texts();
  plan.program = reader.text();
  plan.timeout_s = read_seconds(&reader);
  const bool good =
      reader.complete() && plan.width > 0 && !plan.agent.empty() && plan.timeout_s > 0;
  return good ? std::optional(std::move(plan)) : std::nullopt;
}

std::vector<std::string> TreePlan::names_of(const std::vector<int>& nodes) const {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const int node : nodes) names.push_back(hosts[static_cast<std::size_t>(node)]);
  return names;
}

Expected<ChildSpec> TreePlan::agent_for(const std::vector<std::string>& names,
                                        const std::vector<std::string>& command) const {
  const char* const path = std::getenv("PATH");
  const auto found = find_program(agent[0], "/", path == nullptr ? "/usr/bin:/bin" : path);
  if (!found) {
    return fail(MPI_ERR_OTHER, "{}; it starts ranks on other hosts (parameter launch_agent)",
                found.error().message);
  }
  ChildSpec spec{*found, agent, own_environment(), "/", {}, {}, {}};
  if (is_srun(agent)) {
    spec.argv = srun_command(agent, names, command);
    spec.env = srun_environment(std::move(spec.env));
  } else {
    spec.argv.push_back(names.front());
    std::string line = "exec";
    for (const std::string& word : command) line += " " + quoted(word);
    spec.argv.push_back(line);
  }
  return spec;
}

std::string StartFrame::bytes() const {
  WireWriter writer;
  writer.text(version);
  writer.numbers(nodes);
  writer.texts(hosts);
  writer.text(secret);
  writer.texts(addresses);
  writer.number(port);
  writer.number(milliseconds(timeout_s));
  const auto size = static_cast<std::uint64_t>(writer.bytes().size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + writer.bytes();
}

Expected<StartFrame> StartFrame::read(int fd) {
  std::uint64_t size = 0;
  std::string bytes;
  // sshd does not notice when the network goes: a daemon that was told nothing would stay for ever.
  const auto end = MonotonicClock::now() + kStartTime;
  if (read_exactly(fd, reinterpret_cast<char*>(&size), sizeof size, end) &&
      size <= kMostStartBytes) {
    bytes.resize(size);
    if (!read_exactly(fd, bytes.data(), bytes.size(), end)) bytes.clear();
  }
  WireReader reader(bytes);
  StartFrame frame;
  frame.version = reader.text();
  frame.nodes = reader.numbers();
  frame.hosts = reader.texts();
  frame.secret = reader.text();
  frame.addresses = reader.texts();
  frame.port = reader.integer();
  frame.timeout_s = read_seconds(&reader);
  if (!reader.complete() || frame.nodes.empty() || frame.hosts.size() != frame.nodes.size() ||
      frame.timeout_s == 0) {
    return fail(MPI_ERR_OTHER, "a daemon is started by mpirun, which tells it what to do");
  }
  return frame;
}

Expected<int> StartFrame::find_node(const char* slurm_name) const {
  if (nodes.size() == 1) return nodes.front();
  const std::string name = slurm_name == nullptr ? "" : slurm_name;
  const auto found = std::ranges::find(hosts, name);
  if (found == hosts.end()) {
    return fail(MPI_ERR_OTHER, "Slurm calls this host '{}', and daemons were to be started on {}",
                name, fmt::join(hosts, ","));
  }
  return nodes[static_cast<std::size_t>(found - hosts.begin())];
}

const std::string& StartFrame::host_of(int node) const {
  return hosts.at(static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin()));
}

// What starts daemons, and the last that it and they have written.
struct TreeNode::Agent {
  Agent(asio::io_context& io, int number, std::vector<int> list)
      : id(number), nodes(std::move(list)), output(io), timer(io) {}

  int id;  // for the keeper
  std::vector<int> nodes;
  asio::posix::stream_descriptor output;
  asio::steady_timer timer;  // until all have connected
  std::array<char, 4096> buffer{};
  std::string words;
  std::optional<int> ended;
};

struct TreeNode::Child {
  int node = 0;
  int agent = 0;
  std::shared_ptr<TreeLink> link;
  bool failed = false;
};

TreeNode::TreeNode(asio::io_context& io, int self, TreePlan plan, const Secret& secret,
                   Guardian& keeper, Callbacks callbacks)
    : io_(io),
      self_(self),
      plan_(std::move(plan)),
      tree_(static_cast<int>(plan_.hosts.size()), plan_.width),
      secret_(secret),
      keeper_(keeper),
      callbacks_(std::move(callbacks)) {}

TreeNode::~TreeNode() {
  for (auto& [node, child] : children_) {
    if (child->link) child->link->close();
  }
  if (parent_) parent_->close();
}

bool TreeNode::has_children() const {
  return std::ranges::any_of(children_,
                             [](const auto& each) { return each.second->link != nullptr; });
}

bool TreeNode::has_agents() const {
  if (!is_srun(plan_.agent)) return false;
  return std::ranges::any_of(agents_, [this](const auto& each) {
    const Agent& agent = *each.second;
    return !agent.ended && std::ranges::none_of(agent.nodes, [this](int node) {
      return children_.at(node)->failed;
    });
  });
}

Expected<> TreeNode::start_children(const std::vector<std::string>& addresses) {
  const std::vector<int> nodes = tree_.children(self_);
  if (nodes.empty()) return {};
  // A connection and ssh's output each; the listener cannot turn down whom it has no room for.
  if (auto room = raise_descriptor_limit(2 * nodes.size() + Listener::kMostStrangers); !room) {
    return room;
  }
  for (const std::string& address : addresses) {
    const bool is_own = address.starts_with("127.") || address == "::1" ||
                        address.starts_with("fe80:");  // reaches nobody, or needs an interface
    if (!is_own) addresses_.push_back(address);
  }
  if (auto done = listen(); !done) return done;
  keeper_.start({[this](int node, const SpawnResult& result) {
                   if (result.stage == SpawnStage::none) return;
                   give_up(*agents_.at(node),
                           describe_spawn_failure(result, plan_.agent[0], "/").message);
                 },
                 [this](int node, int status) { agent_ended(node, status); }, [] {},
                 [this] {
                   for (auto& [node, agent] : agents_) {
                     give_up(*agent, "the process that starts daemons was killed");
                   }
                 }});
  if (is_srun(plan_.agent)) return start_agent(nodes);
  for (const int node : nodes) {
    if (auto done = start_agent({node}); !done) return done;
  }
  return {};
}

Expected<> TreeNode::listen() {
  auto listener = Listener::open(
      io_, secret_,
      {[this](int node, asio::ip::tcp::socket socket) { return attach(node, std::move(socket)); },
       [this](const std::string& words) {
         // The first ones; a port scan shall not fill the log.
         if (++refusals_ > kMostToldStrangers) return;
         const std::string& host = plan_.hosts[static_cast<std::size_t>(self_)];
         callbacks_.said(self_, fmt::format("mpirun: host {}: {}\n", host, words));
       }});
  if (!listener) return tl::unexpected(listener.error());
  listener_ = std::move(*listener);
  return {};
}

Expected<> TreeNode::start_agent(const std::vector<int>& nodes) {
  std::vector<std::string> hosts = plan_.names_of(nodes);
  Expected<ChildSpec> spec = plan_.agent_for(hosts, {plan_.program, kDaemonWord});
  if (!spec) return tl::unexpected(spec.error());
  const std::string frame =
      StartFrame{PACKAGE_VERSION,   nodes,          std::move(hosts), secret_.text(), addresses_,
                 listener_->port(), plan_.timeout_s}
          .bytes();
  for (const int node : nodes) {
    children_[node] = std::make_unique<Child>();
    children_[node]->node = node;
    children_[node]->agent = nodes.front();
  }
  const Expected<Agent*> agent = spawn_agent(nodes.front(), nodes, std::move(*spec), frame);
  if (!agent) return tl::unexpected(agent.error());
  (*agent)->timer.expires_after(kStartTime);
  (*agent)->timer.async_wait([this, started = *agent](std::error_code stopped) {
    if (!stopped) {
      give_up(*started, fmt::format("no report within {} seconds", kStartTime.count()));
    }
  });
  return {};
}

Expected<TreeNode::Agent*> TreeNode::spawn_agent(int id, const std::vector<int>& nodes,
                                                 ChildSpec spec, const std::string& input_bytes) {
  int input[2];
  int output[2];
  if (::pipe2(input, O_CLOEXEC) != 0) return fail_errno(MPI_ERR_OTHER, errno, "pipe of a daemon");
  if (::pipe2(output, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(input[0]);
    ::close(input[1]);
    return fail_errno(MPI_ERR_OTHER, error, "pipe of a daemon");
  }
  spec.fds = {input[0], output[1], output[1]};
  agents_[id] = std::make_unique<Agent>(io_, id, nodes);
  Agent& agent = *agents_[id];
  agent.output.assign(output[0]);
  keeper_.spawn(id, spec);
  ::close(input[0]);
  ::close(output[1]);
  // So that it fits the pipe, and this does not block, whatever becomes of the agent.
  (void)::fcntl(input[1], F_SETPIPE_SZ, static_cast<int>(input_bytes.size()));
  (void)!::write(input[1], input_bytes.data(), input_bytes.size());
  ::close(input[1]);
  read_words(agent);
  return &agent;
}

void TreeNode::remove_folders(const std::vector<int>& nodes,
                              const std::vector<std::string>& folders) {
  if (!is_srun(plan_.agent) || folders.empty()) return;
  std::vector<std::string> command{"rm", "-rf", "--"};
  command.insert(command.end(), folders.begin(), folders.end());
  Expected<ChildSpec> spec = plan_.agent_for(plan_.names_of(nodes), command);
  if (spec) (void)spawn_agent(tree_.nodes(), {}, std::move(*spec), "");
}

void TreeNode::read_words(Agent& agent) {
  agent.output.async_read_some(asio::buffer(agent.buffer),
                               [this, &agent](std::error_code error, std::size_t size) {
                                 if (error == asio::error::operation_aborted) return;
                                 if (!error) {
                                   took_words(agent, std::string_view(agent.buffer.data(), size));
                                   return read_words(agent);
                                 }
                                 std::error_code ignored;
                                 agent.output.close(ignored);
                                 // Its last words come before the news of its end, or behind: both
                                 // are waited for.
                                 if (agent.ended) agent_ended(agent.id, *agent.ended);
                               });
}

void TreeNode::took_words(Agent& agent, std::string_view text) {
  if (missing(agent).empty()) return callbacks_.said(agent.id, std::string(text));
  agent.words.append(text);
  if (agent.words.size() > kMostAgentWords)
    agent.words.erase(0, agent.words.size() - kMostAgentWords);
}

void TreeNode::agent_ended(int id, int wait_status) {
  Agent& agent = *agents_.at(id);
  agent.ended = wait_status;
  if (ending_) return callbacks_.failed(id, "");
  if (!agent.output.is_open()) {
    give_up(agent, fmt::format("{} {}", plan_.agent[0], describe_end(wait_status)));
  }
}

// Daemons that have not reported.
std::vector<int> TreeNode::missing(const Agent& agent) const {
  std::vector<int> nodes;
  std::ranges::copy_if(agent.nodes, std::back_inserter(nodes), [this](int node) {
    const Child& child = *children_.at(node);
    return !child.link && !child.failed;
  });
  return nodes;
}

void TreeNode::give_up(Agent& agent, const std::string& why) {
  const std::vector<int> nodes = missing(agent);
  if (nodes.empty() || ending_) return;
  agent.timer.cancel();
  for (const int node : nodes) children_.at(node)->failed = true;
  std::string words = agent.words;
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r')) words.pop_back();
  const std::string what = nodes.size() == 1 ? "the daemon of host" : "the daemons of hosts";
  callbacks_.failed(nodes.front(), fmt::format("{} {} cannot be started: {}{}{}", what,
                                               fmt::join(plan_.names_of(nodes), ","), why,
                                               words.empty() ? "" : ": ", words));
}

bool TreeNode::attach(int node, asio::ip::tcp::socket socket) {
  const auto found = children_.find(node);
  if (ending_ || found == children_.end()) return false;
  if (found->second->link || found->second->failed) return false;
  Child& child = *found->second;
  child.link = std::make_shared<TreeLink>(std::move(socket), plan_.timeout_s);
  child.link->start({[this](Message message) { route(std::move(message)); },
                     [this, &child](const std::string& why) { detach(child, why); }});
  child.link->send({MessageKind::plan, self_, node, plan_.bytes()});
  Agent& agent = *agents_.at(child.agent);
  if (!missing(agent).empty()) return true;
  agent.timer.cancel();
  if (!agent.words.empty()) callbacks_.said(agent.id, agent.words);
  return true;
}

void TreeNode::detach(Child& child, const std::string& why) {
  // One daemon that cannot start ends all that its srun has started: their ends say nothing.
  const bool starting = !missing(*agents_.at(child.agent)).empty();
  child.link.reset();
  if (ending_) return callbacks_.failed(child.node, "");
  if (starting) return;
  child.failed = true;
  callbacks_.failed(
      child.node,
      fmt::format("host {} was lost ({})", plan_.hosts[static_cast<std::size_t>(child.node)], why));
}

void TreeNode::cut(int node) {
  const auto found = children_.find(node);
  if (found == children_.end() || !found->second->link) return;
  Child& child = *found->second;
  child.failed = true;
  child.link->close();
  child.link.reset();
}

void TreeNode::send(int to, MessageKind kind, std::string payload) {
  Message message{kind, self_, to, std::move(payload)};
  if (to == self_) return callbacks_.received(std::move(message));
  forward(message);
}

void TreeNode::route(Message message) {
  if (message.to == self_) return callbacks_.received(std::move(message));
  forward(message);
  if (message.to == Message::kEveryone) callbacks_.received(std::move(message));
}

void TreeNode::forward(const Message& message) {
  if (message.to == Message::kEveryone) {
    for (auto& [node, child] : children_) {
      if (child->link) child->link->send(message);
    }
    return;
  }
  if (message.to < 0 || message.to >= tree_.nodes()) return;  // nonsense goes nowhere
  const int next = tree_.towards(self_, message.to);
  if (next < 0 || next == tree_.parent(self_)) {
    if (parent_) parent_->send(message);
    return;
  }
  const auto child = children_.find(next);
  if (child != children_.end() && child->second->link) child->second->link->send(message);
}

}  // namespace remit::launcher
