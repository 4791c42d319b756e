// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A thread takes several entries at once, by one atomic addition, and writes them one after the
// other. Room on the file system is reserved a megabyte at a time: a store to a page without room
// would kill the program.
#include "tool/profile/tracer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tool/profile/clock.hpp"
#include "tool/profile/recorder.hpp"
#include "tool/profile/spin_lock.hpp"

namespace remit::profile {

TraceFile* trace_file = nullptr;

namespace {

constexpr std::uint64_t kEntriesAtOnce = (1U << 20U) / sizeof(TraceEntry);
constexpr std::uint64_t kWholeRing = ~std::uint64_t{0};

// Numbers of messages by direction, peer, context and tag. In private memory, of which only what is
// used takes room.
struct Numbers {
  struct Row {
    std::int32_t peer;
    std::int32_t tag;
    std::uint32_t context;  // bit 0: received; bit 1: the row is in use
    std::uint32_t count;
  };
  static constexpr std::size_t kRows = 1U << 16U;
  std::array<Row, kRows> rows;
};

struct Tracer {
  int file = -1;
  std::atomic<std::uint64_t> reserved =
      0;                 // entries that may be written; kWholeRing: all, again and again
  SpinLock lock;         // of what follows
  bool is_full = false;  // the file system had no room: it is not asked again
  std::uint64_t used_rows = 0;
  Numbers* numbers = nullptr;
};

Tracer& tracer() {
  static constinit Tracer instance;
  return instance;
}

// False: there is no room for all entries before this one, nor for any after it.
bool reserve(std::uint64_t end_number) {
  Tracer& own = tracer();
  const SpinLock::Holder holder(own.lock);
  std::uint64_t have = own.reserved.load(std::memory_order_relaxed);
  while (end_number > have) {
    const std::uint64_t more = std::min(have + kEntriesAtOnce, std::uint64_t{kTraceEntries});
    const std::uint64_t begin = offsetof(TraceFile, entries) + have * sizeof(TraceEntry);
    const std::uint64_t end = offsetof(TraceFile, entries) + more * sizeof(TraceEntry);
    own.is_full = own.is_full || own.file < 0 ||
                  ::posix_fallocate(own.file, static_cast<off_t>(begin),
                                    static_cast<off_t>(end - begin)) != 0;
    if (own.is_full) return false;
    have = more == kTraceEntries ? kWholeRing : more;
    own.reserved.store(have, std::memory_order_release);
  }
  return true;
}

// The entries that a thread has taken and not written so far.
struct OwnEntries {
  TraceEntry* next;
  std::uint64_t number;  // of `next`
  std::uint32_t left;
};
thread_local constinit OwnEntries own_entries [[gnu::tls_model("initial-exec")]] = {};

// False: there is no room.
[[gnu::noinline, gnu::cold]] bool take_entries(OwnEntries& own) {
  TraceFile& file = *trace_file;
  const std::uint64_t number =
      std::atomic_ref(file.begun).fetch_add(kTraceEntriesTaken, std::memory_order_relaxed);
  const std::uint64_t end = number + kTraceEntriesTaken;
  if (end > tracer().reserved.load(std::memory_order_acquire) && !reserve(end)) {
    std::atomic_ref(file.begun).fetch_sub(kTraceEntriesTaken, std::memory_order_relaxed);
    std::atomic_ref(file.without_room).fetch_add(1, std::memory_order_relaxed);
    own.left = 0;
    return false;
  }
  own = {&file.entries[number % kTraceEntries], number, kTraceEntriesTaken};
  return true;
}

// The next entry of this thread; null: there is no room. Its sequence is that of an older one until
// write_sequence(), which says that it is not whole yet.
[[gnu::always_inline]] inline TraceEntry* next_entry(OwnEntries& own) {
  // Of a thread that has long been silent others may soon write the entries of the round after.
  const std::uint64_t ahead =
      std::atomic_ref(trace_file->begun).load(std::memory_order_relaxed) - own.number;
  if (own.left == 0 || ahead > kTraceEntries / 2) [[unlikely]] {
    if (!take_entries(own)) return nullptr;
  }
  return own.next;
}

[[gnu::always_inline]] inline void write_sequence(OwnEntries& own) {
  const auto sequence = static_cast<std::uint32_t>(own.number) + 1U;
  std::atomic_signal_fence(std::memory_order_release);
  std::atomic_ref(own.next->sequence).store(sequence, std::memory_order_release);
  ++own.next;
  ++own.number;
  --own.left;
}

// Fills the next entry; `entry` has all but its sequence.
[[gnu::always_inline]] inline void write_entry(const TraceEntry& entry) {
  OwnEntries& own = own_entries;
  TraceEntry* const place = next_entry(own);
  if (place == nullptr) [[unlikely]]
    return;
  place->begin = entry.begin;
  place->end = entry.end;
  place->bytes = entry.bytes;
  place->peer = entry.peer;
  place->tag = entry.tag;
  place->context = entry.context;
  place->place = entry.place;
  place->kind = entry.kind;
  place->thread = entry.thread;
  place->cause = entry.cause;
  place->pad = 0;
  write_sequence(own);
}

// The caller holds the lock.
std::uint32_t number_of(Tracer& own, TraceKind kind, std::int32_t peer, std::uint32_t context,
                        std::int32_t tag) {
  const std::uint32_t marked = context | 2U | (kind == TraceKind::received ? 1U : 0U);
  std::uint64_t hash = static_cast<std::uint32_t>(peer) * 0x9E3779B97F4A7C15U;
  hash = (hash ^ marked ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32U) *
         0xD6E8FEB86659FD93U;
  if (own.numbers == nullptr) return 0;
  for (std::size_t slot = hash >> 48U;; slot = (slot + 1) % Numbers::kRows) {
    Numbers::Row& row = own.numbers->rows[slot];
    if (row.context == 0) {
      if (own.used_rows >= Numbers::kRows / 4 * 3) return 0;
      ++own.used_rows;
      row = {peer, tag, marked, 0};
    }
    if (row.peer == peer && row.tag == tag && row.context == marked) return ++row.count;
  }
}

void complain_of_trace(const char* path, int error) {
  std::fprintf(stderr, "Remit's profile: there is no trace of this process: %s: %s\n", path,
               std::strerror(error));
}

// Null: what is wrong has been said.
TraceFile* map_trace(const char* path, int file) {
  rlimit limit{};
  int error = 0;
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(TraceFile)) error = EFBIG;
  if (error == 0) error = ::posix_fallocate(file, 0, offsetof(TraceFile, entries));
  if (error == 0 && ::ftruncate(file, sizeof(TraceFile)) != 0) error = errno;
  if (error == 0) {
    void* const memory =
        ::mmap(nullptr, sizeof(TraceFile), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) return static_cast<TraceFile*>(memory);
    error = errno;
  }
  complain_of_trace(path, error);
  return nullptr;
}

}  // namespace

