// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The few declarations that are needed of OTF2 3 are here, since its headers need not be installed
// where this is built.
#include "programs/profile/otf2.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <vector>

#include "config.h"

namespace remit::profiles {
namespace {

// --- of OTF2

struct Archive;
struct EventWriter;
struct DefinitionWriter;
struct GlobalWriter;
using Status = int;  // 0: done

struct FlushCallbacks {
  std::uint8_t (*before)(void* user, std::uint8_t file, std::uint64_t location, void* caller,
                         bool is_final);
  std::uint64_t (*after)(void* user, std::uint8_t file, std::uint64_t location);
};

constexpr std::uint8_t kWrite = 0;  // OTF2_FILEMODE_WRITE
constexpr std::uint8_t kPosix = 1;
constexpr std::uint8_t kNoCompression = 1;
constexpr std::uint8_t kFlush = 1;
constexpr std::uint8_t kProcess = 1;        // a group of locations
constexpr std::uint8_t kThread = 1;         // a location
constexpr std::uint8_t kMpi = 4;            // OTF2_PARADIGM_MPI
constexpr std::uint8_t kCommLocations = 4;  // OTF2_GROUP_TYPE_COMM_LOCATIONS
constexpr std::uint8_t kCommGroup = 5;      // OTF2_GROUP_TYPE_COMM_GROUP
constexpr std::uint32_t kUndefined = ~0U;   // OTF2_UNDEFINED_...
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;
constexpr std::int64_t kLead = 1'000'000'000;  // time before the job: no time may be below 0

// A function of the library, by its name behind "OTF2_".
template <class Function>
struct LibraryFunction {
  Function* call = nullptr;
  void find(void* library, const char* name, std::string* missing) {
    call = reinterpret_cast<Function*>(::dlsym(library, name));
    if (call == nullptr && missing->empty()) *missing = name;
  }
};

struct Library {
  LibraryFunction<Archive*(const char*, const char*, std::uint8_t, std::uint64_t, std::uint64_t,
                           std::uint8_t, std::uint8_t)>
      open;
  LibraryFunction<Status(Archive*)> close;
  LibraryFunction<Status(Archive*, const FlushCallbacks*, void*)> set_flush;
  LibraryFunction<Status(Archive*)> set_serial;
  LibraryFunction<Status(Archive*)> open_events;
  LibraryFunction<Status(Archive*)> close_events;
  LibraryFunction<Status(Archive*)> open_definitions;
  LibraryFunction<Status(Archive*)> close_definitions;
  LibraryFunction<EventWriter*(Archive*, std::uint64_t)> event_writer;
  LibraryFunction<Status(Archive*, EventWriter*)> close_event_writer;
  LibraryFunction<DefinitionWriter*(Archive*, std::uint64_t)> definition_writer;
  LibraryFunction<Status(Archive*, DefinitionWriter*)> close_definition_writer;
  LibraryFunction<GlobalWriter*(Archive*)> global_writer;
  LibraryFunction<Status(EventWriter*, void*, std::uint64_t, std::uint32_t)> enter;
  LibraryFunction<Status(EventWriter*, void*, std::uint64_t, std::uint32_t)> leave;
  LibraryFunction<Status(EventWriter*, void*, std::uint64_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint64_t)>
      send;
  LibraryFunction<Status(EventWriter*, void*, std::uint64_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint64_t)>
      receive;
  LibraryFunction<Status(GlobalWriter*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t)>
      clock;
  LibraryFunction<Status(GlobalWriter*, std::uint32_t, const char*)> string;
  LibraryFunction<Status(GlobalWriter*, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)>
      tree_node;
  LibraryFunction<Status(GlobalWriter*, std::uint32_t, std::uint32_t, std::uint8_t, std::uint32_t,
                         std::uint32_t)>
      location_group;
  LibraryFunction<Status(GlobalWriter*, std::uint64_t, std::uint32_t, std::uint8_t, std::uint64_t,
                         std::uint32_t)>
      location;
  LibraryFunction<Status(GlobalWriter*, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint8_t, std::uint8_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t)>
      region;
  LibraryFunction<Status(GlobalWriter*, std::uint32_t, std::uint32_t, std::uint8_t, std::uint8_t,
                         std::uint32_t, std::uint32_t, const std::uint64_t*)>
      group;
  LibraryFunction<Status(GlobalWriter*, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t)>
      communicator;
};

Expected<Library> open_library() {
  void* handle = nullptr;
  for (const char* const name : {"libopen-trace-format2.so.10", "libotf2.so.10"}) {
    if (handle == nullptr) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) {
    return fail(MPI_ERR_OTHER,
                "--otf2 needs libopen-trace-format2.so.10 of OTF2 3, which is not installed "
                "(Debian: libopen-trace-format2-10, or libopen-trace-format2-dev)");
  }
  Library all;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function.find(handle, name, &missing);
  };
  find(all.open, "OTF2_Archive_Open");
  find(all.close, "OTF2_Archive_Close");
  find(all.set_flush, "OTF2_Archive_SetFlushCallbacks");
  find(all.set_serial, "OTF2_Archive_SetSerialCollectiveCallbacks");
  find(all.open_events, "OTF2_Archive_OpenEvtFiles");
  find(all.close_events, "OTF2_Archive_CloseEvtFiles");
  find(all.open_definitions, "OTF2_Archive_OpenDefFiles");
  find(all.close_definitions, "OTF2_Archive_CloseDefFiles");
  find(all.event_writer, "OTF2_Archive_GetEvtWriter");
  find(all.close_event_writer, "OTF2_Archive_CloseEvtWriter");
  find(all.definition_writer, "OTF2_Archive_GetDefWriter");
  find(all.close_definition_writer, "OTF2_Archive_CloseDefWriter");
  find(all.global_writer, "OTF2_Archive_GetGlobalDefWriter");
  find(all.enter, "OTF2_EvtWriter_Enter");
  find(all.leave, "OTF2_EvtWriter_Leave");
  find(all.send, "OTF2_EvtWriter_MpiSend");
  find(all.receive, "OTF2_EvtWriter_MpiRecv");
  find(all.clock, "OTF2_GlobalDefWriter_WriteClockProperties");
  find(all.string, "OTF2_GlobalDefWriter_WriteString");
  find(all.tree_node, "OTF2_GlobalDefWriter_WriteSystemTreeNode");
  find(all.location_group, "OTF2_GlobalDefWriter_WriteLocationGroup");
  find(all.location, "OTF2_GlobalDefWriter_WriteLocation");
  find(all.region, "OTF2_GlobalDefWriter_WriteRegion");
  find(all.group, "OTF2_GlobalDefWriter_WriteGroup");
  find(all.communicator, "OTF2_GlobalDefWriter_WriteComm");
  if (missing.empty()) return all;
  return fail(MPI_ERR_OTHER, "--otf2: the installed library of OTF2 has no {}: use OTF2 3",
              missing);
}

std::uint8_t flush_always(void* /*user*/, std::uint8_t /*file*/, std::uint64_t /*location*/,
                          void* /*caller*/, bool /*is_final*/) {
  return kFlush;
}

// --- of the trace

struct Event {
  enum class Kind : std::uint8_t { enter, leave, sent, received };
  std::int64_t time;
  Kind kind;
  std::uint32_t region = 0;  // or the peer of a message, its place among sources
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

class Writer {
 public:
  Writer(const Profile& profile, Library library) : profile_(profile), library_(library) {}

