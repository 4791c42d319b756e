// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/memory/members.hpp"

#include <utility>

namespace remit {

namespace {

/// Where memory of this process is "mapped" in itself: at its addresses. Not null, which would say
/// that it is nowhere.
constexpr std::uint64_t kOwnAddresses = 4096;

}  // namespace

const char* name_of(MemoryWay way) {
  switch (way) {
    case MemoryWay::mapped:
      return "mapped";
    case MemoryWay::kernel:
      return "kernel";
    case MemoryWay::message:
      break;
  }
  return "message";
}

ProcessMemory* WindowMembers::process(int rank) {
  const MemberControl* const words = control(rank);
  if (words == nullptr) return nullptr;
  const auto [known, is_new] = processes_.try_emplace(rank);
  if (is_new) {
    auto opened = ProcessMemory::open(words->identity.sign, kernel_);
    if (opened) {
      known->second = std::move(*opened);
    } else {
      refusal_ = std::move(opened.error().message);
    }
  }
  return known->second.get();
}

std::byte* WindowMembers::mapped_elsewhere(int rank) const {
  if (rank == comm_.rank) return reinterpret_cast<std::byte*>(entry(rank).base);
  const auto known = mappings_.find(rank);
  return known != mappings_.end() ? known->second.begin : nullptr;
}

/// Goes by a link that exists: for one operation it would cost too much to make one. Memory that
/// is found later was copied by the kernel before, under the same locks.
bool WindowMembers::find_mapping(int rank) {
  const MemberEntry& member = entry(rank);
  if (control(rank) == nullptr || member.bytes == 0) return false;
  Mapping& known = mappings_[rank];
  if (known.settled) return known.begin != nullptr;
  const Links::HostPath path = links_.host_path(proc(rank));
  if (path.memory == nullptr) return false;
  known.begin = path.memory->map_memory(path.endpoint, member.base, member.bytes);
  known.settled = known.begin != nullptr || !path.memory->may_map_later(path.endpoint);
  return known.begin != nullptr;
}

MemoryWay WindowMembers::way(int rank) {
  if (rank == comm_.rank || mapped(rank) != nullptr || find_mapping(rank)) return MemoryWay::mapped;
  return process(rank) != nullptr ? MemoryWay::kernel : MemoryWay::message;
}

std::optional<MemoryWay> WindowMembers::known_way(int rank) const {
  if (rank == comm_.rank || mapped(rank) != nullptr) return MemoryWay::mapped;
  if (mapped_elsewhere(rank) != nullptr) return MemoryWay::mapped;
  if (control(rank) == nullptr) return MemoryWay::message;
  const auto known = processes_.find(rank);
  if (known == processes_.end()) return std::nullopt;
  return known->second != nullptr ? MemoryWay::kernel : MemoryWay::message;
}

int WindowMembers::rank_of_local(std::uint32_t index) const {
  int rank = 0;
  while (rank + 1 < size() && entry(rank).local_index != index) ++rank;
  return rank;
}

bool WindowMembers::has_ended(int rank) const {
  if (links_.lost(proc(rank))) return true;
  const MemberControl* const words = control(rank);
  return words != nullptr && remit::has_ended(words->identity.sign);
}

bool WindowMembers::sees_end_of(int rank) const {
  const MemberControl* const words = control(rank);
  return words != nullptr && is_seen_to_end(words->identity.sign);
}

MemberMemory WindowMembers::memory(int rank) {
  MemberMemory memory;
  memory.self = segment_.index() + 1;
  memory.watch = &watch_;
  memory.granules = segment_.control(entry(rank).local_index).granules;
  if (rank == comm_.rank) {
    memory.base = kOwnAddresses;
    memory.here = reinterpret_cast<std::byte*>(kOwnAddresses);
    return memory;
  }
  memory.base = entry(rank).base;
  memory.here = mapped(rank);
  if (memory.here == nullptr) {
    memory.process = process(rank);
    ++kernel_uses_;
  }
  return memory;
}

}  // namespace remit
