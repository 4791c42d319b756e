// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of simulations.
#include "runtime/bootstrap/memory_bootstrap.hpp"

#include <algorithm>
#include <utility>

namespace remit {

namespace {
std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}
}  // namespace

JobAborted::JobAborted(int rank, int status, std::string message)
    : rank_(rank), status_(status), message_(std::move(message)) {}

class MemoryJob::Member final : public Bootstrap {
 public:
  Member(MemoryJob& job, int rank) : job_(job) {
    const int per_host = job.options_.ranks_per_host;
    const int first = rank / per_host * per_host;
    identity_.job = "memory";
    if (job.options_.has_key) identity_.job_key = job_key_of(identity_.job);
    identity_.rank = rank;
    identity_.size = job.size();
    identity_.local_rank = rank - first;
    identity_.local_size = std::min(per_host, job.size() - first);
    for (int i = 0; i < identity_.local_size; ++i) identity_.local_peers.push_back(first + i);
    identity_.host = fmt::format("virtual{}", rank / per_host);
    identity_.universe_size = job.size();
  }

  const Identity& identity() const override { return identity_; }

  Expected<> publish(std::span<const std::byte> blob) override {
    std::optional<Bytes>& mine = job_.blobs_[at(identity_.rank)].blob;
    if (mine) return fail(MPI_ERR_INTERN, "rank {} published twice", identity_.rank);
    mine.emplace(blob.begin(), blob.end());
    return {};
  }

  void lookup(int rank) override {
    const int most = job_.options_.max_delay_polls;
    const int delay = most == 0 ? 0 : std::uniform_int_distribution<>(0, most)(job_.random_);
    asked_.push_back({rank, delay});
  }

  std::optional<Answer> poll() override {
    if (asked_.empty()) return std::nullopt;
    for (Asked& asked : asked_) asked.delay = std::max(0, asked.delay - 1);
    const auto found = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& asked) {
      return asked.delay == 0 && answerable(asked.rank);
    });
    if (found == asked_.end()) return std::nullopt;
    const int rank = found->rank;
    asked_.erase(found);
    return Answer{rank, answer(rank)};
  }

  int wait_fd() const override { return -1; }

  Expected<> barrier() override {
    const std::uint64_t mine = ++job_.barriers_[at(identity_.rank)];
    const auto all_entered = [&] {
      return std::all_of(job_.barriers_.begin(), job_.barriers_.end(),
                         [mine](std::uint64_t entered) { return entered >= mine; });
    };
    while (!all_entered()) {
      if (!job_.pump_) {
        return fail(MPI_ERR_INTERN, "barrier of rank {} would hang: MemoryJob has no pump",
                    identity_.rank);
      }
      job_.pump_();
    }
    return {};
  }

  void abort(int status, const std::string& message) override {
    throw JobAborted(identity_.rank, status, message);
  }

  void finalize(const std::function<void()>&) override { ++job_.finalized_; }

 private:
  struct Asked {
    int rank;
    int delay;
  };

  bool answerable(int rank) const {
    if (rank < 0 || rank >= job_.size()) return true;
    const Published& published = job_.blobs_[at(rank)];
    return published.lost || published.blob.has_value();
  }
  Expected<Bytes> answer(int rank) const {
    if (rank < 0 || rank >= job_.size()) {
      return fail(MPI_ERR_RANK, "there is no rank {} in a job of {}", rank, job_.size());
    }
    const Published& published = job_.blobs_[at(rank)];
    if (published.lost) return fail(MPI_ERR_OTHER, "rank {} is lost", rank);
    return *published.blob;
  }

  MemoryJob& job_;
  Identity identity_;
  std::vector<Asked> asked_;
};

MemoryJob::MemoryJob(int size, Options options)
    : options_(options), random_(options.seed), blobs_(at(size)), barriers_(at(size), 0) {}

MemoryJob::~MemoryJob() = default;

std::unique_ptr<Bootstrap> MemoryJob::join(int rank) {
  return std::make_unique<Member>(*this, rank);
}

}  // namespace remit
