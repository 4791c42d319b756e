// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How long copies take, for who wants to know: what a profile calls moving bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace remit {

/// The time that copies, packing and reductions of long data take: of the machine's processes this
/// one, all of its MPI processes together. Nothing is measured, and no clock is read, until
/// somebody wants it. Any thread.
class CopyTime {
 public:
  /// Shorter ones take less time than it would cost to be sure of it.
  static constexpr std::size_t kFromBytes = std::size_t{16} << 10;

  /// Each true is ended by one false.
  static void want(bool wanted) { wanted_ += wanted ? 1 : -1; }
  [[nodiscard]] static bool is_wanted() { return wanted_.load(std::memory_order_relaxed) > 0; }

  /// In nanoseconds, since the program began.
  [[nodiscard]] static std::uint64_t of_all() { return ns_.load(std::memory_order_relaxed); }
  [[nodiscard]] static std::uint64_t of_this_thread();

 private:
  friend class TimedCopy;
  static std::atomic<int> wanted_;
  static std::atomic<std::uint64_t> ns_;
};

/// Measures what is done with so many bytes while it lives. Of one within another the outer counts.
class TimedCopy {
 public:
  explicit TimedCopy(std::size_t bytes) {
    if (bytes >= CopyTime::kFromBytes && CopyTime::is_wanted()) [[unlikely]]
      begin();
  }
  ~TimedCopy() {
    if (began_ns_ != 0) [[unlikely]]
      end();
  }
  TimedCopy(const TimedCopy&) = delete;
  TimedCopy& operator=(const TimedCopy&) = delete;

 private:
  void begin();
  void end() const;

  std::int64_t began_ns_ = 0;
};

/// The time that copies have taken since this MPI process began.
class CopyMeter {
 public:
  CopyMeter() = default;
  ~CopyMeter() { want(false); }
  CopyMeter(const CopyMeter&) = delete;
  CopyMeter& operator=(const CopyMeter&) = delete;

  void want(bool wanted) {
    if (wanted != wanted_) CopyTime::want(wanted_ = wanted);
  }
  [[nodiscard]] std::uint64_t ns() const { return CopyTime::of_all() - before_; }

 private:
  bool wanted_ = false;
  std::uint64_t before_ = CopyTime::of_all();
};

}  // namespace remit
