// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of file systems.
#include "files/storage/file_system.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace remit {
namespace {

/// Blocks of parallel file systems are believed up to here.
constexpr std::int64_t kMostBlock = std::int64_t{64} << 20;

// Of those that are met, tests have shown what the table says. Of the others it is what their
// documentation says; where that depends on how they are mounted, the more careful.
constexpr FileSystemTraits kLocal = {.local = true, .coherent = true, .locks = true, .maps = true};
constexpr FileSystemTraits kShared = {};

constexpr FileSystemTraits called(FileSystemTraits like, std::string_view name) {
  like.name = name;
  return like;
}
constexpr FileSystemTraits that_is_met(FileSystemTraits traits) {
  traits.met = true;
  return traits;
}
constexpr FileSystemTraits with_direct(FileSystemTraits traits, std::int64_t unit) {
  traits.direct_unit = unit;
  return traits;
}
constexpr FileSystemTraits that_is_coherent(FileSystemTraits traits, bool locks) {
  traits.coherent = true;
  traits.locks = locks;
  return traits;
}
constexpr FileSystemTraits without_maps(FileSystemTraits traits) {
  traits.maps = false;
  return traits;
}
constexpr FileSystemTraits in_memory(FileSystemTraits traits) {
  traits.in_memory = true;
  return traits;
}
constexpr FileSystemTraits that_locks(FileSystemTraits traits) {
  traits.locks = true;
  return traits;
}

constexpr std::size_t kKinds = 26;
/// In the order of kMagic.
constexpr std::array<FileSystemTraits, kKinds + 1> kTraits = {
    that_is_met(with_direct(called(kLocal, "ext4"), 4096)),
    that_is_met(in_memory(called(kLocal, "tmpfs"))),
    with_direct(called(kLocal, "xfs"), 4096),
    with_direct(called(kLocal, "btrfs"), 4096),
    // A copy that is made at the first write is one that a mapping made before does not see.
    without_maps(called(kLocal, "overlay")),
    with_direct(called(kLocal, "f2fs"), 4096),
    in_memory(called(kLocal, "ramfs")),
    // It keeps a second copy of what is mapped.
    without_maps(called(kLocal, "zfs")),
    called(kLocal, "bcachefs"),
    without_maps(called(kLocal, "vfat")),
    without_maps(called(kLocal, "exfat")),
    // Between hosts: coherent when opened and closed, and behind a lock.
    that_locks(called(kShared, "nfs")),
    // Locks need the mount option "flock".
    that_is_coherent(called(kShared, "lustre"), false),
    that_is_coherent(called(kShared, "gpfs"), true),
    // Locks hold within a host unless tuneUseGlobalFileLocks is set.
    called(kShared, "beegfs"),
    // Whatever its server says, of which the kernel knows nothing.
    called(kShared, "fuse"),
    called(kShared, "daos"),
    called(kShared, "panfs"),
    called(kShared, "pvfs2"),
    that_is_coherent(called(kShared, "ceph"), true),
    called(kShared, "cifs"),
    called(kShared, "smb2"),
    called(kShared, "9p"),
    that_is_coherent(called(kShared, "gfs2"), true),
    that_is_coherent(called(kShared, "ocfs2"), true),
    called(kShared, "afs"),
    called(kShared, "unknown"),
};
constexpr std::array<std::uint32_t, kKinds> kMagic = {
    0x0000ef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630, 0xf2f52010, 0x858458f6,
    0x2fc12fc1, 0xca451a4e, 0x00004d44, 0x2011bab0, 0x00006969, 0x0bd00bd0, 0x47504653,
    0x19830326, 0x65735546, 0xda05ad10, 0xaad7aaea, 0x20030528, 0x00c36400, 0xff534d42,
    0xfe534d42, 0x01021997, 0x01161970, 0x7461636f, 0x5346414f};

template <class Number>
Number number_at(std::span<const std::byte> bytes, std::size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// The ones that ROMIO knows, but for those that name another protocol ("ftp:").
constexpr std::string_view kPrefixes[] = {
    "ufs",   "nfs",   "xfs",        "pfs",    "piofs",  "sfs",   "hfs", "pvfs",
    "pvfs2", "panfs", "gpfs",       "lustre", "daos",   "dfs",   "ime", "quobyte",
    "bg",    "bgl",   "bglockless", "zoidfs", "testfs", "beegfs"};

}  // namespace

std::span<const FileSystemTraits> known_file_systems() {
  return kTraits;
}

FileSystemTraits traits_of(const struct statfs& said) {
  // The kernel's field is signed on some machines.
  const auto magic = static_cast<std::uint32_t>(said.f_type);
  const auto* found = std::find(kMagic.begin(), kMagic.end(), magic);
  FileSystemTraits traits = kTraits[static_cast<std::size_t>(found - kMagic.begin())];
  const auto block = static_cast<std::int64_t>(said.f_bsize);
  // A local one has pages in memory, whatever its blocks are.
  if (!traits.local && block > 0 && (block & (block - 1)) == 0)
    traits.block = std::clamp(block, traits.block, kMostBlock);
  return traits;
}

std::optional<Striping> lustre_striping(std::span<const std::byte> attribute) {
  // struct lov_user_md_v1 and v3, which begin alike: magic, pattern, object (two of 64 bits),
  // bytes of a stripe, stripes, first device. Files that are several layouts one behind the other
  // have another magic.
  constexpr std::uint32_t kVersion1 = 0x0bd10bd0;
  constexpr std::uint32_t kVersion3 = 0x0bd30bd0;
  if (attribute.size() < 32) return std::nullopt;
  const auto magic = number_at<std::uint32_t>(attribute, 0);
  if (magic != kVersion1 && magic != kVersion3) return std::nullopt;
  const Striping striping{
      number_at<std::uint32_t>(attribute, 24), number_at<std::uint16_t>(attribute, 28),
      number_at<std::uint16_t>(attribute, 30) == 0xffff ? -1
                                                        : number_at<std::uint16_t>(attribute, 30)};
  // Neither may divide anything (and 0xffff stands for all servers, how many these may be).
  if (striping.bytes == 0 || striping.count == 0 || striping.count == 0xffff) return std::nullopt;
  return striping;
}

void take_striping(FileSystemTraits& traits, const Striping& striping) {
  traits.stripe_bytes = striping.bytes;
  traits.stripes = striping.count;
  traits.block = std::max<std::int64_t>(striping.bytes, 4096);
}

PrefixedName split_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {"", name};
  const std::string_view prefix = name.substr(0, colon);
  if (std::find(std::begin(kPrefixes), std::end(kPrefixes), prefix) == std::end(kPrefixes))
    return {"", name};
  return {prefix, name.substr(colon + 1)};
}

}  // namespace remit
