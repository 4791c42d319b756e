// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages of the shared-memory device that are too long for a cell: where in the data area they
// are, and that they arrive whole however they are divided into pieces.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "rdma_btl/shm/rings/layout.hpp"
#include "rdma_btl/shm/shm_device.hpp"
#include "rdma_btl/shm/shm_params.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kArea = 512 * 1024;
constexpr std::size_t kHead = 16;

/// Two processes, in this one, that know each other; they claim the lines of so many bytes.
class ShmArea : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      ShmConfig config;
      config.name = i;
      config.job = 43;
      config.area_bytes = kArea;
      config.claim_lines_to = GetParam();
      config.share_allocations = false;
      sides_[i] = ShmDevice::create(config).value();
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      ASSERT_EQ(sides_[i]->connect(1 - i, sides_[1 - i]->local_address()).value(), 0U);
    }
    for (int i = 0; i < 3; ++i) exchange(64);
  }

  /// As one message: its first `head` bytes in a piece of their own.
  [[nodiscard]] bool post(std::size_t from, const Bytes& message, std::size_t head) {
    auto* bytes = const_cast<std::byte*>(message.data());
    const std::array pieces = {Piece{bytes, head, 0},
                               Piece{bytes + head, message.size() - head, 0}};
    Operation operation;
    operation.local = pieces;
    return sides_[from]->post(0, {&operation, 1}) == 1;
  }
  /// What arrives next; it is in the data area until the next call. Nothing comes to the other.
  [[nodiscard]] std::span<const std::byte> take(std::size_t at) {
    std::array<Completion, 1> out;
    while (sides_[at]->poll(out) == 0) {
      std::array<Completion, 1> none;
      if (sides_[1 - at]->poll(none) != 0) ADD_FAILURE() << "not asked for";
    }
    return out[0].data;
  }
  /// A message each way. Where they began.
  std::array<const std::byte*, 2> exchange(std::size_t bytes) {
    const Bytes message = pattern(bytes, bytes);
    std::array<const std::byte*, 2> places = {};
    for (std::size_t from = 0; from < 2; ++from) {
      if (!post(from, message, kHead)) {
        ADD_FAILURE() << "no room for " << bytes << " bytes";
        return places;
      }
      const std::span<const std::byte> got = take(1 - from);
      EXPECT_TRUE(std::ranges::equal(got, message)) << bytes;
      places[from] = got.data();
      if (answer_at_once_) sides_[1 - from]->eager_path()->have_read();
    }
    return places;
  }
  [[nodiscard]] static Bytes pattern(std::size_t bytes, std::uint64_t seed) {
    Bytes message(bytes);
    fill_pattern(message, seed);
    return message;
  }

  std::array<std::unique_ptr<ShmDevice>, 2> sides_;
  bool answer_at_once_ = false;  ///< exchange() has read when it answers
};

/// From the lowest to the highest place.
std::size_t extent(const std::vector<const std::byte*>& places) {
  const auto [low, high] = std::ranges::minmax(places);
  return static_cast<std::size_t>(high - low);
}

/// Who has read a message answers in the same memory.
TEST_P(ShmArea, MessagesInTurnsStayInOnePlace) {
  for (const std::size_t bytes : {100, 1040, 8208, 20000}) {
    answer_at_once_ = true;
    exchange(bytes);  // what came before may still be lent
    const auto first = exchange(bytes);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(exchange(bytes), first) << bytes;
    answer_at_once_ = false;
    EXPECT_NE(exchange(bytes)[1], first[1]) << "the caller may still read there";
  }
}

