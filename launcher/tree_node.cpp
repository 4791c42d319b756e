// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting daemons, and passing messages through the tree.
#include "launcher/tree_node.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "config.h"
#include "launcher/host_names.hpp"
#include "launcher/spawn.hpp"
#include "launcher/wire.hpp"

namespace remit::launcher {
namespace {

constexpr std::size_t kMostStartBytes = std::size_t{1} << 20;
constexpr std::size_t kMostWords = 4096;  // of a failed start, for the message
constexpr int kMostRefusals = 5;          // that are told of
constexpr std::chrono::seconds kStartTime{60};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

std::vector<std::string> own_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("was killed by signal {}", WTERMSIG(wait_status));
  return fmt::format("ended with status {}", WEXITSTATUS(wait_status));
}

bool read_exactly(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::read(fd, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::string TreePlan::bytes() const {
  WireWriter writer;
  writer.texts(hosts);
  writer.number(width);
  writer.texts(agent);
  writer.text(program);
  writer.number(static_cast<std::int64_t>(timeout_s * 1000));
  return writer.bytes();
}

std::optional<TreePlan> TreePlan::from(const std::string& bytes) {
  WireReader reader(bytes);
  TreePlan plan;
  plan.hosts = reader.texts();
  plan.width = static_cast<int>(reader.number());
  plan.agent = reader.texts();
  plan.program = reader.text();
  plan.timeout_s = static_cast<double>(reader.number()) / 1000;
  const bool good = reader.complete() && plan.width > 0 && !plan.agent.empty();
  return good ? std::optional(std::move(plan)) : std::nullopt;
}

std::string StartFrame::bytes() const {
  WireWriter writer;
  writer.text(version);
  writer.number(node);
  writer.text(secret);
  writer.texts(addresses);
  writer.number(port);
  writer.number(static_cast<std::int64_t>(timeout_s * 1000));
  const auto size = static_cast<std::uint64_t>(writer.bytes().size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + writer.bytes();
}

Expected<StartFrame> StartFrame::read(int fd) {
  std::uint64_t size = 0;
  std::string bytes;
  if (read_exactly(fd, reinterpret_cast<char*>(&size), sizeof size) && size <= kMostStartBytes) {
    bytes.resize(size);
    if (!read_exactly(fd, bytes.data(), bytes.size())) bytes.clear();
  }
  WireReader reader(bytes);
  StartFrame frame;
  frame.version = reader.text();
  frame.node = static_cast<int>(reader.number());
  frame.secret = reader.text();
  frame.addresses = reader.texts();
  frame.port = static_cast<int>(reader.number());
  frame.timeout_s = static_cast<double>(reader.number()) / 1000;
  if (!reader.complete()) {
    return fail(MPI_ERR_OTHER, "a daemon is started by mpirun, which tells it what to do");
  }
  return frame;
}

struct TreeNode::Child {
  Child(asio::io_context& io, int number) : node(number), output(io), timer(io) {}

  int node;
  asio::posix::stream_descriptor output;  // what ssh and the daemon write
  asio::steady_timer timer;               // until it has connected
  std::array<char, 4096> buffer{};
  std::string words;  // the last of it
  std::optional<int> ended;
  std::shared_ptr<Link> link;
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
  for (const auto& [node, child] : children_) {
    if (child->link) return true;
  }
  return false;
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
  auto listener = Listener::open(
      io_, secret_,
      {[this](int node, asio::ip::tcp::socket socket) { return attach(node, std::move(socket)); },
       [this](const std::string& words) {
         // The first ones; a port scan shall not fill the log.
         if (++refusals_ > kMostRefusals) return;
         const std::string& host = plan_.hosts[static_cast<std::size_t>(self_)];
         callbacks_.said(self_, fmt::format("mpirun: host {}: {}\n", host, words));
       }});
  if (!listener) return tl::unexpected(listener.error());
  listener_ = std::move(*listener);
  keeper_.start({[this](int node, const SpawnResult& result) {
                   if (result.stage == SpawnStage::none) return;
                   give_up(node, describe_spawn_failure(result, plan_.agent[0], "/").message);
                 },
                 [this](int node, int status) { agent_ended(node, status); }, [] {},
                 [this] {
                   for (auto& [node, child] : children_) {
                     if (!child->link) give_up(node, "the process that starts daemons was killed");
                   }
                 }});
  for (const int node : nodes) {
    if (auto done = start_child(node); !done) return done;
  }
  return {};
}

Expected<> TreeNode::start_child(int node) {
  const std::string& host = plan_.hosts[static_cast<std::size_t>(node)];
  const char* const path = std::getenv("PATH");
  const auto agent = find_program(plan_.agent[0], "/", path == nullptr ? "/usr/bin:/bin" : path);
  if (!agent) {
    return fail(MPI_ERR_OTHER, "{}; it starts ranks on other hosts (parameter launch_agent)",
                agent.error().message);
  }
  ChildSpec spec{*agent, plan_.agent, own_environment(), "/", {}, {}, {}};
  spec.argv.push_back(host);
  spec.argv.push_back(fmt::format("exec {} --remit-daemon", quoted(plan_.program)));
  int input[2];
  int output[2];
  if (::pipe2(input, O_CLOEXEC) != 0) return fail_errno(MPI_ERR_OTHER, errno, "pipe of ssh");
  if (::pipe2(output, O_CLOEXEC) != 0) {
    const int error = errno;
    ::close(input[0]);
    ::close(input[1]);
    return fail_errno(MPI_ERR_OTHER, error, "pipe of ssh");
  }
  spec.fds = {input[0], output[1], output[1]};
  children_[node] = std::make_unique<Child>(io_, node);
  Child& child = *children_[node];
  child.output.assign(output[0]);
  keeper_.spawn(node, spec);
  ::close(input[0]);
  ::close(output[1]);
  // It fits a pipe: this does not block, whatever becomes of ssh.
  const std::string frame =
      StartFrame{PACKAGE_VERSION,   node,           secret_.text(), addresses_,
                 listener_->port(), plan_.timeout_s}
          .bytes();
  (void)!::write(input[1], frame.data(), frame.size());
  ::close(input[1]);
  read_words(child);
  child.timer.expires_after(kStartTime);
  child.timer.async_wait([this, node](std::error_code stopped) {
    if (!stopped) {
      give_up(node, fmt::format("it has not reported within {} seconds", kStartTime.count()));
    }
  });
  return {};
}

void TreeNode::read_words(Child& child) {
  child.output.async_read_some(asio::buffer(child.buffer),
                               [this, &child](std::error_code error, std::size_t size) {
                                 if (error == asio::error::operation_aborted) return;
                                 if (!error) {
                                   took_words(child, std::string_view(child.buffer.data(), size));
                                   return read_words(child);
                                 }
                                 std::error_code ignored;
                                 child.output.close(ignored);
                                 // Its last words come before the news of its end, or behind: both
                                 // are waited for.
                                 if (child.ended) agent_ended(child.node, *child.ended);
                               });
}

void TreeNode::took_words(Child& child, std::string_view text) {
  if (child.link) return callbacks_.said(child.node, std::string(text));
  child.words.append(text);
  if (child.words.size() > kMostWords) child.words.erase(0, child.words.size() - kMostWords);
}

void TreeNode::agent_ended(int node, int wait_status) {
  Child& child = *children_.at(node);
  child.ended = wait_status;
  if (child.link || child.output.is_open()) return;
  std::string words = child.words;
  while (!words.empty() && (words.back() == '\n' || words.back() == '\r')) words.pop_back();
  give_up(node, fmt::format("{} {}{}", plan_.agent[0], describe_end(wait_status),
                            words.empty() ? "" : ": " + words));
}

void TreeNode::give_up(int node, const std::string& why) {
  Child& child = *children_.at(node);
  if (child.failed || child.link || ending_) return;
  child.failed = true;
  child.timer.cancel();
  callbacks_.failed(node, fmt::format("the daemon of host {} cannot be started: {}",
                                      plan_.hosts[static_cast<std::size_t>(node)], why));
}

bool TreeNode::attach(int node, asio::ip::tcp::socket socket) {
  const auto found = children_.find(node);
  if (ending_ || found == children_.end()) return false;
  if (found->second->link || found->second->failed) return false;
  Child& child = *found->second;
  child.timer.cancel();
  child.link = std::make_shared<Link>(std::move(socket), plan_.timeout_s);
  child.link->start({[this](Message message) { route(std::move(message)); },
                     [this, &child](const std::string& why) {
                       child.link.reset();
                       child.failed = true;
                       if (ending_) return callbacks_.failed(child.node, "");
                       const auto index = static_cast<std::size_t>(child.node);
                       callbacks_.failed(child.node, fmt::format("host {} was lost ({})",
                                                                 plan_.hosts[index], why));
                     }});
  child.link->send({MessageKind::plan, self_, node, plan_.bytes()});
  if (!child.words.empty()) callbacks_.said(node, child.words);
  return true;
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
