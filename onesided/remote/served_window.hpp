// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A member of a window as the target of those that do not reach its memory by themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datatype/unnamed_types.hpp"
#include "links/process_id.hpp"
#include "onesided/elements/accumulate.hpp"
#include "onesided/handover/delegate.hpp"
#include "onesided/memory/control.hpp"
#include "onesided/memory/member_memory.hpp"
#include "onesided/remote/traffic.hpp"
#include "onesided/remote/wire.hpp"
#include "onesided/synchronization/lock_queue.hpp"
#include "runtime/error.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// Does what messages of origins ask for, at once and in the order in which they come from each,
/// and answers. It believes nothing that they say: memory that is not the member's is not touched,
/// and the origin is told. The thread that drives the links.
class ServedWindow {
 public:
  /// What it serves, of the member itself. All outlives it.
  struct Member {
    std::uint32_t number = 0;  ///< of the window, the same at all members
    std::string name;          ///< of the window, for people; "of MPI_Win_create", "halo"
    MemberMemory memory;       ///< its own: mapped
    MemberControl* control = nullptr;
    /// Whether bytes are in the member's memory; `bytes` may be 0.
    std::function<bool(std::uint64_t address, std::uint64_t bytes)> contains;
    std::function<int(ProcId)> rank_of;       ///< in the window; < 0: it is no member
    std::function<void(int rank)> posted;     ///< that member has exposed its memory to this one
    std::function<void(int rank)> completed;  ///< its accesses to this one have ended
    /// Adds to the counter of that index; false: there is none.
    std::function<bool(std::uint32_t index)> notified;
    std::function<void()> lock_moved;  ///< the lock was given back: others may wait for it
    /// Looks whether a process of this host has ended with the lock (LockWatch::look()).
    std::function<bool()> lock_lost;
    /// Keys of the memory from `offered` on; empty: it is reached by messages only.
    std::function<std::span<const std::byte>()> keys;
    /// AdapterKeys; empty: there are none.
    std::function<std::span<const std::byte>()> adapter_keys;
  };

  ServedWindow(WindowTraffic& traffic, Member member);

