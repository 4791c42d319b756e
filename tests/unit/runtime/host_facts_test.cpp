// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The facts of a host: their text and file, and how long they are believed.
#include "runtime/host_facts.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "runtime/cache_file.hpp"

namespace {

using remit::HostFacts;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

HostFacts some_facts() {
  HostFacts facts;
  facts.kernel = remit::KernelCopies{2500, true};
  facts.kernel_trap = false;
  facts.claim_lines_to = kAll;
  facts.loops = remit::CopyLoops{32, 4096};
  facts.day = 20000;
  return facts;
}

TEST(HostFacts, TextBringsThemBack) {
  const HostFacts facts = some_facts();
  const auto again = HostFacts::parse(facts.text("here"), "here");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->kernel->ns_of_64k, 2500U);
  EXPECT_TRUE(again->kernel->quick);
  EXPECT_EQ(again->kernel_trap, false);
  EXPECT_EQ(again->claim_lines_to, kAll);
  EXPECT_EQ(again->loops->vector_bytes, 32U);
  EXPECT_EQ(again->loops->pieces_to, 4096U);
  EXPECT_EQ(again->day, 20000);
  EXPECT_EQ(again->text("here"), facts.text("here"));
}

TEST(HostFacts, EachIsKnownByItself) {
  HostFacts facts;
  facts.claim_lines_to = 12288;
  const auto again = HostFacts::parse(facts.text("here"), "here");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->claim_lines_to, 12288U);
  EXPECT_FALSE(again->kernel.has_value());
  EXPECT_FALSE(again->loops.has_value());
}

TEST(HostFacts, AnotherHostSaysNothing) {
  const auto there = HostFacts::parse(some_facts().text("here"), "there");
  ASSERT_TRUE(there.has_value());
  EXPECT_FALSE(there->kernel.has_value());
  EXPECT_FALSE(there->complete(20000));
}

TEST(HostFacts, OldOnesAreMeasuredAgain) {
  const HostFacts facts = some_facts();
  EXPECT_TRUE(facts.complete(20000));
  EXPECT_TRUE(facts.complete(20000 + HostFacts::kBelieved - 1));
  EXPECT_FALSE(facts.complete(20000 + HostFacts::kBelieved));
  EXPECT_FALSE(facts.complete(19999)) << "the clock was wrong";
  HostFacts without = facts;
  without.claim_lines_to.reset();
  EXPECT_FALSE(without.complete(20000));
}

TEST(HostFacts, NewsReplaceWhatWasKnown) {
  HostFacts facts = some_facts();
  HostFacts news;
  news.claim_lines_to = 0;
  news.day = 20001;
  facts.merge(news);
  EXPECT_EQ(facts.claim_lines_to, 0U);
  EXPECT_EQ(facts.day, 20000) << "the others are not younger for that";
  EXPECT_EQ(facts.kernel->ns_of_64k, 2500U);
  news = some_facts();
  news.day = 20002;
  facts.merge(news);
  EXPECT_EQ(facts.day, 20002);
  facts.day = 40000;
  facts.merge(news);
  EXPECT_EQ(facts.day, 20002) << "the clock was wrong";
}

TEST(HostFacts, ForbiddenCopiesAreKnown) {
  HostFacts facts = some_facts();
  facts.kernel = remit::KernelCopies{};
  const auto again = HostFacts::parse(facts.text("here"), "here");
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->complete(20000));
  EXPECT_EQ(again->kernel->ns_of_64k, 0U);
}

TEST(HostFacts, RefusesWhatIsDamaged) {
  const std::string head = "remit host facts 2\nhere\n";
  for (const std::string& text : {
           std::string(),
           std::string("remit host facts 2"),
           std::string("remit host facts 1\nhere\n"),
           std::string("remit host facts 3\nhere\n"),
           head + "day x\n",
           head + "day\n",
           head + "kernel_64k_ns 100\n",
           head + "kernel_64k_ns -1 quick\n",
           head + "kernel_64k_ns 99999999999999 quick\n",
           head + "kernel_64k_ns 100 quickly\n",
           head + "kernel_trap 1\n",
           head + "take_lines_to some\n",
           head + "loops 24 4096\n",
           head + "loops 32\n",
           head + "loops 32 40",
           head + "words\n",
       }) {
    EXPECT_FALSE(HostFacts::parse(text, "here").has_value()) << text;
  }
}

TEST(HostFacts, AreKeptInAFile) {
  std::string folder = ::testing::TempDir() + "remit-facts-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/remit/facts";
  EXPECT_FALSE(remit::load_host_facts(path).kernel.has_value()) << "there is no file";
  ASSERT_TRUE(remit::save_host_facts(path, some_facts()));
  EXPECT_TRUE(remit::load_host_facts(path).complete(20000));
  HostFacts news;
  news.loops = remit::CopyLoops{64, 0};
  ASSERT_TRUE(remit::save_host_facts(path, news));
  EXPECT_EQ(remit::load_host_facts(path).loops->vector_bytes, 64U);
  EXPECT_TRUE(remit::load_host_facts(path).kernel.has_value()) << "what it has besides stays";
  std::ofstream(path) << "rubbish";
  EXPECT_FALSE(remit::load_host_facts(path).kernel.has_value());
  EXPECT_TRUE(remit::save_host_facts(path, some_facts())) << "and is replaced";
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(remit::load_host_facts(path).kernel.has_value()) << "nobody waits for a writer";
  const auto saved = remit::save_host_facts(path + "/below/a/file", some_facts());
  ASSERT_FALSE(saved.has_value());
  EXPECT_NE(saved.error().message.find(path), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
