// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/remote/remote_targets.hpp"

#include <utility>

#include "links/offered_memory.hpp"
#include "onesided/adapter/adapter_access.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/remote/fetches.hpp"

namespace remit {

RemoteTargets::RemoteTargets(OneSided& manager, std::uint32_t window, const WindowMembers& members,
                             const Fetches& fetches)
    : manager_(manager),
      window_(window),
      members_(members),
      traffic_(manager.traffic()),
      fetches_(fetches) {}

Expected<RemoteTarget*> RemoteTargets::begin(int rank) {
  const ProcId proc = members_.proc(rank);
  if (traffic_.lost(proc)) return tl::unexpected(traffic_.words_of_loss(proc));
  count();
  RemoteTarget* target = find(proc);
  if (target == nullptr) {
    last_proc_ = proc;
    target = last_ = &targets_[proc];
  }
  if (target->link == nullptr) target->link = manager_.links().find(proc);
  return target;
}

void RemoteTargets::use(RemoteTarget& target) {
  ++target.operations;
  if (target.used) return;
  target.used = true;
  ++under_way_;
}

void RemoteTargets::tell(RemoteTarget& target) {
  use(target);
  target.told = true;
}

RemoteTarget* RemoteTargets::find(ProcId proc) {
  if (RemoteTarget* const target = at_hand(proc)) return target;
  const auto found = targets_.find(proc);
  if (found == targets_.end()) return nullptr;
  last_proc_ = proc;
  return last_ = &found->second;
}

void RemoteTarget::note(Error other) {
  if (!error) error = std::move(other);
}

bool RemoteTargets::finds_memory(RemoteTarget& target) {
  if (target.keys.empty()) return false;
  const std::optional<RemoteAddress> found = remote_address(*target.link, target.keys);
  target.has_memory = found.has_value();
  target.memory = found.value_or(RemoteAddress{});
  return target.has_memory;
}

/// Where the device keeps order, what follows the puts confirms them.
void RemoteTargets::confirm(ProcId proc, RemoteTarget& target) {
  if (!target.unconfirmed || keeps_order(target)) return;
  target.unconfirmed = false;
  manager_.moves().confirm(proc, *target.moves);
}

Expected<> RemoteTargets::order_atomic(int rank) {
  const RemoteTarget* const target = find(members_.proc(rank));
  const bool told = target != nullptr && target->told;
  if (adapter_ != nullptr && told) return flush(rank, false, nullptr);
  return order(rank);
}

Expected<> RemoteTargets::order(int rank) {
  const ProcId proc = members_.proc(rank);
  RemoteTarget* const target = find(proc);
  if (target == nullptr || !target->used) return {};
  const Tally& moves = *target->moves;
  confirm(proc, *target);
  // Where the device keeps no order the puts may be confirmed by what another thread has started.
  const bool is_ahead = moves.under_way == 0 || keeps_order(*target);
  if (is_ahead && !target->got) return {};
  manager_.progress().wait([&] { return moves.under_way == 0; });
  target->got = false;
  return {};
}

bool RemoteTargets::has_settled(ProcId proc, const RemoteTarget& target, bool local) const {
  if (fetches_.any_of(proc) || target.moves->under_way != 0) return false;
  return local || target.reached == target.asked || traffic_.lost(proc);
}

void RemoteTargets::ask_if_reached(ProcId proc, RemoteTarget& target) {
  if (!target.used || traffic_.lost(proc)) return;
  confirm(proc, target);
  target.unconfirmed = false;
  if (!std::exchange(target.told, false)) return;
  WindowHead head = window_head(WindowMessage::marker, window_);
  head.token = ++target.asked;
  traffic_.send(proc, head);
}

Expected<> RemoteTargets::outcome_of(RemoteTarget& target) {
  if (!target.error) return {};
  Error error = std::move(*target.error);
  target.error.reset();
  return tl::unexpected(std::move(error));
}

Expected<> RemoteTargets::end(ProcId proc, RemoteTarget& target, std::uint64_t operations,
                              bool local) {
  // While this thread waited another one may have begun more, which its flush waits for.
  if (!local && target.used && target.operations == operations) {
    target.used = false;
    --under_way_;
  }
  if (const int status = std::exchange(target.moves->status, MPI_SUCCESS); status != MPI_SUCCESS)
      [[unlikely]] {
    Error error = traffic_.words_of_loss(proc);
    error.code = status;
    target.note(std::move(error));
  }
  return outcome_of(target);
}

Expected<> RemoteTargets::flush_one(ProcId proc, RemoteTarget& target, bool local,
                                    const WaitSubject* subject) {
  const std::uint64_t operations = target.operations;
  if (!local) ask_if_reached(proc, target);
  manager_.progress().wait([&] { return has_settled(proc, target, local); }, subject);
  return end(proc, target, operations, local);
}

bool RemoteTargets::try_flush(int rank, const WaitSubject& subject) {
  const ProcId proc = members_.proc(rank);
  if (adapter_ != nullptr && !adapter_->peers().try_settle(rank, subject)) return false;
  RemoteTarget* const target = find(proc);
  if (target == nullptr || !target->used) return true;
  // A marker under way is another thread's, behind messages that this one may have sent, too.
  const bool has_more = target->told || target->reached != target->asked || fetches_.any_of(proc);
  if (has_more || (target->unconfirmed && !keeps_order(*target))) return false;
  const std::uint64_t operations = target->operations;
  const Tally& moves = *target->moves;
  manager_.progress().wait([&] { return moves.under_way == 0; }, &subject);
  const bool is_fine = moves.status == MPI_SUCCESS && !target->error;
  // While this thread waited another one may have begun more, or have waited for the same.
  if (!is_fine || !target->used || target->operations != operations) [[unlikely]]
    return false;
  target->unconfirmed = false;
  target->used = false;
  --under_way_;
  return true;
}

Expected<> RemoteTargets::flush(int rank, bool local, const WaitSubject* subject) {
  if (under_way_ == 0) return {};
  Expected<> outcome;
  if (adapter_ != nullptr) outcome = adapter_->peers().flush(rank, subject);
  if (rank >= 0) {
    const ProcId proc = members_.proc(rank);
    RemoteTarget* const target = find(proc);
    if (target == nullptr || !target->used) return outcome;
    Expected<> one = flush_one(proc, *target, local, subject);
    return outcome ? one : outcome;
  }
  struct Flushed {
    ProcId proc;
    RemoteTarget* target;
    std::uint64_t operations;
  };
  std::vector<Flushed> flushed;
  for (auto& [proc, target] : targets_) {
    if (target.used) flushed.push_back({proc, &target, target.operations});
  }
  if (!local) {
    for (const Flushed& each : flushed) ask_if_reached(each.proc, *each.target);
  }
  auto next = flushed.begin();
  manager_.progress().wait(
      [&] {
        while (next != flushed.end() && has_settled(next->proc, *next->target, local)) ++next;
        return next == flushed.end();
      },
      subject);
  for (const Flushed& each : flushed) {
    Expected<> one = end(each.proc, *each.target, each.operations, local);
    if (outcome && !one) outcome = std::move(one);
  }
  return outcome;
}

void RemoteTargets::forget(ProcId proc) {
  RemoteTarget* const target = find(proc);
  if (target != nullptr && target->used) target->note(traffic_.words_of_loss(proc));
}

}  // namespace remit
