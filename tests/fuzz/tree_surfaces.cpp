// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What daemons do with the messages of those who have proved themselves: routing and the exchange
// among PMIx servers, and mpirun's side as a whole, from its call for a daemon on.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <cstring>
#include <optional>

#include "launcher/host/guardian.hpp"
#include "launcher/host/guardian_process.hpp"
#include "launcher/host/signals.hpp"
#include "launcher/pmix/host_exchange.hpp"
#include "launcher/report/profile_records.hpp"
#include "launcher/tree/host_clocks.hpp"
#include "launcher/tree/remote_hosts.hpp"
#include "launcher/tree/wire.hpp"
#include "tests/fuzz/loopback.hpp"
#include "tests/fuzz/surface.hpp"
#include "tests/fuzz/wire_samples.hpp"

namespace remit::fuzz {
namespace {

using namespace launcher;
using launcher::MessageKind;  // remit::MessageKind is that of engines

// Two connected sockets.
std::array<int, 2> make_pair() {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "socketpair");
  return ends;
}

// A guardian's end of the conversation, here in the place of its process: it starts nothing.
class Keeper {
 public:
  explicit Keeper(asio::io_context& io) {
    const std::array<int, 2> ends = make_pair();
    socket = ends[1];
    require(send_frame(socket, numbers(0), nullptr), "a guardian greets");
    mpirun = std::move(*Guardian::connect(io, {-1, ends[0], "/nonexistent"}));
  }
  ~Keeper() {
    mpirun.reset();
    ::close(socket);
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  int socket = -1;
  std::unique_ptr<Guardian> mpirun;
};

// --- the exchange ------------------------------------------------------------------------------

enum ExchangeFlags : unsigned char {
  kIsDaemon = 1,      // node 1 of the tree, else node 0
  kHasLocalData = 2,  // ranks here have published theirs
  kAnswersLater = 4,  // and say so when the messages have come
};

// What one's own ranks have asked for; each is answered at most once.
struct Requests {
  explicit Requests(HostExchange& exchange) {
    exchange.collect("fence", {{0, 4}}, "own",
                     [this](const std::string&, std::uint64_t) { ++fences; });
    exchange.collect("fence", {{0, 3}}, "own",
                     [this](const std::string&, std::uint64_t) { ++some; });
    exchange.modex(2, [this](int, const std::string&) { ++modexes; });
    exchange.modex(0, [this](int, const std::string&) { ++modexes; });
    exchange.publish({{"service", "job", 0, "value", false}, {"once", "job", 0, "value", true}},
                     [this](bool) { ++publications; });
    exchange.lookup({"service", "other"}, true, 0, [this](const auto&) { ++lookups; });
    exchange.lookup({"once"}, false, 0, [this](const auto&) { ++lookups; });
  }
  void check() const {
    require(fences <= 1 && some <= 1 && modexes <= 2 && publications <= 1 && lookups <= 2,
            "a request is answered once");
  }