/// By receive() as well, where the data come in parts if there are many.
TEST_P(ShmArea, MessagesInTurnsAreTakenAtOnce) {
  for (const auto& side : sides_) {  // what else they have to do
    std::array<Completion, 1> none;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(side->poll(none), 0U);
  }
  for (const std::size_t bytes :
       {17, 56, 57, 1040, 2064, 2065, 2100, 8208, 8209, 20000, 32016, 32784, 32785, 69632, 69633}) {
    for (std::size_t i = 0; i < 20; ++i) {
      const std::size_t from = i % 2;
      const Bytes message = pattern(bytes, i);
      SendHead head;
      std::memcpy(&head, message.data(), sizeof head);
      ASSERT_TRUE(post(from, message, kHead)) << bytes;
      Bytes got(bytes - kHead);
      SendHead found;
      const SendHead all = {~std::uint64_t{0}, ~std::uint64_t{0}};
      const std::ptrdiff_t length = sides_[1 - from]->eager_path()->receive(
          0, head, all, got.data(), got.size(), i % 3 == 0, found);
      ASSERT_EQ(length, static_cast<std::ptrdiff_t>(got.size())) << bytes << " " << i;
      EXPECT_TRUE(std::ranges::equal(got, std::span(message).subspan(kHead))) << bytes;
    }
  }
}

/// The other side runs beside this one; each looks while a message is being written: by poll(), by
/// receive() that does not wait for what is missing, and by one that does.
TEST_P(ShmArea, PartsAreReadWhileTheyAreWritten) {
  constexpr int kMessages = 3000;
  const std::uint64_t seed = test_seed();
  const auto message = [&](int i) {
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(i));
    const std::size_t most = random() % 2 == 0 ? 4 * shm::kMailWhole : sides_[0]->caps().max_send;
    const std::size_t least = kHead + shm::kMailWhole + 1;
    return pattern(least + random() % (most - least + 1), random());
  };
  std::atomic<bool> over = false;  // the connection failed: nothing more comes
  const auto receive_one = [&](std::size_t side, int i) {
    const Bytes expected = message(i);
    SendHead head;
    std::memcpy(&head, expected.data(), sizeof head);
    const SendHead all = {~std::uint64_t{0}, ~std::uint64_t{0}};
    Bytes got(expected.size());
    while (!over) {
      if (i / 2 % 3 != 0) {
        SendHead found;
        const std::ptrdiff_t length = sides_[side]->eager_path()->receive(
            0, head, all, got.data() + kHead, got.size() - kHead, i / 2 % 3 == 1, found);
        if (length < 0 && length != EagerPath::kSomethingElse) continue;
        if (length >= 0)
          return std::equal(got.begin() + kHead, got.end(), expected.begin() + kHead);
      }
      std::array<Completion, 1> out;
      if (sides_[side]->poll(out) == 0) continue;
      over = out[0].kind != CompletionKind::receive;
      return std::ranges::equal(out[0].data, expected);
    }
    return true;
  };
  std::atomic<int> wrong = -1;
  const auto receive_and_send = [&](std::size_t side, int i, int answer) {
    if (!receive_one(side, i) && wrong < 0) wrong = i;
    sides_[side]->eager_path()->have_read();
    const Bytes bytes = message(answer);
    while (!post(side, bytes, kHead) && !over) {
    }
  };
  std::thread other([&] {
    for (int i = 0; i < kMessages && !over; i += 2) receive_and_send(1, i, i + 1);
  });
  const Bytes first = message(0);
  while (!post(0, first, kHead)) {
  }
  for (int i = 1; i < kMessages && !over; i += 2) receive_and_send(0, i, i + 1);
  other.join();
  EXPECT_FALSE(over) << sides_[0]->explain(0);
  EXPECT_EQ(wrong, -1) << "seed " << seed;
}

/// What the caller has not read stays, whatever the other sends meanwhile.
TEST_P(ShmArea, LentMessagesStay) {
  const Bytes message = pattern(1040, 7);
  for (std::size_t turn = 0; turn < 100; ++turn) {
    ASSERT_TRUE(post(0, message, kHead));
    const std::span<const std::byte> got = take(1);
    ASSERT_TRUE(post(1, message, kHead));
    (void)take(0);
    for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(post(0, pattern(3000, i), kHead));
    EXPECT_TRUE(std::ranges::equal(got, message)) << turn;
    for (int i = 0; i < 3; ++i) (void)take(1);
  }
}

