// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What becomes of hints, and what is answered.
#include "files/file_hints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/files/faulty_calls.hpp"
#include "tests/unit/files/temporary_file.hpp"

namespace remit::testing {
namespace {

FileSystemTraits traits_named(std::string_view name) {
  for (const FileSystemTraits& traits : known_file_systems())
    if (traits.name == name) return traits;
  ADD_FAILURE() << name;
  return {};
}

std::optional<std::string> answer(const FileHints& hints, std::string_view key,
                                  std::string_view file_system = "ext4") {
  for (const auto& [known, value] : hints.answers("out.h5", traits_named(file_system)))
    if (known == key) return value;
  return std::nullopt;
}

/// The one line about the one hint that is given.
std::string line_of(const std::string& key, const std::string& value,
                    std::string_view file_system = "ext4", HintMoment moment = HintMoment::open) {
  FileHints hints;
  hints.take({{key, value}}, moment);
  const std::vector<std::string> lines = hints.report(traits_named(file_system));
  return lines.size() == 1 ? lines[0] : "(no line)";
}

TEST(FileHints, ChangeWhatTheySay) {
  FileHints hints;
  hints.take({{"cb_nodes", "3"},
              {"cb_buffer_size", "1048576"},
              {"cb_config_list", "*:2"},
              {"romio_cb_read", "enable"},
              {"romio_cb_write", "disable"},
              {"romio_ds_read", "disable"},
              {"romio_ds_write", "enable"},
              {"ind_rd_buffer_size", "8192"},
              {"ind_wr_buffer_size", " 16384 "},
              {"striping_factor", "4"},
              {"striping_unit", "65536"},
              {"start_iodevice", "7"},
              {"file_perm", "640"}},
             HintMoment::open);
  const HintValues& values = hints.values();
  EXPECT_EQ(values.owners, 3);
  EXPECT_EQ(values.owner_buffer, 1048576);
  EXPECT_EQ(values.owners_of_host, 2);
  EXPECT_EQ(values.collective_reads, HintSwitch::enable);
  EXPECT_EQ(values.collective_writes, HintSwitch::disable);
  EXPECT_EQ(values.sieved_reads, HintSwitch::disable);
  EXPECT_EQ(values.sieved_writes, HintSwitch::enable);
  EXPECT_EQ(values.read_buffer, 8192);
  EXPECT_EQ(values.write_buffer, 16384);
  EXPECT_EQ(values.stripes, 4);
  EXPECT_EQ(values.stripe_bytes, 65536);
  EXPECT_EQ(values.first_device, 7);
  EXPECT_EQ(values.permissions, mode_t{0640});
  EXPECT_EQ(answer(hints, "cb_nodes"), "3");
  EXPECT_EQ(answer(hints, "cb_config_list"), "*:2");
  EXPECT_EQ(answer(hints, "cb_buffer_size"), "1048576");
  EXPECT_EQ(answer(hints, "romio_cb_read"), "enable");
  EXPECT_EQ(answer(hints, "romio_cb_write"), "disable");
  EXPECT_EQ(answer(hints, "romio_ds_write"), "enable");
  EXPECT_EQ(answer(hints, "romio_ds_write", "lustre"), "disable");
  EXPECT_EQ(answer(hints, "file_perm"), "640");
  EXPECT_EQ(answer(hints, "filename"), "out.h5");

  const TransferHints local = transfer_hints(values, traits_named("ext4"), nullptr);
  EXPECT_FALSE(local.sieve);
  EXPECT_TRUE(local.read_modify_write);
  EXPECT_TRUE(local.map);
  EXPECT_EQ(local.read_buffer, 8192u);
  const TransferHints shared = transfer_hints(values, traits_named("lustre"), nullptr);
  EXPECT_FALSE(shared.read_modify_write) << "without locks nobody may write back";
  EXPECT_FALSE(shared.map);

  hints.take({{"collective_buffering", "true"}, {"romio_ds_write", "automatic"}},
             HintMoment::later);
  EXPECT_EQ(values.collective_writes, HintSwitch::enable);
  EXPECT_FALSE(transfer_hints(values, traits_named("ext4"), nullptr).read_modify_write);
}

TEST(FileHints, NothingIsWrittenBackUnlessAsked) {
  const TransferHints hints = transfer_hints(HintValues{}, traits_named("ext4"), nullptr);
  EXPECT_FALSE(hints.read_modify_write);
  EXPECT_TRUE(hints.sieve);
  EXPECT_EQ(answer(FileHints{}, "romio_ds_write"), "disable");
}

TEST(FileHints, SayWhyNot) {
  EXPECT_EQ(line_of("cb_nodes", "64"), "cb_nodes=64");
  EXPECT_EQ(line_of("cb_nodes", "many"),
            "cb_nodes=many -> ignored: it must be a number from 1 to 2147483647");
  EXPECT_EQ(line_of("cb_nodes", "0"),
            "cb_nodes=0 -> ignored: it must be a number from 1 to 2147483647");
  EXPECT_EQ(line_of("cb_nodes", "99999999999999999999"),
            "cb_nodes=99999999999999999999 -> ignored: it must be a number from 1 to 2147483647");
  EXPECT_EQ(line_of("romio_cb_write", "maybe"),
            "romio_cb_write=maybe -> automatic: it must be enable, disable or automatic");
  EXPECT_EQ(line_of("direct_write", "true"),
            "direct_write=true -> false: transfers go through the kernel's page cache");
  EXPECT_EQ(line_of("romio_no_indep_rw", "true"),
            "romio_no_indep_rw=true -> false: every process opens the file, so that independent "
            "calls work");
  EXPECT_EQ(line_of("romio_ds_write", "enable", "beegfs"),
            "romio_ds_write=enable -> disable: it takes locks, which this file system may not "
            "have");
  EXPECT_EQ(line_of("striping_factor", "8"),
            "striping_factor=8 -> ignored: this file system has no stripes, or does not tell of "
            "them");
  EXPECT_EQ(line_of("file_perm", "600", "ext4", HintMoment::later),
            "file_perm=600 -> 666: it counts when a file is opened");
  EXPECT_EQ(line_of("cb_config_list", "host1:2"),
            "cb_config_list=host1:2 -> *:*: only \"*:N\" and \"*:*\" are understood: as many of "
            "each host");
  EXPECT_EQ(line_of("of_another_library", "1"), "(no line)");

  FileHints hints;
  hints.take({{"cb_nodes", "64"}}, HintMoment::open);
  hints.decide("cb_nodes", "4", "one file, 4 owners saturate it");
  EXPECT_EQ(hints.report(traits_named("ext4")),
            std::vector<std::string>{"cb_nodes=64 -> 4: one file, 4 owners saturate it"});
  EXPECT_EQ(answer(hints, "cb_nodes"), "4");
}

TEST(FileHints, EachIsTakenOrRefused) {
  std::set<std::string_view> keys;
  for (const HintDecl& decl : hint_decls()) {
    EXPECT_TRUE(keys.insert(decl.key).second) << decl.key;
    EXPECT_FALSE(decl.meaning.empty()) << decl.key;
    const std::string line = line_of(std::string(decl.key), "?");
    EXPECT_NE(line.find(" -> "), std::string::npos) << line;
  }
  // Those that programs set (ROMIO's, the standard's, HDF5's).
  for (const std::string_view key : {"cb_nodes",
                                     "cb_buffer_size",
                                     "cb_config_list",
                                     "romio_cb_read",
                                     "romio_cb_write",
                                     "romio_ds_read",
                                     "romio_ds_write",
                                     "romio_no_indep_rw",
                                     "striping_factor",
                                     "striping_unit",
                                     "start_iodevice",
                                     "ind_rd_buffer_size",
                                     "ind_wr_buffer_size",
                                     "collective_buffering",
                                     "access_style",
                                     "file_perm",
                                     "filename",
                                     "direct_read",
                                     "direct_write",
                                     "romio_synchronized_flush",
                                     "romio_visibility_immediate",
                                     "io_node_list",
                                     "nb_proc",
                                     "num_io_nodes",
                                     "chunked",
                                     "chunked_item",
                                     "chunked_size",
                                     "cb_block_size"}) {
    EXPECT_TRUE(keys.contains(key)) << key;
  }
}

TEST(FileHints, AnswersFollowTheFileSystem) {
  const FileHints hints;
  EXPECT_EQ(answer(hints, "romio_visibility_immediate", "tmpfs"), "true");
  EXPECT_EQ(answer(hints, "romio_visibility_immediate", "nfs"), "false");
  EXPECT_EQ(answer(hints, "remit_close", "tmpfs"), "in the cache of the kernel");
  EXPECT_EQ(answer(hints, "remit_close", "nfs"), "written back to storage");
  EXPECT_EQ(answer(hints, "striping_unit"), std::nullopt);
  FileSystemTraits lustre = traits_named("lustre");
  take_striping(lustre, {1 << 20, 8, -1});
  const HintList all = hints.answers("f", lustre);
  EXPECT_NE(std::find(all.begin(), all.end(), HintList::value_type("striping_factor", "8")),
            all.end());
  EXPECT_NE(std::find(all.begin(), all.end(), HintList::value_type("striping_unit", "1048576")),
            all.end());
  // What an info object can have (MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL).
  for (const auto& [key, value] : all) {
    EXPECT_LT(key.size(), std::size_t{MPI_MAX_INFO_KEY});
    EXPECT_LT(value.size(), std::size_t{MPI_MAX_INFO_VAL});
  }
}

TEST(FileHints, SameOnesAreInOneOrder) {
  FileHints one;
  one.take({{"striping_unit", "65536"}, {"cb_nodes", "2"}, {"ind_rd_buffer_size", "8192"}},
           HintMoment::open);
  FileHints other;
  other.take({{"cb_nodes", "2"}, {"romio_ds_read", "enable"}, {"striping_unit", "65536"}},
             HintMoment::open);
  EXPECT_EQ(one.same_hints(), other.same_hints());
  EXPECT_EQ(one.same_hints(), (HintList{{"cb_nodes", "2"}, {"striping_unit", "65536"}}));
}

/// As in ROMIO: who sets a hint in the program knows best.
TEST(FileHints, TheProgramsCountBeforeThoseOfAFile) {
  FileHints hints;
  hints.take(parse_hints("romio_cb_read enable\ncb_buffer_size 8192"), HintMoment::open);
  hints.take({{"romio_cb_read", "disable"}}, HintMoment::open);
  EXPECT_EQ(hints.values().collective_reads, HintSwitch::disable);
  EXPECT_EQ(hints.values().owner_buffer, 8192);
}

TEST(FileHints, Files) {
  EXPECT_EQ(parse_hints("# all\ncb_nodes 4\n\n  romio_ds_read\tdisable  # why\nalone\nx y z"),
            (HintList{{"cb_nodes", "4"}, {"romio_ds_read", "disable"}, {"x", "y z"}}));
  EXPECT_EQ(parse_hints(""), HintList{});
  EXPECT_EQ(parse_hints("cb_nodes 4"), (HintList{{"cb_nodes", "4"}}));
  EXPECT_EQ(parse_hints("cb_nodes 4\na b\ncb_nodes 5"), (HintList{{"cb_nodes", "4"}, {"a", "b"}}));

  const std::string text = "cb_nodes 4\n";
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  const TemporaryFile file(bytes);
  FaultyCalls calls;
  EXPECT_EQ(read_hint_file(calls, file.path().c_str()).value(), (HintList{{"cb_nodes", "4"}}));
  EXPECT_FALSE(read_hint_file(calls, (file.path() + ".no").c_str()).has_value());
  calls.break_byte(3, EIO);
  EXPECT_EQ(read_hint_file(calls, file.path().c_str()).error().code, MPI_ERR_IO);
  calls.mend();
  // The system's need not be there.
  calls.fail(FaultyCalls::Call::open, ENOENT);
  EXPECT_EQ(read_hint_file(calls, nullptr).value(), HintList{});
  file.fill(std::vector<std::byte>(70000, std::byte{'#'}));
  EXPECT_FALSE(read_hint_file(calls, file.path().c_str()).has_value());
}

}  // namespace
}  // namespace remit::testing
