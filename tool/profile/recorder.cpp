// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The long ways of the recorder: threads that come and go, calls inside of calls, time that spans
// columns, and what is written down now and then.
#include "tool/profile/recorder.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>

#include "tool/profile/functions.hpp"
#include "tool/profile/inside.hpp"
#include "tool/profile/modules.hpp"
#include "tool/profile/peers.hpp"
#include "tool/profile/record_file.hpp"
#include "tool/profile/spin_lock.hpp"

namespace remit::profile {

constinit thread_local Local local_state [[gnu::tls_model("initial-exec")]] = {};
std::uint64_t start_ticks = 0;
constinit std::atomic<bool> is_shared = false;

namespace {

constexpr std::uint64_t kSyncNs = 8'000'000;  // that takes a microsecond
constexpr std::uint64_t kFirstSyncNs = 1'000'000;
constexpr std::uint64_t kFirstColumnNs = 1'000'000;

// The one recorder of a process.
struct Recorder {
  std::atomic<Record*> record = nullptr;
  SpinLock lock;                                // of what follows, and of the shared table
  std::array<ThreadState*, kThreads> states{};  // null: nobody has come so far
  std::array<bool, kThreads> in_use{};
  std::uint64_t sync_ticks = 0;
  double ticks_per_ns = 1;
  bool without_calls = false;  // waits belong to the first site
  pthread_key_t ends{};        // its destructor tells of the ends of threads
};

Recorder& recorder() {
  static constinit Recorder instance;
  return instance;
}

// The thread ends: its table is free for another one.
void thread_ends(void* /*state*/) {
  Local& local = local_state;
  local.is_gone = true;
  local.free = nullptr;
  Recorder& all = recorder();
  const SpinLock::Holder holder(all.lock);
  for (std::size_t i = 0; i + 1 < kThreads; ++i) {
    if (all.states[i] != nullptr && all.states[i] == local.state) all.in_use[i] = false;
  }
  local.state = nullptr;
}

// A child must not write to its parent's record: it gets memory of its own in the same place.
void forked() {
  Record* const record = recorder().record.load();
  (void)::mmap(record, sizeof(Record), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  leave_trace();
}

std::uint64_t ticks_of(const Record& record, std::uint64_t ns) {
  const std::uint64_t span_ns = record.last.monotonic_ns - record.first.monotonic_ns;
  if (span_ns == 0) return ns;
  const double rate =
      static_cast<double>(record.last.ticks - record.first.ticks) / static_cast<double>(span_ns);
  return static_cast<std::uint64_t>(static_cast<double>(ns) * rate);
}

ThreadState* make_state(ThreadTable& table, std::uint8_t number) {
  void* const memory = ::mmap(nullptr, sizeof(ThreadState), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const state = static_cast<ThreadState*>(memory);
  state->table = &table;
  state->number = number;
  return state;
}

// What an empty call takes, in sixteenths of a tick, on a table of nobody.
std::uint64_t measure_cost() {
  constexpr int kCalls = 512;
  constexpr std::uint64_t kAddress = 0x1000;
  void* const memory = ::mmap(nullptr, sizeof(ThreadTable), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  auto& table = *static_cast<ThreadTable*>(memory);
  table.column_shift = 40;
  ThreadState* const state = make_state(table, 0);
  std::uint64_t least = ~std::uint64_t{0};
  const CallStack kept_stack = call_stack;  // of the call that opens the record
  if (state != nullptr) {
    state->next_sync = ~std::uint64_t{0};
    Local& local = local_state;
    ThreadState* const kept = local.free;
    SiteRecord& site = table.sites[0];
    site = {};
    site.address = kAddress;
    table.site_count = 1;
    const std::uint64_t key = records_stacks() ? key_behind(kAddress, nullptr) : kAddress;
    state->keys[0] = key;
    state->index[index_slot(key)] = 1;
    for (int round = 0; round < 4; ++round) {
      const std::uint64_t begin = ticks();
      for (int i = 0; i < kCalls; ++i) {
        local.free = state;
        const Call call = enter(0, reinterpret_cast<void*>(kAddress), nullptr);
        leave(call, ticks(), {Traffic::send, 8}, {});
      }
      least = std::min(least, (ticks() - begin) * 16 / kCalls);
    }
    local.free = kept;
    ::munmap(state, sizeof(ThreadState));
  }
  call_stack = kept_stack;
  ::munmap(memory, sizeof(ThreadTable));
  return least;
}

void open_record() {
  Recorder& all = recorder();
  choose_clock();
  Record* const made = open_record_file();
  start_ticks = made->first.ticks;
  all.sync_ticks = ticks_of(*made, kSyncNs);
  all.ticks_per_ns = static_cast<double>(all.sync_ticks) / static_cast<double>(kSyncNs);
  prepare_call_stacks();
  made->has_stacks = records_stacks() && reserve_frames() ? 1 : 0;
  open_trace(record_path());
  made->cost_ticks = measure_cost();
  clear_trace();
  made->init_ticks = ticks();
  ::pthread_key_create(&all.ends, thread_ends);
  ::pthread_atfork(nullptr, nullptr, forked);
  made->stage = Stage::running;
  all.record.store(made, std::memory_order_release);
}

// The caller holds the lock.
ThreadState* take_table(Recorder& all) {
  Record& record = *all.record.load(std::memory_order_relaxed);
  std::size_t at = 0;
  while (at + 1 < kThreads && all.in_use[at]) ++at;
  if (all.states[at] == nullptr) {
    if (!reserve_table(record.threads[at])) return nullptr;
    all.states[at] = make_state(record.threads[at], static_cast<std::uint8_t>(at));
    if (all.states[at] == nullptr) return nullptr;
    ThreadTable& table = record.threads[at];
    table.first_ticks = ticks();
    table.column_shift = static_cast<std::uint64_t>(
        std::bit_width(std::max<std::uint64_t>(ticks_of(record, kFirstColumnNs), 1)));
    all.states[at]->next_sync = ticks() + ticks_of(record, kFirstSyncNs);
  }
  all.in_use[at] = true;
  ++record.threads[at].threads;
  return all.states[at];
}

bool is_last(const Recorder& all, const ThreadState* state) {
  return state != nullptr && state == all.states[kThreads - 1];
}

// A thread's first call. False: it cannot be recorded.
bool join(Local& local) {
  Recorder& all = recorder();
  const SpinLock::Holder holder(all.lock);
  if (all.record.load(std::memory_order_acquire) == nullptr) {
    open_record();
  } else {
    is_shared = true;
  }
  local.state = take_table(all);
  if (local.state == nullptr) return false;
  ::pthread_setspecific(all.ends, local.state);
  return true;
}

}  // namespace

Record& record() {
  return *recorder().record.load(std::memory_order_acquire);
}

SiteRecord* add_site(ThreadState& state, FunctionId function, std::uint64_t key) {
  ThreadTable& table = *state.table;
  if (table.site_count + 1 >= kSites) {  // one place for all beyond
    SiteRecord& rest = table.sites[kSites - 1];
    if (table.site_count + 1 == kSites) ++table.site_count;
    rest.module = kModules;
    ++record().without_names;
    return &rest;
  }
  const auto at = static_cast<std::size_t>(table.site_count);
  SiteRecord& site = table.sites[at];
  site = {};
  site.function = function;
  describe_call_site(record(), key, site);
  state.keys[at] = key;
  std::size_t slot = index_slot(key);
  while (state.index[slot] != 0) slot = (slot + 1) % state.index.size();
  state.index[slot] = static_cast<std::uint16_t>(at + 1);
  std::atomic_signal_fence(std::memory_order_release);
  table.site_count = at + 1;
  return &site;
}

Call enter_long(FunctionId function, std::uint64_t key) {
  Local& local = local_state;
  if (local.is_gone || local.is_paused) return {};
  if (local.state == nullptr) {
    if (!join(local)) {
      local.is_paused = true;
      return {};
    }
    Recorder& all = recorder();
    if (!is_last(all, local.state)) {
      local.free = local.state;
      return enter_at(function, key, kUnknownPeer);
    }
  }
  Recorder& all = recorder();
  const bool last = is_last(all, local.state);
  if (last) all.lock.lock();
  SiteRecord* const site = find_site(*local.state, function, key);
  ++site->calls;
  if (local.depth > 0 || !last) ++local.state->table->nested_calls;
  if (last) all.lock.unlock();
  if (last && local.depth == 0) local.site = site;
  ++local.depth;
  return {nullptr, site, ticks()};
}

void leave_long(const Call& call, std::uint64_t end, const Moved& moved, const Envelope& envelope) {
  if (call.site == nullptr) return;
  Local& local = local_state;
  if (local.state == nullptr) return;
  Recorder& all = recorder();
  --local.depth;
  ThreadTable& table = *local.state->table;
  if (!is_last(all, local.state)) {  // inside of a call, whose time it is
    add_moved(table, *call.site, moved);
    return;
  }
  const SpinLock::Holder holder(all.lock);
  add_moved(table, *call.site, moved);
  if (local.depth == 0) {
    add_time(table, *call.site, call.begin, end);
    local.site = nullptr;
    if (trace_file == nullptr) return;
    trace_call({call.begin, end, moved.bytes, kUnknownPeer, number_in(table, *call.site),
                local.state->number},
               envelope);
  }
}

namespace {

// Shares [begin, end) out to columns of a table, which has room for its end afterwards.
void spread_over(ThreadTable& table, std::array<std::uint64_t, kColumns>& sums, std::uint64_t begin,
                 std::uint64_t end) {
  begin -= start_ticks;
  end -= start_ticks;
  while (end >> table.column_shift >= kColumns) {  // half as many, twice as wide
    for (auto* columns : {&table.column_mpi, &table.column_waited, &table.column_paused}) {
      for (std::size_t i = 0; i < kColumns / 2; ++i) {
        (*columns)[i] = (*columns)[2 * i] + (*columns)[2 * i + 1];
      }
      std::fill(columns->begin() + kColumns / 2, columns->end(), 0);
    }
    ++table.column_shift;
  }
  while (begin < end) {
    const std::uint64_t column = begin >> table.column_shift;
    const std::uint64_t next = std::min((column + 1) << table.column_shift, end);
    sums[column] += next - begin;
    begin = next;
  }
}

}  // namespace

void spread(ThreadTable& table, std::uint64_t begin, std::uint64_t end) {
  spread_over(table, table.column_mpi, begin, end);
}

void sync(ThreadState& state, std::uint64_t now) {
  state.next_sync = now + recorder().sync_ticks;
  Record& all = record();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_usec) * 1'000U;
  };
  all.use.peak_memory_kb = static_cast<std::uint64_t>(usage.ru_maxrss);
  all.use.user_ns = ns(usage.ru_utime);
  all.use.system_ns = ns(usage.ru_stime);
  all.use.preempted = static_cast<std::uint64_t>(usage.ru_nivcsw);
  all.last = read_clock_pair();
}

namespace {

// A heap whose front is the shortest one.
void keep_long(ThreadTable& table, const LongWait& wait) {
  const auto begin = table.long_waits.begin();
  if (table.long_wait_count < kLongWaits) {
    table.long_waits[table.long_wait_count++] = wait;
  } else {
    if (wait.ns <= begin->ns) return;
    std::ranges::pop_heap(table.long_waits, std::greater(), &LongWait::ns);
    table.long_waits.back() = wait;
  }
  std::ranges::push_heap(begin, begin + static_cast<std::ptrdiff_t>(table.long_wait_count),
                         std::greater(), &LongWait::ns);
}

}  // namespace

void add_wait(Cause cause, std::int32_t world_rank, std::uint64_t ns, std::uint64_t over_ns) {
  const Local& local = local_state;
  Recorder& all = recorder();
  if (local.state == nullptr || (local.site == nullptr && !all.without_calls)) return;
  SiteRecord& site = local.site != nullptr ? *local.site : local.state->table->sites[0];
  const bool last = is_last(all, local.state);
  if (last) all.lock.lock();
  ThreadTable& table = *local.state->table;
  const auto kind = static_cast<std::size_t>(cause);
  site.waited_ns[kind] += ns;
  table.waited_ns[kind] += ns;
  blame(site, world_rank, ns);
  const auto ticks_of = [&](std::uint64_t time_ns) {
    return static_cast<std::uint64_t>(static_cast<double>(time_ns) * all.ticks_per_ns);
  };
  const std::uint64_t now = ticks();
  const std::uint64_t end = now - std::min(ticks_of(over_ns), now - start_ticks);
  const std::uint64_t took = ticks_of(ns);
  spread_over(table, table.column_waited, end - std::min(took, end - start_ticks), end);
  if (world_rank >= 0) keep_long(table, {end, ns, world_rank, number_in(table, site)});
  if (last) all.lock.unlock();
  if (world_rank >= 0) add_peer_wait(world_rank, ns);
  if (trace_file == nullptr) return;
  trace_wait(local.state->number, number_in(table, site), cause, world_rank, {end, ns});
}

void record_without_calls() {
  const Call call = enter_long(number::kInit, 0);
  leave(call, ticks(), Moved{});
  recorder().without_calls = true;
}

void finalized(std::uint64_t now) {
  Record& all = record();
  if (local_state.state != nullptr) sync(*local_state.state, now);
  all.finalize_ticks = now;
  all.stage = Stage::finalized;
}

void aborting(int code) {
  Record& all = record();
  if (local_state.state != nullptr) sync(*local_state.state, ticks());
  all.aborted = 1;
  all.abort_code = code;
}

namespace {

std::uint64_t waited(const ThreadTable& table) {
  std::uint64_t sum = 0;
  for (const std::uint64_t each : table.waited_ns) sum += each;
  return sum;
}

// Phases are those of the thread that names them.
void change_phase(Record& all, const ThreadTable& table, int level, std::uint64_t now) {
  const int number = level > 0 ? level : -level;
  std::size_t at = 0;
  while (at < all.phase_count && all.phases[at].level != number) ++at;
  if (at == kPhases) return;
  PhaseRecord& phase = all.phases[at];
  if (at == all.phase_count) {
    if (level < 0) return;
    phase = {};
    phase.level = number;
    all.phase_count = static_cast<std::uint32_t>(at + 1);
  }
  if (level > 0 && phase.since_ticks == 0) {
    phase.since_ticks = now;
    phase.mpi_ticks -= table.mpi_ticks;  // until it ends the difference
    phase.waited_ns -= waited(table);
    ++phase.times;
  } else if (level < 0 && phase.since_ticks != 0) {
    phase.ticks += now - phase.since_ticks;
    phase.since_ticks = 0;
    phase.mpi_ticks += table.mpi_ticks;
    phase.waited_ns += waited(table);
  }
}

}  // namespace

void control(int level) {
  Local& local = local_state;
  if (local.state == nullptr || is_last(recorder(), local.state)) return;
  Record& all = record();
  const std::uint64_t now = ticks();
  if (level == 0 && !local.is_paused) {
    local.is_paused = true;
    local.free = nullptr;
    all.paused.since = now;
  } else if (level == 1 && local.is_paused) {
    local.is_paused = false;
    local.free = local.state;
    all.paused.ticks += now - all.paused.since;
    ThreadTable& table = *local.state->table;
    spread_over(table, table.column_paused, all.paused.since, now);
    all.paused.since = 0;
  } else if (level > 2 || level < 0) {
    change_phase(all, *local.state->table, level, now);
  }
}

namespace {

// Runs when the program ends by exit() or returns from main().
[[gnu::destructor]] void program_ends() {
  Record* const all = recorder().record.load();
  if (all == nullptr || all->pid != own_pid()) return;
  if (local_state.state != nullptr) sync(*local_state.state, ticks());
  read_inside_at_exit();
  all->stage = Stage::exited;
}

}  // namespace

}  // namespace remit::profile
