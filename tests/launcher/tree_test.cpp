// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What daemons are made of: the tree, messages, the greeting, the job as bytes.
#include "launcher/tree/tree.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <chrono>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "launcher/tree/job_wire.hpp"
#include "launcher/tree/tree_link.hpp"
#include "launcher/tree/tree_node.hpp"
#include "launcher/tree/wire.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::launcher {
namespace {

using std::string_literals::operator""s;

TEST(LauncherTree, EveryNodeIsReached) {
  for (const int width : {1, 2, 3, 32, 300}) {
    for (int nodes = 1; nodes <= 257; ++nodes) {
      const Tree tree(nodes, width);
      int reached = 1;
      for (int node = 0; node < nodes; ++node) {
        const std::vector<int> children = tree.children(node);
        EXPECT_LE(static_cast<int>(children.size()), width);
        reached += static_cast<int>(children.size());
        for (const int child : children) {
          EXPECT_EQ(tree.parent(child), node);
          EXPECT_TRUE(tree.is_within(child, node));
          EXPECT_FALSE(tree.is_within(node, child));
        }
        // Numbers that messages may name, and nobody has.
        for (const int nobody : {-1, -2, -1000, nodes, nodes + 1000}) {
          EXPECT_FALSE(tree.is_within(node, nobody));
        }
      }
      EXPECT_EQ(reached, nodes);
    }
  }
}

TEST(LauncherTree, MessagesComeCloserWithEachStep) {
  for (const int width : {1, 2, 5}) {
    const Tree tree(40, width);
    for (int from = 0; from < 40; ++from) {
      for (int to = 0; to < 40; ++to) {
        int at = from;
        int steps = 0;
        while (at != to && ++steps < 100) at = tree.towards(at, to);
        EXPECT_EQ(at, to) << from;
      }
    }
  }
}

std::vector<Message> parsed(MessageParser* parser, bool* bad) {
  std::vector<Message> messages;
  while (true) {
    Expected<std::optional<Message>> next = parser->next();
    *bad = !next;
    if (!next || !*next) return messages;
    messages.push_back(std::move(**next));
  }
}

TEST(LauncherMessages, AnyCuttingGivesTheSame) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::string stream;
  std::vector<Message> sent;
  for (int i = 0; i < 500; ++i) {
    Message message{static_cast<MessageKind>(1 + random() % static_cast<unsigned>(kLastKind)),
                    static_cast<std::int32_t>(random() % 9), static_cast<std::int32_t>(i),
                    std::string(random() % 300, static_cast<char>(random()))};
    stream += encode(message);
    sent.push_back(std::move(message));
  }
  MessageParser parser;
  std::vector<Message> got;
  bool bad = false;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 700, stream.size() - at);
    parser.append(std::string_view(stream).substr(at, size));
    at += size;
    std::ranges::move(parsed(&parser, &bad), std::back_inserter(got));
    ASSERT_FALSE(bad);
  }
  ASSERT_EQ(got.size(), sent.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].kind, sent[i].kind);
    EXPECT_EQ(got[i].from, sent[i].from);
    EXPECT_EQ(got[i].to, sent[i].to);
    EXPECT_EQ(got[i].payload, sent[i].payload);
  }
}

TEST(LauncherMessages, OtherBytesAreRefused) {
  for (const std::string& bytes : {std::string(24, '\0'), std::string(24, '\xff'),
                                   std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}) {
    MessageParser parser;
    parser.append(bytes);
    EXPECT_FALSE(parser.next().has_value());
  }
  MessageParser parser;
  parser.append(std::string(23, '\xff'));
  EXPECT_TRUE(parser.next().has_value());  // not a whole header
}

// A job of two hosts, each part of which is something.
DaemonJob some_job() {
  DaemonJob part;
  Job& job = part.job;
  job.nspace = "n.1";
  job.root = "n";
  job.number = 1;
  job.first = 7;
  job.spawner = {"n", 3};
  job.parent_port = "port";
  job.universe = 9;
  job.allocated = 4;
  App app;
  app.argv = {"a", "b c"};
  app.search_path = "/bin";
  app.wdir = "/w";
  app.ranks = 3;
  app.env = {"A=1", "B=\n"};
  job.apps = {app};
  job.hosts = {{"h1", {0, 1}, 0}, {"h2", {2}, 1, 5}};
  for (int i = 0; i < 3; ++i) {
    Rank rank;
    rank.rank = rank.app_rank = i;
    rank.host = i / 2;
    rank.local_rank = i % 2;
    rank.binding = {{i, i + 4}, "core"};
    job.ranks.push_back(rank);
  }
  part.merge = true;
  part.input = -1;
  return part;
}

