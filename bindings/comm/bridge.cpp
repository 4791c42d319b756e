// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bridges between groups: messages over them, and the making of inter-communicators.
#include "bindings/comm/bridge.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "bindings/comm/group_words.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "runtime/call_board.hpp"

namespace remit {

namespace {

/// The wait for the process at the other end.
class BridgeWait final : public WaitSubject {
 public:
  BridgeWait(const Entry& entry, ProcId proc) : entry_(entry), proc_(proc) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, entry_.function());
    set_text(record.operation, "word of the other group");
    record.threads = entry_.instance().locking();
    record.waits_for.add(proc_);
  }

 private:
  const Entry& entry_;
  ProcId proc_;
};

}  // namespace

Bridge::Bridge(Entry& entry, CommCore core, int peer, int there, int here)
    : entry_(entry), core_(std::move(core)), peer_(peer), there_(there), here_(here) {}

int Bridge::wait_for(const Request& request) {
  const BridgeWait subject(entry_, core_.peers().proc(peer_));
  entry_.progress().wait([&] { return request.complete; }, &subject);
  return request.status.error;
}

int Bridge::send(std::span<const std::byte> mine) {
  Request request(RequestKind::send);
  const View view = bytes_view(mine.data(), mine.size());
  entry_.engine().isend(request, view, peer_, there_, core_);
  return wait_for(request);
}

int Bridge::receive(Bytes& theirs) {
  const ProcId proc = core_.peers().proc(peer_);
  const BridgeWait subject(entry_, proc);
  ProbeResult found;
  MatchedMessage* message = nullptr;
  entry_.progress().wait(
      [&] {
        message = entry_.engine().improbe(peer_, here_, core_, found);
        return message != nullptr || entry_.engine().links().lost(proc);
      },
      &subject);
  if (message == nullptr) return MPI_ERR_PROC_ABORTED;
  theirs.resize(static_cast<std::size_t>(found.bytes));
  Request request(RequestKind::receive);
  entry_.engine().imrecv(request, bytes_view(theirs.data(), theirs.size()), message);
  return wait_for(request);
}

int Bridge::swap(std::span<const std::byte> mine, Bytes& theirs) {
  Request request(RequestKind::send);
  const View view = bytes_view(mine.data(), mine.size());
  entry_.engine().isend(request, view, peer_, there_, core_);
  const int received = receive(theirs);
  const int sent = wait_for(request);
  return received != MPI_SUCCESS ? received : sent;
}

// --- inside a group ------------------------------------------------------------------------------

int tell_members(Entry& entry, CommObject& comm, int root, Told& told) {
  std::array<std::int64_t, 2> head{told.code, static_cast<std::int64_t>(told.bytes.size())};
  CollectiveArgs args =
      plain_args(CollectiveKind::bcast, nullptr, head.data(), head.size(), MPI_INT64_T);
  args.root = root;
  if (int err = run_inner(entry, comm, args)) return err;
  told.code = head[0];
  told.bytes.resize(static_cast<std::size_t>(head[1]));
  if (told.bytes.empty()) return MPI_SUCCESS;
  args = plain_args(CollectiveKind::bcast, nullptr, told.bytes.data(), head[1], MPI_BYTE);
  args.root = root;
  return run_inner(entry, comm, args);
}

Told told_of(const Error& error) {
  const auto* text = reinterpret_cast<const std::byte*>(error.message.data());
  return {error.code, Bytes(text, text + error.message.size())};
}

int fail_as_told(Entry& entry, const Told& told) {
  return entry.fail(
      static_cast<int>(told.code), "{}",
      std::string_view(reinterpret_cast<const char*>(told.bytes.data()), told.bytes.size()));
}

