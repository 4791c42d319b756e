// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The daemon's connections, from its start frame to the end; what it does is HostJobs'.
#include "launcher/host/daemon.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config.h"
#include "launcher/host/guardian.hpp"
#include "launcher/host/host_jobs.hpp"
#include "launcher/host/host_names.hpp"
#include "launcher/report/crash_report.hpp"
#include "launcher/tree/tree_node.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

constexpr std::chrono::seconds kChildPatience{15};

class Daemon {
 public:
  Daemon(asio::io_context& io, StartFrame frame, int node, Secret secret, Topology topology,
         std::unique_ptr<Guardian> ranks, std::unique_ptr<Guardian> keeper)
      : io_(io),
        frame_(std::move(frame)),
        node_(node),
        secret_(secret),
        topology_(std::move(topology)),
        guardian_(std::move(ranks)),
        keeper_(std::move(keeper)),
        patience_(io),
        signals_(io, SIGTERM, SIGINT, SIGHUP) {}

  Expected<> connect();
  void run() { io_.run(); }
  /// Ends what lives here; true if nothing is left.
  bool clean_up();

 private:
  void tell(MessageKind kind, const std::string& payload = {}) {
    if (tree_) tree_->send(0, kind, payload);
  }
  void from_parent(Message message);
  void grow(const std::string& plan);
  void handle(const Message& message);
  void watch_signals();
  void finish();
  void stop_when_alone();

  asio::io_context& io_;
  StartFrame frame_;
  int node_;
  Secret secret_;
  Topology topology_;
  std::unique_ptr<Guardian> guardian_;
  std::unique_ptr<Guardian> keeper_;
  std::shared_ptr<TreeLink> parent_;
  std::unique_ptr<TreeNode> tree_;  // when the plan has come
  std::unique_ptr<HostJobs> jobs_;  // with the tree
  asio::steady_timer patience_;
  asio::signal_set signals_;
  bool interrupted_ = false;
  bool finishing_ = false;
  bool clean_ = false;
};