TEST_P(ShmArea, SaysWhetherThereIsRoom) {
  const Bytes message = pattern(5000, 3);
  int sent = 0;
  while (sides_[0]->eager_path()->takes_now(0, message.size())) {
    ASSERT_TRUE(post(0, message, kHead));
    ++sent;
  }
  EXPECT_GT(sent, 10);
  EXPECT_FALSE(post(0, pattern(kArea / 4 - 200, 1), kHead));
  for (int i = 0; i < sent; ++i) (void)take(1);
  std::array<Completion, 1> none;
  EXPECT_EQ(sides_[1]->poll(none), 0U);
  EXPECT_TRUE(sides_[0]->eager_path()->takes_now(0, message.size()));
}

/// When all has been taken there is room for any message, wherever the next one begins.
TEST_P(ShmArea, TheLongestMessageFindsRoom) {
  const std::size_t most = sides_[0]->caps().max_send - shm::kLine;
  for (const std::size_t bytes : {100, 1040, 4112}) {
    for (int turns = 0; turns < 200; ++turns) {
      for (int i = 0; i < turns; ++i) exchange(bytes);
      for (const auto& side : sides_) {  // which gives back what was read
        std::array<Completion, 1> none;
        ASSERT_EQ(side->poll(none), 0U);
      }
      exchange(most);
      ASSERT_FALSE(HasFailure()) << turns << " turns of " << bytes;
    }
  }
}

TEST_P(ShmArea, AStreamGoesRoundAllOfIt) {
  const Bytes message = pattern(1040, 5);
  std::vector<const std::byte*> places;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(post(0, message, kHead));
    places.push_back(take(1).data());
  }
  EXPECT_GT(extent(places), kArea * 7 / 8);
}

/// Data begin with a line if the header may go by itself.
TEST_P(ShmArea, DataAreAligned) {
  for (const std::size_t bytes : {80, 500, 1040, 5000, 20000}) {
    const auto begun = exchange(bytes);
    for (const std::byte* place : begun) {
      EXPECT_EQ((reinterpret_cast<std::uintptr_t>(place) + kHead) % shm::kLine, 0U) << bytes;
    }
  }
}

TEST_P(ShmArea, AnyPiecesArriveWhole) {
  const std::uint64_t seed = test_seed();
  std::mt19937_64 random(seed);
  const std::size_t most = sides_[0]->caps().max_send;
  std::array<std::vector<Bytes>, 2> awaited;  // by who receives
  for (int i = 0; i < 20000; ++i) {
    const std::size_t from = random() % 2;
    const std::size_t scale = random() % 4 == 0 ? most : 400;
    const std::size_t bytes = 1 + random() % scale;
    const std::size_t head = std::min<std::size_t>(bytes, random() % 66);
    Bytes message = pattern(bytes, random());
    if (awaited[1 - from].size() < 6 && post(from, message, head)) {
      awaited[1 - from].push_back(std::move(message));
    }
    std::array<Completion, 2> out;
    const std::size_t at = random() % 2;
    const std::size_t count = sides_[at]->poll(out);
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_FALSE(awaited[at].empty());
      ASSERT_TRUE(std::ranges::equal(out[k].data, awaited[at].front())) << i;
      awaited[at].erase(awaited[at].begin());
    }
  }
}

TEST(TakeLines, FollowTheParameterAndElseWhatWasMeasured) {
  constexpr std::size_t kAll = ~std::size_t{0};
  constexpr std::size_t kShort = 12 * 1024;
  HostFacts facts;
  EXPECT_EQ(claim_lines_to("auto", facts), kShort) << "nothing is known yet";
  for (const std::size_t measured : {std::size_t{0}, kShort, kAll}) {
    facts.claim_lines_to = measured;
    EXPECT_EQ(claim_lines_to("auto", facts), measured);
    EXPECT_EQ(claim_lines_to("yes", facts), kAll);
    EXPECT_EQ(claim_lines_to("short", facts), kShort);
    EXPECT_EQ(claim_lines_to("no", facts), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Lines, ShmArea, ::testing::Values(0U, 3000U, ~std::size_t{0}),
                         [](const auto& lines) {
                           if (lines.param == 0) return "Left";
                           return lines.param == 3000 ? "TakenOfShortOnes" : "Taken";
                         });

}  // namespace
}  // namespace remit::testing
