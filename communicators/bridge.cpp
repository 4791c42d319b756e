// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bridges between groups: messages over them, and the making of inter-communicators.
#include "communicators/bridge.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/algorithms/buffers.hpp"
#include "communicators/agreement.hpp"
#include "communicators/inner_collectives.hpp"
#include "communicators/intercomm.hpp"
#include "communicators/root_outcome.hpp"
#include "communicators/waits.hpp"

namespace remit {

namespace {

constexpr const char* kOtherGroup = "word of the other group";

tl::unexpected<Error> lost_end(int code) {
  return fail(code, "the process that leads the other group was lost");
}

}  // namespace

Bridge::Bridge(const CommCall& call, CommCore core, int peer, int there, int here)
    : call_(call), core_(std::move(core)), peer_(peer), there_(there), here_(here) {}

Expected<> Bridge::wait_for(const Request& request) {
  const ProcessWait subject(call_, kOtherGroup, core_.peers().proc(peer_));
  call_.progress().wait([&] { return request.complete; }, &subject);
  if (request.status.error != MPI_SUCCESS) return lost_end(request.status.error);
  return {};
}

void Bridge::start_send(Request& request, std::span<const std::byte> mine) {
  call_.engine().isend(request, bytes_view(mine.data(), mine.size()), peer_, there_, core_);
}

Expected<> Bridge::send(std::span<const std::byte> mine) {
  Request request(RequestKind::send);
  start_send(request, mine);
  return wait_for(request);
}

Expected<Bytes> Bridge::receive() {
  const ProcId proc = core_.peers().proc(peer_);
  const ProcessWait subject(call_, kOtherGroup, proc);
  ProbeResult found;
  MatchedMessage* message = nullptr;
  call_.progress().wait(
      [&] {
        message = call_.engine().improbe(peer_, here_, core_, found);
        return message != nullptr || call_.engine().links().lost(proc);
      },
      &subject);
  if (message == nullptr) return lost_end(MPI_ERR_PROC_ABORTED);
  Bytes theirs(static_cast<std::size_t>(found.bytes));
  Request request(RequestKind::receive);
  call_.engine().imrecv(request, bytes_view(theirs.data(), theirs.size()), message);
  if (auto received = wait_for(request); !received) return tl::unexpected(received.error());
  return theirs;
}

Expected<Bytes> Bridge::exchange(std::span<const std::byte> mine) {
  Request request(RequestKind::send);
  start_send(request, mine);
  auto received = receive();
  // The engine knows the request until it is complete.
  const auto sent = wait_for(request);
  if (received && !sent) return tl::unexpected(sent.error());
  return received;
}

// --- inside a group ------------------------------------------------------------------------------

namespace {

/// The passports of all members, one behind the other, at the root.
Expected<Bytes> gather_passports(const CommCall& call, const ParentComm& local, int root) {
  const Bytes mine = encode(call.engine().links().passport());
  const auto own = static_cast<std::uint64_t>(mine.size());
  std::uint64_t longest = 0;
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, &own, &longest, 1, MPI_UINT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (auto done = run_among_members(call, local, args); !done) return tl::unexpected(done.error());
  const std::size_t slot = sizeof own + longest;
  Bytes padded(slot);
  std::memcpy(padded.data(), &own, sizeof own);
  std::memcpy(padded.data() + sizeof own, mine.data(), mine.size());
  const bool leads = local.core.rank == root;
  const auto members = static_cast<std::size_t>(local.core.size());
  Bytes slots(leads ? members * slot : 0);
  args = plain_args(CollectiveKind::gather, padded.data(), slots.data(),
                    static_cast<MPI_Count>(slot), MPI_BYTE);
  args.root = root;
  if (auto done = run_among_members(call, local, args); !done) return tl::unexpected(done.error());
  Bytes all;
  for (std::size_t at = 0; at < slots.size(); at += slot) {
    std::uint64_t length = 0;
    std::memcpy(&length, &slots[at], sizeof length);
    const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(at + sizeof length);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(std::min(length, longest)));
  }
  return all;
}

/// What the root hears over the bridge in return for `mine`, at all members. `bridge` is null at
/// the others; an answer of another size than `bytes`, unless that is 0, is none.
Expected<Bytes> exchange_for_all(const CommCall& call, const ParentComm& local, int root,
                                 Bridge* bridge, std::span<const std::byte> mine,
                                 std::size_t bytes = 0) {
  RootOutcome outcome;
  if (bridge != nullptr) {
    auto theirs = bridge->exchange(mine);
    if (theirs && (bytes == 0 || theirs->size() == bytes)) {
      outcome.bytes = std::move(*theirs);
    } else {
      outcome = outcome_of(lost_end(MPI_ERR_PROC_ABORTED).value());
    }
  }
  if (auto told = tell_members(call, local, root, outcome); !told) {
    return tl::unexpected(told.error());
  }
  if (outcome.code != MPI_SUCCESS) return tl::unexpected(error_of(outcome));
  return std::move(outcome.bytes);
}

/// The other group, at all members: its processes are known here from then on.
Expected<GroupPtr> learn_remote(const CommCall& call, const ParentComm& local, int root,
                                Bridge* bridge) {
  const auto mine = gather_passports(call, local, root);
  if (!mine) return tl::unexpected(mine.error());
  const auto theirs = exchange_for_all(call, local, root, bridge, *mine);
  if (!theirs) return tl::unexpected(theirs.error());
  const auto passports = decode_passports(*theirs);
  if (!passports) return tl::unexpected(passports.error());
  std::vector<ProcId> members;
  for (const Passport& passport : *passports) {
    const Expected<ProcId> proc = call.engine().links().introduce(passport);
    if (!proc) return tl::unexpected(proc.error());
    members.push_back(*proc);
  }
  return Group::of(std::move(members));
}

/// A context that is free at all members of both groups.
Expected<ContextId> agree_over(const CommCall& call, const ParentComm& local, int root,
                               Bridge* bridge) {
  ContextAgreement agreement(call.comms.contexts(), !call.comms.threads().overlap());
  while (true) {
    auto maxima = agreement_round(call, local, agreement);
    if (!maxima) return tl::unexpected(maxima.error());
    ContextAgreement::Words theirs{};
    const auto told = exchange_for_all(call, local, root, bridge, std::as_bytes(std::span(*maxima)),
                                       sizeof theirs);
    if (!told) return tl::unexpected(told.error());
    std::memcpy(theirs.data(), told->data(), std::min(sizeof theirs, told->size()));
    for (std::size_t i = 0; i < theirs.size(); ++i)
      (*maxima)[i] = std::max((*maxima)[i], theirs[i]);
    if (agreement.settle(*maxima)) return agreement.context();
  }
}

}  // namespace

Expected<CommCore> bridge_groups(const CommCall& call, const ParentComm& local, int root,
                                 const BridgeOpener& open) {
  std::unique_ptr<Bridge> bridge;
  RootOutcome outcome;
  if (local.core.rank == root) {
    auto opened = open();
    if (opened) {
      bridge = std::move(*opened);
    } else {
      outcome = outcome_of(opened.error());
    }
  }
  if (auto told = tell_members(call, local, root, outcome); !told) {
    return tl::unexpected(told.error());
  }
  if (outcome.code != MPI_SUCCESS) return tl::unexpected(error_of(outcome));
  auto remote = learn_remote(call, local, root, bridge.get());
  if (!remote) return tl::unexpected(remote.error());
  if (auto disjoint = check_disjoint(call.engine(), *local.core.local, **remote); !disjoint) {
    return tl::unexpected(disjoint.error());
  }
  const auto context = agree_over(call, local, root, bridge.get());
  if (!context) return tl::unexpected(context.error());
  return make_core(*context, local.core.rank, local.core.local, std::move(*remote));
}

}  // namespace remit
