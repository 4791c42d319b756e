// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The exchange between the PMIx servers of all hosts, over the tree of daemons.
#pragma once

#include <asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launcher/plan/job.hpp"
#include "launcher/pmix/pmix_exchange.hpp"
#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {

/// A collective operation gathers at mpirun: each daemon adds what comes from below to its own, and
/// the result goes down again to where processes wait for it. Published data are kept by mpirun,
/// and events go through it, so that all hosts see them in one order. Processes are named by their
/// numbers (Job::first).
class HostExchange : public PmixExchange {
 public:
  HostExchange(asio::io_context& io, TreeNode& tree) : io_(io), tree_(tree) {}

  /// The next job, behind those that were added before. Every node adds each job before one of its
  /// processes can ask for anything.
  void add_job(const Job& job);
  /// How many processes there are, or were.
  [[nodiscard]] int processes() const { return static_cast<int>(nodes_.size()); }
  /// Where a process runs; -1: there is none of this number.
  [[nodiscard]] int node_of(int process) const;
  /// mpirun's, where all that is published is kept.
  [[nodiscard]] DataStore& store() { return store_; }

  /// True if the message was for this object.
  bool handle(const Message& message);

  void collect(const std::string& name, const ProcessRuns& members, std::string data,
               Collected done) override;
  void modex(int process, Data done) override;
  void publish(const std::vector<DataStore::Item>& items, std::function<void(bool)> done) override;
  void lookup(const std::vector<std::string>& keys, bool wait, int timeout_s,
              DataStore::Answer answer) override;
  void unpublish(const std::string& owner_job, int owner_rank, const std::vector<std::string>& keys,
                 std::function<void(bool)> done) override;
  void notify(const PmixEvent& event) override;
  void set_server(Server server) override { server_ = std::move(server); }

 private:
  struct Gathering {
    ProcessRuns members;
    std::string data;
    std::size_t missing = 0;  // contributions
    Collected done;
  };

  [[nodiscard]] std::vector<int> nodes_of(const ProcessRuns& members) const;
  [[nodiscard]] bool is_needed(const std::vector<int>& nodes, int top) const;
  Gathering* gathering(const std::string& key, const ProcessRuns& members);
  void contribute(const std::string& key, Gathering* gathering, std::string_view data);
  void distribute(const std::string& key, const std::string& data, std::uint64_t number);
  void take_part(const Message& message);
  void take_result(const Message& message);
  void answer_modex(const Message& message);
  void take_modex(const Message& message);
  void store_published(const Message& message);
  void answer_lookup(const Message& message);
  void take_found(const Message& message);
  void pass_event(const Message& message);
  void take_event(const Message& message) const;

  asio::io_context& io_;
  TreeNode& tree_;
  std::vector<int> nodes_;  // of the processes, by their numbers
  Server server_;
  DataStore store_;  // mpirun's
  std::map<std::string, Gathering> gatherings_;
  std::map<std::string, std::uint64_t> rounds_;  // of each operation's name and members
  std::uint64_t next_number_ = 1;
  std::int64_t next_request_ = 1;
  std::map<std::int64_t, Data> modexes_;
  std::map<std::int64_t, std::function<void(bool)>> publications_;
  std::map<std::int64_t, DataStore::Answer> lookups_;
};

}  // namespace remit::launcher
