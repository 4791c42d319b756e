// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The registration cache. While the lock is held nothing here allocates, frees or unmaps: such a
// call could wait for the memory monitor, which waits for the lock.
#include "rdma_btl/registration/registration_cache.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace remit {
namespace {

constexpr int kYields = 8;
constexpr std::int64_t kMaxEntries = std::int64_t{1} << 19;

/// Until the thread that unmaps and the one that reads its event had their turn.
void wait_for_events(int attempt) {
  if (attempt < kYields) {
    ::sched_yield();
  } else {
    const timespec nap{0, 20'000};
    ::nanosleep(&nap, nullptr);
  }
}

}  // namespace

RegistrationCache::Limits RegistrationCache::Limits::from(const Params& params) {
  const std::int64_t bytes = params.integer(registration_bytes_param);
  const std::int64_t entries = params.integer(registration_entries_param);
  Limits limits;
  limits.bytes = lockable_bytes();
  if (bytes > 0) limits.bytes = std::min(limits.bytes, static_cast<std::size_t>(bytes));
  limits.entries = static_cast<std::size_t>(std::clamp<std::int64_t>(entries, 0, kMaxEntries));
  return limits;
}

RegistrationCache::RegistrationCache(Device& device, MemoryWatch& watch, Limits limits)
    : registrar_(device, limits.bytes),
      watch_(watch),
      owner_(::getpid()),
      caching_(watch.active() && limits.entries != 0),
      map_(limits.entries) {
  watch_.add(*this);
}

RegistrationCache::~RegistrationCache() {
  if (!forked()) {  // there the lock may be taken for ever, too
    clear();
    watch_.remove(*this);
  }
  idle_.clear();
  dead_.clear();
}

/// A child of fork() has the records, but the registrations are its parent's.
bool RegistrationCache::forked() const {
  return ::getpid() != owner_;
}

Expected<Lease> RegistrationCache::acquire(const void* address, std::size_t length, Access wanted) {
  reap();
  const AddressRange pages = pages_of(address, length);
  if (Record* hit = look_up(pages)) return lease(*hit, address, length);
  const Expected<Record*> made = make(pages, wanted);
  if (!made) return tl::unexpected(made.error());
  return lease(**made, address, length);
}

Lease RegistrationCache::lease(Record& record, const void* address, std::size_t length) {
  Lease made;
  made.cache_ = this;
  made.record_ = &record;
  made.region_ = record.region;
  made.offset_ = reinterpret_cast<std::uintptr_t>(address) - record.pages.begin;
  made.length_ = length;
  return made;
}

/// The one look-up that may be trusted: what it found is still there, and no event that happened
/// before is unread.
RegistrationCache::Record* RegistrationCache::look_up(AddressRange pages) {
  std::unique_lock lock(watch_.mutex());
  for (int attempt = 0;; ++attempt) {
    Record* const* found = map_.find(pages);
    if (found == nullptr) return nullptr;
    if (watch_.quiet()) [[likely]] {
      Record& record = **found;
      if (record.leases++ == 0) record.unlink();
      ++counters_.hits;
      return &record;
    }
    ++counters_.waits;
    lock.unlock();
    wait_for_events(attempt);
    lock.lock();
  }
}

bool RegistrationCache::holds(const void* address, std::size_t length) {
  const std::lock_guard lock(watch_.mutex());
  return map_.find(pages_of(address, length)) != nullptr && watch_.quiet();
}

/// The lock, when no event is unread: what comes later is not of an earlier life of the addresses.
std::unique_lock<std::mutex> RegistrationCache::lock_when_quiet() {
  std::unique_lock lock(watch_.mutex());
  for (int attempt = 0; !watch_.quiet(); ++attempt) {
    ++counters_.waits;
    lock.unlock();
    wait_for_events(attempt);
    lock.lock();
  }
  return lock;
}

/// Makes a new record known before its memory is registered, so that an event in between is not
/// lost: it then serves one lease only.
void RegistrationCache::announce(Record& record) {
  if (!caching_) return;
  bool full = false;
  do {
    if (full && evict() == 0) return;  // everything is in use
    const std::unique_lock lock = lock_when_quiet();
    map_.take_contained(record.pages, [this](Record* inner) { make_stale(*inner); });
    full = map_.full();
    if (!full) {
      map_.insert(record.pages, &record);
      record.findable = true;
    }
  } while (full);
  record.watched = watch_.watch(record.pages);
  if (record.watched == 0) withdraw(record);
}

void RegistrationCache::withdraw(Record& record) {
  const std::lock_guard lock(watch_.mutex());
  if (!record.findable) return;
  map_.erase(record.pages);
  record.findable = false;
}

/// Registers pages for which a record has been announced. What is not in use makes way for them.
Expected<Registrar::Pinned> RegistrationCache::pin(AddressRange pages, Access wanted) {
  reap();
  while (!registrar_.fits(pages.size()) && evict() != 0) {
  }
  Expected<Registrar::Pinned> pinned = registrar_.pin(pages, wanted);
  for (int attempt = 0; !pinned && attempt < 2; ++attempt) {
    // Whatever the books say, the device is full: first the same amount, then everything.
    const std::size_t goal = attempt == 0 ? pages.size() : Registrar::kUnlimited;
    std::size_t freed = 0;
    while (freed < goal) {
      const std::size_t more = evict();
      if (more == 0) break;
      freed += more;
    }
    if (freed != 0) pinned = registrar_.pin(pages, wanted);
  }
  return pinned;
}

Expected<RegistrationCache::Record*> RegistrationCache::make(AddressRange pages, Access wanted) {
  Record& record = *records_.allocate();
  record.pages = pages;
  record.leases = 1;
  Expected<Registrar::Pinned> pinned;
  try {
    announce(record);
    pinned = pin(pages, wanted);
  } catch (const std::bad_alloc&) {
    discard(record);
    throw;
  }
  if (!pinned) {
    discard(record);
    return tl::unexpected(pinned.error());
  }
  // What cannot be written now may be written later, which nobody would report: for one use.
  if (pinned->access != Access::all) withdraw(record);
  raise(EventKind::registration_missed, pages);
  const std::lock_guard lock(watch_.mutex());
  record.region = pinned->region;
  ++counters_.misses;
  if (!record.findable) ++counters_.uncached;
  return &record;
}

void RegistrationCache::raise(EventKind kind, const AddressRange& pages) {
  if (events_ != nullptr) events_->raise(kind, pages.begin, pages.size());
}

/// A record whose memory was not registered.
void RegistrationCache::discard(Record& record) {
  {
    const std::lock_guard lock(watch_.mutex());
    if (record.findable) map_.erase(record.pages);
    watch_.unwatch(record.pages, record.watched);
  }
  records_.free(&record);
}

void RegistrationCache::release(Record& record) {
  bool last = false;
  {
    const std::lock_guard lock(watch_.mutex());
    if (--record.leases == 0) {
      last = !record.findable;
      if (!last) idle_.push_back(record);
    }
  }
  if (last) destroy(record);
  while (!registrar_.fits(0) && evict() != 0) {
  }
}

/// Forgets what was used least recently and is not leased; says how many bytes that was.
std::size_t RegistrationCache::evict() {
  Record* oldest = nullptr;
  {
    const std::lock_guard lock(watch_.mutex());
    oldest = idle_.pop_front();
    if (oldest == nullptr) return 0;
    map_.erase(oldest->pages);
    oldest->findable = false;
    ++counters_.evictions;
  }
  const std::size_t bytes = oldest->pages.size();
  raise(EventKind::registration_evicted, oldest->pages);
  destroy(*oldest);
  return bytes;
}

/// Under the lock; any thread.
void RegistrationCache::make_stale(Record& record) {
  record.findable = false;
  if (record.leases != 0) return;  // release() ends it
  record.unlink();
  dead_.push_back(record);
  stale_.store(true, std::memory_order_relaxed);
}

/// The end of a record that is in no list.
void RegistrationCache::destroy(Record& record) {
  {
    const std::lock_guard lock(watch_.mutex());
    const AddressRange gone = record.unmapped;
    if (gone.empty()) {
      watch_.unwatch(record.pages, record.watched);
    } else {
      watch_.unwatch({record.pages.begin, gone.begin}, record.watched);
      watch_.unwatch({gone.end, record.pages.end}, record.watched);
    }
  }
  if (!forked()) registrar_.unpin(record.region, record.pages.size());
  records_.free(&record);
}

void RegistrationCache::reap_now() {
  while (true) {
    Record* dead = nullptr;
    {
      const std::lock_guard lock(watch_.mutex());
      dead = dead_.pop_front();
      if (dead == nullptr) {
        stale_.store(false, std::memory_order_relaxed);
        return;
      }
    }
    destroy(*dead);
  }
}

void RegistrationCache::clear() {
  while (evict() != 0) {
  }
  reap_now();
}

RegistrationCounters RegistrationCache::counters() {
  const std::lock_guard lock(watch_.mutex());
  RegistrationCounters now = counters_;
  now.registrations = registrar_.pins();
  now.deregistrations = registrar_.unpins();
  now.pinned_bytes = registrar_.pinned_bytes();
  now.pinned_peak = registrar_.pinned_peak();
  now.recent_peak = registrar_.recent_peak();
  now.entries = map_.size();
  return now;
}

void RegistrationCache::restart_peak() {
  const std::lock_guard lock(watch_.mutex());
  registrar_.restart_peak();
}

void RegistrationCache::forget(AddressRange range, MemoryEvent event) noexcept {
  map_.take_overlaps(range, [&](Record* record) {
    ++counters_.invalidations;
    if (event == MemoryEvent::unmapped) {
      record->unmapped = {std::max(range.begin, record->pages.begin),
                          std::min(range.end, record->pages.end)};
    }
    make_stale(*record);
  });
}

void RegistrationCache::unheld(AddressRange pages, void (*visit)(void*, AddressRange),
                               void* argument) {
  map_.for_each_gap(pages, [&](AddressRange gap) { visit(argument, gap); });
}

}  // namespace remit
