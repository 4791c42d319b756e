// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Raising the tree, and its messages turned into what the controller knows.
#include "launcher/tree/remote_hosts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <asio/signal_set.hpp>
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

constexpr std::size_t kInputWindow = std::size_t{256} << 10;
constexpr std::chrono::seconds kEndPatience{20};
constexpr std::chrono::seconds kAgentPatience{5};

}  // namespace

// What mpirun reads and a rank of another host gets.
struct RemoteHosts::Feed {
  Feed(asio::io_context& io, int fd) : pipe(io, fd) {}
  asio::posix::stream_descriptor pipe;
  std::array<char, 1 << 16> buffer{};
  std::size_t under_way = 0;
  bool reading = false;
};

RemoteHosts::RemoteHosts(asio::io_context& io, TreePlan plan, const Secret& secret,
                         Guardian& keeper)
    : io_(io),
      tree_(std::make_unique<TreeNode>(
          io, 0, std::move(plan), secret, keeper,
          TreeNode::Callbacks{[this](const Message& message) { handle(message); },
                              [this](int node, const std::string& why) { failed(node, why); },
                              [this](int node, const std::string& text) { said(node, text); }})),
      exchange_(io, *tree_),
      looks_(io, *tree_, exchange_,
             [this](int node, const std::string& words) { said(node, words); }) {}

RemoteHosts::~RemoteHosts() = default;

// Before there is a controller: signals end the wait.
tl::expected<void, LaunchError> RemoteHosts::wait_for(const std::function<bool()>& condition) {
  asio::signal_set signals(io_);
  for (const int signal : kEndingSignals) {
    if (!is_ignored(signal)) signals.add(signal);
  }
  signals.async_wait([this](std::error_code error, int signal) {
    if (!error) signal_ = signal;
  });
  mask_ending_signals(SIG_UNBLOCK);
  io_.restart();
  while (error_.empty() && signal_ == 0 && !condition()) io_.run_one();
  mask_ending_signals(SIG_BLOCK);
  if (signal_ != 0) {
    return tl::unexpected(LaunchError{
        128 + signal_, fmt::format("interrupted by signal {} ({}) while the daemons were started",
                                   signal_, ::strsignal(signal_))});
  }
  if (!error_.empty()) return tl::unexpected(LaunchError{1, error_});
  return {};
}

tl::expected<std::map<int, Processors>, LaunchError> RemoteHosts::raise() {
  if (auto started = tree_->start_children(own_addresses()); !started) {
    return tl::unexpected(LaunchError{1, started.error().message});
  }
  const auto others = static_cast<std::size_t>(tree_->tree().nodes() - 1);
  const auto done = wait_for([&] { return processors_.size() == others; });
  if (!done) return tl::unexpected(done.error());
  return std::move(processors_);
}

tl::expected<void, LaunchError> RemoteHosts::prepare(const DaemonJob& first) {
  std::optional<tl::expected<void, LaunchError>> prepared;
  add_job(first, [&prepared](const tl::expected<void, LaunchError>& result) { prepared = result; });
  auto waited = wait_for([&] { return prepared.has_value(); });
  if (waited) return *prepared;
  preparations_.clear();
  return waited;
}

void RemoteHosts::add_job(const DaemonJob& part, Prepared done) {
  exchange_.add_job(part.job);
  Preparation& preparation = preparations_[part.job.number];
  for (int node = 1; node < tree_->tree().nodes(); ++node) preparation.missing.insert(node);
  preparation.done = std::move(done);
  tree_->send(Message::kEveryone, MessageKind::job, write_job(part));
}

void RemoteHosts::listen(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  listening_ = true;
  if (!error_.empty()) failed(0, error_);  // between prepare() and now
}

void RemoteHosts::launch(int job) {
  tree_->send(Message::kEveryone, MessageKind::launch, numbers(job));
}

void RemoteHosts::drop_job(int job) {
  tree_->send(Message::kEveryone, MessageKind::drop_job, numbers(job));
}

void RemoteHosts::carry_out(const JobControl& control) {
  tree_->send(Message::kEveryone, MessageKind::carry_out, write_control(control));
}

void RemoteHosts::signal_ranks(int signal) {
  tree_->send(Message::kEveryone, MessageKind::signal_ranks, numbers(signal));
}

void RemoteHosts::signal_all(int signal) {
  tree_->send(Message::kEveryone, MessageKind::signal_all, numbers(signal));
}

void RemoteHosts::close_output(int stream) {
  tree_->send(Message::kEveryone, MessageKind::close_output, numbers(stream));
}

