// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages between daemons and their payloads, what a daemon is told on its standard input, and the
// frames of the guardian.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "launcher/host/guardian.hpp"
#include "launcher/host/guardian_process.hpp"
#include "launcher/pmix/job_control.hpp"
#include "launcher/report/rank_inspection.hpp"
#include "launcher/report/wait_graph.hpp"
#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/tree_link.hpp"
#include "launcher/tree/tree_node.hpp"
#include "launcher/tree/wire.hpp"
#include "tests/fuzz/surface.hpp"
#include "tests/fuzz/wire_samples.hpp"

namespace remit::fuzz {
namespace {

using namespace launcher;

// --- messages ----------------------------------------------------------------------------------

struct Parsed {
  std::string bytes;  ///< of all messages, encoded again
  bool bad = false;
};

// The messages of `stream`, which comes in pieces of `piece` bytes.
Parsed parse(std::string_view stream, std::size_t piece) {
  MessageParser parser;
  Parsed parsed;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    parser.append(stream.substr(at, piece));
    while (true) {
      Expected<std::optional<Message>> message = parser.next();
      parsed.bad = !message;
      if (!message) return parsed;
      if (!*message) break;
      parsed.bytes += encode(**message);
    }
  }
  return parsed;
}

void run_messages(std::string_view bytes) {
  Choices choices(bytes);
  const std::size_t piece = 1 + choices.byte();
  const std::string_view stream = choices.rest();
  const Parsed whole = parse(stream, std::max<std::size_t>(stream.size(), 1));
  const Parsed cut = parse(stream, piece);
  require(stream.starts_with(whole.bytes), "messages encode back to the bytes that they came from");
  require(cut.bytes == whole.bytes && cut.bad == whole.bad, "any cutting gives the same messages");
}

std::vector<std::string> message_seeds() {
  std::vector<std::string> seeds;
  std::string all = " ";
  for (const Message& message : sample_messages()) {
    seeds.push_back(std::string(1, '\x05') + encode(message));
    all += encode(message);
  }
  seeds.push_back(all);
  return seeds;
}

// --- a link ------------------------------------------------------------------------------------

// The same stream through a connection: what its other end has said before it went.
void run_link(std::string_view bytes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) violated("socketpair");
  const ssize_t sent = ::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL);
  require(sent == static_cast<ssize_t>(bytes.size()), "the input fits a socket's buffer");
  ::close(ends[1]);
  asio::io_context io(1);
  std::string received;
  int closed = 0;
  const auto link =
      std::make_shared<TreeLink>(asio::ip::tcp::socket(io, asio::ip::tcp::v4(), ends[0]), 15);
  link->start({[&](const Message& message) { received += encode(message); },
               [&](const std::string&) { ++closed; }});
  io.run();
  require(closed == 1, "the end of a connection is told once");
  const Parsed expected = parse(bytes, std::max<std::size_t>(bytes.size(), 1));
  require(received == expected.bytes, "a link delivers the messages of the stream");
}

std::vector<std::string> link_seeds() {
  std::vector<std::string> seeds;
  for (const Message& message : sample_messages()) seeds.push_back(encode(message));
  return seeds;
}

// --- payloads that are read as a whole ---------------------------------------------------------

void run_plan(std::string_view bytes) {
  const std::optional<TreePlan> plan = TreePlan::from(std::string(bytes));
  if (!plan) return;
  require(plan->bytes() == bytes, "a plan encodes back to its bytes");
  require(plan->width > 0 && !plan->agent.empty() && plan->timeout_s > 0, "a plan can be used");
}

std::vector<std::string> plan_seeds() {
  TreePlan srun = sample_plan();
  srun.agent = {"/usr/bin/srun"};
  srun.timeout_s = 0.5;
  return {sample_plan().bytes(), srun.bytes()};
}

