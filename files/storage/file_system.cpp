// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of file systems.
#include "files/storage/file_system.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace remit {
namespace {

/// Blocks of parallel file systems are believed up to here.
constexpr std::int64_t kMostBlock = std::int64_t{64} << 20;

// Of those that are met, tests have shown what the table says. Of the others it is what their
// documentation says; where that depends on how they are mounted, the more careful.
enum Property : std::uint32_t {
  kMet = 1,
  kLocal = 2,
  kCoherent = 4,
  kLocks = 8,
  kMaps = 16,
  kInMemory = 32,
  kDirect = 64,  ///< O_DIRECT, aligned to pages
};
constexpr std::uint32_t kOfHost = kLocal | kCoherent | kLocks;

struct KnownFileSystem {
  std::uint32_t magic;
  std::string_view name;
  std::uint32_t properties;
};
/// The last one is of what it does not know.
constexpr KnownFileSystem kFileSystems[] = {
    {0x0000ef53, "ext4", kOfHost | kMaps | kDirect | kMet},
    {0x01021994, "tmpfs", kOfHost | kMaps | kInMemory | kMet},
    {0x58465342, "xfs", kOfHost | kMaps | kDirect},
    {0x9123683e, "btrfs", kOfHost | kMaps | kDirect},
    // A copy that is made at the first write is one that a mapping made before does not see.
    {0x794c7630, "overlay", kOfHost},
    {0xf2f52010, "f2fs", kOfHost | kMaps | kDirect},
    {0x858458f6, "ramfs", kOfHost | kMaps | kInMemory},
    // It keeps a second copy of what is mapped.
    {0x2fc12fc1, "zfs", kOfHost},
    {0xca451a4e, "bcachefs", kOfHost | kMaps},
    {0x00004d44, "vfat", kOfHost},
    {0x2011bab0, "exfat", kOfHost},
    // Between hosts: coherent when opened and closed, and behind a lock.
    {0x00006969, "nfs", kLocks},
    // Locks need the mount option "flock".
    {0x0bd00bd0, "lustre", kCoherent},
    {0x47504653, "gpfs", kCoherent | kLocks},
    // Locks hold within a host unless tuneUseGlobalFileLocks is set.
    {0x19830326, "beegfs", 0},
    // Whatever its server says, of which the kernel knows nothing.
    {0x65735546, "fuse", 0},
    {0xda05ad10, "daos", 0},
    {0xaad7aaea, "panfs", 0},
    {0x20030528, "pvfs2", 0},
    {0x00c36400, "ceph", kCoherent | kLocks},
    {0xff534d42, "cifs", 0},
    {0xfe534d42, "smb2", 0},
    {0x01021997, "9p", 0},
    {0x01161970, "gfs2", kCoherent | kLocks},
    {0x7461636f, "ocfs2", kCoherent | kLocks},
    {0x5346414f, "afs", 0},
    {0, "unknown", 0},
};

constexpr FileSystemTraits traits_of_known(const KnownFileSystem& known) {
  const auto has = [&](Property property) { return (known.properties & property) != 0; };
  return {.name = known.name,
          .met = has(kMet),
          .local = has(kLocal),
          .coherent = has(kCoherent),
          .locks = has(kLocks),
          .maps = has(kMaps),
          .in_memory = has(kInMemory),
          .direct_unit = has(kDirect) ? kFilePage : 0};
}

constexpr auto kTraits = [] {
  std::array<FileSystemTraits, std::size(kFileSystems)> all;
  std::transform(std::begin(kFileSystems), std::end(kFileSystems), all.begin(), traits_of_known);
  return all;
}();

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
  const auto* const found =
      std::find_if(std::begin(kFileSystems), std::end(kFileSystems) - 1,
                   [&](const KnownFileSystem& known) { return known.magic == magic; });
  FileSystemTraits traits = traits_of_known(*found);
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
  traits.block = std::max(striping.bytes, kFilePage);
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
