// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Events of MPI_T (docs/events.md). Only those are armed that tell of waiting, which are raised
// where a call has waited anyway; how messages went is read from counters at the end. With a trace
// those of messages, too.
#include "tool/profile/inside.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "mpi.h"
#include "tool/profile/functions.hpp"
#include "tool/profile/peers.hpp"
#include "tool/profile/recorder.hpp"

namespace remit::profile {
namespace {

// The functions of MPI_T that are used; null ones are those of a library without events.
struct Tool {
  decltype(MPI_T_init_thread)* init = library<decltype(MPI_T_init_thread)>("PMPI_T_init_thread");
  decltype(MPI_T_event_get_index)* index =
      library<decltype(MPI_T_event_get_index)>("PMPI_T_event_get_index");
  decltype(MPI_T_event_get_info)* info =
      library<decltype(MPI_T_event_get_info)>("PMPI_T_event_get_info");
  decltype(MPI_T_event_handle_alloc)* alloc =
      library<decltype(MPI_T_event_handle_alloc)>("PMPI_T_event_handle_alloc");
  decltype(MPI_T_event_register_callback)* listen =
      library<decltype(MPI_T_event_register_callback)>("PMPI_T_event_register_callback");
  decltype(MPI_T_event_read)* read = library<decltype(MPI_T_event_read)>("PMPI_T_event_read");
  decltype(MPI_T_event_copy)* copy = library<decltype(MPI_T_event_copy)>("PMPI_T_event_copy");
  decltype(MPI_T_enum_get_info)* enum_info =
      library<decltype(MPI_T_enum_get_info)>("PMPI_T_enum_get_info");
  decltype(MPI_T_enum_get_item)* enum_item =
      library<decltype(MPI_T_enum_get_item)>("PMPI_T_enum_get_item");

