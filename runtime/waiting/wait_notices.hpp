// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waits that last are written down, for mpirun's report of a job that hangs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/call_status.hpp"
#include "runtime/events.hpp"

namespace remit {

/// What is to be said of one wait; lives as long as it does.
struct WaitNotice {
  const WaitSubject* subject = nullptr;  ///< what is waited for; null: nobody wants to know
  /// Where it is written, or what is kept of it while waits are watched; null: neither yet.
  CallSlot* slot = nullptr;
  int slept_ms = 0;      ///< to the end without an event, before it was written
  int unsaid_ms = 0;     ///< the same, since it was written
  bool written = false;  ///< `slot` says what is waited for

  /// Events came and the wait goes on: what is missing may have changed.
  void renew() { written = false; }
};

/// Writes waits that last to the process's call status page, and programs that look in vain
/// many times. One thread at a time (the MPI lock).
class WaitNotices {
 public:
  /// A sleep as long as this is written down. Shorter ones cost nothing.
  static constexpr int kNoticeMs = 100;

  /// Where they are written; null (the default): nowhere.
  void set_page(std::unique_ptr<CallStatusPage> page) { page_ = std::move(page); }

  /// A wait has lasted; `alone`: no other thread of this process may be in MPI meanwhile. Once
  /// more: it lasts still, and what it waits for may be told in other words by now.
  void lasts(WaitNotice& notice, bool alone) {
    notice.renew();
    write(notice, alone);
  }
  /// A wait has slept for so long and nothing came.
  void slept(WaitNotice& notice, int ms, bool alone);
  /// A wait is over.
  static void end(const WaitNotice& notice) {
    if (notice.slot != nullptr) [[unlikely]]
      forget(*notice.slot);
  }

  /// While somebody wants EventKind::wait_ended: a wait found nothing to do. `anew`: for the first
  /// time since it began or since something came, so what is missing may have changed.
  static void watch(WaitNotice& notice, Events& events, bool anew);

  /// A call that only looks, like MPI_Test in a loop, has found nothing, nor has anything happened.
  void looked_in_vain(const WaitSubject& subject) {
    if (++vain_ % kLooksPerNotice == 0) write_look(subject);
  }
  /// Such a call has found something: the succession is over.
  void found() {
    if (vain_ != 0) end_looking();
  }

 private:
  /// So many vain looks make one look at the clock.
  static constexpr std::uint32_t kLooksPerNotice = 64;

  static void forget(CallSlot& slot);
  void write(WaitNotice& notice, bool alone);
  void write_look(const WaitSubject& subject);
  void end_looking();

  // A succession of looks that found nothing, of whatever threads.
  std::uint32_t vain_ = 0;
  std::int64_t vain_since_ns_ = 0;  ///< 0: not yet kLooksPerNotice
  CallSlot* vain_slot_ = nullptr;
  std::unique_ptr<CallStatusPage> page_;
};

}  // namespace remit