  void set_name(const std::string& name) { member_.name = name; }
  [[nodiscard]] const std::string& name() const { return member_.name; }
  /// Does what a message of a process says. False: it makes no sense, or not from this one.
  [[nodiscard]] bool serve(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  /// Lets in who waits for the lock and has its turn, and tells all who wait in vain. How many
  /// there were. `newest` has asked just now; kAnyProc: nobody has.
  int serve_locks(ProcId newest = kAnyProc);
  /// Whether anybody waits for the lock here.
  [[nodiscard]] bool has_waiters() const { return locks_.waits(); }
  /// The process is gone: a shared lock and its place among those that wait are given back. If it
  /// has an exclusive lock, those who wait are told, and nobody gets that lock any more.
  void forget(ProcId proc);

 private:
  /// The runs at the beginning of a message, and what stands behind them.
  struct Runs {
    std::span<const std::byte> memory;  ///< of the runs themselves
    std::size_t count = 0;
    std::uint64_t length = 0;  ///< of all
    std::span<const std::byte> rest;

    [[nodiscard]] MemoryRun at(std::size_t i) const { return run_at(memory, i); }
  };
  /// None: these are no such runs, or longer than `most`.
  [[nodiscard]] static std::optional<Runs> read_runs(const WindowHead& head,
                                                     std::span<const std::byte> body,
                                                     std::uint64_t most);

  [[nodiscard]] bool put(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  [[nodiscard]] bool get(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  [[nodiscard]] bool accumulate(ProcId from, const WindowHead& head,
                                std::span<const std::byte> body);
  [[nodiscard]] bool swap(ProcId from, const WindowHead& head, std::span<const std::byte> body);
  [[nodiscard]] bool lock(ProcId from, const WindowHead& head);
  void unlock(ProcId from);
  [[nodiscard]] bool lock_is_lost() const;
  int refuse_lockers();
  void notify(ProcId from, const WindowHead& head);
  void tell(ProcId from, const std::function<void(int)>& whom) const;

  /// Whether all are in the member's memory: else the origin is told, with the operation's name.
  [[nodiscard]] bool admits(ProcId from, const WindowHead& head, const Runs& runs,
                            std::uint64_t extent, std::uint64_t last, const char* operation);
  void refuse(ProcId from, const WindowHead& head, int code, const std::string& words);
  /// Sends `result_` as the answer to a message.
  void send_result(ProcId to, const WindowHead& head);
  [[nodiscard]] std::string words_of(const MemoryRun& run, std::uint64_t bytes) const;

  WindowTraffic& traffic_;
  Member member_;
  LockQueue locks_;
  UnnamedTypes unnamed_;
  std::vector<std::byte> result_;
};

/// The windows in which this process is a target. A source of progress while there are any: what
/// other processes of the host have handed over is done here, and those that wait for a lock are
/// let in, for nobody tells when a process of this host gives it back. The thread that drives the
/// links.
class ServedWindows final : public ProgressSource {
 public:
  explicit ServedWindows(Progress& progress) : progress_(progress) {}
  ~ServedWindows() override;
  ServedWindows(const ServedWindows&) = delete;
  ServedWindows& operator=(const ServedWindows&) = delete;

  void add(std::uint32_t number, ServedWindow& window);
  void remove(std::uint32_t number);
  /// Null: there is none of that number.
  [[nodiscard]] ServedWindow* find(std::uint32_t number) const {
    const auto window = windows_.find(number);
    return window != windows_.end() ? window->second : nullptr;
  }
  /// What to say of a window that is not there, to who sends to it.
  [[nodiscard]] std::string words_of_absent(std::uint32_t number) const;
  /// Does what is handed over in a window's slot, until drop(), which touches the slot no more.
  void serve(Delegate& delegate) { delegates_.push_back(&delegate); }
  void drop(const Delegate& delegate) { std::erase(delegates_, &delegate); }
  /// Does what has been handed over, of some windows each time, so that many windows do not make
  /// every poll longer. How many operations that was.
  int serve_delegates() {
    int operations = 0;
    for (std::size_t i = std::min(delegates_.size(), kDelegatesPerPoll); i != 0; --i) {
      if (++next_delegate_ >= delegates_.size()) next_delegate_ = 0;
      operations += delegates_[next_delegate_]->serve();
    }
    return operations;
  }
  /// Somebody may wait for the lock of one from now on.
  void look_at_locks() { locks_wait_ = true; }
  void forget(ProcId proc);

  // ProgressSource
  int progress() override;
  void arm() override { note_sleep(true); }
  void disarm() override { note_sleep(false); }
  void wait_fds(std::vector<int>& /*out*/) const override {}
  [[nodiscard]] int max_sleep_ms() const override { return locks_wait_ ? 1 : -1; }

 private:
  static constexpr std::size_t kDelegatesPerPoll = 4;
  /// A stream of operations keeps this process from sleeping, by an event now and then, and leaves
  /// its waits polls without any, in which other threads have their turn.
  static constexpr std::uint32_t kOperationsPerEvent = 16;

  void note_sleep(bool sleeps);
  [[nodiscard]] int events_of_delegates();

  Progress& progress_;
  /// Names are kept of so many windows that were freed: whoever sends to one of them is late, and
  /// soon.
  static constexpr std::size_t kMostFreed = 256;

  std::map<std::uint32_t, ServedWindow*> windows_;
  std::map<std::uint32_t, std::string> freed_;  ///< names of windows, by their numbers
  std::vector<Delegate*> delegates_;
  std::size_t next_delegate_ = 0;
  std::uint32_t operations_ = 0;  ///< handed over, since the last event
  bool called_ = false;           ///< this process was woken for operations to come
  bool locks_wait_ = false;
};

}  // namespace remit
