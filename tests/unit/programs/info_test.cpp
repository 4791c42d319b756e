// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// info_test.cpp: the text and the JSON of remit_info say the same, and all of it.

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mpi.h"
#include "programs/file_rows.hpp"
#include "programs/info_report.hpp"
#include "programs/window_rows.hpp"

namespace remit {
namespace {

const ParamDecl limit_param{"info_test_limit", std::int64_t{4096}, "bytes", "A size."};
const ParamDecl word_param{"info_test_word", std::string{"red"}, "", "A word.", {"red", "green"}};
const ParamDecl flag_param{"info_test_flag", false, "", "A flag."};

constexpr InfoSections kAll{true, true, true, true, true, true, true, true, false, true};

InfoReport sample() {
  Params params;
  EXPECT_TRUE(params.set("info_test_limit", "8k"));
  InfoReport report;
  report.version = "1.2.3";
  report.parameters = parameter_info(params);
  Caps caps;
  caps.name = "sample";
  caps.max_inline = 40;
  caps.max_send = 65536;
  caps.bandwidth = 12.5e9;
  caps.latency_ns = 60;
  caps.has_put = true;
  caps.notify = NotifyMode::native;
  report.devices.push_back({"sample", caps, ""});
  report.devices.push_back({"absent", {}, "no such \"hardware\""});
  report.networks.push_back({"wire", true, "on eth0 (the best)"});
  report.networks.push_back({"air", false, "no \"antenna\""});
  report.copies_file = "/cache/copies";
  report.facts_file = "/cache/facts";
  report.facts.kernel = KernelCopies{2500, true};
  report.facts.claim_lines_to = 0;
  report.copies.push_back({262144, true, {20, 15, 30}, shm::CopyMethod::together});
  report.protocols.push_back({"sample", "contiguous", "eager", 0, 4096});
  report.protocols.push_back(
      {"sample", "contiguous", "get", 4097, std::numeric_limits<std::size_t>::max()});
  report.rdma.push_back({"adapter", true, "sample0"});
  report.rdma.push_back({"port", false, "it is down: connect the \"cable\""});
  report.waiting = {{8, 3, false}, false, {}};
  report.windows.refusal = "the kernel's words, of which there are so many that no line has them";
  return report;
}

const nlohmann::json& named(const nlohmann::json& list, const std::string& name) {
  for (const auto& entry : list) {
    if (entry.at("name") == name) return entry;
  }
  throw std::out_of_range(name);
}

TEST(InfoReport, JsonHasEveryValue) {
  const auto json = nlohmann::json::parse(to_json(sample(), kAll));
  EXPECT_EQ(json.at("version").at("remit"), "1.2.3");
  EXPECT_EQ(json.at("version").at("mpi"), "5.0");
  EXPECT_EQ(json.at("version").at("abi"), "1.0");

  const auto& limit = named(json.at("parameters"), "info_test_limit");
  EXPECT_EQ(limit.at("environment"), "REMIT_INFO_TEST_LIMIT");
  EXPECT_EQ(limit.at("value"), 8192);
  EXPECT_EQ(limit.at("default"), 4096);
  EXPECT_EQ(limit.at("set"), true);
  EXPECT_EQ(limit.at("type"), "integer");
  const auto& word = named(json.at("parameters"), "info_test_word");
  EXPECT_EQ(word.at("value"), "red");
  EXPECT_EQ(word.at("choices").size(), 2);
  EXPECT_EQ(word.at("set"), false);
  EXPECT_EQ(named(json.at("parameters"), "info_test_flag").at("value"), false);

  const auto& device = named(json.at("devices"), "sample");
  EXPECT_EQ(device.at("available"), true);
  EXPECT_EQ(device.at("max_inline_bytes"), 40);
  EXPECT_EQ(device.at("notification"), "native");
  EXPECT_EQ(device.at("put"), true);
  EXPECT_EQ(device.at("get"), false);
  EXPECT_EQ(named(json.at("devices"), "absent").at("problem"), "no such \"hardware\"");
  EXPECT_EQ(named(json.at("networks"), "wire").at("available"), true);
  EXPECT_EQ(named(json.at("networks"), "air").at("words"), "no \"antenna\"");
  const std::string text = to_text(sample(), kAll);
  EXPECT_NE(text.find("to other hosts, wire: on eth0 (the best)"), std::string::npos);
  EXPECT_NE(text.find("to other hosts, air: not available: no \"antenna\""), std::string::npos);

  const auto& protocols = json.at("protocols");
  ASSERT_EQ(protocols.size(), 2);
  EXPECT_EQ(protocols[0].at("to_bytes"), 4096);
  EXPECT_TRUE(protocols[1].at("to_bytes").is_null());

  const auto& rdma = json.at("rdma");
  EXPECT_EQ(rdma.at("ok"), false);
  ASSERT_EQ(rdma.at("checks").size(), 2);
  EXPECT_EQ(rdma.at("checks")[0].at("check"), "adapter");
  EXPECT_EQ(rdma.at("checks")[0].at("ok"), true);
  EXPECT_EQ(rdma.at("checks")[1].at("ok"), false);
  EXPECT_EQ(rdma.at("checks")[1].at("words"), "it is down: connect the \"cable\"");
  const auto& facts = json.at("copies").at("facts");
  EXPECT_EQ(facts.at("file"), "/cache/facts");
  EXPECT_EQ(facts.at("kernel_64k_ns"), 2500);
  EXPECT_EQ(facts.at("take_lines_to"), 0);
  EXPECT_FALSE(facts.contains("vector_bytes")) << "what is not known";
  EXPECT_EQ(json.at("copies").at("measured").at(0).at("in_trap"), true);
}

TEST(InfoReport, TextNamesEverything) {
  const std::string text = to_text(sample(), kAll);
  for (const char* piece :
       {"Remit 1.2.3, MPI 5.0, standard ABI 1.0",
        "REMIT_INFO_TEST_LIMIT = 8 KiB (set; default 4 KiB)",
        "REMIT_INFO_TEST_WORD = red\n      A word. [red, green]", "REMIT_INFO_TEST_FLAG = no",
        "absent     not available: no such \"hardware\"", "12.5 GB/s", "any size", "eager",
        "/cache/copies", "256 KiB    1 to 31       20.0       15.0       30.0   together",
        "  adapter       OK: sample0\n", "  port          NOT OK: it is down: connect"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\nis not in\n" << text;
  }
}

std::string answer_of(const FileFacts& facts, std::string_view what) {
  for (const FileRow& row : file_rows(facts)) {
    if (row.what == what) return row.answer;
  }
  return "no such row";
}

FileFacts file_on(std::string_view system) {
  FileFacts facts;
  facts.name = "lustre:/scratch/out.h5";
  facts.prefix = "lustre";
  facts.asked = "/scratch";
  for (const FileSystemTraits& traits : known_file_systems()) {
    if (traits.name == system) facts.traits = traits;
  }
  return facts;
}

TEST(InfoFile, SaysWhichFileSystemsAreNotMet) {
  for (const FileSystemTraits& traits : known_file_systems()) {
    const FileFacts facts = file_on(traits.name);
    const bool says = answer_of(facts, "file system").find("not met") != std::string::npos;
    EXPECT_NE(says, traits.met) << traits.name;
    EXPECT_EQ(file_json(facts).at("met"), traits.met);
    EXPECT_EQ(answer_of(facts, "locks of ranges"), traits.locks ? "yes" : "no");
  }
}

TEST(InfoFile, SizesFollowStripesAndHints) {
  FileFacts facts = file_on("lustre");
  take_striping(facts.traits, {.bytes = 2 << 20, .count = 8});
  EXPECT_EQ(answer_of(facts, "stripes"), "8 of 2 MiB");
  EXPECT_EQ(answer_of(facts, "slices begin at multiples of"), "2 MiB");
  EXPECT_EQ(answer_of(facts, "owners of a host"), "4");
  EXPECT_EQ(answer_of(facts, "an owner moves at a time"), "4 MiB");
  facts.hints.take({{"cb_nodes", "3"}, {"cb_buffer_size", "9000000"}}, HintMoment::open);
  EXPECT_EQ(answer_of(facts, "owners of a host"), "3");
  EXPECT_EQ(answer_of(facts, "an owner moves at a time"), "8 MiB") << "whole stripes";
}

TEST(InfoFile, WaysFollowTraitsAndHints) {
  constexpr const char* kWrites = "strided writes by one rank";
  FileFacts local = file_on("ext4");
  EXPECT_NE(answer_of(local, kWrites).find("into a mapping"), std::string::npos);
  EXPECT_EQ(answer_of(local, "behind MPI_File_close data are"), "in the cache of the kernel");
  const HintList wish = {
      {"romio_ds_write", "enable"}, {"romio_cb_write", "disable"}, {"romio_ds_read", "disable"}};
  local.hints.take(wish, HintMoment::open);
  EXPECT_NE(answer_of(local, kWrites).find("under a lock"), std::string::npos);
  EXPECT_EQ(answer_of(local, "collective writes"), "straight from each rank");
  EXPECT_NE(answer_of(local, "collective reads"), "straight from each rank");
  EXPECT_EQ(answer_of(local, "strided reads by one rank"), "a call for each piece");
  FileFacts shared = file_on("beegfs");
  shared.hints.take(wish, HintMoment::open);
  EXPECT_NE(answer_of(shared, kWrites).find("a call for each piece"), std::string::npos);
  EXPECT_EQ(answer_of(shared, "behind MPI_File_close data are"), "written back to storage");
  const std::string text = file_text(shared);
  for (const char* piece :
       {"File lustre:/scratch/out.h5\n", "without the prefix lustre", "of the folder /scratch\n",
        "  file system                    beegfs, not met: ", "  romio_ds_read=disable\n",
        "romio_ds_write=enable -> disable: it takes locks"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\nis not in\n" << text;
  }
  const auto json = file_json(shared);
  EXPECT_EQ(json.at("file_system"), "beegfs");
  EXPECT_EQ(json.at("hints").at("romio_ds_write"), "disable");
  EXPECT_EQ(json.at("given").size(), wish.size());
}

TEST(InfoReport, WaitingSaysTheChoiceAndWhy) {
  struct Case {
    CoreShare share;
    bool told;
    WaitPolicy policy;
    const char* text;
  };
  const WaitPolicy spins{true, 20000, 300, true};
  const WaitPolicy yields{false, 20000, 300, true};
  for (const Case& each :
       {Case{{8, 3, false},
             false,
             spins,
             "Waiting\n  cores of this process: 8\n  ranks that share them: 3; each has a core\n"
             "  so a waiting rank spins for 20000 empty polls, then yields its core up to 300 "
             "times, "
             "then sleeps\n"},
        Case{{2, 4, false},
             true,
             yields,
             "ranks that share them: 4, as core_sharers says; there are more ranks than cores\n"
             "  so a waiting rank yields its core up to 300 times, then sleeps\n"},
        Case{{8, 3, true}, false, yields, "3; the CPU quota has not a core for each\n"}}) {
    InfoReport report;
    report.waiting = {each.share, each.told, each.policy};
    InfoSections sections;
    sections.waiting = true;
    const std::string text = to_text(report, sections);
    EXPECT_NE(text.find(each.text), std::string::npos) << text;
    const auto json = nlohmann::json::parse(to_json(report, sections)).at("waiting");
    EXPECT_EQ(json.at("cores"), each.share.cores);
    EXPECT_EQ(json.at("ranks"), each.share.ranks);
    EXPECT_EQ(json.at("told"), each.told);
    EXPECT_EQ(json.at("quota_short"), each.share.quota_short);
    EXPECT_EQ(json.at("spin"), each.policy.spin);
    EXPECT_EQ(json.at("spin_polls"), each.policy.spin_polls);
    EXPECT_EQ(json.at("yields"), each.policy.yields);
    EXPECT_EQ(json.at("sleep"), each.policy.sleep);
    EXPECT_EQ(json.at("words"), describe(each.policy));
  }
}

/// A host where all is well.
WindowFacts best_facts() {
  WindowFacts facts;
  facts.shares = facts.copies = true;
  facts.copy_ns = 420;
  facts.here = {"shm", "", true, true, true};
  facts.elsewhere = {"wire", "", true, true, false};
  return facts;
}

WindowRow row_of(const WindowFacts& facts, int flavor, bool other_host) {
  for (const WindowRow& row : window_rows(facts)) {
    if (row.flavor == flavor && row.other_host == other_host) return row;
  }
  throw std::out_of_range("no such row");
}

TEST(WindowRows, WaysOfAGoodHost) {
  const WindowFacts facts = best_facts();
  EXPECT_EQ(window_rows(facts).size(), 8U);
  for (const int flavor : {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED}) {
    const WindowRow row = row_of(facts, flavor, false);
    EXPECT_EQ(row.helper, WindowHelper::nobody);
    EXPECT_EQ(row.put_get, "loads and stores");
    EXPECT_EQ(row.why, "");
  }
  for (const int flavor : {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_DYNAMIC}) {
    const WindowRow row = row_of(facts, flavor, false);
    EXPECT_EQ(row.helper, WindowHelper::nobody);
    EXPECT_EQ(row.put_get, "copies by the kernel");
    EXPECT_NE(row.why, "");
  }
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_CREATE, true).put_get,
            "messages; put and get from 8 KiB on");
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_CREATE, true).accumulate, "messages");
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_DYNAMIC, true).put_get, "messages");
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_SHARED, true).helper, WindowHelper::none_can);
}