void open_trace(const char* record_path) {
  const char* const wanted = std::getenv("REMIT_TRACE");
  if (wanted == nullptr || *wanted == 0 || *record_path == 0) return;
  std::array<char, 4096> path{};
  const std::size_t stem = std::strlen(record_path) - std::strlen(kSuffix);
  std::snprintf(path.data(), path.size(), "%.*s%s", static_cast<int>(stem), record_path,
                kTraceSuffix);
  const int file = ::open(path.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return complain_of_trace(path.data(), errno);
  TraceFile* const made = map_trace(path.data(), file);
  if (made == nullptr) {
    ::unlink(path.data());
    ::close(file);
    return;
  }
  void* const numbers = ::mmap(nullptr, sizeof(Numbers), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  tracer().numbers = numbers == MAP_FAILED ? nullptr : static_cast<Numbers*>(numbers);
  tracer().file = file;
  made->version = kTraceVersion;
  made->bytes = sizeof(TraceFile);
  made->magic = kTraceMagic;
  trace_file = made;
}

void clear_trace() {
  if (trace_file == nullptr) return;
  // Their numbers are those of the first entries to come: one that is not whole must not have one.
  const std::uint64_t used = std::min(trace_file->begun, std::uint64_t{kTraceEntries});
  for (std::uint64_t i = 0; i < used; ++i) trace_file->entries[i].sequence = 0;
  trace_file->begun = 0;
  own_entries = {};
  trace_file->without_room = 0;
}

void leave_trace() {
  trace_file = nullptr;
}

void trace_call(const ReturnedCall& call, const Envelope& envelope) {
  write_entry({call.begin, call.end, call.bytes, call.peer, envelope.tag, envelope.communicator,
               call.site + 1, 0, TraceKind::call, call.thread, 0, 0});
}

void trace_wait(std::uint8_t thread, std::uint32_t site, Cause cause, std::int32_t peer,
                WaitTime time) {
  write_entry({time.ns, time.end_ticks, 0, peer, kNoTag, 0, site + 1, 0, TraceKind::wait, thread,
               static_cast<std::uint8_t>(cause), 0});
}

void trace_message(const MessageEnd& end) {
  Tracer& own = tracer();
  std::uint32_t number = 0;
  {
    const SpinLock::Holder holder(own.lock);
    // Of processes of other jobs it is not known who they are.
    if (end.peer >= 0) number = number_of(own, end.kind, end.peer, end.context, end.tag);
    if (!end.is_shown) return;
    if (number == 0) ++trace_file->unnumbered;
    if (end.kind == TraceKind::received) {
      Record& all = record();
      ++all.taken;
      if (end.is_unexpected) ++all.unexpected;
    }
  }
  write_entry({end.ticks, end.ticks, static_cast<std::uint64_t>(end.bytes), end.peer, end.tag,
               end.context, number, 0, end.kind, end.thread, 0, 0});
}

}  // namespace remit::profile
