// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The few messages and fields that are needed are written by hand: protobuf is a key (number of the
// field and form of the value) and a value, again and again. Numbers of fields are those of
// protos/perfetto/trace in Perfetto's sources.
#include "programs/profile/perfetto.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

namespace remit::profiles {
namespace {

/// A message of protobuf.
class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3U);
    varint(value);
    return *this;
  }
  Message& fixed64(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3U | 1U);
    for (unsigned i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFFU);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3U | 2U);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

namespace field {
// Trace
constexpr std::uint32_t kPacket = 1;
// TracePacket
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kSequenceFlags = 13;
constexpr std::uint32_t kTrackDescriptor = 60;
// TrackDescriptor
constexpr std::uint32_t kUuid = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kProcess = 3;
constexpr std::uint32_t kParent = 5;
// ProcessDescriptor
constexpr std::uint32_t kPid = 1;
constexpr std::uint32_t kProcessName = 6;
// TrackEvent
constexpr std::uint32_t kAnnotation = 4;
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kTrack = 11;
constexpr std::uint32_t kCategory = 22;
constexpr std::uint32_t kEventName = 23;
constexpr std::uint32_t kFlow = 47;
constexpr std::uint32_t kFlowEnds = 48;
// DebugAnnotation
constexpr std::uint32_t kInteger = 4;
constexpr std::uint32_t kString = 6;
constexpr std::uint32_t kAnnotationName = 10;
}  // namespace field

constexpr std::uint64_t kSliceBegin = 1;
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kInstant = 3;

Message annotation(std::string_view name, std::int64_t value) {
  Message made;
  made.text(field::kAnnotationName, name)
      .number(field::kInteger, static_cast<std::uint64_t>(value));
  return made;
}

Message annotation(std::string_view name, std::string_view value) {
  Message made;
  made.text(field::kAnnotationName, name).text(field::kString, value);
  return made;
}

// One number for both ends of a message; two messages have the same by accident alone.
std::uint64_t flow_of(int from, int to, const MessageEnd& end) {
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
        std::uint64_t{end.context}, static_cast<std::uint64_t>(static_cast<std::uint32_t>(end.tag)),
        std::uint64_t{end.number}}) {
    hash = (hash ^ part) * 0xD6E8FEB86659FD93U;
    hash ^= hash >> 32U;
  }
  return hash;
}

// The end of a slice closes that which began last on its track: where threads share a table, those
// that overlap another one are left out. Each thread of the other tables is in one at a time.
class SharedTrack {
 public:
  // In the order in which they begin.
  template <class Slice>
  bool takes(const Slice& slice) {
    if (slice.thread != kSharedTable) return true;
    if (slice.begin < until_) return false;
    until_ = slice.end;
    return true;
  }

 private:
  std::int64_t until_ = std::numeric_limits<std::int64_t>::min();
};

class Writer {
 public:
  Writer(const Profile& profile, std::ofstream& file) : profile_(profile), file_(file) {}

  void write(const TraceSource& source);

 private:
  // Uuids: of a rank, then of its threads' calls and waits.
  [[nodiscard]] static std::uint64_t track_of(int rank, int thread, bool waits) {
    return (static_cast<std::uint64_t>(rank) + 1) * 64 + static_cast<std::uint64_t>(thread) * 2 +
           (waits ? 2 : 1);
  }
  void packet(const Message& content) {
    Message trace;
    trace.message(field::kPacket, content);
    file_ << trace.bytes();
  }
  void describe(int rank, const RankTrace& trace);
  void event(std::int64_t time, const Message& content);
  void slice(std::uint64_t track, std::int64_t begin, std::int64_t end, Message content);
  [[nodiscard]] Message content_of(const TracedCall& call) const;
  [[nodiscard]] Message content_of(const TracedWait& wait) const;
  void write_end(int rank, const MessageEnd& end);

  const Profile& profile_;
  std::ofstream& file_;
  int rank_ = 0;
};

void Writer::describe(int rank, const RankTrace& trace) {
  const Rank& one = profile_.ranks[static_cast<std::size_t>(rank)];
  const std::uint64_t process = (static_cast<std::uint64_t>(rank) + 1) * 64;
  Message identity;
  // Processes of different hosts may have the same pid: they are numbered.
  identity.number(field::kPid, static_cast<std::uint64_t>(rank) + 1)
      .text(field::kProcessName,
            fmt::format("rank {} on {}, pid {}", one.label, one.host, one.pid));
  Message track;
  track.number(field::kUuid, process).message(field::kProcess, identity);
  Message content;
  content.message(field::kTrackDescriptor, track);
  packet(content);
  std::array<bool, profile::kThreads + 1> has_thread{true};
  for (const TracedCall& call : trace.calls)
    has_thread[static_cast<std::size_t>(call.thread)] = true;
  for (const MessageEnd& end : trace.ends) has_thread[static_cast<std::size_t>(end.thread)] = true;
  for (std::size_t thread = 0; thread < has_thread.size(); ++thread) {
    if (!has_thread[thread]) continue;
    for (const bool waits : {false, true}) {
      const std::string name = thread == 0 ? "MPI" : fmt::format("MPI, thread {}", thread);
      Message one_track;
      one_track.number(field::kUuid, track_of(rank, static_cast<int>(thread), waits))
          .text(field::kName, name + (waits ? ": waiting" : ""))
          .number(field::kParent, process);
      Message described;
      described.message(field::kTrackDescriptor, one_track);
      packet(described);
    }
  }
}

