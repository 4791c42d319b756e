// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The matcher against a list searched from the front, which is what the standard describes.
#include "pt2pt/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <list>
#include <memory>
#include <vector>

#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

struct Receive : PostedLink {
  explicit Receive(MatchKey k) { key = k; }
};
struct Message : UnexpectedLinks {
  explicit Message(MatchKey k) { links[0].key = k; }
};

bool accepts(const MatchKey& receive, const MatchKey& message) {
  return receive.context == message.context &&
         (receive.source == MPI_ANY_SOURCE || receive.source == message.source) &&
         (receive.tag == MPI_ANY_TAG || receive.tag == message.tag);
}

/// Random operations on both; the choice must be the same each time.
void compare_with_list(std::uint64_t seed, int contexts, int sources, int tags, int wild_percent) {
  std::mt19937_64 random(seed);
  Matcher matcher;
  std::list<Receive*> posted;
  std::list<Message*> unexpected;
  std::vector<std::unique_ptr<Receive>> receives;
  std::vector<std::unique_ptr<Message>> messages;
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  for (int step = 0; step < 20000; ++step) {
    MatchKey key{static_cast<std::uint32_t>(below(contexts)), below(sources), below(tags)};
    const int what = below(20);
    if (what == 0 && !posted.empty()) {  // cancel
      auto victim = std::next(posted.begin(), below(static_cast<int>(posted.size())));
      matcher.remove_posted(**victim);
      posted.erase(victim);
    } else if (what == 1 && !unexpected.empty()) {  // mprobe of some message
      auto victim = std::next(unexpected.begin(), below(static_cast<int>(unexpected.size())));
      matcher.remove(**victim);
      unexpected.erase(victim);
    } else if (what < 11) {  // a receive
      if (below(100) < wild_percent) key.source = MPI_ANY_SOURCE;
      if (below(100) < wild_percent) key.tag = MPI_ANY_TAG;
      const auto expected = std::find_if(unexpected.begin(), unexpected.end(),
                                         [&](Message* m) { return accepts(key, m->key()); });
      UnexpectedLinks* found = matcher.find(key);
      ASSERT_EQ(found, expected == unexpected.end() ? nullptr : *expected);
      if (found != nullptr) {
        matcher.remove(*found);
        unexpected.erase(expected);
      } else {
        receives.push_back(std::make_unique<Receive>(key));
        matcher.post(*receives.back());
        posted.push_back(receives.back().get());
      }
    } else {  // a message
      const auto expected = std::find_if(posted.begin(), posted.end(),
                                         [&](Receive* r) { return accepts(r->key, key); });
      PostedLink* found = matcher.take_posted(key);
      ASSERT_EQ(found, expected == posted.end() ? nullptr : *expected);
      if (found != nullptr) {
        posted.erase(expected);
      } else {
        messages.push_back(std::make_unique<Message>(key));
        matcher.add(*messages.back());
        unexpected.push_back(messages.back().get());
      }
    }
    ASSERT_EQ(matcher.posted(), posted.size());
    ASSERT_EQ(matcher.unexpected(), unexpected.size());
  }
  matcher.arrivals().clear();
}

TEST(Matcher, LikeAListWithoutWildcards) {
  compare_with_list(test_seed(), 2, 8, 8, 0);
}
TEST(Matcher, LikeAListWithFewWildcards) {
  compare_with_list(test_seed() + 1, 2, 4, 4, 10);
}
TEST(Matcher, LikeAListWithManyWildcards) {
  compare_with_list(test_seed() + 2, 1, 2, 2, 60);
}
TEST(Matcher, LikeAListWithManyKeys) {
  compare_with_list(test_seed() + 3, 5, 300, 1000, 5);
}
TEST(Matcher, LikeAListWithOneKey) {
  compare_with_list(test_seed() + 4, 1, 1, 1, 30);
}

TEST(Matcher, ContextsAreApart) {
  Matcher matcher;
  Receive any({0, MPI_ANY_SOURCE, MPI_ANY_TAG});
  matcher.post(any);
  EXPECT_EQ(matcher.take_posted({1, 0, 0}), nullptr);
  EXPECT_EQ(matcher.take_posted({0, 3, 9}), &any);
}

/// Elements walked past when `count` receives of one shape are posted, per message.
TEST(Matcher, HundredThousandPostedReceivesCostNoMoreThanTen) {
  // Not timed: with one key for all, the first is found at once; with all keys different, chains
  // stay short because the table grows. Quadratic behaviour would not end.
  for (const bool same : {true, false}) {
    Matcher matcher;
    std::deque<Receive> receives;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
      receives.emplace_back(MatchKey{0, same ? 1 : i % 64, same ? 5 : i});
      matcher.post(receives.back());
    }
    for (int i = kCount - 1; i >= 0; --i) {
      const int wanted = same ? kCount - 1 - i : i;
      const MatchKey key{0, same ? 1 : wanted % 64, same ? 5 : wanted};
      ASSERT_EQ(matcher.take_posted(key), &receives[static_cast<std::size_t>(wanted)]);
    }
    EXPECT_EQ(matcher.posted(), 0U);
  }
}

}  // namespace
}  // namespace remit::testing
