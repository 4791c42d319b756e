// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Questions by number; an answer to none of them is too late, or nonsense.
#include "launcher/report/host_inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <utility>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {

struct HostInspection::Question {
  explicit Question(asio::io_context& io) : timer(io) {}
  std::set<int> missing;  // nodes
  Result result;
  Done done;
  asio::steady_timer timer;
};

HostInspection::HostInspection(asio::io_context& io, TreeNode& tree, const HostExchange& exchange,
                               std::function<void(int node, std::string words)> said)
    : io_(io), tree_(tree), exchange_(exchange), said_(std::move(said)) {}

HostInspection::~HostInspection() = default;

void HostInspection::ask(const std::vector<int>& jobs, std::set<int> nodes,
                         std::chrono::milliseconds limit, Done done) {
  if (nodes.empty()) return done({});
  const std::int64_t number = next_number_++;
  Question& question = *(questions_[number] = std::make_unique<Question>(io_));
  question.missing = std::move(nodes);
  question.done = std::move(done);
  question.timer.expires_after(limit);
  question.timer.async_wait([this, number](std::error_code stopped) {
    const auto found = stopped ? questions_.end() : questions_.find(number);
    if (found == questions_.end()) return;
    Question& late = *found->second;
    late.result.silent.merge(late.missing);
    answered(found, -1);
  });
  WireWriter writer;
  writer.number(number);
  writer.numbers(jobs);
  tree_.send(Message::kEveryone, MessageKind::inspect, writer.bytes());
}

void HostInspection::answered(Questions::iterator place, int node) {
  Question& question = *place->second;
  question.missing.erase(node);
  if (!question.missing.empty()) return;
  const std::unique_ptr<Question> over = std::move(place->second);
  questions_.erase(place);
  over->done(std::move(over->result));
}

void HostInspection::take(const Message& message) {
  WireReader reader(message.payload);
  const auto found = questions_.find(reader.number());
  if (found == questions_.end()) return;
  Question& question = *found->second;
  if (!question.missing.contains(message.from)) return;
  std::optional<RankInspections> inspections = read_inspections(reader.text());
  const bool good =
      reader.complete() && inspections && std::ranges::all_of(*inspections, [&](const auto& seen) {
        return exchange_.node_of(seen.first) == message.from;
      });
  if (good) {
    question.result.ranks.merge(*inspections);
  } else {
    question.result.silent.insert(message.from);
    const auto& hosts = tree_.plan().hosts;
    said_(
        message.from,
        fmt::format("mpirun: host {} was asked what its ranks do, and its answer makes no sense\n",
                    hosts[static_cast<std::size_t>(message.from)]));
  }
  answered(found, message.from);
}

void HostInspection::lost(int node) {
  std::vector<std::int64_t> waiting;  // who is told may ask again
  for (const auto& [number, question] : questions_) {
    if (question->missing.contains(node)) waiting.push_back(number);
  }
  for (const std::int64_t number : waiting) {
    if (const auto found = questions_.find(number); found != questions_.end())
      answered(found, node);
  }
}

void HostInspection::drop() {
  questions_.clear();
}

}  // namespace remit::launcher