  int fences = 0;
  int some = 0;
  int modexes = 0;
  int publications = 0;
  int lookups = 0;
};

void run_exchange(std::string_view bytes) {
  Choices choices(bytes);
  const unsigned flags = choices.byte();
  const int self = (flags & kIsDaemon) != 0 ? 1 : 0;
  const DaemonJob part = sample_job();
  asio::io_context io(1);
  Keeper keeper(io);
  std::unique_ptr<HostExchange> exchange;
  TreeNode tree(io, self, sample_plan(), job_secret(), *keeper.mpirun,
                {[&](const Message& message) {
                   require(message.to == self || message.to == Message::kEveryone,
                           "a node receives what is for it");
                   exchange->handle(message);
                 },
                 [](int, const std::string&) {}, [](int, const std::string&) {}});
  exchange = std::make_unique<HostExchange>(io, tree);
  exchange->add_job(part.job);
  std::array<int, 2> up = make_pair();
  const auto parent =
      std::make_shared<TreeLink>(asio::ip::tcp::socket(io, asio::ip::tcp::v4(), up[0]), 15);
  if (self != 0) tree.set_parent(parent);
  std::vector<PmixExchange::Data> waiting;
  if ((flags & kHasLocalData) != 0) {
    exchange->set_server({[&](int, PmixExchange::Data done) {
                            if ((flags & kAnswersLater) == 0) return done(0, "blob");
                            waiting.push_back(std::move(done));
                          },
                          [](const PmixEvent& event) {
                            const auto count = static_cast<std::size_t>(event.infos);
                            require(event.infos >= 0 && count <= event.info.size(),
                                    "an event has so many items");
                          }});
  }
  const Requests requests(*exchange);
  MessageParser stream;
  stream.append(choices.rest());
  while (true) {
    Expected<std::optional<Message>> message = stream.next();
    if (!message || !*message) break;
    tree.route(std::move(**message));
    requests.check();
  }
  for (const PmixExchange::Data& done : waiting) done(0, "blob");
  requests.check();
  // What it has sent to its parent is sound.
  ::fcntl(up[1], F_SETFL, O_NONBLOCK);
  MessageParser sent;
  std::string piece(1 << 16, '\0');
  for (ssize_t size = 1; size > 0;) {
    io.poll();
    size = ::recv(up[1], piece.data(), piece.size(), 0);
    if (size > 0) sent.append(std::string_view(piece).substr(0, static_cast<std::size_t>(size)));
  }
  ::close(up[1]);
  while (true) {
    const Expected<std::optional<Message>> message = sent.next();
    require(message.has_value(), "a node sends messages");
    if (!*message) break;
  }
  parent->close();
}

std::vector<std::string> exchange_seeds() {
  std::vector<std::string> seeds;
  for (const int flags : std::initializer_list<int>{0, kHasLocalData, kIsDaemon | kHasLocalData,
                                                    kIsDaemon | kHasLocalData | kAnswersLater}) {
    std::string all(1, static_cast<char>(flags));
    for (Message message : sample_messages()) {
      if (message.kind < MessageKind::collect) continue;
      message.to = (flags & kIsDaemon) != 0 ? 1 : 0;
      seeds.push_back(std::string(1, static_cast<char>(flags)) + encode(message));
      all += encode(message);
    }
    seeds.push_back(all);
  }
  return seeds;
}

// --- mpirun's side -----------------------------------------------------------------------------

// When the bytes of the input are said.
enum class Stage : unsigned char { instead_of_hello, after_hello, after_ready, launched };

// The daemon of node 1, as mpirun meets it: it is told its start frame through the keeper,
// connects, greets, and takes part in the job until its bytes are said; then it hangs up. It runs
// in mpirun's own io_context, by callbacks.
class FakeDaemon {
 public:
  FakeDaemon(asio::io_context& io, int keeper, Stage stage, std::string_view bytes)
      : keeper_(io, asio::local::stream_protocol(), ::dup(keeper)),
        socket_(io),
        stage_(stage),
        bytes_(bytes) {
    keeper_.async_wait(asio::local::stream_protocol::socket::wait_read, [this](std::error_code e) {
      if (!e) begin();
    });
  }

 private:
  void begin() {
    std::string request;
    std::array<int, 3> fds{-1, -1, -1};
    require(receive_frame(keeper_.native_handle(), &request, &fds), "mpirun asks for a daemon");
    require(fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0, "a daemon has its standard streams");
    ::close(fds[1]);
    ::close(fds[2]);
    // mpirun writes the frame when it has returned from asking.
    input_ = fds[0];
    asio::post(keeper_.get_executor(), [this] { connect(); });
  }