namespace {

Told lost_other() {
  return told_of({MPI_ERR_PROC_ABORTED, "the process that leads the other group was lost"});
}

/// The passports of all members, one behind the other, at the root.
int gather_passports(Entry& entry, CommObject& local, int root, Bytes& all) {
  Bytes mine = encode(entry.engine().links().passport());
  const auto own = static_cast<std::uint64_t>(mine.size());
  std::uint64_t longest = 0;
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, &own, &longest, 1, MPI_UINT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (int err = run_inner(entry, local, args)) return err;
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
  if (int err = run_inner(entry, local, args)) return err;
  for (std::size_t at = 0; at < slots.size(); at += slot) {
    std::uint64_t length = 0;
    std::memcpy(&length, &slots[at], sizeof length);
    const auto begin = slots.begin() + static_cast<std::ptrdiff_t>(at + sizeof length);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(std::min(length, longest)));
  }
  return MPI_SUCCESS;
}

/// The other group, at all members: its processes are known here from then on.
int learn_remote(Entry& entry, CommObject& local, int root, Bridge* bridge, GroupPtr& remote) {
  Bytes mine;
  if (int err = gather_passports(entry, local, root, mine)) return err;
  Told told;
  if (bridge != nullptr && bridge->swap(mine, told.bytes) != MPI_SUCCESS) told = lost_other();
  if (int err = tell_members(entry, local, root, told)) return err;
  if (told.code != MPI_SUCCESS) return fail_as_told(entry, told);
  const auto passports = decode_passports(told.bytes);
  if (!passports) return entry.fail(passports.error().code, "{}", passports.error().message);
  std::vector<ProcId> members;
  for (const Passport& passport : *passports) {
    const Expected<ProcId> proc = entry.engine().links().introduce(passport);
    if (!proc) return entry.fail(proc.error().code, "{}", proc.error().message);
    members.push_back(*proc);
  }
  remote = Group::of(std::move(members));
  return MPI_SUCCESS;
}

/// A context that is free at all members of both groups.
int agree_over(Entry& entry, CommObject& local, int root, Bridge* bridge, ContextId& out) {
  Instance& instance = entry.instance();
  ContextAgreement agreement(instance.contexts, !instance.locking());
  ContextAgreement::Words maxima{};
  do {
    if (int err = agree_once(entry, local, agreement, maxima)) return err;
    Told told;
    if (bridge != nullptr &&
        (bridge->swap(std::as_bytes(std::span(maxima)), told.bytes) != MPI_SUCCESS ||
         told.bytes.size() != sizeof maxima)) {
      told = lost_other();
    }
    if (int err = tell_members(entry, local, root, told)) return err;
    if (told.code != MPI_SUCCESS) return fail_as_told(entry, told);
    ContextAgreement::Words theirs{};
    std::memcpy(theirs.data(), told.bytes.data(), std::min(sizeof theirs, told.bytes.size()));
    for (std::size_t i = 0; i < maxima.size(); ++i) maxima[i] = std::max(maxima[i], theirs[i]);
  } while (!agreement.settle(maxima));
  out = agreement.context();
  return MPI_SUCCESS;
}

}  // namespace

int bridge_groups(Entry& entry, CommObject& local, int root, const BridgeOpener& open,
                  MPI_Comm* out) {
  *out = MPI_COMM_NULL;
  std::unique_ptr<Bridge> bridge;
  Told told;
  if (local.core.rank == root) {
    auto opened = open();
    if (opened) {
      bridge = std::move(*opened);
    } else {
      told = told_of(opened.error());
    }
  }
  if (int err = tell_members(entry, local, root, told)) return err;
  if (told.code != MPI_SUCCESS) return fail_as_told(entry, told);
  GroupPtr remote;
  if (int err = learn_remote(entry, local, root, bridge.get(), remote)) return err;
  if (int err = check_disjoint(entry, *local.core.local, *remote)) return err;
  ContextId context = 0;
  if (int err = agree_over(entry, local, root, bridge.get(), context)) return err;
  *out =
      make_comm(heritage_of(local), context, local.core.rank, local.core.local, std::move(remote))
          ->handle;
  return MPI_SUCCESS;
}

}  // namespace remit
