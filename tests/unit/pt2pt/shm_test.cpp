// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks of one program over the shared-memory device.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "pt2pt/engine.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/bootstrap/memory_bootstrap.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

View view(const void* base, std::size_t count) {
  return View{const_cast<void*>(base), static_cast<MPI_Count>(count),
              &predefined(MPI_BYTE).layout()};
}

class ShmRanks {
 public:
  ShmRanks(int size, ShmCopy copy) : job_(size) {
    const auto group = Group::regular(ProcId{0}, 1, size);
    for (int rank = 0; rank < size; ++rank) {
      ShmConfig config;
      config.name = static_cast<PeerName>(rank);
      config.job = test_seed();
      config.copy = copy;
      Expected<std::unique_ptr<ShmDevice>> device = ShmDevice::create(config);
      EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
      auto& r = ranks_.emplace_back(std::make_unique<Rank>());
      r->process =
          std::make_unique<Process>(job_.join(rank), std::make_shared<SteadyClock>(), Params{}, 1);
      std::vector<std::unique_ptr<Device>> devices;
      devices.push_back(std::move(*device));
      r->engine = std::make_unique<Engine>(*r->process, std::move(devices));
      r->comm.rank = rank;
      r->comm.local = group;
    }
  }
  Engine& engine(int rank) { return *ranks_[static_cast<std::size_t>(rank)]->engine; }
  void poll(int rank) { ranks_[static_cast<std::size_t>(rank)]->process->progress().poll(); }
  CommCore& comm(int rank) { return ranks_[static_cast<std::size_t>(rank)]->comm; }
  template <class Done>
  [[nodiscard]] bool run(Done done) {
    for (int round = 0; round < 10'000'000; ++round) {
      if (done()) return true;
      for (auto& rank : ranks_) rank->process->progress().poll();
    }
    return false;
  }

 private:
  struct Rank {
    std::unique_ptr<Process> process;
    std::unique_ptr<Engine> engine;
    CommCore comm;
  };
  MemoryJob job_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

class ShmMessages : public ::testing::TestWithParam<ShmCopy> {};

TEST_P(ShmMessages, EverySizeBothWays) {
  ShmRanks w(3, GetParam());
  const auto strided = make_vector(1000, 3, 5, predefined(MPI_INT));
  for (const std::size_t bytes :
       {0UL, 1UL, 8UL, 40UL, 41UL, 1000UL, 8192UL, 8193UL, 65536UL, 1000000UL, 5000000UL}) {
    for (int from = 0; from < 3; ++from) {
      const int to = (from + 1) % 3;
      std::vector<std::byte> out(bytes), in(bytes);
      for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 7 + bytes);
      Request send(RequestKind::send), receive(RequestKind::receive);
      w.engine(from).isend(send, view(out.data(), bytes), to, 1, w.comm(from));
      w.engine(to).irecv(receive, view(in.data(), bytes), MPI_ANY_SOURCE, 1, w.comm(to));
      ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; })) << bytes;
      EXPECT_EQ(in, out);
    }
  }
  for (int count = 1; count < 200; count *= 5) {
    std::vector<int> out(1000000), in(1000000);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i);
    const View source{out.data(), count, &(*strided)->layout()};
    const View target{in.data(), count, &(*strided)->layout()};
    const std::size_t bytes = source.size();
    std::vector<std::byte> packed_out(bytes), packed_in(bytes), dense(bytes);
    source.pack(0, packed_out);
    Request requests[4] = {Request(RequestKind::send), Request(RequestKind::receive),
                           Request(RequestKind::send), Request(RequestKind::receive)};
    w.engine(0).isend(requests[0], source, 1, 2, w.comm(0));
    w.engine(1).irecv(requests[1], target, 0, 2, w.comm(1));
    w.engine(2).isend(requests[2], view(packed_out.data(), bytes), 1, 3, w.comm(2));
    w.engine(1).irecv(requests[3], view(dense.data(), bytes), 2, 3, w.comm(1));
    ASSERT_TRUE(w.run([&] {
      return std::all_of(std::begin(requests), std::end(requests),
                         [](const Request& r) { return r.complete; });
    }));
    target.pack(0, packed_in);
    EXPECT_EQ(packed_in, packed_out);
    EXPECT_EQ(dense, packed_out);
  }
}

