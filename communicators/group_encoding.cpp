// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Groups as messages.
#include "communicators/group_encoding.hpp"

#include <cstring>

namespace remit {

GroupWords encode_group(const Engine& engine, const Group& group) {
  if (group.size() == 0) return {};
  GroupWords words{group.size()};
  const auto name = [&](int rank) {
    return static_cast<std::int64_t>(engine.links().directory().name_of(group.proc(rank)));
  };
  const bool is_regular =
      group.is_regular() && group.stride() != 0 && !spans_jobs(group, engine.process().size());
  words.push_back(is_regular ? group.stride() : 0);
  const int listed = is_regular ? 1 : group.size();
  for (int i = 0; i < listed; ++i) words.push_back(name(i));
  return words;
}

GroupPtr decode_group(Engine& engine, const GroupWords& words) {
  if (words.size() < 3) return Group::regular(ProcId{0}, 1, 0);
  const auto proc = [&](std::int64_t name) {
    return engine.links().directory().proc_of(static_cast<PeerName>(name));
  };
  const std::int64_t stride = words[1];
  const ProcId first = proc(words[2]);
  if (stride != 0 && !engine.links().directory().is_foreign(first)) {
    return Group::regular(first, stride, static_cast<int>(words[0]));
  }
  std::vector<ProcId> members;
  for (std::int64_t i = 0; i < words[0]; ++i) {
    const std::int64_t name =
        stride != 0 ? words[2] + i * stride : words[static_cast<std::size_t>(i) + 2];
    members.push_back(proc(name));
  }
  return Group::of(std::move(members));
}

Bytes bytes_of_words(const GroupWords& words) {
  Bytes bytes(words.size() * sizeof(GroupWords::value_type));
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

GroupWords words_of_bytes(std::span<const std::byte> bytes) {
  GroupWords words(bytes.size() / sizeof(GroupWords::value_type));
  if (!words.empty()) {
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(GroupWords::value_type));
  }
  return words;
}

bool comes_first(const Engine& engine, const Group& a, const Group& b) {
  return engine.links().directory().name_of(a.proc(0)) <
         engine.links().directory().name_of(b.proc(0));
}

}  // namespace remit
