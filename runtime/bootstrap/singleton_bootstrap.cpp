// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A process that was started without a launcher.
#include "runtime/bootstrap/singleton_bootstrap.hpp"

#include <limits.h>
#include <unistd.h>

#include <deque>
#include <random>

#include "runtime/log.hpp"

namespace remit {

namespace {

class SingletonBootstrap final : public Bootstrap {
 public:
  explicit SingletonBootstrap(bool other_hosts) {
    char host[HOST_NAME_MAX + 1] = "localhost";
    (void)::gethostname(host, sizeof host - 1);
    // Names of processes must not meet those of another host, or of an earlier process.
    identity_.job = fmt::format("singleton.{}.{}.{:08x}", host, ::getpid(), std::random_device{}());
    identity_.job_key = job_key_of(identity_.job);
    identity_.local_peers = {0};
    identity_.host = host;
    identity_.app_number = 0;
    identity_.universe_size = 1;
    identity_.singleton = true;
    identity_.other_hosts = other_hosts;
  }

  const Identity& identity() const override { return identity_; }

  Expected<> publish(std::span<const std::byte> blob) override {
    blob_.assign(blob.begin(), blob.end());
    return {};
  }

  void lookup(int rank) override { asked_.push_back(rank); }

  std::optional<Answer> poll() override {
    if (asked_.empty()) return std::nullopt;
    const int rank = asked_.front();
    asked_.pop_front();
    if (rank == 0) return Answer{rank, blob_};
    return Answer{rank, fail(MPI_ERR_RANK, "there is no rank {}: this process runs alone", rank)};
  }

  int wait_fd() const override { return -1; }
  Expected<> barrier() override { return {}; }

  void abort(int status, const std::string& message) override {
    Log(fmt::format("remit: rank 0 ({}): ", identity_.host)).write(LogLevel::error, "{}", message);
    ::_exit(status);
  }

  void finalize(const std::function<void()>&) override {}

 private:
  Identity identity_;
  Bytes blob_;
  std::deque<int> asked_;
};

}  // namespace

std::unique_ptr<Bootstrap> make_singleton_bootstrap(bool other_hosts) {
  return std::make_unique<SingletonBootstrap>(other_hosts);
}

}  // namespace remit