void run_start(std::string_view bytes) {
  const int file = ::memfd_create("start", MFD_CLOEXEC);
  (void)!::write(file, bytes.data(), bytes.size());
  ::lseek(file, 0, SEEK_SET);
  const Expected<StartFrame> frame = StartFrame::read(file);
  ::close(file);
  if (!frame) return;
  require(bytes.starts_with(frame->bytes()), "a start frame encodes back to its bytes");
  require(frame->timeout_s > 0, "a start frame can be used");
  const Expected<int> node = frame->find_node("there");
  require(!node || std::ranges::count(frame->nodes, *node) > 0, "a daemon is one of its nodes");
  const Expected<Secret> secret = Secret::from_text(frame->secret);
  if (secret) require(secret->text().size() == frame->secret.size(), "a secret has one length");
}

std::vector<std::string> start_seeds() {
  StartFrame one{"0.1", {1}, {"there"}, std::string(64, 'a'), {"127.0.0.1"}, 4711, 15};
  StartFrame more = one;
  more.nodes = {1, 2};
  more.hosts = {"here", "there"};
  return {one.bytes(), more.bytes()};
}

void run_job(std::string_view bytes) {
  const std::optional<DaemonJob> part = read_job(std::string(bytes));
  if (!part) return;
  require(write_job(*part) == bytes, "a job encodes back to its bytes");
  for (const Rank& rank : part->job.ranks) {
    (void)part->job.hosts.at(static_cast<std::size_t>(rank.host));
    (void)part->job.apps.at(static_cast<std::size_t>(rank.app)).argv.at(0);
  }
  for (const Host& host : part->job.hosts) {
    for (const int rank : host.ranks) (void)part->job.ranks.at(static_cast<std::size_t>(rank));
  }
}

std::vector<std::string> job_seeds() {
  DaemonJob bound = sample_job();
  bound.job.ranks[0].binding = {{0, 5}, "core 0"};
  bound.merge = true;
  return {write_job(sample_job()), write_job(bound), write_job(sample_spawned_job())};
}

void run_order(std::string_view bytes) {
  const std::optional<SpawnOrder> order = read_order(std::string(bytes));
  if (!order) return;
  require(write_order(*order) == bytes, "an order encodes back to its bytes");
  require(order->asker >= 0 && !order->programs.empty(), "an order is somebody's, for something");
  for (const SpawnOrder::Program& program : order->programs) {
    require(!program.argv.empty() && program.ranks > 0, "a program can be started");
  }
}

std::vector<std::string> order_seeds() {
  SpawnOrder two = sample_order();
  two.programs.push_back({{"another"}, {}, "", "", "", 1});
  return {write_order(sample_order()), write_order(two)};
}

void run_inspections(std::string_view bytes) {
  const std::optional<RankInspections> inspections = read_inspections(std::string(bytes));
  if (!inspections) return;
  require(write_inspections(*inspections) == bytes, "inspections encode back to their bytes");
  std::vector<RankWait> waits;
  for (const auto& [number, seen] : *inspections) {
    require(number >= 0 && seen.process.cpu_ms >= 0, "a process has a number, and used some time");
    require(seen.calls.blocked.size() <= kCallSlots, "a rank waits in so many calls");
    RankWait wait{RankLife::inside, {}};
    for (const BlockedCall& call : seen.calls.blocked) {
      wait.calls.push_back(call.record);
      require(describe_call(call.record).size() < 1000, "a call is described in a line");
    }
    waits.push_back(std::move(wait));
  }
  for (const std::string& line : describe_waits(waits)) require(!line.empty(), "a finding is told");
}

constexpr int kProcesses = 100;

void run_control(std::string_view bytes) {
  const std::optional<JobControl> control = read_control(std::string(bytes), kProcesses);
  if (!control) return;
  require(write_control(*control) == bytes, "a control encodes back to its bytes");
  require(!control->signals.empty(), "a control sends something");
  bool anybody = false;
  for (int i = 0; i < kProcesses; ++i) anybody = anybody || control->is_for(i);
  require(anybody, "a control is for somebody");
  require(!control->is_for(-1) && !control->is_for(kProcesses), "for nobody else");
}