  [[nodiscard]] bool is_whole() const {
    return init != nullptr && index != nullptr && info != nullptr && alloc != nullptr &&
           listen != nullptr && read != nullptr && copy != nullptr && enum_info != nullptr &&
           enum_item != nullptr;
  }
};

const Tool& tool() {
  static const Tool functions;
  return functions;
}

constexpr std::size_t kMostElements = 16;

constexpr std::size_t kMostItems = 1024;
constexpr std::uint8_t kNoCause = 255;
std::array<std::uint8_t, kMostItems> cause_of_item{};

template <class Value>
Value element(MPI_T_event_instance event, int index) {
  Value value{};
  tool().read(event, index, &value);
  return value;
}

// The names of causes, as the enumeration of wait_ended has them.
std::uint8_t cause_named(std::string_view name) {
  if (name == "late_sender") return static_cast<std::uint8_t>(Cause::late_sender);
  if (name == "late_receiver") return static_cast<std::uint8_t>(Cause::late_receiver);
  if (name == "collective") return static_cast<std::uint8_t>(Cause::others);
  if (name == "lock") return static_cast<std::uint8_t>(Cause::lock);
  if (name == "starved") return static_cast<std::uint8_t>(Cause::starved);
  if (name == "other") return static_cast<std::uint8_t>(Cause::other);
  return kNoCause;
}

void read_causes(MPI_T_enum type) {
  std::array<char, 256> name{};
  int length = static_cast<int>(name.size());
  int items = 0;
  if (tool().enum_info(type, &items, name.data(), &length) != MPI_SUCCESS) return;
  for (int i = 0; i < items; ++i) {
    int value = -1;
    length = static_cast<int>(name.size());
    if (tool().enum_item(type, i, &value, name.data(), &length) != MPI_SUCCESS || value < 0 ||
        value >= static_cast<int>(kMostItems)) {
      continue;
    }
    cause_of_item[static_cast<std::size_t>(value)] = cause_named(name.data());
  }
}

std::int32_t known_rank(std::int32_t peer) {
  return peer >= 0 && peer < record().ranks ? peer : kUnknownPeer;
}

// A blocking collective operation: of these collective_ended tells all.
bool is_collective(const SiteRecord* site) {
  if (site == nullptr) return false;
  const FunctionRow& row = kFunctionRows[site->function];
  return std::string_view(row.chapter) == "coll" && row.name[std::strlen("MPI_")] != 'I';
}

// Who came last to an operation that ended in the call that began then. Of nonblocking operations
// it is the wait that tells how long it was.
struct LastMember {
  std::uint64_t call_ticks;
  std::int32_t rank;
};
thread_local LastMember last_member [[gnu::tls_model("initial-exec")]];

std::uint64_t own_call() {
  const Local& local = local_state;
  return local.state == nullptr ? 0 : local.state->table->current.since_ticks;
}

void wait_ended(MPI_T_event_instance event, MPI_T_event_registration /*registration*/,
                MPI_T_cb_safety /*safety*/, void* /*data*/) {
  // What was copied meanwhile is not waited for, and mostly came behind it. A library may not tell:
  // then it is 0.
  const auto copied_ns = element<std::int64_t>(event, 6);
  const std::int64_t blocked_ns = element<std::int64_t>(event, 4) - copied_ns;
  const auto item = static_cast<std::size_t>(element<int>(event, 5));
  if (blocked_ns <= 0) return;
  const std::uint8_t number = item < kMostItems ? cause_of_item[item] : kNoCause;
  const Cause cause = number == kNoCause ? Cause::other : static_cast<Cause>(number);
  std::int32_t peer = known_rank(element<std::int32_t>(event, 1));
  if (cause == Cause::others) {
    if (is_collective(local_state.site)) return;
    if (last_member.call_ticks == own_call() && last_member.rank >= 0) peer = last_member.rank;
  }
  add_wait(cause, peer, static_cast<std::uint64_t>(blocked_ns),
           static_cast<std::uint64_t>(copied_ns));
}

void collective_ended(MPI_T_event_instance event, MPI_T_event_registration /*registration*/,
                      MPI_T_cb_safety /*safety*/, void* /*data*/) {
  const std::int32_t peer = known_rank(element<std::int32_t>(event, 4));
  last_member = {own_call(), peer};
  const auto waited_ns = element<std::int64_t>(event, 5);
  if (waited_ns <= 0 || !is_collective(local_state.site)) return;
  add_wait(Cause::others, peer, static_cast<std::uint64_t>(waited_ns), 0);
}

// Where the elements of an event lie in a copy of it.
using Places = std::array<MPI_Aint, kMostElements>;
constexpr std::size_t kMostBytes = 64;  // of a copy
Places places_of_sent{};
Places places_of_received{};

// A communicator of the program has a multiple of this as its context; its other messages are the
// library's own.
constexpr std::uint32_t kContextsEach = 8;

// The first message that a call sends leaves when the call begins: the clock was read then. Of a
// message that is received, or is one of many, that is not so.
std::uint64_t time_of(TraceKind kind) {
  thread_local constinit std::uint64_t last_call [[gnu::tls_model("initial-exec")]] = 0;
  const Local& local = local_state;
  if (kind != TraceKind::sent || local.site == nullptr || local.state == nullptr) return ticks();
  const std::uint64_t begin = local.state->table->current.since_ticks;
  return std::exchange(last_call, begin) == begin ? ticks() : begin;
}

template <TraceKind kind>
void message(MPI_T_event_instance event, const Places& places) {
  alignas(std::int64_t) std::array<std::byte, kMostBytes> copy;
  if (trace_file == nullptr || tool().copy(event, copy.data()) != MPI_SUCCESS) return;
  const auto read = [&]<class Value>(std::size_t at, Value& value) {
    std::memcpy(&value, copy.data() + places[at], sizeof value);
  };
  std::int32_t peer = kUnknownPeer;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  std::int64_t unexpected_ns = 0;
  read(1, context);
  if (context % kContextsEach != 0) return;
  read(0, peer);
  read(2, tag);
  read(3, bytes);
  if constexpr (kind == TraceKind::received) read(4, unexpected_ns);
  const Local& local = local_state;
  const std::uint8_t thread = local.state == nullptr ? kThreads : local.state->number;
  trace_message({kind, known_rank(peer), context, tag, bytes, thread,
                 !local.is_paused && !local.is_gone, unexpected_ns != 0, time_of(kind)});
}

void message_left(MPI_T_event_instance event, MPI_T_event_registration /*registration*/,
                  MPI_T_cb_safety /*safety*/, void* /*data*/) {
  message<TraceKind::sent>(event, places_of_sent);
}

void message_taken(MPI_T_event_instance event, MPI_T_event_registration /*registration*/,
                   MPI_T_cb_safety /*safety*/, void* /*data*/) {
  message<TraceKind::received>(event, places_of_received);
}

// False: the library does not have it. `kept`: where its elements lie, if that is of interest.
bool attach(const char* name, MPI_T_event_cb_function* callback, bool has_causes,
            Places* kept = nullptr) {
  const Tool& all = tool();
  int index = -1;
  if (all.index(name, &index) != MPI_SUCCESS) return false;
  std::array<MPI_Datatype, kMostElements> types{};
  Places places{};
  int elements = kMostElements;
  int verbosity = 0;
  int bind = 0;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  int name_length = 0;
  int text_length = 0;
  if (all.info(index, nullptr, &name_length, &verbosity, types.data(), places.data(), &elements,
               &enumeration, nullptr, nullptr, &text_length, &bind) != MPI_SUCCESS) {
    return false;
  }
  if (kept != nullptr) {
    const auto used = std::span(places).first(static_cast<std::size_t>(elements));
    if (used.size() < 5 || used.back() + MPI_Aint{8} > MPI_Aint{kMostBytes}) return false;
    *kept = places;
  }
  if (has_causes && enumeration != MPI_T_ENUM_NULL) read_causes(enumeration);
  MPI_T_event_registration registration = nullptr;
  return all.alloc(index, nullptr, MPI_INFO_NULL, &registration) == MPI_SUCCESS &&
         all.listen(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, nullptr, callback) ==
             MPI_SUCCESS;
}

// The functions for performance variables; null ones are those of a library without.
struct Counters {
  decltype(MPI_T_pvar_get_num)* number =
      library<decltype(MPI_T_pvar_get_num)>("PMPI_T_pvar_get_num");
  decltype(MPI_T_pvar_get_info)* info =
      library<decltype(MPI_T_pvar_get_info)>("PMPI_T_pvar_get_info");
  decltype(MPI_T_pvar_session_create)* open =
      library<decltype(MPI_T_pvar_session_create)>("PMPI_T_pvar_session_create");
  decltype(MPI_T_pvar_handle_alloc)* alloc =
      library<decltype(MPI_T_pvar_handle_alloc)>("PMPI_T_pvar_handle_alloc");
  decltype(MPI_T_pvar_start)* start = library<decltype(MPI_T_pvar_start)>("PMPI_T_pvar_start");
  decltype(MPI_T_pvar_read)* read = library<decltype(MPI_T_pvar_read)>("PMPI_T_pvar_read");