  void connect() {
    const Expected<StartFrame> frame = StartFrame::read(input_);
    ::close(input_);
    if (!frame) violated("a daemon understands its start frame", frame.error().message);
    secret_ = *Secret::from_text(frame->secret);
    call_.node = frame->nodes.front();
    connect_loopback(socket_, frame->port);
    const linger at_once{1, 0};
    (void)::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    std::error_code error;
    asio::write(socket_, asio::buffer(&call_, sizeof call_), error);
    asio::async_read(socket_, asio::buffer(&answer_, sizeof answer_),
                     [this](std::error_code failed, std::size_t) {
                       if (!failed) greet();
                     });
  }

  void greet() {
    require(same(answer_.proof, *prove(secret_, Side::parent, call_, answer_.nonce)),
            "a parent proves itself");
    const Proof proof = *prove(secret_, Side::child, call_, answer_.nonce);
    say(std::string_view(proof.data(), proof.size()));
    if (stage_ == Stage::instead_of_hello) return finish();
    say(encode(sample_messages().front()));  // hello
    if (stage_ == Stage::after_hello) return finish();
    read();
  }

  // What mpirun says.
  void read() {
    socket_.async_read_some(asio::buffer(buffer_), [this](std::error_code error, std::size_t size) {
      if (error) return;
      parser_.append(std::string_view(buffer_.data(), size));
      while (true) {
        const Expected<std::optional<Message>> message = parser_.next();
        require(message.has_value(), "mpirun sends messages");
        if (!*message) break;
        if ((*message)->kind == MessageKind::job) {
          say(encode({MessageKind::ready, 1, 0, numbers(0)}));
          if (stage_ == Stage::after_ready) return finish();
        }
        if ((*message)->kind == MessageKind::tell_clock) {
          say(encode({MessageKind::clock_told, 1, 0, HostClocks::answer(**message)}));
        }
        if ((*message)->kind == MessageKind::launch) return finish();
      }
      read();
    });
  }

  void finish() {
    say(bytes_);
    std::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }

  void say(std::string_view words) {
    std::error_code ignored;  // a parent that has hung up is no finding
    asio::write(socket_, asio::buffer(words), ignored);
  }

