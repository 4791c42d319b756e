// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/active_target.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "onesided/synchronization/host_wait.hpp"
#include "onesided/synchronization/window_waits.hpp"

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
  EndWatch targets(window_.manager, window_.members);
  int lost = EndWatch::kNobody;
  const auto over = [&] {
    if (all_posted(missing)) return true;
    const int ended = targets.look(missing);
    if (ended == EndWatch::kNobody || all_posted(missing)) return missing.empty();
    // It may have posted just before.
    const bool awaited = std::find(missing.begin(), missing.end(), ended) != missing.end();
    if (awaited) lost = ended;
    return awaited;
  };
  if ((assertion & MPI_MODE_NOCHECK) == 0) {
    const MembersWait subject(window_.comm, call.function, "post", missing);
    wait_for_word(window_.manager, window_.members.own_control().posted.sleeps, over, &subject);
  }
  if (lost != EndWatch::kNobody) {
    return fail(MPI_ERR_PROC_ABORTED, "rank {} has ended without a post", lost);
  }
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

std::uint64_t ActiveTarget::completions_missing() const {
  const MemberControl::CompleteLine& line = window_.members.own_control().exposure;
  const std::uint64_t completed = line.completed.load(std::memory_order_acquire);
  return completed < completions_due_ ? completions_due_ - completed : 0;
}

/// Whose completions have come is not known, only how many: as long as more are missing than
/// members have ended, others may complete. To be called with each look in vain.
int ActiveTarget::find_lost_origin() {
  const int ended = origins_.look(exposed_to_);
  if (ended == EndWatch::kNobody) return ended;
  const std::uint64_t all_ended = origins_.ended_of(exposed_to_);
  const std::uint64_t missing = completions_missing();
  return missing != 0 && missing <= all_ended ? ended : EndWatch::kNobody;
}

/// The exposure ends, so that this process may free the window, or expose its memory to others.
Error ActiveTarget::end_without(int origin) {
  completions_due_ -= completions_missing();
  window_.epochs.end_exposure();
  return {MPI_ERR_PROC_ABORTED,
          fmt::format("rank {} has ended without a completion of its access", origin)};
}

Expected<> ActiveTarget::wait(const CommCall& call) {
  if (auto fine = window_.epochs.check_wait(); !fine) return fine;
  const MembersWait subject(window_.comm, call.function, "completion", exposed_to_);
  int lost = EndWatch::kNobody;
  const auto over = [&] {
    if (is_over()) return true;
    lost = find_lost_origin();
    return lost != EndWatch::kNobody;
  };
  wait_for_word(window_.manager, window_.members.own_control().exposure.sleeps, over, &subject);
  if (lost != EndWatch::kNobody) return tl::unexpected(end_without(lost));
  window_.epochs.end_exposure();
  return {};
}

Expected<bool> ActiveTarget::test() {
  if (auto fine = window_.epochs.check_wait(); !fine) return tl::unexpected(fine.error());
  const bool over = is_over();
  if (over) {
    window_.epochs.end_exposure();
  } else if (const int lost = find_lost_origin(); lost != EndWatch::kNobody) {
    return tl::unexpected(end_without(lost));
  }
  return over;
}

}  // namespace remit