TEST_P(ShmMessages, ManyInARow) {
  ShmRanks w(2, GetParam());
  std::uint64_t got = 0;
  for (std::uint64_t burst = 0; burst < 200; ++burst) {
    constexpr std::uint64_t kBurst = 64;
    std::vector<std::uint64_t> values(kBurst);
    std::vector<std::unique_ptr<Request>> sends;
    for (std::uint64_t i = 0; i < kBurst; ++i) {
      values[i] = burst * kBurst + i;
      if (w.engine(0).try_send(&values[i], 8, 1, 0, w.comm(0))) continue;
      sends.push_back(std::make_unique<Request>(RequestKind::send));
      w.engine(0).isend(*sends.back(), view(&values[i], 8), 1, 0, w.comm(0));
    }
    for (std::uint64_t i = 0; i < kBurst; ++i) {
      Request receive(RequestKind::receive);
      w.engine(1).irecv(receive, view(&got, 8), 0, 0, w.comm(1));
      ASSERT_TRUE(w.run([&] { return receive.complete; }));
      ASSERT_EQ(got, burst * kBurst + i);
    }
    ASSERT_TRUE(w.run([&] {
      return std::all_of(sends.begin(), sends.end(), [](const auto& r) { return r->complete; });
    }));
  }
  // The first credits may take a while: the device connects the way back only when it is used.
  EXPECT_LT(w.engine(0).counters().starved, 1000U);
}

/// A stream of messages with few tags, and receives of it, each with the message that it must get:
/// from one source MPI leaves no choice, whatever comes first.
struct Stream {
  struct Message {
    int tag;
    std::size_t bytes;
    bool taken = false;
    std::vector<std::byte> data;
  };
  struct Receive {
    int tag;
    std::size_t message;
  };
  std::vector<Message> messages;
  std::vector<Receive> receives;
  std::size_t sent = 0;
  std::size_t received = 0;

  template <class Random>
  Stream(Random& random, int source, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bytes = random() % 3 != 0 ? random() % 41 : random() % 12000;
      Message message{static_cast<int>(random() % 3), bytes, false, std::vector<std::byte>(bytes)};
      for (std::size_t k = 0; k < bytes; ++k) {
        message.data[k] = static_cast<std::byte>(k * 7 + i * 13 + static_cast<unsigned>(source));
      }
      messages.push_back(std::move(message));
    }
    std::size_t first = 0;
    while (receives.size() != count) {
      while (messages[first].taken) ++first;
      // Of one of the next tags, or of whichever tag is next.
      std::size_t wanted = first;
      for (std::size_t i = first; i < std::min(count, first + 4) && random() % 2 != 0; ++i) {
        if (!messages[i].taken) wanted = i;
      }
      const bool any = wanted == first && random() % 4 == 0;
      while (wanted != first && std::any_of(messages.begin() + static_cast<std::ptrdiff_t>(first),
                                            messages.begin() + static_cast<std::ptrdiff_t>(wanted),
                                            [&](const Message& m) {
                                              return !m.taken && m.tag == messages[wanted].tag;
                                            })) {
        --wanted;
        while (messages[wanted].taken) --wanted;
      }
      messages[wanted].taken = true;
      receives.push_back({any ? MPI_ANY_TAG : messages[wanted].tag, wanted});
    }
  }
};

/// A receive under way, of whichever form.
struct Receiving {
  explicit Receiving(const Stream::Message& m) : message(m), to(m.bytes + 64) {}
  const Stream::Message& message;
  std::vector<std::byte> to;
  Request request{RequestKind::receive};
  int source = 0;

