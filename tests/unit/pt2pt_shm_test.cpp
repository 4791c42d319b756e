// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks of one program over the shared-memory device.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "pt2pt/engine.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "runtime/memory_bootstrap.hpp"
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
    const auto group = Group::regular(0, 1, size);
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

INSTANTIATE_TEST_SUITE_P(Copies, ShmMessages,
                         ::testing::Values(ShmCopy::automatic, ShmCopy::pipelined));

}  // namespace
}  // namespace remit::testing
