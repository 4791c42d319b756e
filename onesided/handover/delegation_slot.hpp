// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where an operation is handed to the process that has the memory: an agreement between processes
// of a host.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "onesided/memory/control.hpp"
#include "rdma_btl/host_memory.hpp"
#include "runtime/progress.hpp"
#include "runtime/waiting/core_yield.hpp"

namespace remit {

/// What a slot asks for.
enum class DelegatedKind : std::uint8_t {
  put,           ///< the bytes are data()
  get,           ///< data() gets the bytes
  accumulate,    ///< elements, packed in data(); MPI_NO_OP: none
  compare_swap,  ///< one element: what it becomes, then what it must have been
};

/// How much of what, to which memory of the member. Read once, for others may write to it.
struct DelegatedOperation {
  std::uint64_t address = 0;  ///< in the member's process
  std::uint32_t bytes = 0;    ///< of that memory
  DelegatedKind kind = DelegatedKind::put;
  std::uint8_t op = 0;        ///< accumulate: a Reduction
  std::uint16_t element = 0;  ///< accumulate, compare_swap: as ElementCode
  std::uint16_t index = 0;
  std::uint16_t fetches = 0;  ///< accumulate: 1 if data() is to get what was there
};

/// Bytes up to which who has read a lane claims its lines (runtime/claim_lines.hpp). `host`: of a
/// device of this process; null: it has none.
[[nodiscard]] inline std::size_t claimed_of_lane(const HostMemory* host) {
  return host != nullptr ? host->claim_lines_to() : 0;
}

/// One for each member, in memory that the host shares; zeros are a free one. An origin claims it,
/// writes an operation into one of its lanes, posts it and looks for the answer; meanwhile it may
/// write another one, so that both copy at the same time. The member takes what it finds when it
/// polls, in any order. An origin that finds no answer within the time that another way takes calls
/// the operation back, and does it itself: so nobody waits for a member that computes. Of an origin
/// that has died with it another one takes it over.
class alignas(kControlLine) DelegationSlot {
 public:
  /// Operations that may be posted at the same time.
  static constexpr unsigned kLanes = 2;
  /// Bytes that one operation carries.
  static constexpr std::size_t kBytes = 8192;

  /// How a posted operation ended.
  enum class Outcome : std::uint8_t {
    done,
    declined,    ///< the member could not do it, and has done nothing
    unanswered,  ///< it was called back: nothing was done
    lost,        ///< the member has ended while it was at it
  };

  // The origin's side.

  /// `self`: 1 + the origin's index on the host. False: it is in use.
  [[nodiscard]] bool claim(std::uint32_t self) {
    std::uint32_t free = 0;
    return claimed_.load(std::memory_order_relaxed) == 0 &&
           claimed_.compare_exchange_strong(free, self, std::memory_order_acquire);
  }
  /// Who has it; 0: nobody.
  [[nodiscard]] std::uint32_t claimant() const { return claimed_.load(std::memory_order_relaxed); }
  /// As claim(), where `gone`, which has it, has died. False also while the member is at what that
  /// has posted.
  [[nodiscard]] bool claim_from(std::uint32_t gone, std::uint32_t self);
  void post(unsigned lane, const DelegatedOperation& operation) {
    operations_[lane] = operation;
    states_[lane].store(kPosted, std::memory_order_release);
  }
  /// Until it is answered, or called back. meanwhile() is called now and then; has_ended() as of
  /// call_back().
  template <class Meanwhile, class HasEnded>
  [[nodiscard]] Outcome await(unsigned lane, Meanwhile&& meanwhile, HasEnded&& has_ended) {
    for (std::uint32_t looks = 1; looks <= kLooks; ++looks) {
      if (is_answered(lane)) return outcome(lane);
      if (looks % kLooksPerRest == 0) cpu_relax();
      if (looks % kLooksPerMeanwhile == 0) meanwhile();
    }
    return call_back(lane, has_ended);
  }
  /// Waits for a member that is at it already. has_ended() is asked of one that is slow: whether
  /// its process is gone.
  template <class HasEnded>
  [[nodiscard]] Outcome call_back(unsigned lane, HasEnded&& has_ended) {
    std::uint32_t posted = kPosted;
    if (states_[lane].compare_exchange_strong(posted, kIdle, std::memory_order_acq_rel)) {
      return Outcome::unanswered;
    }
    // The member is at it, and computes only; or the system has taken its core away.
    for (std::uint32_t looks = 1; !is_answered(lane); ++looks) {
      if (looks % kLooks == 0 && has_ended()) return Outcome::lost;
      yield_core();
    }
    return outcome(lane);
  }
  /// Whether the member's process may sleep: a hint.
  [[nodiscard]] bool member_sleeps() const { return sleeps_.load(std::memory_order_relaxed); }
  /// The member is going to be woken for operations that are still to come.
  void call() { called_.store(true, std::memory_order_relaxed); }
  /// No lane has an operation that is posted. Not behind Outcome::lost: the slot is nobody's then.
  void leave() { claimed_.store(0, std::memory_order_release); }

  /// The lane's: the origin's between claim() and post(), and again behind the answer; else the
  /// member's.
  [[nodiscard]] std::byte* data(unsigned lane) { return data_[lane].data(); }

  // The member's side.

  void note_sleep(bool sleeps) { sleeps_.store(sleeps, std::memory_order_relaxed); }
  /// Whether it was called since it asked last.
  [[nodiscard]] bool take_call() {
    return called_.load(std::memory_order_relaxed) &&
           called_.exchange(false, std::memory_order_relaxed);
  }
  /// True: the lane's operation is this process's, until answer().
  [[nodiscard, gnu::always_inline]] bool take(unsigned lane, DelegatedOperation& operation) {
    if (states_[lane].load(std::memory_order_relaxed) != kPosted) [[likely]]
      return false;
    return take_posted(lane, operation);
  }
  void answer(unsigned lane, bool done) {
    states_[lane].store(done ? kDone : kDeclined, std::memory_order_release);
  }

 private:
  enum : std::uint32_t { kIdle, kPosted, kTaken, kDone, kDeclined };
  /// Some microseconds: as long as the kernel takes to copy a few bytes, and longer than a poll.
  static constexpr std::uint32_t kLooks = 1000;
  static constexpr std::uint32_t kLooksPerRest = 16;
  static constexpr std::uint32_t kLooksPerMeanwhile = 64;

  [[nodiscard]] bool is_answered(unsigned lane) const {
    return states_[lane].load(std::memory_order_acquire) >= kDone;
  }
  [[nodiscard]] Outcome outcome(unsigned lane) const {
    return states_[lane].load(std::memory_order_relaxed) == kDone ? Outcome::done
                                                                  : Outcome::declined;
  }
  [[nodiscard]] bool take_posted(unsigned lane, DelegatedOperation& operation);

  /// In a line of its own: the member's polls do not take it away.
  std::atomic<std::uint32_t> claimed_{0};  ///< by whom
  std::atomic<bool> sleeps_{false};
  std::atomic<bool> called_{false};
  /// One line has what the member looks at, and what it then has to know.
  alignas(kControlLine) std::array<std::atomic<std::uint32_t>, kLanes> states_{};
  std::array<DelegatedOperation, kLanes> operations_;
  alignas(kControlLine) std::array<std::array<std::byte, kBytes>, kLanes> data_;
};

}  // namespace remit
