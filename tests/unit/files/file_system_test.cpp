// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What is known of file systems, striping, and prefixes of names.
#include "files/storage/file_system.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

namespace remit::testing {
namespace {

FileSystemTraits of(std::uint32_t magic, std::int64_t block = 4096) {
  struct statfs said = {};
  said.f_type = static_cast<decltype(said.f_type)>(magic);
  said.f_bsize = static_cast<decltype(said.f_bsize)>(block);
  return traits_of(said);
}

TEST(FileSystem, Table) {
  struct Row {
    std::uint32_t magic;
    std::string_view name;
    bool met, local, coherent, locks, maps;
  };
  const Row rows[] = {
      {0xef53, "ext4", true, true, true, true, true},
      {0x01021994, "tmpfs", true, true, true, true, true},
      {0x58465342, "xfs", false, true, true, true, true},
      {0x9123683e, "btrfs", false, true, true, true, true},
      {0x794c7630, "overlay", false, true, true, true, false},
      {0xf2f52010, "f2fs", false, true, true, true, true},
      {0x858458f6, "ramfs", false, true, true, true, true},
      {0x2fc12fc1, "zfs", false, true, true, true, false},
      {0x6969, "nfs", false, false, false, true, false},
      {0x0bd00bd0, "lustre", false, false, true, false, false},
      {0x47504653, "gpfs", false, false, true, true, false},
      {0x19830326, "beegfs", false, false, false, false, false},
      {0x65735546, "fuse", false, false, false, false, false},
      {0xda05ad10, "daos", false, false, false, false, false},
      {0xaad7aaea, "panfs", false, false, false, false, false},
      {0x20030528, "pvfs2", false, false, false, false, false},
      {0x00c36400, "ceph", false, false, true, true, false},
      {0xff534d42, "cifs", false, false, false, false, false},
      {0xfe534d42, "smb2", false, false, false, false, false},
      {0x01021997, "9p", false, false, false, false, false},
      {0x12345678, "unknown", false, false, false, false, false},
  };
  for (const Row& row : rows) {
    const FileSystemTraits traits = of(row.magic);
    EXPECT_EQ(traits.name, row.name);
    EXPECT_EQ(traits.met, row.met) << row.name;
    EXPECT_EQ(traits.local, row.local) << row.name;
    EXPECT_EQ(traits.coherent, row.coherent) << row.name;
    EXPECT_EQ(traits.locks, row.locks) << row.name;
    EXPECT_EQ(traits.maps, row.maps) << row.name;
  }
}

TEST(FileSystem, KnownOnesAreConsistent) {
  std::set<std::string_view> names;
  for (const FileSystemTraits& traits : known_file_systems()) {
    EXPECT_TRUE(names.insert(traits.name).second) << traits.name;
    // Stores that another host does not see, or writes back as a whole page, are no writes.
    if (!traits.local) {
      EXPECT_FALSE(traits.maps) << traits.name;
    }
    if (traits.local) {
      EXPECT_TRUE(traits.coherent) << traits.name;
    }
    EXPECT_GE(traits.block, 4096) << traits.name;
  }
  EXPECT_EQ(known_file_systems().back().name, "unknown");
}

TEST(FileSystem, BlocksAreBelievedOfSharedOnes) {
  EXPECT_EQ(of(0x47504653, 4 << 20).block, 4 << 20);
  EXPECT_EQ(of(0x6969, 1 << 20).block, 1 << 20);
  EXPECT_EQ(of(0x6969, 512).block, 4096);
  EXPECT_EQ(of(0x6969, 12345).block, 4096) << "no power of two";
  EXPECT_EQ(of(0x6969, 0).block, 4096);
  EXPECT_EQ(of(0x47504653, std::int64_t{1} << 40).block, 64 << 20);
  EXPECT_EQ(of(0x01021994, 2 << 20).block, 4096);
}

std::vector<std::byte> lustre_attribute(std::uint32_t magic, std::uint32_t bytes,
                                        std::uint16_t count, std::uint16_t first) {
  std::vector<std::byte> attribute(32 + 24);
  std::memcpy(attribute.data(), &magic, 4);
  std::memcpy(attribute.data() + 24, &bytes, 4);
  std::memcpy(attribute.data() + 28, &count, 2);
  std::memcpy(attribute.data() + 30, &first, 2);
  return attribute;
}

TEST(FileSystem, StripingOfLustre) {
  for (const std::uint32_t magic : {0x0bd10bd0u, 0x0bd30bd0u}) {
    const auto striping = lustre_striping(lustre_attribute(magic, 4 << 20, 8, 0xffff));
    ASSERT_TRUE(striping.has_value());
    EXPECT_EQ(striping->bytes, 4 << 20);
    EXPECT_EQ(striping->count, 8);
    EXPECT_EQ(striping->first_device, -1);
    FileSystemTraits traits = of(0x0bd00bd0);
    take_striping(traits, *striping);
    EXPECT_EQ(traits.block, 4 << 20);
    EXPECT_EQ(traits.stripes, 8);
    EXPECT_EQ(lustre_striping(lustre_attribute(magic, 65536, 2, 5))->first_device, 5);
    // None of them may divide anything later.
    EXPECT_FALSE(lustre_striping(lustre_attribute(magic, 0, 8, 0)).has_value());
    EXPECT_FALSE(lustre_striping(lustre_attribute(magic, 65536, 0, 0)).has_value());
    EXPECT_FALSE(lustre_striping(lustre_attribute(magic, 65536, 0xffff, 0)).has_value());
    auto cut = lustre_attribute(magic, 65536, 2, 5);
    cut.resize(31);
    EXPECT_FALSE(lustre_striping(cut).has_value());
  }
  EXPECT_FALSE(lustre_striping(lustre_attribute(0x0bd60bd0, 65536, 2, 5)).has_value())
      << "several layouts one behind the other";
  EXPECT_FALSE(lustre_striping({}).has_value());
}

TEST(FileSystem, Prefixes) {
  EXPECT_EQ(split_prefix("ufs:/tmp/x").path, "/tmp/x");
  EXPECT_EQ(split_prefix("ufs:/tmp/x").prefix, "ufs");
  EXPECT_EQ(split_prefix("lustre:a:b").path, "a:b");
  EXPECT_EQ(split_prefix("nfs:").path, "");
  for (const std::string_view name :
       {"/tmp/x", "run:1.dat", "./ufs:x", "/a/ufs:x", ":x", "", "UFS:x", "ftp:x"}) {
    EXPECT_EQ(split_prefix(name).path, name);
    EXPECT_EQ(split_prefix(name).prefix, "");
  }
}

}  // namespace
}  // namespace remit::testing
