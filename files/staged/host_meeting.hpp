// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the members of one host wait for each other in the course of an access to a file.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/progress.hpp"

namespace remit {

/// What a member says of itself to those that it meets. In shared memory; zeros at first.
struct alignas(64) MeetingLine {
  std::atomic<std::uint64_t> entered;  ///< meetings that it has come to
  std::atomic<std::uint32_t>
      has_left;  ///< of the first one; not 0: somebody comes to no further one
  std::atomic<std::uint32_t> sleepers;  ///< not 0: its process may sleep until another one comes
};

/// The members of a host, by their places among them, as those see each other who meet.
class MeetingPeers {
 public:
  virtual ~MeetingPeers() = default;
  /// Whether the process of a member has ended, as far as this one knows. Asked now and then while
  /// it is waited for.
  [[nodiscard]] virtual bool has_ended(std::size_t member) = 0;
  /// Ends the sleep of its process.
  virtual void wake(std::size_t member) = 0;
};

/// One member's part of meetings that follow each other: nobody leaves one before all have come.
/// Words of shared memory say who has come, and they say the same to all, also of a member that has
/// ended since. So a member that fails to meet the others leaves, and whoever still waits for it,
/// or will, fails as well: no two that live wait for each other in different places. (A barrier by
/// messages may end well at one member and fail at another, which the first one then waits for at
/// the next.) The thread that holds the process.
class HostMeeting final : private ProgressSource {
 public:
  /// All must outlive it. `lines`: of all members; `own`: the place of this one.
  HostMeeting(Progress& progress, MeetingPeers& peers, std::span<MeetingLine> lines,
              std::size_t own)
      : progress_(progress), peers_(peers), lines_(lines), own_(own) {}
  ~HostMeeting() override;
  HostMeeting(const HostMeeting&) = delete;
  HostMeeting& operator=(const HostMeeting&) = delete;

  /// This member comes to the next meeting. The one before is over.
  void start();
  /// It comes to no further one.
  void leave();
  /// Whether all have come, or one never will: then this member has left, too.
  [[nodiscard]] bool is_over();
  [[nodiscard]] bool has_failed() const { return has_left_; }
  /// Until it is over. `subject` says what is waited for.
  void wait(const WaitSubject* subject);

  // `co_await meeting`: the same. One coroutine.
  [[nodiscard]] bool await_ready() { return is_over(); }
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> handle);
  void await_resume() { stop_watching(); }

  /// The places of those who have not come yet.
  [[nodiscard]] std::vector<std::size_t> missing() const;

 private:
  [[nodiscard]] bool has_come(std::size_t member) const {
    return lines_[member].entered.load(std::memory_order_seq_cst) >= number_;
  }
  [[nodiscard]] bool never_comes(std::size_t member);
  void watch();
  void stop_watching();
  void wake_sleepers();

  // ProgressSource, while somebody waits.
  int progress() override;
  void arm() override;
  void disarm() override;
  void wait_fds(std::vector<int>& /*out*/) const override {}
  [[nodiscard]] int max_sleep_ms() const override { return kPatienceMs; }

  /// So long a member is waited for before this process looks whether it has ended, and looks
  /// again.
  static constexpr int kPatienceMs = 100;

  Progress& progress_;
  MeetingPeers& peers_;
  std::span<MeetingLine> lines_;
  const std::size_t own_;
  std::uint64_t number_ = 0;  ///< of the meeting that this member came to last
  std::size_t first_ = 0;     ///< all before this place have come to it
  bool is_over_ = true;
  bool has_left_ = false;
  bool is_told_ = false;  ///< that it is over, to whoever polls
  bool is_watched_ = false;
  std::int64_t looked_ns_ = 0;  ///< when it was looked whether somebody has ended
  std::coroutine_handle<> waiting_;
};

}  // namespace remit