TEST(WindowRows, FollowWhatWasFound) {
  WindowFacts facts = best_facts();
  facts.copies = false;
  facts.refusal = "the kernel says no";
  WindowRow row = row_of(facts, MPI_WIN_FLAVOR_CREATE, false);
  EXPECT_EQ(row.helper, WindowHelper::thread);
  EXPECT_EQ(row.put_get, "messages; put and get from 8 KiB on");
  EXPECT_NE(row.why.find("the kernel says no"), std::string::npos);
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_ALLOCATE, false).helper, WindowHelper::nobody);
  facts.thread = false;
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_CREATE, false).helper, WindowHelper::call);
  facts.elsewhere = {"", "NONE=yes", false, false, false};
  row = row_of(facts, MPI_WIN_FLAVOR_ALLOCATE, true);
  EXPECT_EQ(row.helper, WindowHelper::none_can);
  EXPECT_EQ(row.why, "NONE=yes");
  // Without shared memory the kernel is not asked: who would it be told of?
  facts = best_facts();
  facts.shares = false;
  facts.why_unshared = "SHARE=no";
  facts.here.gets = false;
  for (const int flavor : {MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_CREATE}) {
    row = row_of(facts, flavor, false);
    EXPECT_EQ(row.helper, WindowHelper::thread);
    EXPECT_EQ(row.put_get, "messages; put from 8 KiB on");
    EXPECT_NE(row.why.find("SHARE=no"), std::string::npos);
  }
  EXPECT_EQ(row_of(facts, MPI_WIN_FLAVOR_SHARED, false).helper, WindowHelper::none_can);
}