void Writer::event(std::int64_t time, const Message& content) {
  const auto begin = static_cast<std::int64_t>(profile_.begin * 1e9);
  Message made;
  made.number(field::kTimestamp,
              static_cast<std::uint64_t>(std::max<std::int64_t>(begin + time, 0)))
      .number(field::kSequence, static_cast<std::uint64_t>(rank_) + 1)
      .message(field::kTrackEvent, content);
  packet(made);
}

void Writer::slice(std::uint64_t track, std::int64_t begin, std::int64_t end, Message content) {
  content.number(field::kType, kSliceBegin).number(field::kTrack, track);
  event(begin, content);
  Message ending;
  ending.number(field::kType, kSliceEnd).number(field::kTrack, track);
  event(end, ending);
}

Message Writer::content_of(const TracedCall& call) const {
  Message content;
  if (call.site < 0) return content.text(field::kEventName, "MPI");
  const Site& site = profile_.sites[static_cast<std::size_t>(call.site)];
  content.text(field::kEventName, site.place.function).text(field::kCategory, site.chapter);
  content.message(field::kAnnotation, annotation("at", site.place.text()));
  if (call.peer != profile::kUnknownPeer) {
    content.message(field::kAnnotation, annotation("peer", std::int64_t{call.peer}));
  }
  if (call.tag != profile::kNoTag) {
    content.message(field::kAnnotation, annotation("tag", std::int64_t{call.tag}));
  }
  if (call.communicator != 0) {
    content.message(field::kAnnotation,
                    annotation("communicator", fmt::format("{:#x}", call.communicator)));
  }
  if (call.bytes != 0) {
    content.message(field::kAnnotation, annotation("bytes", static_cast<std::int64_t>(call.bytes)));
  }
  if (call.is_open) content.message(field::kAnnotation, annotation("end", "it did not come back"));
  return content;
}

Message Writer::content_of(const TracedWait& wait) const {
  Message content;
  content.text(field::kEventName, fmt::format("waits: {}", name_of(wait.cause)))
      .text(field::kCategory, "wait");
  if (wait.peer >= 0) {
    content.message(
        field::kAnnotation,
        annotation("for rank", profile_.ranks[static_cast<std::size_t>(wait.peer)].label));
  }
  return content;
}

void Writer::write_end(int rank, const MessageEnd& end) {
  Message content;
  content.number(field::kType, kInstant)
      .number(field::kTrack, track_of(rank, end.thread, false))
      .text(field::kEventName, end.is_sent ? "message leaves" : "message is taken")
      .text(field::kCategory, "message")
      .message(field::kAnnotation, annotation("bytes", static_cast<std::int64_t>(end.bytes)))
      .message(field::kAnnotation, annotation("tag", std::int64_t{end.tag}));
  if (end.peer >= 0) {
    content.message(field::kAnnotation,
                    annotation(end.is_sent ? "to rank" : "from rank",
                               profile_.ranks[static_cast<std::size_t>(end.peer)].label));
  }
  if (end.peer >= 0 && end.number != 0) {
    const std::uint64_t flow =
        end.is_sent ? flow_of(rank, end.peer, end) : flow_of(end.peer, rank, end);
    content.fixed64(end.is_sent ? field::kFlow : field::kFlowEnds, flow);
  }
  event(end.at, content);
}

void Writer::write(const TraceSource& source) {
  const RankTrace trace = load_trace(source);
  const int rank = source.rank;
  rank_ = rank;
  Message start;
  // A sequence begins: nothing of it was lost.
  start.number(field::kSequence, static_cast<std::uint64_t>(rank) + 1)
      .number(field::kSequenceFlags, 1);
  packet(start);
  describe(rank, trace);
  SharedTrack calls;
  for (const TracedCall& call : trace.calls) {
    if (!calls.takes(call)) continue;
    slice(track_of(rank, call.thread, false), call.begin, call.end, content_of(call));
  }
  SharedTrack waits;
  for (const TracedWait& wait : trace.waits) {
    if (!waits.takes(wait)) continue;
    slice(track_of(rank, wait.thread, true), wait.begin, wait.end, content_of(wait));
  }
  for (const MessageEnd& end : trace.ends) write_end(rank, end);
}

}  // namespace

Expected<> write_perfetto(const Profile& profile, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  Writer writer(profile, file);
  for (const TraceSource& source : profile.traces) {
    if (file) writer.write(source);
  }
  file.close();
  if (file) return {};
  return fail(MPI_ERR_OTHER, "{} cannot be written: {}", path,
              std::generic_category().message(errno));
}

}  // namespace remit::profiles
