// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory through which the members of a host move data of collective accesses, and the order of the
// accesses that use it.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "collectives/collectives.hpp"
#include "communicators/comm_process.hpp"
#include "files/access_summary.hpp"
#include "files/collective_plan.hpp"
#include "runtime/error.hpp"

namespace remit {

struct DataAccess;
struct FileCore;

/// What one owner and the members say to each other about its slice. In shared memory; zeros at
/// first.
struct SliceWord {
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

  alignas(64) std::atomic<std::int64_t> given;  ///< bytes that members have put into the slice
  /// The first byte of the file that was not moved, for an error or the end of the file.
  std::atomic<std::int64_t> stopped;
  std::atomic<std::int64_t> failed;  ///< not 0: for an error
};

/// The collective accesses of one file that this process has begun and not ended, in their order,
/// which is that of all members. The thread that holds the process.
class AccessOrder {
 public:
  /// A place in it, from the beginning of an access to its end.
  class Turn {
   public:
    Turn(AccessOrder& order, Progress& progress);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Whether all accesses that began before it have ended.
    [[nodiscard]] bool has_come() const { return order_.turns_.front() == this; }
    /// It has ended, or never needs others to wait for it.
    void end();

    // `auto come = ...`: awaits has_come(). One coroutine.
    [[nodiscard]] bool await_ready() const { return has_come(); }
    void await_suspend(std::coroutine_handle<> handle) { waiting_ = handle; }
    void await_resume() const {}

   private:
    AccessOrder& order_;
    Progress& progress_;
    std::coroutine_handle<> waiting_;
    bool has_ended_ = false;
  };

 private:
  std::deque<Turn*> turns_;
};

/// Memory of one host group of a file: two windows, used in turn, and a few words for each slice of
/// them. Between two meetings of the members each byte has one writer, or several whose program
/// lets them write the same byte. The thread that holds the process, but for the memory itself.
class FileStaging {
 public:
  /// Made by all members of the file, the first time that a view of one of them has holes. Null
  /// where it is of no use, at all members: no host has several of them that share memory. Waits.
  [[nodiscard]] static Expected<std::unique_ptr<FileStaging>> make(const CommCall& call,
                                                                   FileCore& file);
  ~FileStaging();
  FileStaging(const FileStaging&) = delete;
  FileStaging& operator=(const FileStaging&) = delete;

  [[nodiscard]] AccessOrder& order() { return order_; }
  /// Whether the members of this host share memory.
  [[nodiscard]] bool has_memory() const { return begin_ != nullptr; }
  /// For the plan of an access: what this member says of its part.
  [[nodiscard]] MemberAccess summarize(const DataAccess& access) {
    return summary_.of(access, host_, has_memory());
  }
  /// The members of this host.
  [[nodiscard]] CommCore& comm() { return comm_; }
  [[nodiscard]] const CommCore& comm() const { return comm_; }
  /// All of them meet; started again and again.
  [[nodiscard]] Collective& meeting() { return *meeting_; }
  /// An exception has ended a meeting: it must never be destroyed (see Collective).
  [[nodiscard]] bool is_broken() const { return meeting_ != nullptr && meeting_->broken(); }

  /// Which way an access goes, of what all members have said.
  [[nodiscard]] CollectivePlan plan(const FileCore& file, const DataAccess& access,
                                    std::span<const MemberAccess> all);
  /// Which slice of each window this member owns; -1: none.
  [[nodiscard]] int owned() const { return owned_; }

  // Windows and words are numbered by cycles, from the first access of the file on.

  /// The next cycle of all members; who ends an access says how many it took.
  [[nodiscard]] std::uint64_t next_cycle() const { return next_cycle_; }
  void take_cycles(std::uint64_t count) { next_cycle_ += count; }
  /// Slices of a plan follow each other.
  [[nodiscard]] std::byte* window(std::uint64_t cycle) const {
    return begin_ + words_bytes_ + (cycle % kWindows) * window_bytes_;
  }
  [[nodiscard]] SliceWord& word(std::uint64_t cycle, int owner) const {
    const std::size_t set = cycle % kWordSets * static_cast<std::size_t>(most_owners_);
    return reinterpret_cast<SliceWord*>(begin_)[set + static_cast<std::size_t>(owner)];
  }

  static constexpr std::size_t kWindows = 2;
  static constexpr std::size_t kWordSets = 3;

 private:
  explicit FileStaging(CommProcess& comms) : comms_(comms) {}
  [[nodiscard]] StagingLimits limits(const FileCore& file, FileMove kind) const;
  [[nodiscard]] Expected<std::vector<int>> find_members(const CommCall& call, FileCore& file);
  void choose_sizes(FileCore& file, int members);
  [[nodiscard]] Expected<bool> share(const CommCall& call, FileCore& file,
                                     const std::vector<int>& members);

  CommProcess& comms_;
  AccessOrder order_;
  AccessSummary summary_;
  std::uint32_t host_ = 0;  ///< what names this host: the lowest rank there
  int hosts_ = 1;
  CommCore comm_;
  bool has_context_ = false;
  std::unique_ptr<Collective> meeting_;
  std::shared_ptr<void> memory_;  ///< of the first member, which owns it
  std::byte* begin_ = nullptr;    ///< where it is mapped here
  std::size_t words_bytes_ = 0;
  std::size_t window_bytes_ = 0;
  std::int64_t unit_ = 4096;
  std::int64_t most_slice_ = 4096;
  int most_owners_ = 1;
  int owned_ = -1;
  std::uint64_t next_cycle_ = 0;
};

/// How collective accesses of a file are staged, as far as hints and the file system decide it.
struct StagingSizes {
  std::int64_t unit = 4096;   ///< slices begin at multiples of it
  std::int64_t slice = 4096;  ///< bytes that an owner moves at a time; a multiple of `unit`
  int owners = 1;             ///< of each host that has so many members
};
/// `hosts`: how many have members. Pure.
[[nodiscard]] StagingSizes staging_sizes(const HintValues& hints, const FileSystemTraits& traits,
                                         int hosts);

}  // namespace remit