  asio::local::stream_protocol::socket keeper_;
  asio::ip::tcp::socket socket_;
  Stage stage_;
  std::string_view bytes_;
  int input_ = -1;
  Secret secret_;
  Call call_;
  Answer answer_;
  MessageParser parser_;
  std::array<char, 4096> buffer_{};
};

// What the controller hears, and what it may rely on. `nodes`: of the processes.
RemoteHosts::Callbacks checked_callbacks(const std::vector<int>& nodes, bool* over) {
  const auto check = [&nodes](int rank) {
    const bool exists = rank >= 0 && static_cast<std::size_t>(rank) < nodes.size();
    require(exists, "a rank that is spoken of exists");
    require(nodes[static_cast<std::size_t>(rank)] == 1, "a daemon speaks of its own ranks");
  };
  RemoteHosts::Callbacks callbacks;
  callbacks.spawned = [=](int rank, pid_t pid) {
    check(rank);
    require(pid > 0, "a process has a number");
  };
  callbacks.not_spawned = [=](int rank, const LaunchError&) { check(rank); };
  callbacks.exited = [=](int rank, int, const std::string&) { check(rank); };
  callbacks.connected = callbacks.finalized = check;
  callbacks.aborted = [=](int rank, int, const std::string&) { check(rank); };
  callbacks.ordered = [=](const SpawnOrder& order, const RemoteHosts::Answer& answer) {
    check(order.asker);
    answer("no", "");
  };
  callbacks.output = [=](int rank, int, std::string_view bytes) {
    check(rank);
    return bytes.size() % 2 == 0;
  };
  callbacks.output_end = [=](int rank, int) { check(rank); };
  callbacks.lost = [=](const std::vector<int>& ranks, const std::string&) {
    for (const int rank : ranks) check(rank);
    *over = true;
  };
  callbacks.interrupted = [](int, const std::string&) {};
  callbacks.empty = [] {};
  callbacks.said = [](int, const std::string&) {};
  callbacks.record = [](std::string_view payload, int /*node*/,
                        const std::optional<SeenClock>& clock) {
    require(!clock || (clock->first.within_ns >= 0 && clock->last.within_ns >= 0 &&
                       clock->first.at_ns <= clock->last.at_ns),
            "a clock was seen first and last");
    require(!unpack_record("", payload), "nobody has asked for records");
  };
  return callbacks;
}

// A job of two hosts.
DaemonJob job_of_two() {
  DaemonJob part = sample_job();
  part.job.hosts.pop_back();
  part.job.ranks.pop_back();
  return part;
}

void run_mpirun(std::string_view bytes) {
  Choices choices(bytes);
  const auto stage = static_cast<Stage>(choices.byte() % 4);
  TreePlan plan = sample_plan();
  plan.hosts = {"here", "there"};
  const DaemonJob part = job_of_two();
  DaemonJob more = sample_spawned_job();
  more.job.first = 3;
  const std::vector<int> nodes{0, 0, 1, 1};
  asio::io_context io(1);
  Keeper keeper(io);
  FakeDaemon daemon(io, keeper.socket, stage, choices.rest());
  bool over = false;
  int prepared = 0;
  int inspected = 0;
  {
    RemoteHosts hosts(io, plan, job_secret(), *keeper.mpirun);
    const auto processors = hosts.raise();
    if (processors) {
      require(processors->size() == 1 && processors->contains(1), "the processors of each host");
      if (hosts.prepare(part)) {
        io.restart();
        hosts.listen(checked_callbacks(nodes, &over));
        hosts.watch_clocks();
        hosts.orders().launch(part.job.number);
        hosts.add_job(more, [&](const auto&) { ++prepared; });
        hosts.inspect({0, 1}, {1}, [&](const HostInspection::Result& result) {
          ++inspected;
          for (const auto& [rank, seen] : result.ranks) {
            require(rank >= 0 && static_cast<std::size_t>(rank) < nodes.size() &&
                        nodes[static_cast<std::size_t>(rank)] == 1,
                    "a daemon inspects its own ranks");
          }
        });
        while (!over && io.run_one() > 0) {
        }
        require(over, "a daemon that is gone is told of");
        require(prepared <= 1, "a job is ready once, or refused");
        require(inspected <= 1, "an inspection is told of once");
      }
    }
    hosts.finish();
  }
  mask_ending_signals(SIG_UNBLOCK);
}

std::vector<std::string> mpirun_seeds() {
  std::vector<std::string> seeds;
  std::string all(1, '\3');
  for (const Message& message : sample_messages()) {
    if (message.to != 0) continue;
    if (message.kind == MessageKind::hello) {
      seeds.push_back(std::string(1, '\0') + encode(message));
    } else {
      seeds.push_back(std::string(1, '\1') + encode(message));
      seeds.push_back(std::string(1, '\3') + encode(message));
      all += encode(message);
    }
  }
  seeds.push_back(all);
  // Who is not mpirun speaks as if it were, of ranks that are not there, or of mpirun's own.
  for (const int rank : {13, -1, 0}) {
    for (const MessageKind kind : {MessageKind::exited, MessageKind::spawned}) {
      seeds.push_back("\3" + encode({kind, 0, 0, numbers(rank, 9)}));
    }
    WireWriter output;
    output.number(rank);
    output.number(1);
    output.text("x");
    seeds.push_back("\3" + encode({MessageKind::output, 0, 0, output.bytes()}));
  }
  seeds.push_back("\2");
  return seeds;
}

}  // namespace

std::vector<Surface> tree_surfaces() {
  return {
      {"exchange", 4096, 1024 * kKb, 256, run_exchange, exchange_seeds},
      {"mpirun", 4096, 4096 * kKb, 256, run_mpirun, mpirun_seeds},
  };
}

}  // namespace remit::fuzz