  Expected<> write(const std::string& folder);

 private:
  // Regions: call sites, then a call from nowhere, then waits by their cause.
  [[nodiscard]] std::uint32_t region_of(int site) const {
    const auto sites = static_cast<std::uint32_t>(profile_.sites.size());
    return site < 0 ? sites : static_cast<std::uint32_t>(site);
  }
  [[nodiscard]] std::uint32_t region_of(profile::Cause cause) const {
    return static_cast<std::uint32_t>(profile_.sites.size()) + 1 +
           static_cast<std::uint32_t>(cause);
  }
  [[nodiscard]] static std::uint64_t location_of(std::size_t source, int thread) {
    return source * 16 + static_cast<std::uint64_t>(thread);
  }
  void check(Status status) {
    if (status != 0 && status_ == 0) status_ = status;
  }
  void write_source(std::size_t source);
  void write_thread(std::size_t source, int thread, const RankTrace& trace);
  [[nodiscard]] std::vector<Event> events_of(int thread, const RankTrace& trace) const;
  void write_event(EventWriter* writer, const Event& event);
  void define();
  void define_regions();
  void define_places();
  void define_communicators();
  std::uint32_t text(const std::string& value);

  const Profile& profile_;
  Library library_;
  Archive* archive_ = nullptr;
  GlobalWriter* global_ = nullptr;
  Status status_ = 0;
  std::map<int, std::uint32_t> source_of_rank_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> locations_;  // and their events
  std::set<std::uint32_t> contexts_;
  std::map<std::string, std::uint32_t> texts_;
  std::int64_t last_ = 0;
};

// Calls of a thread follow each other; where those of several share a table, one that begins in the
// midst of another one is left out. Waits lie inside of calls.
std::vector<Event> Writer::events_of(int thread, const RankTrace& trace) const {
  std::vector<Event> events;
  std::int64_t until = 0;
  auto wait = trace.waits.begin();
  for (const TracedCall& call : trace.calls) {
    if (call.thread != thread || call.begin < until) continue;
    const std::uint32_t region = region_of(call.site);
    events.push_back({call.begin, Event::Kind::enter, region});
    until = call.begin;
    for (; wait != trace.waits.end() && wait->begin < call.end; ++wait) {
      const std::int64_t begin = std::max(wait->begin, until);
      const std::int64_t end = std::min(wait->end, call.end);
      if (wait->thread != thread || begin >= end) continue;
      events.push_back({begin, Event::Kind::enter, region_of(wait->cause)});
      events.push_back({end, Event::Kind::leave, region_of(wait->cause)});
      until = end;
    }
    events.push_back({call.end, Event::Kind::leave, region});
    until = call.end;
  }
  for (const MessageEnd& end : trace.ends) {
    const auto peer = source_of_rank_.find(end.peer);
    if (std::min<int>(end.thread, kSharedTable) != thread || peer == source_of_rank_.end()) {
      continue;
    }
    events.push_back({end.at, end.is_sent ? Event::Kind::sent : Event::Kind::received, peer->second,
                      end.context, end.tag, end.bytes});
  }
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
}

void Writer::write_event(EventWriter* writer, const Event& event) {
  const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(event.time + kLead, 0));
  const auto tag = static_cast<std::uint32_t>(event.tag);
  last_ = std::max(last_, event.time + kLead);
  switch (event.kind) {
    case Event::Kind::enter:
      return check(library_.enter.call(writer, nullptr, time, event.region));
    case Event::Kind::leave:
      return check(library_.leave.call(writer, nullptr, time, event.region));
    case Event::Kind::sent:
      contexts_.insert(event.context);
      return check(
          library_.send.call(writer, nullptr, time, event.region, event.context, tag, event.bytes));
    case Event::Kind::received:
      contexts_.insert(event.context);
      return check(library_.receive.call(writer, nullptr, time, event.region, event.context, tag,
                                         event.bytes));
  }
}

void Writer::write_thread(std::size_t source, int thread, const RankTrace& trace) {
  const std::vector<Event> events = events_of(thread, trace);
  EventWriter* const writer = library_.event_writer.call(archive_, location_of(source, thread));
  if (writer == nullptr) return check(1);
  for (const Event& event : events) write_event(writer, event);
  check(library_.close_event_writer.call(archive_, writer));
  locations_.emplace_back(location_of(source, thread), events.size());
}

void Writer::write_source(std::size_t source) {
  const RankTrace trace = load_trace(profile_.traces[source]);
  std::set<int> threads{0};
  for (const TracedCall& call : trace.calls) threads.insert(call.thread);
  for (const MessageEnd& end : trace.ends) {
    threads.insert(std::min<int>(end.thread, kSharedTable));
  }
  for (const int thread : threads) write_thread(source, thread, trace);
}

std::uint32_t Writer::text(const std::string& value) {
  const auto [place, is_new] = texts_.try_emplace(value, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) check(library_.string.call(global_, place->second, value.c_str()));
  return place->second;
}

void Writer::define_regions() {
  constexpr std::uint8_t kFunction = 1;
  constexpr std::uint8_t kArtificial = 31;
  const auto add = [this](std::uint32_t number, const std::string& name, const std::string& what,
                          std::uint8_t role, const std::string& file, int line) {
    const std::uint32_t named = text(name);
    const std::uint32_t described = text(what);
    const std::uint32_t source = file.empty() ? kUndefined : text(file);
    check(library_.region.call(global_, number, named, named, described, role, kMpi, 0, source,
                               static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(line)));
  };
  for (std::size_t i = 0; i < profile_.sites.size(); ++i) {
    const Place& place = profile_.sites[i].place;
    add(static_cast<std::uint32_t>(i), place.function, place.text(), kFunction, place.file,
        place.line);
  }
  add(region_of(-1), "MPI", "a call from an unknown place", kFunction, "", 0);
  for (std::size_t i = 0; i < profile::kCauses; ++i) {
    const auto cause = static_cast<profile::Cause>(i);
    add(region_of(cause), std::string("waits: ") + name_of(cause), "inside of a call", kArtificial,
        "", 0);
  }
}

void Writer::define_places() {
  check(library_.tree_node.call(global_, 0, text("job"), text("machine"), kUndefined));
  std::map<std::string, std::uint32_t> hosts;
  for (std::size_t i = 0; i < profile_.traces.size(); ++i) {
    const Rank& rank = profile_.ranks[static_cast<std::size_t>(profile_.traces[i].rank)];
    const auto [host, is_new] =
        hosts.try_emplace(rank.host, static_cast<std::uint32_t>(hosts.size() + 1));
    if (is_new) {
      check(library_.tree_node.call(global_, host->second, text(rank.host), text("node"), 0));
    }
    check(library_.location_group.call(global_, static_cast<std::uint32_t>(i),
                                       text("rank " + rank.label), kProcess, host->second,
                                       kUndefined));
  }
  for (const auto& [location, events] : locations_) {
    const auto thread = location % 16;
    check(library_.location.call(
        global_, location, text(thread == 0 ? "main thread" : "thread " + std::to_string(thread)),
        kThread, events, static_cast<std::uint32_t>(location / 16)));
  }
}

// Who is in a communicator the traces do not say: each has all ranks, in their order.
void Writer::define_communicators() {
  std::vector<std::uint64_t> locations;
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 0; i < profile_.traces.size(); ++i) {
    locations.push_back(location_of(i, 0));
    ranks.push_back(i);
  }
  const auto count = static_cast<std::uint32_t>(ranks.size());
  check(library_.group.call(global_, 0, text("ranks"), kCommLocations, kMpi, 0, count,
                            locations.data()));
  check(
      library_.group.call(global_, 1, text("all ranks"), kCommGroup, kMpi, 0, count, ranks.data()));
  for (const std::uint32_t context : contexts_) {
    check(library_.communicator.call(
        global_, context, text("communicator " + std::to_string(context)), 1, kUndefined, 0));
  }
}

