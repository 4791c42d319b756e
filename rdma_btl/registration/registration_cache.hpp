// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Registrations of user memory that outlive the messages they were made for, and can be trusted.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "rdma_btl/registration/interval_map.hpp"
#include "rdma_btl/registration/memory_watch.hpp"
#include "rdma_btl/registration/registrar.hpp"
#include "runtime/events.hpp"
#include "runtime/intrusive_list.hpp"
#include "runtime/pool.hpp"

namespace remit {

inline const ParamDecl registration_bytes_param{
    "registration_bytes", std::int64_t{0}, "bytes",
    "user memory that stays registered per device at most; 0: what RLIMIT_MEMLOCK allows",
    ParamRange{0}};
inline const ParamDecl registration_entries_param{
    "registration_entries", std::int64_t{4096}, "",
    "registrations of user memory that are kept per device at most; 0: none",
    ParamRange{0, std::int64_t{1} << 31}};

class RegistrationCache;

/// The use of a registration: while it lives the registration does, whatever becomes of the
/// memory. Movable; ends with its destruction, by the thread that holds the MPI process.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : cache_(std::exchange(other.cache_, nullptr)),
        record_(other.record_),
        region_(other.region_),
        offset_(other.offset_),
        length_(other.length_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      reset();
      cache_ = std::exchange(other.cache_, nullptr);
      record_ = other.record_;
      region_ = other.region_;
      offset_ = other.offset_;
      length_ = other.length_;
    }
    return *this;
  }
  ~Lease() { reset(); }

  [[nodiscard]] explicit operator bool() const { return cache_ != nullptr; }
  /// What contains the leased bytes.
  [[nodiscard]] const Region& region() const { return region_; }
  [[nodiscard]] std::size_t offset() const { return offset_; }  ///< of them in the region
  [[nodiscard]] std::size_t length() const { return length_; }
  /// Ends it.
  void reset();

 private:
  friend class RegistrationCache;
  RegistrationCache* cache_ = nullptr;
  void* record_ = nullptr;
  Region region_;
  std::size_t offset_ = 0;
  std::size_t length_ = 0;
};

/// What a cache did and holds.
struct RegistrationCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;         ///< registered anew
  std::uint64_t uncached = 0;       ///< of those, only for one lease: nobody could watch the memory
  std::uint64_t invalidations = 0;  ///< registrations whose memory changed
  std::uint64_t evictions = 0;      ///< registrations that made room for others
  std::uint64_t waits = 0;          ///< for an event to be read
  std::uint64_t registrations = 0;  ///< calls of the device
  std::uint64_t deregistrations = 0;
  std::size_t pinned_bytes = 0;  ///< now, each page as often as it is registered
  std::size_t pinned_peak = 0;
  std::size_t recent_peak = 0;  ///< since restart_peak()
  std::size_t entries = 0;      ///< that can be found now
};

/// The registrations of user memory with one device. All calls by the thread that holds the MPI
/// process; memory events by any thread, which only mark. Registers the pages that a buffer touches
/// and no other, with every access, so that any later use is a hit; memory that refuses that is
/// registered for one use. After fork() the child must not use it, and may destroy it.
class RegistrationCache final : public MemoryWatcher {
 public:
  struct Limits {
    std::size_t bytes = Registrar::kUnlimited;
    std::size_t entries = 4096;
    /// From the parameters and RLIMIT_MEMLOCK.
    [[nodiscard]] static Limits from(const Params& params);
  };

  /// Both must outlive it, and it every Lease.
  RegistrationCache(Device& device, MemoryWatch& watch, Limits limits);
  ~RegistrationCache();
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  /// A registration of [address, address + length) that allows `wanted`. Registers if there is
  /// none; where the limits or the device say no, forgets what was used least recently, and tries
  /// again before it gives up.
  [[nodiscard]] Expected<Lease> acquire(const void* address, std::size_t length, Access wanted);

  /// True if acquire() would find a registration. Counts nothing.
  [[nodiscard]] bool holds(const void* address, std::size_t length);

  /// Deregisters what became stale. Called by the other functions, too; cheap if there is nothing.
  void reap() {
    if (stale_.load(std::memory_order_relaxed)) [[unlikely]]
      reap_now();
  }

  /// Forgets everything that is not leased.
  void clear();

  [[nodiscard]] RegistrationCounters counters();
  void restart_peak();
  /// Which events it raises; null (the default): none. They outlive it.
  void set_events(Events* events) { events_ = events; }

  // MemoryWatcher
  void forget(AddressRange range, MemoryEvent event) noexcept override;
  void unheld(AddressRange pages, void (*visit)(void*, AddressRange), void* argument) override;

 private:
  friend class Lease;
  void raise(EventKind kind, const AddressRange& pages);
  struct Record : ListNode<> {
    AddressRange pages;
    AddressRange unmapped;  // by the event that made it stale: nothing to unwatch there
    Region region;
    std::uint32_t leases = 0;  // 0: in idle_ or dead_
    bool findable = false;     // in map_
    MemoryWatch::Which watched = 0;
  };

  [[nodiscard]] Record* look_up(AddressRange pages);
  [[nodiscard]] Expected<Registrar::Pinned> pin(AddressRange pages, Access wanted);
  [[nodiscard]] Expected<Record*> make(AddressRange pages, Access wanted);
  [[nodiscard]] std::unique_lock<std::mutex> lock_when_quiet();
  void announce(Record& record);
  void withdraw(Record& record);
  void discard(Record& record);
  [[nodiscard]] Lease lease(Record& record, const void* address, std::size_t length);
  void release(Record& record);
  [[nodiscard]] std::size_t evict();
  void make_stale(Record& record);
  void destroy(Record& record);
  void reap_now();
  [[nodiscard]] bool forked() const;

  Registrar registrar_;
  MemoryWatch& watch_;
  Slab<Record> records_;
  pid_t owner_;
  bool caching_;
  std::atomic<bool> stale_{false};  // dead_ has something

  // Under watch_.mutex().
  IntervalMap<Record*> map_;
  IntrusiveList<Record> idle_;  // findable, not leased; the least recently used first
  IntrusiveList<Record> dead_;  // to be deregistered
  Events* events_ = nullptr;
  RegistrationCounters counters_;
};

inline void Lease::reset() {
  if (cache_ == nullptr) return;
  cache_->release(*static_cast<RegistrationCache::Record*>(record_));
  cache_ = nullptr;
}

}  // namespace remit