TEST(WindowRows, TextAndJsonSayTheSame) {
  InfoReport report;
  report.windows = best_facts();
  InfoSections sections;
  sections.windows = true;
  const auto json = nlohmann::json::parse(to_json(report, sections)).at("windows");
  const std::string text = to_text(report, sections);
  EXPECT_EQ(json.at("allocations_shared"), true);
  EXPECT_EQ(json.at("kernel_copies").at("ns_of_8_bytes"), 420);
  EXPECT_EQ(json.at("other_hosts").at("name"), "wire");
  EXPECT_EQ(json.at("other_hosts").at("atomics"), false);
  EXPECT_EQ(json.at("progress_thread"), true);
  ASSERT_EQ(json.at("rows").size(), 8U);
  EXPECT_EQ(json.at("rows")[0].at("window"), "MPI_Win_allocate");
  EXPECT_EQ(json.at("rows")[0].at("passive"), true);
  EXPECT_EQ(json.at("rows")[5].at("possible"), false);
  EXPECT_TRUE(json.at("rows")[5].at("put_get").is_null());
  EXPECT_TRUE(text.starts_with("Windows\n")) << text;
  EXPECT_NE(text.find("yes, 8 bytes in 0.42 us"), std::string::npos) << text;
  EXPECT_NE(text.find("wire: put, get\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  allocate        this host  loads and stores"), std::string::npos) << text;
  for (const auto& row : json.at("rows")) {
    if (!row.at("put_get").is_null()) {
      EXPECT_NE(text.find(row.at("put_get").get<std::string>()), std::string::npos) << text;
    }
  }
}