std::vector<std::string> control_seeds() {
  const JobControl some = {3, {{0, 4}, {7, 1}, {50, 50}}, {19, 18}};
  const JobControl all = {0, {{0, kProcesses}}, {9}};
  return {write_control(some), write_control(all)};
}

std::vector<std::string> inspections_seeds() {
  RankInspections two = sample_inspections();
  two[3] = {};
  two[3].calls = {true, 5, {}};
  RankInspections many = sample_inspections();
  RankSet& peers = many[2].calls.blocked[0].record.waits_for;
  for (std::uint32_t i = 0; i < RankSet::kMostListed; ++i) peers.add(2 * i);
  RankInspections last = sample_inspections();
  last[std::numeric_limits<int>::max()] = {};
  const std::string end = write_inspections(last);
  return {"",
          write_inspections(sample_inspections()),
          write_inspections(two),
          write_inspections(many),
          end,
          end + end};
}

// --- the guardian ------------------------------------------------------------------------------

// Sends `bytes` and hangs up; the other end.
int say(std::string_view bytes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) violated("socketpair");
  const ssize_t sent = ::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL);
  require(sent == static_cast<ssize_t>(bytes.size()), "the input fits a socket's buffer");
  ::close(ends[1]);
  return ends[0];
}

// What mpirun reads of its guardian, and by the same frames the guardian of mpirun.
void run_guardian_frames(std::string_view bytes) {
  const int socket = say(bytes);
  std::string message;
  std::array<int, 3> fds{-1, -1, -1};
  std::string again;
  while (receive_frame(socket, &message, &fds)) {
    const auto size = static_cast<std::uint32_t>(message.size());
    again.append(reinterpret_cast<const char*>(&size), sizeof size).append(message);
  }
  ::close(socket);
  require(bytes.starts_with(again), "frames encode back to the bytes that they came from");

  asio::io_context io(1);
  auto guardian = Guardian::connect(io, {-1, say(bytes), "/nonexistent"});
  if (!guardian) return;
  int lost = 0;
  std::size_t said = 0;
  (*guardian)->start({[&](int, const SpawnResult&) { ++said; }, [&](int, int) { ++said; },
                      [&] { ++said; }, [&] { ++lost; }});
  io.run();
  require(lost == 1, "the end of a guardian is told once");
  require(said * sizeof(std::uint32_t) <= bytes.size(), "a frame is told once");
}

std::vector<std::string> guardian_seeds() {
  const auto frame = [](const std::string& message) {
    const auto size = static_cast<std::uint32_t>(message.size());
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + message;
  };
  const std::string greeting = frame(numbers(0));
  const auto kind = [](ReplyKind value) { return static_cast<int>(value); };
  return {greeting + frame(numbers(kind(ReplyKind::spawned), 3, 4711, 0, 0)) +
              frame(numbers(kind(ReplyKind::exited), 3, 9)) +
              frame(numbers(kind(ReplyKind::empty), -1)),
          frame(numbers(13))};
}

}  // namespace

std::vector<Surface> wire_surfaces() {
  return {
      {"messages", 4096, 64 * kKb, 64, run_messages, message_seeds},
      {"link", 4096, 1024 * kKb, 64, run_link, link_seeds},
      {"plan", 4096, 64 * kKb, 64, run_plan, plan_seeds},
      // The length in front is believed up to a megabyte.
      {"start", 4096, 1100 * kKb, 64, run_start, start_seeds},
      {"job", 4096, 64 * kKb, 64, run_job, job_seeds},
      {"order", 4096, 64 * kKb, 64, run_order, order_seeds},
      {"control", 4096, 64 * kKb, 64, run_control, control_seeds},
      {"inspections", 4096, 64 * kKb, 64, run_inspections, inspections_seeds},
      {"guardian", 4096, 256 * kKb, 64, run_guardian_frames, guardian_seeds},
  };
}

}  // namespace remit::fuzz