  void check(const OpStatus& status) const {
    EXPECT_EQ(status.error, MPI_SUCCESS);
    EXPECT_EQ(status.source, source);
    EXPECT_EQ(status.tag, message.tag);
    ASSERT_EQ(status.bytes, static_cast<MPI_Count>(message.bytes));
    EXPECT_TRUE(std::equal(message.data.begin(), message.data.end(), to.begin()));
    EXPECT_EQ(to[message.bytes], std::byte{0});
  }
};

/// Two streams to rank 2, and receives of them of each form.
class TwoStreams {
 public:
  static constexpr std::size_t kMessages = 6000;

  explicit TwoStreams(ShmRanks& ranks) : w_(ranks), random_(test_seed()) {
    for (int source = 0; source < 2; ++source) streams_.emplace_back(random_, source, kMessages);
  }

  /// The receiver polls in some phases only: in others all that has come is still in the rings.
  void run() {
    for (unsigned step = 0; !::testing::Test::HasFailure(); ++step) {
      const bool polls = step / 64 % 4 == 0;
      const int from = static_cast<int>(random_() % 2);
      Stream& stream = streams_[static_cast<std::size_t>(from)];
      const std::size_t ahead = stream.sent - std::min(stream.sent, stream.received);
      if (some_left(from) && ahead < 20 && random_() % 3 != 0) send_one(from);
      for (int rank = 0; rank < (polls ? 3 : 2); ++rank) w_.poll(rank);
      if (stream.received == kMessages) {
        if (streams_[0].received == kMessages && streams_[1].received == kMessages) break;
        continue;
      }
      // As a rule of messages that are on their way; now and then of one that is yet to be sent.
      const std::size_t wanted = stream.receives[stream.received].message;
      if (wanted < stream.sent + (random_() % 16 == 0 ? 2 : 0)) receive_one(from);
      if (!posted_.empty() && (!polls || posted_.size() >= 16 || random_() % 4 == 0)) finish();
    }
    finish();
  }
  [[nodiscard]] std::size_t at_once() const { return at_once_; }
  [[nodiscard]] bool all_sent() const {
    return std::all_of(sends_.begin(), sends_.end(), [](const auto& r) { return r->complete; });
  }

 private:
  [[nodiscard]] bool some_left(int from) const {
    return streams_[static_cast<std::size_t>(from)].sent < kMessages;
  }

  void send_one(int from) {
    Stream& stream = streams_[static_cast<std::size_t>(from)];
    const Stream::Message& m = stream.messages[stream.sent++];
    if (random_() % 2 != 0 &&
        w_.engine(from).try_send(m.data.data(), m.bytes, 2, m.tag, w_.comm(from))) {
      return;
    }
    sends_.push_back(std::make_unique<Request>(RequestKind::send));
    w_.engine(from).isend(*sends_.back(), view(m.data.data(), m.bytes), 2, m.tag, w_.comm(from));
  }

  void receive_one(int from) {
    Stream& stream = streams_[static_cast<std::size_t>(from)];
    const Stream::Receive& wanted = stream.receives[stream.received++];
    auto receive = std::make_unique<Receiving>(stream.messages[wanted.message]);
    receive->source = from;
    OpStatus status;
    const int looks = 1 + static_cast<int>(random_() % 3);
    if (w_.engine(2).try_receive(receive->to.data(), receive->to.size(), from, wanted.tag,
                                 w_.comm(2), status, looks)) {
      ++at_once_;
      return receive->check(status);
    }
    receive->request.view = view(receive->to.data(), receive->to.size());
    if (!w_.engine(2).try_post(receive->request, from, wanted.tag, w_.comm(2))) {
      w_.engine(2).irecv(receive->request, receive->request.view, from, wanted.tag, w_.comm(2));
    }
    posted_.push_back(std::move(receive));
  }