TEST(InfoReport, OnlyTheWantedSections) {
  const InfoReport report = sample();
  for (int mask = 0; mask < 256; ++mask) {
    InfoSections sections{(mask & 1) != 0, (mask & 2) != 0,  (mask & 4) != 0,
                          (mask & 8) != 0, (mask & 16) != 0, (mask & 32) != 0};
    sections.waiting = (mask & 64) != 0;
    sections.windows = (mask & 128) != 0;
    const auto json = nlohmann::json::parse(to_json(report, sections));
    const std::string text = to_text(report, sections);
    EXPECT_EQ(json.contains("version"), sections.version);
    EXPECT_EQ(json.contains("devices"), sections.devices);
    EXPECT_EQ(json.contains("parameters"), sections.parameters);
    EXPECT_EQ(json.contains("protocols"), sections.protocols);
    EXPECT_EQ(json.contains("rdma"), sections.rdma);
    EXPECT_EQ(json.contains("copies"), sections.copies);
    EXPECT_EQ(json.contains("waiting"), sections.waiting);
    EXPECT_EQ(json.contains("windows"), sections.windows);
    EXPECT_EQ(text.find("Windows\n") != std::string::npos, sections.windows);
    EXPECT_EQ(text.find("Waiting\n") != std::string::npos, sections.waiting);
    EXPECT_EQ(text.find("Large copies") != std::string::npos, sections.copies);
    EXPECT_EQ(text.find("RDMA\n") != std::string::npos, sections.rdma);
    EXPECT_EQ(text.starts_with("Remit "), sections.version);
    EXPECT_EQ(text.find("Devices\n") != std::string::npos, sections.devices);
    EXPECT_EQ(text.find("Parameters (") != std::string::npos, sections.parameters);
    EXPECT_EQ(text.find("Protocols\n") != std::string::npos, sections.protocols);
  }
}

