// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Lists of numbers, whose names stand in front of them once. Times are nanoseconds; of the calls of
// a row each has that since the one before it began, which is short.
#include "programs/profile/trace_json.hpp"

#include "programs/profile/profile.hpp"

namespace remit::profiles {
namespace {

using Json = nlohmann::ordered_json;

Json row_of(const DrawnRow& row) {
  Json calls = Json::array();
  std::int64_t before = 0;
  for (const DrawnCall& call : row.calls) {
    for (const std::int64_t number :
         {call.begin - before, call.end - call.begin, std::int64_t{call.site},
          std::int64_t{call.peer}, static_cast<std::int64_t>(call.bytes),
          static_cast<std::int64_t>(call.calls), call.inside}) {
      calls.push_back(number);
    }
    before = call.begin;
  }
  Json waits = Json::array();
  before = 0;
  for (const DrawnWait& wait : row.waits) {
    for (const std::int64_t number :
         {wait.begin - before, wait.end - wait.begin, std::int64_t{wait.peer},
          static_cast<std::int64_t>(wait.cause)}) {
      waits.push_back(number);
    }
    before = wait.begin;
  }
  return {{"rank", row.rank},
          {"thread", row.thread},
          {"calls", std::move(calls)},
          {"waits", std::move(waits)}};
}

// Ranks are indices into the page's list of them.
Json arrows_of(const TraceDigest& digest) {
  Json arrows = Json::array();
  std::int64_t before = 0;
  for (const JoinedMessage& message : digest.arrows) {
    for (const std::int64_t number :
         {std::int64_t{message.from}, std::int64_t{message.from_thread}, std::int64_t{message.to},
          std::int64_t{message.to_thread}, message.sent - before, message.received - message.sent,
          static_cast<std::int64_t>(message.bytes), std::int64_t{message.tag}}) {
      arrows.push_back(number);
    }
    before = message.sent;
  }
  return arrows;
}

}  // namespace

Json trace_of(const TraceDigest& digest) {
  if (digest.rows.empty()) return nullptr;
  Json rows = Json::array();
  for (const DrawnRow& row : digest.rows) rows.push_back(row_of(row));
  Json causes = Json::array();
  for (std::size_t i = 0; i < profile::kCauses; ++i) {
    causes.push_back(name_of(static_cast<profile::Cause>(i)));
  }
  Json within = nullptr;
  if (digest.within_ns != HostClock::kUnknown) within = digest.within_ns;
  return {
      {"calls", digest.calls},
      {"waits", digest.waits},
      {"messages", digest.messages},
      {"sent", digest.sent},
      {"received", digest.received},
      {"overwritten", digest.overwritten},
      {"moved", digest.moved},
      {"clocks_within_ns", std::move(within)},
      {"end_ns", digest.end},
      {"notes", digest.notes},
      {"causes", std::move(causes)},
      {"call_columns", {"begin", "took", "site", "peer", "bytes", "calls", "inside"}},
      {"wait_columns", {"begin", "took", "peer", "cause"}},
      {"arrow_columns", {"from", "from_thread", "to", "to_thread", "sent", "took", "bytes", "tag"}},
      {"rows", std::move(rows)},
      {"arrows", arrows_of(digest)}};
}

}  // namespace remit::profiles