// The address that ssh or srun came from is one that reaches the parent from here.
std::vector<std::string> addresses_of(const StartFrame& frame) {
  std::vector<std::string> list;
  for (const char* const name : {"SSH_CONNECTION", "SLURM_LAUNCH_NODE_IPADDR"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string text = value;
    list.push_back(text.substr(0, text.find(' ')));
  }
  for (const std::string& address : frame.addresses) {
    if (list.empty() || address != list.front()) list.push_back(address);
  }
  return list;
}

// Slurm, say, when a job is cancelled. mpirun ends the job then, this part with it. Asked again, or
// where there is no mpirun yet, the daemon ends at once.
void Daemon::watch_signals() {
  signals_.async_wait([this](std::error_code error, int signal) {
    if (error) return;
    watch_signals();
    if (!tree_ || std::exchange(interrupted_, true)) return finish();
    tell(MessageKind::interrupted, numbers(signal));
  });
}

Expected<> Daemon::connect() {
  watch_signals();
  const auto socket = connect_to_parent(addresses_of(frame_), frame_.port, node_, secret_);
  if (!socket) return tl::unexpected(socket.error());
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(*socket, reinterpret_cast<sockaddr*>(&address), &size);
  const auto family = address.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
  parent_ =
      std::make_shared<TreeLink>(asio::ip::tcp::socket(io_, family, *socket), frame_.timeout_s);
  parent_->start({[this](Message message) { from_parent(std::move(message)); },
                  [this](const std::string&) { finish(); }});
  return {};
}

void Daemon::from_parent(Message message) {
  if (tree_) return tree_->route(std::move(message));
  if (message.kind == MessageKind::plan) grow(message.payload);
}

// The tree below, and what mpirun wants to know of this host.
void Daemon::grow(const std::string& bytes) {
  std::optional<TreePlan> plan = TreePlan::from(bytes);
  const bool good = plan && node_ > 0 && node_ < static_cast<int>(plan->hosts.size());
  if (!good) return finish();
  tree_ = std::make_unique<TreeNode>(
      io_, node_, std::move(*plan), secret_, *keeper_,
      TreeNode::Callbacks{[this](const Message& message) { handle(message); },
                          [this](int node, const std::string& why) {
                            if (finishing_) return stop_when_alone();
                            WireWriter writer;
                            writer.number(node);
                            writer.text(why);
                            tell(MessageKind::failed, writer.bytes());
                          },
                          [this](int node, const std::string& text) {
                            WireWriter writer;
                            writer.number(node);
                            writer.text(text);
                            tell(MessageKind::said, writer.bytes());
                          }});
  tree_->set_parent(parent_);
  jobs_ = std::make_unique<HostJobs>(io_, *tree_, *guardian_, topology_, [this] { finish(); });
  const Expected<> started = tree_->start_children(own_addresses());
  if (!started) {
    WireWriter writer;
    writer.number(node_);
    writer.text(started.error().message);
    return tell(MessageKind::failed, writer.bytes());
  }
  WireWriter writer;
  writer.text(host_name());
  writer.text(Processors(topology_).bytes());
  writer.texts({guardian_->directory(), keeper_->directory()});
  tell(MessageKind::hello, writer.bytes());
}

void Daemon::handle(const Message& message) {
  if (message.kind == MessageKind::finish) return finish();
  jobs_->handle(message);
}

// mpirun says so, or is gone. What is below is told: nobody else may be there to do it.
void Daemon::finish() {
  if (std::exchange(finishing_, true)) return;
  if (tree_) {
    jobs_->stop();
    tree_->expect_end();
    tree_->send(Message::kEveryone, MessageKind::finish);
  }
  clean_ = guardian_->finish(Guardian::kPatience);
  patience_.expires_after(kChildPatience);
  patience_.async_wait([this](std::error_code stopped) {
    if (!stopped) io_.stop();
  });
  stop_when_alone();
}

void Daemon::stop_when_alone() {
  if (!tree_ || !(tree_->has_children() || tree_->has_agents())) io_.stop();
}

bool Daemon::clean_up() {
  if (!clean_) clean_ = guardian_->finish(Guardian::kPatience);
  keeper_->finish(Guardian::kPatience);
  std::error_code ignored;
  if (clean_) std::filesystem::remove_all(guardian_->directory(), ignored);
  std::filesystem::remove_all(keeper_->directory(), ignored);
  return clean_;
}

[[noreturn]] void refuse(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  ::_exit(1);
}

// Slurm may bind a host's lone task to as little as one core, and the ranks shall have all that the
// job has there: a control group is still the limit. (srun's --cpu-bind=none would do the same, but
// srun complains of it where no plugin binds.)
void unbind_from_slurm() {
  if (std::getenv("SLURM_LAUNCH_NODE_IPADDR") == nullptr) return;
  std::array<cpu_set_t, 8> all{};
  std::memset(all.data(), 0xff, sizeof all);
  ::sched_setaffinity(0, sizeof all, all.data());
}

template <class Value>
Value needed(Expected<Value> value) {
  if (!value) refuse(value.error().message);
  return std::move(*value);
}

}  // namespace

void run_daemon(std::span<char> title) {
  unbind_from_slurm();
  StartFrame frame = needed(StartFrame::read(STDIN_FILENO));
  if (frame.version != PACKAGE_VERSION) {
    refuse(fmt::format("Remit {} is installed here, and mpirun is of Remit {}", PACKAGE_VERSION,
                       frame.version));
  }
  const int node = needed(frame.find_node(std::getenv("SLURMD_NODENAME")));
  speak_as(fmt::format("the daemon of host {}", frame.host_of(node)));
  const Secret secret = needed(Secret::from_text(frame.secret));
  const GuardianProcess ranks = needed(fork_guardian(temporary_parent(), title));
  const GuardianProcess keepers = needed(fork_guardian(temporary_parent(), title));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::signal(SIGPIPE, SIG_IGN);  // a rank that reads no more is no reason to die
  asio::io_context io(1);
  Topology topology = needed(Topology::load());
  auto guardian = needed(Guardian::connect(io, ranks));
  auto keeper = needed(Guardian::connect(io, keepers));
  Daemon daemon(io, std::move(frame), node, secret, std::move(topology), std::move(guardian),
                std::move(keeper));
  const Expected<> connected = daemon.connect();
  if (connected) daemon.run();
  const bool clean = daemon.clean_up();
  if (!connected) refuse(connected.error().message);
  if (!clean) refuse("some processes of the job cannot be killed; the guardian waits for them");
  ::_exit(0);  // PMIx's threads still run: see ~PmixServer
}

}  // namespace remit::launcher
