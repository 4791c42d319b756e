// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Raising the tree, and its messages turned into what the controller knows.
#include "launcher/tree/remote_hosts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "launcher/host/host_names.hpp"
#include "launcher/host/signals.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

constexpr std::chrono::seconds kEndPatience{20};
constexpr std::chrono::seconds kAgentPatience{5};

}  // namespace

RemoteHosts::RemoteHosts(asio::io_context& io, TreePlan plan, const Secret& secret,
                         Guardian& keeper)
    : io_(io),
      tree_(std::make_unique<TreeNode>(
          io, 0, std::move(plan), secret, keeper,
          TreeNode::Callbacks{[this](const Message& message) { handle(message); },
                              [this](int node, const std::string& why) { failed(node, why); },
                              [this](int node, const std::string& text) { said(node, text); }})),
      exchange_(io, *tree_),
      inspection_(io, *tree_, exchange_,
                  [this](int node, const std::string& words) { said(node, words); }),
      orders_(*tree_),
      feeds_(io, *tree_, exchange_),
      clocks_([this](int node, std::string question) {
        tree_->send(node, MessageKind::tell_clock, std::move(question));
      }),
      states_(tree_->tree()),
      startup_(io) {}

RemoteHosts::~RemoteHosts() = default;

tl::expected<std::map<int, Processors>, LaunchError> RemoteHosts::raise() {
  if (auto started = tree_->start_children(own_addresses()); !started) {
    return tl::unexpected(LaunchError{1, started.error().message});
  }
  const auto others = static_cast<std::size_t>(tree_->tree().nodes() - 1);
  const auto done = startup_.until([&] { return processors_.size() == others; });
  if (!done) return tl::unexpected(done.error());
  return std::move(processors_);
}

tl::expected<void, LaunchError> RemoteHosts::prepare(const DaemonJob& first) {
  std::optional<tl::expected<void, LaunchError>> prepared;
  add_job(first, [&prepared](const tl::expected<void, LaunchError>& result) { prepared = result; });
  auto waited = startup_.until([&] { return prepared.has_value(); });
  if (waited) return *prepared;
  preparations_.clear();
  return waited;
}

void RemoteHosts::add_job(const DaemonJob& part, Preparations::Done done) {
  exchange_.add_job(part.job);
  std::set<int> nodes;
  for (int node = 1; node < tree_->tree().nodes(); ++node) nodes.insert(node);
  preparations_.begin(part.job.number, std::move(nodes), std::move(done));
  tree_->send(Message::kEveryone, MessageKind::job, write_job(part));
}

void RemoteHosts::listen(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  if (!startup_.error().empty()) failed(0, startup_.error());  // between prepare() and now
}

void RemoteHosts::inspect(const std::vector<int>& jobs, std::set<int> nodes,
                          HostInspection::Done done) {
  std::erase_if(nodes, [this](int node) { return states_.lost().contains(node); });
  inspection_.ask(jobs, std::move(nodes), kInspectionTime, std::move(done));
}

void RemoteHosts::lose_silent() {
  const double timeout_s = tree_->plan().timeout_s;
  const auto limit = std::chrono::milliseconds(std::llround(timeout_s * 1000));
  inspection_.ask(
      {}, states_.present(), limit, [this, timeout_s](const HostInspection::Result& result) {
        for (const int node : result.silent) {
          const std::string why = fmt::format(
              "the daemon of host {} has not answered for {} seconds", host_of(node), timeout_s);
          said(node, fmt::format("mpirun: {}; ranks there may live on until it does\n", why));
          failed(node, why);
          tree_->cut(node);
        }
      });
}

void RemoteHosts::handle(const Message& message) {
  if (finishing_) return;  // whom it could concern may be gone
  if (message.from < 0 || message.from >= tree_->tree().nodes()) return;  // nobody
  if (exchange_.handle(message)) return;
  if (message.from == 0) return;  // this node's own ranks are not spoken of in messages
  WireReader reader(message.payload);
  switch (message.kind) {
    case MessageKind::hello:
      return take_hello(message);
    case MessageKind::failed: {
      const auto node = static_cast<int>(reader.number());
      return failed(node, reader.text());
    }
    case MessageKind::said: {
      const auto node = static_cast<int>(reader.number());
      return said(node, reader.text());
    }
    case MessageKind::ready:
    case MessageKind::refused:
      return take_prepared(message);
    case MessageKind::order:
      return take_order(message);
    case MessageKind::inspected:
      return inspection_.take(message);
    case MessageKind::empty:
      states_.set_empty(message.from);
      if (callbacks_) callbacks_->empty();
      return;
    case MessageKind::record:
      if (callbacks_) callbacks_->record(message.payload, message.from, clocks_.of(message.from));
      return;
    case MessageKind::clock_told:
      return clocks_.take(message);
    case MessageKind::output:
      return take_output(message);
    case MessageKind::interrupted:
      return take_interrupt(message);
    default:
      // A daemon speaks of its own ranks.
      if (callbacks_ && exchange_.node_of(static_cast<int>(reader.number())) == message.from) {
        handle_rank(message);
      }
  }
}