void Writer::define() {
  check(library_.open_definitions.call(archive_));
  for (const auto& [location, events] : locations_) {
    DefinitionWriter* const writer = library_.definition_writer.call(archive_, location);
    if (writer == nullptr) return check(1);
    check(library_.close_definition_writer.call(archive_, writer));
  }
  check(library_.close_definitions.call(archive_));
  global_ = library_.global_writer.call(archive_);
  if (global_ == nullptr) return check(1);
  const auto begin = static_cast<std::uint64_t>(profile_.begin * 1e9);
  check(library_.clock.call(global_, kTicksPerSecond, 0, static_cast<std::uint64_t>(last_) + 1,
                            begin - static_cast<std::uint64_t>(kLead)));
  text("");
  define_regions();
  define_places();
  define_communicators();
}

Expected<> Writer::write(const std::string& folder) {
  archive_ = library_.open.call(folder.c_str(), "traces", kWrite, std::uint64_t{1} << 20U,
                                std::uint64_t{4} << 20U, kPosix, kNoCompression);
  if (archive_ == nullptr) {
    return fail(MPI_ERR_OTHER, "--otf2 {}: OTF2 cannot make an archive there", folder);
  }
  for (std::size_t i = 0; i < profile_.traces.size(); ++i) {
    source_of_rank_[profile_.traces[i].rank] = static_cast<std::uint32_t>(i);
  }
  // Without a time for its end the library notes no flush among the events.
  static constexpr FlushCallbacks kCallbacks{flush_always, nullptr};
  check(library_.set_flush.call(archive_, &kCallbacks, nullptr));
  check(library_.set_serial.call(archive_));
  check(library_.open_events.call(archive_));
  for (std::size_t i = 0; i < profile_.traces.size(); ++i) write_source(i);
  check(library_.close_events.call(archive_));
  define();
  check(library_.close.call(archive_));
  if (status_ == 0) return {};
  return fail(MPI_ERR_OTHER, "--otf2 {}: OTF2 reports error {}", folder, status_);
}

}  // namespace

Expected<> write_otf2(const Profile& profile, const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    return fail(MPI_ERR_ARG, "--otf2 {}: is there already: name a new folder", folder);
  }
  Expected<Library> library = open_library();
  if (!library) return tl::unexpected(library.error());
  return Writer(profile, *library).write(folder);
}

}  // namespace remit::profiles