void RemoteHosts::look(const std::vector<int>& jobs, std::set<int> nodes, HostLooks::Done done) {
  std::erase_if(nodes, [this](int node) { return lost_.contains(node); });
  looks_.ask(jobs, std::move(nodes), kLookTime, std::move(done));
}

void RemoteHosts::lose_silent() {
  std::set<int> nodes;
  for (int node = 1; node < tree_->tree().nodes(); ++node) {
    if (!lost_.contains(node)) nodes.insert(node);
  }
  const double timeout_s = tree_->plan().timeout_s;
  const auto limit = std::chrono::milliseconds(std::llround(timeout_s * 1000));
  looks_.ask({}, std::move(nodes), limit, [this, timeout_s](const HostLooks::Result& result) {
    for (const int node : result.silent) {
      const std::string why =
          fmt::format("the daemon of host {} has not answered for {} seconds",
                      tree_->plan().hosts[static_cast<std::size_t>(node)], timeout_s);
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
    case MessageKind::looked:
      return looks_.take(message);
    case MessageKind::empty:
      busy_.erase(message.from);
      if (listening_) callbacks_.empty();
      return;
    case MessageKind::output:
      return take_output(message);
    case MessageKind::interrupted:
      return take_interrupt(message);
    default:
      // A daemon speaks of its own ranks.
      if (listening_ && node_of(static_cast<int>(reader.number())) == message.from) {
        handle_rank(message);
      }
  }
}

void RemoteHosts::handle_rank(const Message& message) {
  WireReader reader(message.payload);
  const auto rank = static_cast<int>(reader.number());
  switch (message.kind) {
    case MessageKind::spawned: {
      const auto pid = static_cast<pid_t>(reader.number());
      const auto status = static_cast<int>(reader.number());
      if (pid <= 0) return callbacks_.not_spawned(rank, {status, reader.text()});
      busy_.insert(message.from);
      return callbacks_.spawned(rank, pid);
    }
    case MessageKind::exited: {
      const auto status = static_cast<int>(reader.number());
      return callbacks_.exited(rank, status, reader.text());
    }
    case MessageKind::connected:
      return callbacks_.connected(rank);
    case MessageKind::finalized:
      return callbacks_.finalized(rank);
    case MessageKind::aborted: {
      const auto status = static_cast<int>(reader.number());
      return callbacks_.aborted(rank, status, reader.text());
    }
    case MessageKind::control:
      if (const auto control = read_control(message.payload, exchange_.processes())) {
        callbacks_.control(*control);
      }
      return;
    case MessageKind::output_end:
      return callbacks_.output_end(rank, static_cast<int>(reader.number()));
    case MessageKind::input_taken: {
      const auto feed = feeds_.find(rank);
      if (feed == feeds_.end()) return;
      const auto taken = static_cast<std::size_t>(reader.number());
      feed->second->under_way -= std::min(taken, feed->second->under_way);
      return read_feed(rank);
    }
    case MessageKind::input_closed:
      if (const auto feed = feeds_.find(rank); feed != feeds_.end()) {
        std::error_code ignored;
        feed->second->pipe.close(ignored);
      }
      return;
    default:
      return;
  }
}

void RemoteHosts::take_hello(const Message& message) {
  WireReader reader(message.payload);
  const std::string name = reader.text();
  Expected<Processors> processors = Processors::read(reader.text());
  folders_[message.from] = reader.texts();
  if (!reader.complete() || !processors) {
    return failed(message.from, fmt::format("host {} sent no list of processors", name));
  }
  processors_.insert_or_assign(message.from, std::move(*processors));
}

void RemoteHosts::take_prepared(const Message& message) {
  WireReader reader(message.payload);
  const auto found = preparations_.find(reader.integer());
  if (!reader.good() || found == preparations_.end()) return;
  Preparation& preparation = found->second;
  if (preparation.missing.erase(message.from) == 0) return;
  if (message.kind == MessageKind::refused && preparation.error.empty()) {
    const std::string& host = tree_->plan().hosts[static_cast<std::size_t>(message.from)];
    preparation.error = fmt::format("host {}: {}", host, reader.text());
  }
  if (!preparation.missing.empty()) return;
  const Preparation over = std::move(preparation);
  preparations_.erase(found);
  if (over.error.empty()) return over.done({});
  over.done(tl::unexpected(LaunchError{1, over.error}));
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
  const bool good = reader.complete() && order && node_of(order->asker) == message.from;
  if (!listening_ || !good) return answer("what mpirun was sent is no order of a rank", "");
  callbacks_.ordered(*order, answer);
}

void RemoteHosts::take_output(const Message& message) {
  WireReader reader(message.payload);
  const auto rank = static_cast<int>(reader.number());
  const auto stream = static_cast<int>(reader.number());
  const std::string bytes = reader.text();
  if (!listening_ || node_of(rank) != message.from) return;
  if (callbacks_.output(rank, stream, bytes)) {
    tree_->send(message.from, MessageKind::output_taken, numbers(bytes.size()));
  } else {
    held_[message.from] += bytes.size();
  }
}

void RemoteHosts::take_interrupt(const Message& message) {
  const auto& hosts = tree_->plan().hosts;
  const auto from = static_cast<std::size_t>(message.from);
  if (from >= hosts.size()) return;
  WireReader reader(message.payload);
  const auto signal = static_cast<int>(reader.number());
  const std::string why = fmt::format("the daemon of host {} was told to end by signal {} ({})",
                                      hosts[from], signal, ::strsignal(signal));
  if (!listening_) return failed(message.from, why);
  callbacks_.interrupted(signal, why);
}

void RemoteHosts::release_outputs() {
  for (const auto& [node, bytes] : std::exchange(held_, {})) {
    tree_->send(node, MessageKind::output_taken, numbers(bytes));
  }
}

void RemoteHosts::failed(int node, const std::string& why) {
  if (finishing_) return;
  for (int each = 1; each < tree_->tree().nodes(); ++each) {
    if (tree_->tree().is_within(each, node)) lost_.insert(each);
  }
  if (!listening_) {
    if (error_.empty()) error_ = why;
    return;
  }
  std::vector<int> ranks;
  for (int rank = 0; rank < exchange_.processes(); ++rank) {
    const int place = node_of(rank);
    if (place == 0 || !tree_->tree().is_within(place, node)) continue;
    busy_.erase(place);
    if (!gone_.contains(place)) ranks.push_back(rank);
  }
  for (const int rank : ranks) gone_.insert(node_of(rank));
  callbacks_.lost(ranks, why);
  for (const int each : std::set<int>(lost_)) looks_.lost(each);
}

void RemoteHosts::said(int node, const std::string& text) {
  if (finishing_) return;
  if (listening_) return callbacks_.said(node, text);
  std::fputs(text.c_str(), stderr);  // whether or not anybody reads it
}

void RemoteHosts::feed(int rank, int fd) {
  feeds_[rank] = std::make_unique<Feed>(io_, fd);
  read_feed(rank);
}

void RemoteHosts::read_feed(int rank) {
  Feed& feed = *feeds_.at(rank);
  if (feed.reading || !feed.pipe.is_open() || feed.under_way >= kInputWindow) return;
  feed.reading = true;
  feed.pipe.async_read_some(
      asio::buffer(feed.buffer), [this, rank](std::error_code error, std::size_t size) {
        const auto found = feeds_.find(rank);
        if (found == feeds_.end() || !found->second->pipe.is_open()) return;  // closed meanwhile
        Feed& source = *found->second;
        source.reading = false;
        WireWriter writer;
        writer.number(rank);
        if (error) {
          std::error_code ignored;
          source.pipe.close(ignored);
          return tree_->send(node_of(rank), MessageKind::input_end, writer.bytes());
        }
        source.under_way += size;
        writer.text(std::string_view(source.buffer.data(), size));
        tree_->send(node_of(rank), MessageKind::input, writer.bytes());
        read_feed(rank);
      });
}

// As a daemon and its guardians would have done, had nobody killed all of them.
void RemoteHosts::remove_lost_folders() {
  std::vector<int> nodes;
  std::vector<std::string> folders;
  for (const int node : lost_) {
    const auto found = folders_.find(node);
    if (found == folders_.end()) continue;
    nodes.push_back(node);
    folders.insert(folders.end(), found->second.begin(), found->second.end());
  }
  tree_->remove_folders(nodes, folders);
}

void RemoteHosts::finish() {
  if (std::exchange(finishing_, true)) return;
  feeds_.clear();
  looks_.drop();
  tree_->expect_end();
  tree_->send(Message::kEveryone, MessageKind::finish);
  bool late = false;
  asio::steady_timer patience(io_, kEndPatience);
  patience.async_wait([&](std::error_code stopped) {
    if (!stopped) late = true;  // else this function has returned
  });
  io_.restart();  // the end of the job has stopped it
  while (!late && !io_.stopped() && tree_->has_children()) io_.run_one();
  remove_lost_folders();
  // An srun that is killed before it has seen its daemons end leaves its step open for a while.
  patience.expires_after(kAgentPatience);
  patience.async_wait([&](std::error_code stopped) {
    if (!stopped) late = true;
  });
  while (!late && !io_.stopped() && tree_->has_agents()) io_.run_one();
}

}  // namespace remit::launcher