  [[nodiscard]] bool is_whole() const {
    return number != nullptr && info != nullptr && open != nullptr && alloc != nullptr &&
           start != nullptr && read != nullptr;
  }
};

const Counters& counters_of_library() {
  static const Counters functions;
  return functions;
}

struct CounterHandle {
  MPI_T_pvar_handle handle;
  bool is_peak;
  std::array<char, 54> name;
};
MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
std::array<CounterHandle, kCounters> handles{};
std::size_t handle_count = 0;

// Of a variable that is one number of 64 bits, which belongs to no object; false: it is none.
bool open_counter(int index, CounterHandle& made) {
  const Counters& tool = counters_of_library();
  int name_length = static_cast<int>(made.name.size());
  int verbosity = 0;
  int kind = 0;
  int text_length = 0;
  int bind = 0;
  int readonly = 0;
  int continuous = 0;
  int atomic = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum items = MPI_T_ENUM_NULL;
  if (tool.info(index, made.name.data(), &name_length, &verbosity, &kind, &type, &items, nullptr,
                &text_length, &bind, &readonly, &continuous, &atomic) != MPI_SUCCESS) {
    return false;
  }
  const bool is_number = type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG ||
                         type == MPI_UINT64_T || type == MPI_COUNT;
  made.is_peak = kind == MPI_T_PVAR_CLASS_HIGHWATERMARK;
  const bool is_sum = kind == MPI_T_PVAR_CLASS_COUNTER || kind == MPI_T_PVAR_CLASS_TIMER ||
                      kind == MPI_T_PVAR_CLASS_AGGREGATE;
  int count = 0;
  if (!is_number || !(is_sum || made.is_peak) || bind != MPI_T_BIND_NO_OBJECT ||
      tool.alloc(session, index, nullptr, &made.handle, &count) != MPI_SUCCESS || count != 1) {
    return false;
  }
  return continuous != 0 || tool.start(session, made.handle) == MPI_SUCCESS;
}

void open_counters() {
  const Counters& tool = counters_of_library();
  int count = 0;
  if (!tool.is_whole() || tool.number(&count) != MPI_SUCCESS ||
      tool.open(&session) != MPI_SUCCESS) {
    return;
  }
  for (int index = 0; index < count && handle_count < handles.size(); ++index) {
    CounterHandle& next = handles[handle_count];
    if (!open_counter(index, next)) continue;
    if (std::string_view(next.name.data()) == kCopiedCounter) record().tells |= kTellsCopies;
    ++handle_count;
  }
}

}  // namespace

void attach_inside() {
  static bool done = false;
  if (done) return;
  done = true;
  cause_of_item.fill(kNoCause);
  int provided = 0;
  if (!tool().is_whole() || tool().init(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) return;
  if (attach("wait_ended", wait_ended, true)) record().tells |= kTellsWaits;
  if (attach("collective_ended", collective_ended, false)) record().tells |= kTellsCollectives;
  if (trace_file != nullptr && attach("protocol_chosen", message_left, false, &places_of_sent) &&
      attach("message_matched", message_taken, false, &places_of_received)) {
    record().tells |= kTellsMessages;
  }
  open_counters();
}

void read_inside() {
  Record& all = record();
  const Counters& tool = counters_of_library();
  all.counter_count = 0;
  for (std::size_t i = 0; i < handle_count; ++i) {
    std::uint64_t value = 0;
    if (tool.read(session, handles[i].handle, &value) != MPI_SUCCESS || value == 0) continue;
    CounterRecord& row = all.counters[all.counter_count++];
    row.name = handles[i].name;
    row.is_peak = handles[i].is_peak ? 1 : 0;
    row.value = value;
  }
}

void read_inside_at_exit() {
  const auto is_over = library<decltype(MPI_Finalized)>("PMPI_Finalized");
  int over = 0;
  if (handle_count == 0 || record().counter_count != 0 || is_over == nullptr) return;
  if (is_over(&over) == MPI_SUCCESS && over != 0) read_inside();
}

}  // namespace remit::profile
