// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/active_target.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "onesided/host_wait.hpp"
#include "onesided/window_waits.hpp"

namespace remit {

Expected<> ActiveTarget::fence(const CommCall& call, int assertion) {
  if (auto fine = window_.epochs.fence((assertion & MPI_MODE_NOSUCCEED) != 0); !fine) return fine;
  auto flushed = end_operations(call, window_, kAllMembers, false);
  auto met = meet_members(call, window_);
  return flushed ? met : flushed;
}

bool ActiveTarget::all_posted(std::vector<int>& missing) {
  window_.host.take_posts(missing);
  for (auto post = remote_posts_.begin(); post != remote_posts_.end();) {
    const auto awaited = std::find(missing.begin(), missing.end(), *post);
    if (awaited == missing.end()) {
      ++post;
      continue;
    }
    missing.erase(awaited);
    post = remote_posts_.erase(post);
  }
  return missing.empty();
}

Expected<> ActiveTarget::start(const CommCall& call, std::vector<int> ranks, int assertion) {
  if (auto fine = window_.epochs.check_start(); !fine) return fine;
  std::vector<int> missing = ranks;
  bool lost = false;
  const auto over = [&] {
    lost = !all_posted(missing) && std::any_of(missing.begin(), missing.end(), [this](int rank) {
      return window_.manager.links().lost(window_.members.proc(rank));
    });
    return lost || missing.empty();
  };
  if ((assertion & MPI_MODE_NOCHECK) == 0) {
    const MembersWait subject(window_.comm, call.function, "post", missing);
    wait_for_word(call.progress(), window_.members.own_control().posted.sleeps, over, &subject);
  }
  if (lost) return fail(MPI_ERR_PROC_ABORTED, "rank {} has ended without a post", missing.front());
  window_.epochs.start(std::move(ranks));
  return {};
}

Expected<> ActiveTarget::complete(const CommCall& call) {
  auto ended = window_.epochs.complete();
  if (!ended) return tl::unexpected(ended.error());
  auto flushed = end_operations(call, window_, kAllMembers, false);
  for (const int rank : *ended) {
    if (window_.members.control(rank) != nullptr) {
      window_.host.tell_completed(rank);
    } else {
      window_.remote.tell_completed(rank);
    }
  }
  return flushed;
}

Expected<> ActiveTarget::post(const std::vector<int>& ranks, int assertion) {
  if (auto fine = window_.epochs.post(); !fine) return fine;
  completions_due_ += ranks.size();
  exposed_to_ = ranks;
  if ((assertion & MPI_MODE_NOCHECK) != 0) return {};
  // What this process has stored before is seen by whoever finds the post.
  for (const int rank : ranks) {
    const bool told = window_.members.control(rank) != nullptr && window_.host.tell_posted(rank);
    if (!told) window_.remote.tell_posted(rank);
  }
  return {};
}

void ActiveTarget::take_completion() {
  window_.members.own_control().exposure.completed.fetch_add(1, std::memory_order_release);
}

bool ActiveTarget::is_over() const {
  const MemberControl::CompleteLine& line = window_.members.own_control().exposure;
  return line.completed.load(std::memory_order_acquire) >= completions_due_;
}

Expected<> ActiveTarget::wait(const CommCall& call) {
  if (auto fine = window_.epochs.check_wait(); !fine) return fine;
  const MembersWait subject(window_.comm, call.function, "completion", exposed_to_);
  wait_for_word(
      call.progress(), window_.members.own_control().exposure.sleeps, [this] { return is_over(); },
      &subject);
  window_.epochs.end_exposure();
  return {};
}

Expected<bool> ActiveTarget::test() {
  if (auto fine = window_.epochs.check_wait(); !fine) return tl::unexpected(fine.error());
  const bool over = is_over();
  if (over) window_.epochs.end_exposure();
  return over;
}

}  // namespace remit