void RemoteHosts::handle_rank(const Message& message) {
  // Ranks come and go: before the first and after the last of a host its clock is seen.
  if (message.kind == MessageKind::finalized || message.kind == MessageKind::exited) {
    clocks_.ask(message.from);
  }
  WireReader reader(message.payload);
  const auto rank = static_cast<int>(reader.number());
  switch (message.kind) {
    case MessageKind::spawned: {
      const auto pid = static_cast<pid_t>(reader.number());
      const auto status = static_cast<int>(reader.number());
      if (pid <= 0) return callbacks_->not_spawned(rank, {status, reader.text()});
      states_.set_busy(message.from);
      return callbacks_->spawned(rank, pid);
    }
    case MessageKind::exited: {
      const auto status = static_cast<int>(reader.number());
      return callbacks_->exited(rank, status, reader.text());
    }
    case MessageKind::connected:
      return callbacks_->connected(rank);
    case MessageKind::finalized:
      return callbacks_->finalized(rank);
    case MessageKind::aborted: {
      const auto status = static_cast<int>(reader.number());
      return callbacks_->aborted(rank, status, reader.text());
    }
    case MessageKind::control:
      if (const auto control = read_control(message.payload, exchange_.processes())) {
        callbacks_->control(*control);
      }
      return;
    case MessageKind::output_end:
      return callbacks_->output_end(rank, static_cast<int>(reader.number()));
    case MessageKind::input_taken:
      return feeds_.taken(rank, static_cast<std::size_t>(reader.number()));
    case MessageKind::input_closed:
      return feeds_.close(rank);
    default:
      return;
  }
}

void RemoteHosts::take_hello(const Message& message) {
  WireReader reader(message.payload);
  const std::string name = reader.text();
  Expected<Processors> processors = Processors::read(reader.text());
  states_.set_folders(message.from, reader.texts());
  if (!reader.complete() || !processors) {
    return failed(message.from, fmt::format("host {} sent no list of processors", name));
  }
  processors_.insert_or_assign(message.from, std::move(*processors));
}

void RemoteHosts::take_prepared(const Message& message) {
  WireReader reader(message.payload);
  const int job = reader.integer();
  if (!reader.good()) return;
  const bool refused = message.kind == MessageKind::refused;
  preparations_.answered(
      job, message.from,
      refused ? fmt::format("host {}: {}", host_of(message.from), reader.text()) : "");
}

void RemoteHosts::take_order(const Message& message) {
  WireReader reader(message.payload);
  const std::int64_t number = reader.number();
  const std::optional<SpawnOrder> order = read_order(reader.text());
  const auto answer = [this, number, node = message.from](const std::string& error,
                                                          const std::string& job) {
    WireWriter writer;
    writer.number(number);
    writer.text(error);
    writer.text(job);
    tree_->send(node, MessageKind::ordered, writer.bytes());
  };
  const bool good = reader.complete() && order && exchange_.node_of(order->asker) == message.from;
  if (!callbacks_ || !good) return answer("what mpirun was sent is no order of a rank", "");
  callbacks_->ordered(*order, answer);
}

void RemoteHosts::take_output(const Message& message) {
  WireReader reader(message.payload);
  const auto rank = static_cast<int>(reader.number());
  const auto stream = static_cast<int>(reader.number());
  const std::string bytes = reader.text();
  if (!callbacks_ || exchange_.node_of(rank) != message.from) return;
  if (callbacks_->output(rank, stream, bytes)) {
    tree_->send(message.from, MessageKind::output_taken, numbers(bytes.size()));
  } else {
    held_[message.from] += bytes.size();
  }
}

void RemoteHosts::take_interrupt(const Message& message) {
  WireReader reader(message.payload);
  const auto signal = static_cast<int>(reader.number());
  const std::string why = fmt::format("the daemon of host {} was told to end by {}",
                                      host_of(message.from), signal_text(signal));
  if (!callbacks_) return failed(message.from, why);
  callbacks_->interrupted(signal, why);
}

void RemoteHosts::release_outputs() {
  for (const auto& [node, bytes] : std::exchange(held_, {})) {
    tree_->send(node, MessageKind::output_taken, numbers(bytes));
  }
}

void RemoteHosts::failed(int node, const std::string& why) {
  if (finishing_) return;
  states_.lose(node);
  if (!callbacks_) return startup_.fail(why);
  std::vector<int> nodes;
  nodes.reserve(static_cast<std::size_t>(std::max(0, exchange_.processes())));
  for (int rank = 0; rank < exchange_.processes(); ++rank) {
    nodes.push_back(exchange_.node_of(rank));
  }
  callbacks_->lost(states_.take_gone(node, nodes), why);
  for (const int each : std::set<int>(states_.lost())) inspection_.lost(each);
}

void RemoteHosts::said(int node, const std::string& text) {
  if (finishing_) return;
  if (callbacks_) return callbacks_->said(node, text);
  std::fputs(text.c_str(), stderr);  // whether or not anybody reads it
}

void RemoteHosts::finish() {
  if (std::exchange(finishing_, true)) return;
  feeds_.clear();
  inspection_.drop();
  tree_->expect_end();
  orders_.finish();
  bool late = false;
  asio::steady_timer patience(io_, kEndPatience);
  patience.async_wait([&](std::error_code stopped) {
    if (!stopped) late = true;  // else this function has returned
  });
  io_.restart();  // the end of the job has stopped it
  while (!late && !io_.stopped() && tree_->has_children()) io_.run_one();
  // As a daemon and its guardians would have done, had nobody killed all of them.
  const HostStates::Remains remains = states_.remains();
  tree_->remove_folders(remains.nodes, remains.folders);
  // An srun that is killed before it has seen its daemons end leaves its step open for a while.
  patience.expires_after(kAgentPatience);
  patience.async_wait([&](std::error_code stopped) {
    if (!stopped) late = true;
  });
  while (!late && !io_.stopped() && tree_->has_agents()) io_.run_one();
}

}  // namespace remit::launcher