TEST(LauncherJobWire, ThereAndBack) {
  const std::optional<DaemonJob> read = read_job(write_job(some_job()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->job.apps[0].argv, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(read->job.apps[0].env, (std::vector<std::string>{"A=1", "B=\n"}));
  EXPECT_EQ(read->job.hosts[1].node, 1);
  EXPECT_EQ(read->job.hosts[1].neighbours, 5);
  EXPECT_EQ(read->job.root, "n");
  EXPECT_EQ(std::pair(read->job.number, read->job.first), std::pair(1, 7));
  EXPECT_EQ(std::pair(read->job.spawner.job, read->job.spawner.rank), std::pair("n"s, 3));
  EXPECT_EQ(read->job.parent_port, "port");
  EXPECT_EQ(std::pair(read->job.universe, read->job.allocated), std::pair(9, 4));
  EXPECT_EQ(read->job.hosts[0].ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(read->job.ranks[2].binding.cpus, (std::vector<int>{2, 6}));
  EXPECT_EQ(write_job(*read), write_job(some_job()));
}

TEST(LauncherJobWire, DamagedBytesAreNoJob) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::string good = write_job(some_job());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read_job(good.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(read_job(good + "x").has_value());
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const std::optional<DaemonJob> read = read_job(bytes);
    if (!read) continue;
    for (const Rank& rank : read->job.ranks) {  // what was let through can be used
      EXPECT_LT(static_cast<std::size_t>(rank.host), read->job.hosts.size());
      EXPECT_LT(static_cast<std::size_t>(rank.app), read->job.apps.size());
    }
  }
  DaemonJob wrong = some_job();
  wrong.job.ranks[1].host = 2;
  EXPECT_FALSE(read_job(write_job(wrong)).has_value());
  wrong = some_job();
  wrong.job.hosts[0].ranks[0] = 3;
  EXPECT_FALSE(read_job(write_job(wrong)).has_value());
  // What is no truth value, no int, no count.
  const auto changed = [&](std::size_t from_end, std::int64_t value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + bytes.size() - from_end, &value, sizeof value);
    return read_job(bytes);
  };
  EXPECT_TRUE(changed(16, 0).has_value());
  EXPECT_FALSE(changed(16, 2).has_value());
  EXPECT_FALSE(changed(8, std::int64_t{1} << 32).has_value());
  WireWriter negative;
  negative.text("n.1");
  negative.text("n");
  for (const int number : {1, 7}) negative.number(number);
  negative.text("n");
  negative.number(3);
  negative.text("port");
  for (const int number : {9, 4, -1, -1, -1, 0, 0}) negative.number(number);
  EXPECT_FALSE(read_job(negative.bytes()).has_value());
}

SpawnOrder some_order() {
  SpawnOrder order;
  order.asker = 5;
  order.parent_port = "port";
  order.programs.push_back({{"a", ""}, {"A=1"}, "w", "/p", "h1,h2", 3});
  order.programs.push_back({{"b"}, {}, "", "", "", 1});
  return order;
}

TEST(LauncherOrderWire, ThereAndBack) {
  const std::optional<SpawnOrder> read = read_order(write_order(some_order()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->asker, 5);
  EXPECT_EQ(read->parent_port, "port");
  ASSERT_EQ(read->programs.size(), 2U);
  const SpawnOrder::Program& first = read->programs[0];
  EXPECT_EQ(first.argv, (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(first.env, std::vector<std::string>{"A=1"});
  EXPECT_EQ(fmt::format("{} {} {} {}", first.wdir, first.path, first.hosts, first.ranks),
            "w /p h1,h2 3");
  EXPECT_EQ(write_order(*read), write_order(some_order()));
}

TEST(LauncherOrderWire, DamagedBytesAreNoOrder) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::string good = write_order(some_order());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read_order(good.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(read_order(good + "x").has_value());
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const std::optional<SpawnOrder> read = read_order(bytes);
    if (!read) continue;
    EXPECT_GE(read->asker, 0);
    for (const SpawnOrder::Program& program : read->programs) {
      EXPECT_TRUE(!program.argv.empty() && program.ranks > 0);
    }
  }
  const auto refused = [](auto change) {
    SpawnOrder wrong = some_order();
    change(wrong);
    return !read_order(write_order(wrong)).has_value();
  };
  EXPECT_TRUE(refused([](SpawnOrder& order) { order.asker = -1; }));
  EXPECT_TRUE(refused([](SpawnOrder& order) { order.programs.clear(); }));
  EXPECT_TRUE(refused([](SpawnOrder& order) { order.programs[1].ranks = 0; }));
  EXPECT_TRUE(refused([](SpawnOrder& order) { order.programs[1].argv.clear(); }));
}

TEST(LauncherPlan, ThereAndBack) {
  const TreePlan plan{{"a", "b"}, 2, {"ssh", "-x"}, "/bin/mpirun", 0.29};
  const std::string bytes = plan.bytes();
  const std::optional<TreePlan> read = TreePlan::from(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->timeout_s, 0.29);
  EXPECT_EQ(read->bytes(), bytes);
}

TEST(LauncherPlan, NumbersThatNothingCanBeDoneWith) {
  const auto plan = [](std::int64_t width, std::int64_t timeout_ms) {
    WireWriter writer;
    writer.texts({"a", "b"});
    writer.number(width);
    writer.texts({"ssh"});
    writer.text("/bin/mpirun");
    writer.number(timeout_ms);
    return TreePlan::from(writer.bytes());
  };
  EXPECT_TRUE(plan(1, 1).has_value());
  EXPECT_FALSE(plan(0, 1).has_value());
  EXPECT_FALSE(plan((std::int64_t{1} << 32) + 1, 1).has_value());  // 1, were it cut to an int
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_FALSE(plan(1, time).has_value()) << time;
  }
}

// What a daemon reads of these bytes on its standard input.
Expected<StartFrame> started(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  auto frame = StartFrame::read(ends[0]);
  ::close(ends[0]);
  return frame;
}

TEST(LauncherPlan, StartFramesAreSound) {
  const StartFrame frame{"1", {3}, {"h"}, "secret", {"::1"}, 4711, 15};
  const Expected<StartFrame> read = started(frame.bytes());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->bytes(), frame.bytes());
  std::string bad = frame.bytes();
  std::memset(bad.data() + bad.size() - 8, 0x7f, 8);  // its time
  EXPECT_FALSE(started(bad).has_value());
  EXPECT_FALSE(started("").has_value());
}

TEST(LauncherSecret, ProofsDifferByEverythingTheySign) {
  const Secret secret = *Secret::make();
  const Secret other = *Secret::make();
  EXPECT_EQ(secret.text().size(), 64U);
  EXPECT_TRUE(same(*Secret::from_text(secret.text())->sign("x"), *secret.sign("x")));
  EXPECT_FALSE(same(*other.sign("x"), *secret.sign("x")));
  EXPECT_FALSE(Secret::from_text("abc").has_value());
  EXPECT_FALSE(Secret::from_text(std::string(64, 'g')).has_value());
  const Call call{Call::kMagic, 3, *random_proof()};
  const Proof nonce = *random_proof();
  const Proof proof = *prove(secret, Side::child, call, nonce);
  EXPECT_TRUE(same(proof, *prove(secret, Side::child, call, nonce)));
  EXPECT_FALSE(same(proof, *prove(secret, Side::parent, call, nonce)));
  EXPECT_FALSE(same(proof, *prove(secret, Side::child, call, *random_proof())));
  EXPECT_FALSE(same(proof, *prove(secret, Side::child, {Call::kMagic, 4, call.nonce}, nonce)));
}

TEST(LauncherSecret, HmacIsTheStandardsOne) {
  // From another implementation: the empty message under a key of zeroes.
  const Secret secret = *Secret::from_text(std::string(64, '0'));
  const Proof proof = *secret.sign("");
  std::string hex;
  for (const char byte : proof) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  EXPECT_EQ(hex, "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

// A listener in a thread of its own, as a daemon has it.
class Gate {
 public:
  Gate() : work_(asio::make_work_guard(io_)) {
    auto opened =
        Listener::open(io_, secret_,
                       {[this](int node, asio::ip::tcp::socket socket) {
                          accepted_.push_back(node);
                          links_.push_back(std::make_shared<TreeLink>(std::move(socket), 15));
                          links_.back()->start({[this](const Message& message) {
                                                  links_.front()->send(message);  // back
                                                },
                                                [](const std::string&) {}});
                          return true;
                        },
                        [this](const std::string& words) { refused_.push_back(words); }});
    EXPECT_TRUE(opened.has_value());
    listener_ = std::move(*opened);
    port_ = listener_->port();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Gate() { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    io_.stop();
    thread_.join();
  }

  [[nodiscard]] Expected<int> connect(const Secret& secret) const {
    return connect_to_parent({"127.0.0.1"}, port_, 5, secret);
  }
  // What a stranger is answered.
  [[nodiscard]] std::string say(const std::string& bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    (void)!::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    std::string answer(1000, '\0');
    const ssize_t size = ::recv(socket, answer.data(), answer.size(), 0);
    ::close(socket);
    return answer.substr(0, size > 0 ? static_cast<std::size_t>(size) : 0);
  }

  Secret secret_ = *Secret::make();
  std::vector<int> accepted_;
  std::vector<std::string> refused_;
  int port_ = 0;

 private:
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::vector<std::shared_ptr<TreeLink>> links_;
  std::unique_ptr<Listener> listener_;
  std::thread thread_;
};

TEST(LauncherListener, WhoKnowsTheSecretIsLetIn) {
  Gate gate;
  const Expected<int> socket = gate.connect(gate.secret_);
  ASSERT_TRUE(socket.has_value()) << socket.error().message;
  const std::string message = encode({MessageKind::said, 5, 0, std::string(100000, 'x')});
  ASSERT_EQ(::send(*socket, message.data(), message.size(), 0),
            static_cast<ssize_t>(message.size()));
  std::string back(message.size(), '\0');
  ASSERT_EQ(::recv(*socket, back.data(), back.size(), MSG_WAITALL),
            static_cast<ssize_t>(back.size()));
  EXPECT_EQ(back, message);
  ::close(*socket);
  gate.stop();
  EXPECT_EQ(gate.accepted_, std::vector<int>{5});
}

TEST(LauncherListener, OthersAreNot) {
  Gate gate;
  const Expected<int> socket = gate.connect(*Secret::make());
  ASSERT_FALSE(socket.has_value());
  EXPECT_NE(socket.error().message.find("127.0.0.1 (somebody else, who does not know"),
            std::string::npos);
  EXPECT_EQ(gate.say(""), "");
  EXPECT_EQ(gate.say("GET / HTTP/1.1\r\nHost: host.example\r\nAccept: text/html\r\n\r\n"), "");
  // A call with the right magic number is answered once, and not believed.
  Call call;
  std::string bytes(reinterpret_cast<const char*>(&call), sizeof call);
  EXPECT_EQ(gate.say(bytes + std::string(kProofBytes, 'x')).size(), sizeof(Answer));
  // Nobody is the child of such a number, which would be cut to another one's.
  call.node = (std::int64_t{1} << 32) + 5;
  EXPECT_EQ(gate.say({reinterpret_cast<const char*>(&call), sizeof call}), "");
  // Many who say nothing do not keep a daemon out.
  std::vector<int> silent;
  for (std::size_t i = 0; i < 2 * Listener::kMostStrangers; ++i) {
    const int stranger = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(gate.port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(stranger, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    silent.push_back(stranger);
  }
  const Expected<int> good = gate.connect(gate.secret_);
  EXPECT_TRUE(good.has_value()) << good.error().message;
  for (const int stranger : silent) ::close(stranger);
  if (good) ::close(*good);
  gate.stop();
  EXPECT_GE(gate.refused_.size(), 3U + Listener::kMostStrangers);
}

TEST(LauncherListener, WithoutDescriptorsItRests) {
  asio::io_context io(1);
  const Secret secret = *Secret::make();
  std::vector<std::string> refused;
  auto listener = Listener::open(io, secret,
                                 {[](int, const asio::ip::tcp::socket&) { return false; },
                                  [&](const std::string& words) { refused.push_back(words); }});
  ASSERT_TRUE(listener.has_value());
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>((*listener)->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const int next = ::dup(client);
  ::close(next);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::size_t handlers = io.run_for(std::chrono::milliseconds(300));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_LE(handlers, 10U);
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_NE(refused[0].find("cannot be taken now"), std::string::npos);
  // It goes on.
  ASSERT_EQ(::send(client, "x", 1, MSG_NOSIGNAL), 1);
  ::shutdown(client, SHUT_WR);
  io.restart();
  while (refused.size() == 1 && io.run_one() > 0) {
  }
  EXPECT_NE(refused.back().find("it is no daemon"), std::string::npos);
  ::close(client);
}

TEST(LauncherListener, WhoLeavesUnheardIsNoMatterForTheLog) {
  Gate gate;
  EXPECT_EQ(gate.say(""), "");
  const Call call;  // and no proof: a daemon that dies meanwhile
  EXPECT_EQ(gate.say({reinterpret_cast<const char*>(&call), sizeof call}).size(), sizeof(Answer));
  const Expected<int> good = gate.connect(gate.secret_);
  ASSERT_TRUE(good.has_value()) << good.error().message;
  ::close(*good);
  gate.stop();
  EXPECT_TRUE(gate.refused_.empty()) << gate.refused_.front();
}

}  // namespace
}  // namespace remit::launcher