  /// Waits for all that is posted.
  void finish() {
    const auto all_here = [&] {
      return std::all_of(posted_.begin(), posted_.end(),
                         [](const auto& r) { return r->request.complete; });
    };
    for (int s = 0; !all_here(); s = 1 - s) {
      if (some_left(s)) send_one(s);
      for (int rank = 0; rank < 3; ++rank) w_.poll(rank);
    }
    for (const auto& receive : posted_) receive->check(receive->request.status);
    posted_.clear();
  }

  ShmRanks& w_;
  std::mt19937_64 random_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<Request>> sends_;
  std::vector<std::unique_ptr<Receiving>> posted_;
  std::size_t at_once_ = 0;
};

// Receives of each form in turn, from two sources, with others posted or not, and of messages that
// are there, that come, and that are not the next.
TEST_P(ShmMessages, ReceivesOfAllFormsGetWhatIsTheirs) {
  ShmRanks w(3, GetParam());
  TwoStreams streams(w);
  streams.run();
  ASSERT_TRUE(w.run([&] { return streams.all_sent(); }));
  EXPECT_GT(streams.at_once(), TwoStreams::kMessages / 100);
}

// Else nothing but the messages of one source would make progress.
TEST_P(ShmMessages, WhoTakesMessagesAtOnceHasToPollNowAndThen) {
  constexpr std::uint64_t kMessages = 200;
  ShmRanks w(2, GetParam());
  std::vector<std::unique_ptr<Request>> sends;
  std::uint64_t got = 0;
  const auto receive = [&] {
    Request request(RequestKind::receive);
    w.engine(1).irecv(request, view(&got, 8), 0, 0, w.comm(1));
    return w.run([&] { return request.complete; });
  };
  const auto send = [&](std::uint64_t value) {
    return w.engine(0).try_send(&value, 8, 1, 0, w.comm(0));
  };
  const std::uint64_t hello = 0;
  Request first(RequestKind::send);
  w.engine(0).isend(first, view(&hello, 8), 1, 0, w.comm(0));
  ASSERT_TRUE(receive());
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
  OpStatus status;
  while (sent < kMessages && send(sent)) ++sent;
  while (w.engine(1).try_receive(&got, 8, 0, 0, w.comm(1), status)) EXPECT_EQ(got, taken++);
  EXPECT_LT(taken, sent);
  for (; taken < sent; ++taken) {
    ASSERT_TRUE(receive());
    EXPECT_EQ(got, taken);
  }
  ASSERT_TRUE(send(7));
  ASSERT_TRUE(w.engine(1).try_receive(&got, 8, 0, 0, w.comm(1), status, 1000));
  EXPECT_EQ(got, 7U);
}

// What does not fit is an error, as by any other way.
TEST_P(ShmMessages, TooLittleRoomIsNotTakenAtOnce) {
  ShmRanks w(2, GetParam());
  for (const std::size_t bytes : {8UL, 3000UL}) {
    const std::vector<std::byte> out(bytes, std::byte{7});
    for (int i = 0; i < 20; ++i) {
      Request send(RequestKind::send), receive(RequestKind::receive);
      w.engine(0).isend(send, view(out.data(), bytes), 1, 0, w.comm(0));
      std::vector<std::byte> in(bytes);
      OpStatus status;
      ASSERT_FALSE(w.engine(1).try_receive(in.data(), bytes - 1, 0, 0, w.comm(1), status, 100));
      w.engine(1).irecv(receive, view(in.data(), bytes - 1), 0, 0, w.comm(1));
      ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
      EXPECT_EQ(receive.status.error, MPI_ERR_TRUNCATE);
      EXPECT_EQ(in.back(), std::byte{0});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Copies, ShmMessages,
                         ::testing::Values(ShmCopy::automatic, ShmCopy::pipelined));

}  // namespace
}  // namespace remit::testing