TEST(InfoReport, NoLineIsLongerThanATerminal) {
  static const ParamDecl long_param{
      "info_test_long", std::int64_t{1}, "",
      "a reason of so many words that they do not fit into one line of a terminal, nor into a "
      "second "
      "one if the terminal is as narrow as they were when the first such programs were written"};
  InfoReport report = sample();
  report.parameters.push_back({&long_param, std::int64_t{1}, false});
  report.rdma.push_back({"memlock", false, long_param.reason});
  const std::string text = to_text(report, kAll);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 100U) << text.substr(start, end - start);
    start = end + 1;
  }
  EXPECT_NE(text.find("such programs were written\n"), std::string::npos);
}

TEST(InfoReport, ReadableBytes) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1024), "1 KiB");
  EXPECT_EQ(readable_bytes(1025), "1025 B");
  EXPECT_EQ(readable_bytes(1536), "1536 B");
  EXPECT_EQ(readable_bytes(std::size_t{3} << 20), "3 MiB");
  EXPECT_EQ(readable_bytes(std::size_t{1} << 40), "1 TiB");
  EXPECT_EQ(readable_bytes(std::size_t{1} << 52), "4096 TiB");
  EXPECT_EQ(readable_bytes(std::numeric_limits<std::size_t>::max()), "any size");
}

}  // namespace
}  // namespace remit
