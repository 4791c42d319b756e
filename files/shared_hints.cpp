// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/shared_hints.hpp"

#include <algorithm>
#include <string>

namespace remit {

namespace {

constexpr int kFirstMember = 0;

/// Up to the next zero byte.
std::string take_text(const Bytes& bytes, std::size_t& at) {
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  const auto* const end = std::find(text + at, text + bytes.size(), '\0');
  std::string taken(text + at, end);
  at += taken.size() + 1;
  return taken;
}

}  // namespace

Bytes encode_hints(const HintList& hints) {
  Bytes bytes;
  const auto append = [&](const std::string& text) {
    const auto* const begin = reinterpret_cast<const std::byte*>(text.c_str());
    bytes.insert(bytes.end(), begin, begin + text.size() + 1);
  };
  for (const auto& [key, value] : hints) {
    append(key);
    append(value);
  }
  return bytes;
}

HintList decode_hints(const Bytes& bytes) {
  HintList hints;
  for (std::size_t at = 0; at < bytes.size();) {
    std::string key = take_text(bytes, at);
    if (at >= bytes.size()) break;
    hints.emplace_back(std::move(key), take_text(bytes, at));
  }
  return hints;
}

void take_shared(Process& process, const HintList& of_first, HintMoment moment, FileHints& hints) {
  const HintList mine = hints.same_hints();
  if (mine == of_first) return;
  for (const auto& hint : mine) {
    if (std::find(of_first.begin(), of_first.end(), hint) != of_first.end()) continue;
    process.log().write(LogLevel::warning,
                        "the hint {}={} of a file is another one at the first member, whose counts",
                        hint.first, hint.second);
  }
  hints.take(of_first, moment);
}

Outcome share_hints(const CommCall& call, const ParentComm& comm, const HintList& given,
                    HintMoment moment, FileHints& hints) {
  hints.take(given, moment);
  RootOutcome told;
  if (comm.core.rank == kFirstMember) told.bytes = encode_hints(hints.same_hints());
  if (auto done = tell_members(call, comm, kFirstMember, told); !done) return done;
  take_shared(call.process(), decode_hints(told.bytes), moment, hints);
  return {};
}

}  // namespace remit
