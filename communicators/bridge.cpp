// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bridges between groups: messages over them, and the making of inter-communicators.
#include "communicators/bridge.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <new>

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

tl::unexpected<Error> other_failed() {
  return fail(MPI_ERR_OTHER, "the other group could not go on");
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

/// The next message, which must be taken by take_message().
Expected<MatchedMessage*> Bridge::await_message(ProbeResult& found) {
  const ProcId proc = core_.peers().proc(peer_);
  const ProcessWait subject(call_, kOtherGroup, proc);
  MatchedMessage* message = nullptr;
  call_.progress().wait(
      [&] {
        message = call_.engine().improbe(peer_, here_, core_, found);
        return message != nullptr || call_.engine().links().lost(proc);
      },
      &subject);
  if (message == nullptr) return lost_end(MPI_ERR_PROC_ABORTED);
  return message;
}

/// Of a message for which there is too little room the rest is dropped.
Expected<> Bridge::take_message(MatchedMessage* message, std::span<std::byte> room) {
  Request request(RequestKind::receive);
  call_.engine().imrecv(request, bytes_view(room.data(), room.size()), message);
  return wait_for(request);
}

Expected<Bytes> Bridge::receive() {
  ProbeResult found;
  const Expected<MatchedMessage*> message = await_message(found);
  if (!message) return tl::unexpected(message.error());
  Bytes theirs;
  try {
    theirs.resize(static_cast<std::size_t>(found.bytes));
  } catch (const std::bad_alloc&) {
    // Its sender waits until it is taken.
    (void)take_message(*message, {});
    return fail(MPI_ERR_NO_MEM, "no memory is left for {} bytes from the other group", found.bytes);
  }
  if (auto taken = take_message(*message, theirs); !taken) return tl::unexpected(taken.error());
  return theirs;
}

/// Both ends say whether all went well at theirs.
Expected<> Bridge::confirm(bool good) {
  const std::byte mine{good};
  std::byte theirs{0};
  Request request(RequestKind::send);
  start_send(request, {&mine, 1});
  ProbeResult found;
  const Expected<MatchedMessage*> message = await_message(found);
  Expected<> heard;
  if (message) {
    heard = take_message(*message, {&theirs, 1});
  } else {
    heard = tl::unexpected(message.error());
  }
  Expected<> sent = wait_for(request);
  if (!heard) return heard;
  if (!sent) return sent;
  if (theirs == std::byte{0}) return other_failed();
  return {};
}

Expected<> Bridge::exchange(std::span<const std::byte> mine, const Taker& take) {
  Request request(RequestKind::send);
  start_send(request, mine);
  // The engine knows the request until it is complete: nothing may be thrown past it.
  Expected<> done;
  try {
    auto theirs = receive();
    done = theirs ? take(std::move(*theirs)) : tl::unexpected(theirs.error());
  } catch (const std::exception& error) {
    done = tl::unexpected(error_of(outcome_of_exception(error)));
  }
  const auto sent = wait_for(request);
  if (done && !sent) done = sent;
  const auto confirmed = confirm(done.has_value());
  return done ? confirmed : done;
}

Expected<Bytes> Bridge::exchange(std::span<const std::byte> mine) {
  Bytes heard;
  const auto done = exchange(mine, [&heard](Bytes theirs) -> Expected<> {
    heard = std::move(theirs);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return heard;
}

void Bridge::refuse() {
  Request request(RequestKind::send);
  start_send(request, {});
  ProbeResult found;
  if (const auto message = await_message(found)) (void)take_message(*message, {});
  (void)wait_for(request);
  (void)confirm(false);
}

// --- inside a group ------------------------------------------------------------------------------

namespace {

/// The bridge of the member that leads its group; the others have an empty one. It knows whether
/// the other end counts on one more exchange: whoever leaves before it, by an error or an
/// exception, refuses it, for the other end would wait for ever.
class AwaitedBridge {
 public:
  AwaitedBridge() = default;
  ~AwaitedBridge() {
    if (bridge_ == nullptr || !is_awaited_) return;
    try {
      bridge_->refuse();
    } catch (const std::exception&) {
      // There is no other way to tell it.
    }
  }
  AwaitedBridge(const AwaitedBridge&) = delete;
  AwaitedBridge& operator=(const AwaitedBridge&) = delete;

  void open(std::unique_ptr<Bridge> bridge) {
    bridge_ = std::move(bridge);
    is_awaited_ = true;
  }
  [[nodiscard]] bool is_open() const { return bridge_ != nullptr; }
  /// Another exchange will follow the last one.
  void await_more() { is_awaited_ = true; }
  /// As that of the bridge: where it fails the other end knows, and nothing follows.
  [[nodiscard]] Expected<> exchange(std::span<const std::byte> mine, const Bridge::Taker& take) {
    is_awaited_ = false;
    return bridge_->exchange(mine, take);
  }

 private:
  std::unique_ptr<Bridge> bridge_;
  bool is_awaited_ = false;
};

/// Where a member's passport lies in what the root gathers: its length and its bytes.
struct PassportSlot {
  std::uint64_t longest = 0;  ///< of all members
  [[nodiscard]] std::size_t bytes() const { return sizeof longest + longest; }
};

/// How large the slots of all members must be. All members call this.
Expected<PassportSlot> agree_on_slot(const CommCall& call, const ParentComm& local,
                                     const Bytes& passport) {
  const auto own = static_cast<std::uint64_t>(passport.size());
  PassportSlot slot;
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, &own, &slot.longest, 1, MPI_UINT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (auto done = run_among_members(call, local, args); !done) return tl::unexpected(done.error());
  return slot;
}

/// Brings the slots of all members to the root, which has made room for them.
Expected<> gather_passports(const CommCall& call, const ParentComm& local, int root,
                            PassportSlot slot, const Bytes& passport, Bytes& slots) {
  const auto own = static_cast<std::uint64_t>(passport.size());
  Bytes padded(slot.bytes());
  std::memcpy(padded.data(), &own, sizeof own);
  std::memcpy(padded.data() + sizeof own, passport.data(), passport.size());
  CollectiveArgs args = plain_args(CollectiveKind::gather, padded.data(), slots.data(),
                                   static_cast<MPI_Count>(slot.bytes()), MPI_BYTE);
  args.root = root;
  return run_among_members(call, local, args);
}

/// The passports one behind the other, in the place of the slots: there is room.
void close_gaps(PassportSlot slot, Bytes& slots) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < slots.size(); at += slot.bytes()) {
    std::uint64_t length = 0;
    std::memcpy(&length, &slots[at], sizeof length);
    length = std::min(length, slot.longest);
    std::memmove(&slots[end], &slots[at] + sizeof length, length);
    end += length;
  }
  slots.resize(end);
}

/// What the root hears over the bridge in return for `mine`.
RootOutcome exchange_at_root(AwaitedBridge& bridge, std::span<const std::byte> mine,
                             std::size_t bytes) {
  return outcome_at_root([&]() -> RootOutcome {
    RootOutcome heard;
    const auto done = bridge.exchange(mine, [&](Bytes theirs) -> Expected<> {
      if (bytes != 0 && theirs.size() != bytes) return other_failed();
      heard.bytes = std::move(theirs);
      return {};
    });
    return done ? std::move(heard) : outcome_of(done.error());
  });
}

/// The same at all members. An answer of another size than `bytes`, unless that is 0, is none.
/// `continues` says at both ends, of what was heard, whether one more exchange follows.
Expected<Bytes> exchange_for_all(const CommCall& call, const ParentComm& local, int root,
                                 AwaitedBridge& bridge, std::span<const std::byte> mine,
                                 const std::function<bool(const Bytes&)>& continues,
                                 std::size_t bytes = 0) {
  RootOutcome outcome;
  if (bridge.is_open()) {
    outcome = exchange_at_root(bridge, mine, bytes);
    if (outcome.code == MPI_SUCCESS && continues(outcome.bytes)) bridge.await_more();
  }
  if (auto told = tell_members(call, local, root, outcome); !told) {
    return tl::unexpected(told.error());
  }
  if (outcome.code != MPI_SUCCESS) return tl::unexpected(error_of(outcome));
  return std::move(outcome.bytes);
}

/// The group of these passports: its processes are known here from then on.
Expected<GroupPtr> introduce_all(const CommCall& call, const CommCore& local, const Bytes& bytes) {
  const auto passports = decode_passports(bytes);
  if (!passports) return tl::unexpected(passports.error());
  std::vector<ProcId> members;
  for (const Passport& passport : *passports) {
    const Expected<ProcId> proc = call.engine().links().directory().introduce(passport);
    if (!proc) return tl::unexpected(proc.error());
    members.push_back(*proc);
  }
  GroupPtr remote = Group::of(std::move(members));
  if (auto disjoint = check_disjoint(call.engine(), *local.local, *remote); !disjoint) {
    return tl::unexpected(disjoint.error());
  }
  return remote;
}

/// `mine`, unless it is an error at any member: then an error at all, each with its own words.
Expected<GroupPtr> unless_one_fails(const CommCall& call, const ParentComm& local,
                                    Expected<GroupPtr> mine) {
  const std::int64_t own = mine ? MPI_SUCCESS : mine.error().code;
  std::int64_t worst = MPI_SUCCESS;
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, &own, &worst, 1, MPI_INT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  if (auto done = run_among_members(call, local, args); !done) return tl::unexpected(done.error());
  if (mine && worst != MPI_SUCCESS) {
    return fail(static_cast<int>(worst), "a member of the group could not take in the other group");
  }
  return mine;
}

/// The other group, at all members, or an error at all.
Expected<GroupPtr> learn_remote(const CommCall& call, const ParentComm& local,
                                const Bytes& passports) {
  Expected<GroupPtr> remote = GroupPtr();
  try {
    remote = introduce_all(call, local.core, passports);
  } catch (const std::exception& error) {
    remote = tl::unexpected(error_of(outcome_of_exception(error)));
  }
  return unless_one_fails(call, local, std::move(remote));
}

/// The maxima of both groups, out of those of this one and what the other end told.
ContextAgreement::Words joint_maxima(const ContextAgreement::Words& maxima, const Bytes& told) {
  ContextAgreement::Words joint{};
  std::memcpy(joint.data(), told.data(), std::min(sizeof joint, told.size()));
  for (std::size_t i = 0; i < joint.size(); ++i) joint[i] = std::max(joint[i], maxima[i]);
  return joint;
}

/// A context that is free at all members of both groups.
Expected<ContextId> agree_over(const CommCall& call, const ParentComm& local, int root,
                               AwaitedBridge& bridge) {
  ContextAgreement agreement(call.comms.contexts(), !call.comms.threads().overlap());
  while (true) {
    const auto maxima = agreement_round(call, local, agreement);
    if (!maxima) return tl::unexpected(maxima.error());
    const auto continues = [&](const Bytes& told) {
      return !agreement.would_agree(joint_maxima(*maxima, told));
    };
    const auto told = exchange_for_all(call, local, root, bridge, std::as_bytes(std::span(*maxima)),
                                       continues, sizeof *maxima);
    if (!told) return tl::unexpected(told.error());
    if (agreement.settle(joint_maxima(*maxima, *told))) return agreement.context();
  }
}

/// At the root: the bridge, and room for what will be gathered to go over it.
RootOutcome open_bridge(const BridgeOpener& open, std::size_t bytes, AwaitedBridge& bridge,
                        Bytes& room) {
  return outcome_at_root([&]() -> RootOutcome {
    auto opened = open();
    if (!opened) return outcome_of(opened.error());
    bridge.open(std::move(*opened));
    room.resize(bytes);
    return {};
  });
}

}  // namespace

Expected<CommCore> bridge_groups(const CommCall& call, const ParentComm& local, int root,
                                 const BridgeOpener& open) {
  const Bytes passport = encode(call.engine().links().passport());
  const auto slot = agree_on_slot(call, local, passport);
  if (!slot) return tl::unexpected(slot.error());
  AwaitedBridge bridge;
  Bytes passports;
  RootOutcome outcome;
  if (local.core.rank == root) {
    const auto members = static_cast<std::size_t>(local.core.size());
    outcome = open_bridge(open, members * slot->bytes(), bridge, passports);
  }
  if (auto told = tell_members(call, local, root, outcome); !told) {
    return tl::unexpected(told.error());
  }
  if (outcome.code != MPI_SUCCESS) return tl::unexpected(error_of(outcome));
  if (auto done = gather_passports(call, local, root, *slot, passport, passports); !done) {
    return tl::unexpected(done.error());
  }
  close_gaps(*slot, passports);
  const auto theirs =
      exchange_for_all(call, local, root, bridge, passports, [](const Bytes&) { return true; });
  if (!theirs) return tl::unexpected(theirs.error());
  auto remote = learn_remote(call, local, *theirs);
  if (!remote) return tl::unexpected(remote.error());
  const auto context = agree_over(call, local, root, bridge);
  if (!context) return tl::unexpected(context.error());
  return make_core(*context, local.core.rank, local.core.local, std::move(*remote));
}

}  // namespace remit
