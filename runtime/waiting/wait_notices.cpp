// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waits that last are written down.
#include "runtime/waiting/wait_notices.hpp"

#include <string_view>

#include "runtime/clock.hpp"
#include "runtime/copy_time.hpp"

namespace remit {

namespace {

/// CallSlot::used of what is no slot of a page.
constexpr std::uint32_t kWatched = 2;

/// What is kept of a wait for EventKind::wait_ended. `since_ns` is when it found nothing to do
/// first, `record` what it waited for last.
struct WatchedWait : CallSlot {
  explicit WatchedWait(Events& who) : events(who) {
    used = kWatched;
    since_ns = monotonic_ns();
    copied_before_ns = CopyTime::of_this_thread();
  }
  Events& events;
  std::uint64_t copied_before_ns = 0;  ///< by the thread that waits
  CallSlot* page_slot = nullptr;       ///< where it is written; null: nowhere yet
};

CallSlot*& page_slot_of(WaitNotice& notice) {
  const bool watched = notice.slot != nullptr && notice.slot->used == kWatched;
  return watched ? static_cast<WatchedWait*>(notice.slot)->page_slot : notice.slot;
}

WaitCause cause_of(CallKind kind) {
  switch (kind) {
    case CallKind::receive:
      return WaitCause::late_sender;
    case CallKind::send:
      return WaitCause::late_receiver;
    case CallKind::collective:
      return WaitCause::collective;
    case CallKind::lock:
      return WaitCause::lock;
    default:
      return WaitCause::other;
  }
}

void raise_wait_ended(const WatchedWait& wait) {
  const CallRecord& record = wait.record;
  const bool one = record.waits_for.count == 1;
  const bool first_of_many = record.kind == CallKind::collective && record.waits_for.size() != 0;
  const std::int64_t peer = one || first_of_many ? std::int64_t{record.waits_for.at(0)} : -1;
  wait.events.raise(EventKind::wait_ended, waiting_call(record.function), peer, record.context,
                    record.has_peer ? record.tag : -1, monotonic_ns() - wait.since_ns,
                    cause_of(record.kind), CopyTime::of_this_thread() - wait.copied_before_ns);
}

}  // namespace

void WaitNotices::watch(WaitNotice& notice, Events& events, bool anew) {
  if (notice.slot != nullptr && !anew) return;
  if (notice.slot == nullptr) notice.slot = new WatchedWait(events);
  if (notice.slot->used != kWatched || notice.subject == nullptr) return;
  CallRecord& record = notice.slot->record;
  // Who has a lock later has waited for the first one, too.
  if (record.kind == CallKind::lock && record.waits_for.count == 1) return;
  record = CallRecord{};
  notice.subject->describe(record);
}

void WaitNotices::forget(CallSlot& slot) {
  if (slot.used != kWatched) return CallStatusPage::release(slot);
  const std::unique_ptr<WatchedWait> wait(&static_cast<WatchedWait&>(slot));
  if (wait->page_slot != nullptr) CallStatusPage::release(*wait->page_slot);
  raise_wait_ended(*wait);
}

void WaitNotices::write(WaitNotice& notice, bool alone) {
  if (notice.written || notice.subject == nullptr || page_ == nullptr) return;
  if (alone) end_looking();  // else another thread may go on
  CallSlot*& slot = page_slot_of(notice);
  if (slot == nullptr) slot = page_->take(notice.slept_ms);
  if (slot == nullptr) return;
  CallStatusPage::write(*slot, *notice.subject);
  notice.written = true;
  notice.unsaid_ms = 0;
}

void WaitNotices::slept(WaitNotice& notice, int ms, bool alone) {
  if (notice.written) {
    notice.unsaid_ms += ms;
    if (notice.unsaid_ms >= kNoticeMs) lasts(notice, alone);
    return;
  }
  notice.slept_ms += ms;
  if (notice.slept_ms >= kNoticeMs) write(notice, alone);
}

void WaitNotices::write_look(const WaitSubject& subject) {
  const std::int64_t now = monotonic_ns();
  if (vain_since_ns_ == 0) vain_since_ns_ = now;
  const std::int64_t waited_ms = (now - vain_since_ns_) / kNsPerMs;
  if (page_ == nullptr || waited_ms < kNoticeMs) return;
  if (vain_slot_ == nullptr) vain_slot_ = page_->take(static_cast<int>(waited_ms));
  if (vain_slot_ != nullptr) CallStatusPage::write(*vain_slot_, subject, now);
}

void WaitNotices::end_looking() {
  if (vain_slot_ != nullptr) CallStatusPage::release(*vain_slot_);
  vain_slot_ = nullptr;
  vain_since_ns_ = 0;
  vain_ = 0;
}

}  // namespace remit
