// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where programs that know PMI-1 and not PMIx find their launcher: a port of the loopback
// interface.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/plan/job.hpp"
#include "launcher/pmix/pmi1_space.hpp"
#include "launcher/pmix/pmix_exchange.hpp"

namespace remit::launcher {

/// One a host, beside the PMIx server; everything runs in the io_context's thread. A program that
/// does not ask costs three variables of its environment. Each rank is known by a secret number in
/// its environment; who does not know one is hung up on: after ten seconds of silence, or when too
/// many are waited for. After very many of those nobody is listened to any more.
class Pmi1Server {
 public:
  /// "rank" is the number of a process (Job::first).
  struct Callbacks {
    std::function<void(int rank)> connected;
    std::function<void(int rank)> finalized;
    std::function<void(int rank, int status, std::string message)> aborted;
    std::function<void(std::string words)> refused;  ///< a line for the log; the first few times
  };

  /// `exchange` reaches other hosts, and outlives this; null: there are none. Where no port can be
  /// had, add_env() adds nothing.
  Pmi1Server(asio::io_context& io, int node, Callbacks callbacks, PmixExchange* exchange);
  Pmi1Server(const Pmi1Server&) = delete;
  Pmi1Server& operator=(const Pmi1Server&) = delete;
  ~Pmi1Server();

  /// Before ranks of the job are started here.
  void add_job(const Job& job);
  /// Adds to `env` the variables by which this rank of a job finds the server, and removes those of
  /// an outer launcher.
  void add_env(const Job& job, int rank, std::vector<std::string>* env);

 private:
  struct Client;
  struct Space;
  struct Place {
    Space* space = nullptr;  // null: it has not said who it is
    int rank = 0;
  };

  void accept_next();
  void read_next(const std::shared_ptr<Client>& client);
  /// A line. False: hang up.
  bool take(const std::shared_ptr<Client>& client, std::string_view line);
  bool identify(const std::shared_ptr<Client>& client, std::string_view line);
  void refuse(const std::shared_ptr<Client>& client, std::string_view why);
  void say(const std::shared_ptr<Client>& client, const std::string& lines);
  void hang_up(const std::shared_ptr<Client>& client);

  asio::io_context& io_;
  int node_;
  Callbacks callbacks_;
  PmixExchange* exchange_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer resting_;
  std::map<std::string, std::unique_ptr<Space>> spaces_;  // by namespace
  std::map<std::int32_t, Place> secrets_;
  std::list<std::shared_ptr<Client>> strangers_;  // who have not said who they are
  int refusals_ = 0;
};

}  // namespace remit::launcher
