// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "launcher/pmix/pmi1_server.hpp"

#include <algorithm>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <charconv>
#include <chrono>
#include <limits>
#include <random>
#include <utility>

namespace remit::launcher {
namespace {

constexpr std::size_t kLongestLine = std::size_t{16} << 10;
constexpr std::size_t kMostStrangers = 64;  // at a time
// Of 2^31 numbers, so that trying them out leads nowhere.
constexpr int kMostRefusals = 1000;
constexpr int kMostToldRefusals = 3;  // about refusals: a port scan shall not fill the log
constexpr auto kPmi1GreetingTime = std::chrono::seconds(10);
constexpr auto kPmi1Rest = std::chrono::milliseconds(100);
constexpr std::string_view kGreeting = "cmd=initack pmiid=";

std::int32_t new_secret() {
  std::random_device random;
  return static_cast<std::int32_t>(random() & std::numeric_limits<std::int32_t>::max());
}

}  // namespace

struct Pmi1Server::Client {
  Client(asio::io_context& io, asio::ip::tcp::socket accepted)
      : socket(std::move(accepted)), timer(io) {}

  asio::ip::tcp::socket socket;
  asio::steady_timer timer;  // until it has said who it is
  std::string heard;
  std::string saying;  // under way
  std::string next;    // behind that
  Place place;
};

struct Pmi1Server::Space {
  Pmi1Space space;
  int size;
  std::vector<std::shared_ptr<Client>> clients;  // by rank; null: it is not connected
};

Pmi1Server::Pmi1Server(asio::io_context& io, int node, Callbacks callbacks, PmixExchange* exchange)
    : io_(io),
      node_(node),
      callbacks_(std::move(callbacks)),
      exchange_(exchange),
      acceptor_(io),
      resting_(io) {
  const asio::ip::tcp::endpoint any_port(asio::ip::address_v4::loopback(), 0);
  std::error_code error;
  acceptor_.open(any_port.protocol(), error);
  if (!error) acceptor_.bind(any_port, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    std::error_code ignored;
    acceptor_.close(ignored);
  } else {
    accept_next();
  }
}

Pmi1Server::~Pmi1Server() = default;

void Pmi1Server::add_job(const Job& job) {
  if (!acceptor_.is_open() || job.host_of(node_) < 0) return;
  auto& space = spaces_[job.nspace];
  const auto answer = [this, &space](int rank, const std::string& lines) {
    say(space->clients[static_cast<std::size_t>(rank)], lines);
  };
  const ProcessRuns members{{job.first, static_cast<int>(job.ranks.size())}};
  const auto enter = [this, &space, members](std::string put) {
    if (exchange_ == nullptr) return (void)space->space.leave_barrier(put);
    exchange_->collect(
        "pmi1", members, std::move(put),
        [&space](const std::string& all, std::uint64_t) { (void)space->space.leave_barrier(all); });
  };
  const int first = job.first;
  Pmi1Space::Callbacks callbacks{answer,
                                 [this, first](int rank) { callbacks_.connected(first + rank); },
                                 [this, first](int rank) { callbacks_.finalized(first + rank); },
                                 [this, first](int rank, int status, std::string message) {
                                   callbacks_.aborted(first + rank, status, std::move(message));
                                 },
                                 enter};
  space.reset(new Space{
      Pmi1Space(job, node_, std::move(callbacks)), static_cast<int>(job.ranks.size()), {}});
  space->clients.resize(job.ranks.size());
}

void Pmi1Server::add_env(const Job& job, int rank, std::vector<std::string>* env) {
  const auto space = spaces_.find(job.nspace);
  if (space == spaces_.end() || !acceptor_.is_open()) return;
  std::erase_if(*env, [](const std::string& setting) {
    return setting.starts_with("PMI_FD=") || setting.starts_with("PMI_RANK=") ||
           setting.starts_with("PMI_SIZE=");
  });
  std::int32_t secret = new_secret();
  while (secrets_.contains(secret)) secret = new_secret();
  secrets_[secret] = {space->second.get(), rank};
  std::error_code ignored;
  set_env(env, "PMI_PORT", fmt::format("127.0.0.1:{}", acceptor_.local_endpoint(ignored).port()));
  set_env(env, "PMI_ID", std::to_string(secret));
  // An MPICH that finds both kinds of PMI wants to be told which one to take.
  if (get_env(*env, "MPIR_CVAR_PMI_VERSION") == nullptr) set_env(env, "MPIR_CVAR_PMI_VERSION", "1");
}

void Pmi1Server::accept_next() {
  acceptor_.async_accept([this](std::error_code error, asio::ip::tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {  // of descriptors there may be more later
      resting_.expires_after(kPmi1Rest);
      return resting_.async_wait([this](std::error_code stopped) {
        if (!stopped) accept_next();
      });
    }
    const auto client = std::make_shared<Client>(io_, std::move(socket));
    std::error_code ignored;
    client->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    if (strangers_.size() >= kMostStrangers) refuse(strangers_.front(), "too many wait");
    strangers_.push_back(client);
    client->timer.expires_after(kPmi1GreetingTime);
    client->timer.async_wait([this, client](std::error_code stopped) {
      if (!stopped) refuse(client, "it said nothing");
    });
    read_next(client);
    accept_next();
  });
}

void Pmi1Server::read_next(const std::shared_ptr<Client>& client) {
  asio::async_read_until(client->socket, asio::dynamic_buffer(client->heard, kLongestLine), '\n',
                         [this, client](std::error_code error, std::size_t size) {
                           if (error == asio::error::operation_aborted) return;
                           if (error == asio::error::not_found && client->place.space == nullptr) {
                             return refuse(client, "it said too much");
                           }
                           if (error) return hang_up(client);
                           const std::string line = client->heard.substr(0, size - 1);
                           client->heard.erase(0, size);
                           if (!take(client, line)) return hang_up(client);
                           read_next(client);
                         });
}

bool Pmi1Server::take(const std::shared_ptr<Client>& client, std::string_view line) {
  if (client->place.space == nullptr) {
    if (!identify(client, line)) refuse(client, "it does not know a rank's number");
    return client->socket.is_open();
  }
  return client->place.space->space.take(client->place.rank, line);
}

bool Pmi1Server::identify(const std::shared_ptr<Client>& client, std::string_view line) {
  if (!line.starts_with(kGreeting)) return false;
  line.remove_prefix(kGreeting.size());
  std::int32_t secret = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), secret);
  const auto found = error == std::errc() ? secrets_.find(secret) : secrets_.end();
  if (found == secrets_.end()) return false;
  const auto& [space, rank] = found->second;
  std::shared_ptr<Client>& known = space->clients[static_cast<std::size_t>(rank)];
  if (known != nullptr) return false;  // its children know the number as well
  known = client;
  client->place = found->second;
  client->timer.cancel();
  strangers_.remove(client);
  say(client, fmt::format("cmd=initack rc=0\ncmd=set size={}\ncmd=set rank={}\ncmd=set debug=0\n",
                          client->place.space->size, client->place.rank));
  return true;
}

