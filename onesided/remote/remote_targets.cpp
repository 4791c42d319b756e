// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/remote/remote_targets.hpp"

#include <utility>

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
  ++asked_;
  return &targets_[proc];
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
  const auto found = targets_.find(proc);
  return found != targets_.end() ? &found->second : nullptr;
}

void RemoteTarget::note(Error other) {
  if (!error) error = std::move(other);
}

bool RemoteTargets::keeps_order(ProcId proc) const {
  const Link* const link = manager_.links().find(proc);
  return link != nullptr && link->device != nullptr && link->device->device->caps().in_order;
}

/// Where the device keeps order, what follows the puts confirms them.
void RemoteTargets::confirm(ProcId proc, RemoteTarget& target) {
  if (!target.unconfirmed || keeps_order(proc)) return;
  target.unconfirmed = false;
  ++target.moving;
  manager_.moves().confirm(window_, proc);
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
  const std::uint32_t moving = target->moving;
  confirm(proc, *target);
  if (target->moving == moving && !target->got) return {};
  manager_.progress().wait([&] { return target->moving == 0; });
  target->got = false;
  return {};
}

void RemoteTargets::moved(ProcId proc, int status) {
  RemoteTarget& target = targets_[proc];
  --target.moving;
  if (status == MPI_SUCCESS) return;
  Error error = traffic_.words_of_loss(proc);
  error.code = status;
  target.note(std::move(error));
}

bool RemoteTargets::has_settled(ProcId proc, const RemoteTarget& target, bool local) const {
  if (fetches_.any_of(proc) || target.moving != 0) return false;
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

Expected<> RemoteTargets::flush(int rank, bool local, const WaitSubject* subject) {
  if (under_way_ == 0) return {};
  Expected<> outcome;
  if (adapter_ != nullptr) outcome = adapter_->peers().flush(rank, subject);
  struct Flushed {
    ProcId proc;
    RemoteTarget* target;
    std::uint64_t operations;
  };
  std::vector<Flushed> flushed;
  for (auto& [proc, target] : targets_) {
    if (target.used && (rank < 0 || proc == members_.proc(rank)))
      flushed.push_back({proc, &target, target.operations});
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
    RemoteTarget& target = *each.target;
    // While this thread waited another one may have begun more, which its flush waits for.
    if (!local && target.used && target.operations == each.operations) {
      target.used = false;
      --under_way_;
    }
    Expected<> one = outcome_of(target);
    if (outcome && !one) outcome = std::move(one);
  }
  return outcome;
}

void RemoteTargets::forget(ProcId proc) {
  RemoteTarget* const target = find(proc);
  if (target != nullptr && target->used) target->note(traffic_.words_of_loss(proc));
}

}  // namespace remit
