// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waits that last are written down.
#include "runtime/wait_notices.hpp"

#include "runtime/clock.hpp"

namespace remit {

void WaitNotices::write(WaitNotice& notice, bool alone) {
  if (notice.written || notice.subject == nullptr || page_ == nullptr) return;
  if (alone) end_looking();  // else another thread may go on
  if (notice.slot == nullptr) notice.slot = page_->take(notice.slept_ms);
  if (notice.slot == nullptr) return;
  CallStatusPage::write(*notice.slot, *notice.subject);
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