void Pmi1Server::say(const std::shared_ptr<Client>& client, const std::string& lines) {
  if (client == nullptr || lines.empty()) return;
  client->next += lines;
  if (!client->saying.empty()) return;
  client->saying = std::exchange(client->next, {});
  asio::async_write(client->socket, asio::buffer(client->saying),
                    [this, client](std::error_code error, std::size_t) {
                      client->saying.clear();
                      if (error) return;  // the reader sees it, too
                      say(client, std::exchange(client->next, {}));
                    });
}

void Pmi1Server::refuse(const std::shared_ptr<Client>& client, std::string_view why) {
  if (++refusals_ <= kMostToldRefusals) {
    callbacks_.refused(fmt::format("a program that asked for PMI 1 was refused: {}", why));
  }
  std::error_code ignored;
  if (refusals_ == kMostRefusals) acceptor_.close(ignored);
  hang_up(client);
}

void Pmi1Server::hang_up(const std::shared_ptr<Client>& client) {
  std::error_code ignored;
  client->timer.cancel();
  client->socket.close(ignored);
  if (client->place.space != nullptr) {
    client->place.space->clients[static_cast<std::size_t>(client->place.rank)].reset();
  }
  strangers_.remove(client);  // last: it may be the list's own
}

}  // namespace remit::launcher
