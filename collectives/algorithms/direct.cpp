// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Meeting, copying and parting of members that reach each other's memory.
#include "collectives/algorithms/direct.hpp"

#include <algorithm>
#include <new>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/request_array.hpp"
#include "collectives/board/board.hpp"

namespace remit {

namespace {

/// Bytes copied at once; then others have a turn.
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::uint64_t number_of(const void* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

}  // namespace

Direct::Direct(CollCtx& c, std::span<const std::byte> source, std::span<std::byte> target, int hub)
    : hub_(hub),
      mine_{number_of(source.data()), source.size(), number_of(target.data()), target.size(), 1} {
  const auto size = static_cast<std::size_t>(c.size());
  facts_ = reinterpret_cast<Fact*>(c.scratch(size * sizeof(Fact)));
  for (std::size_t i = 0; i < size; ++i) new (facts_ + i) Fact;
}

bool Direct::inside(CollCtx& c, std::size_t at, std::size_t bytes, std::uint64_t whole) {
  if (bytes <= whole && at <= whole - bytes) return true;
  c.fail(MPI_ERR_OTHER);
  return false;
}

void Direct::expect_source(CollCtx& c, int peer, std::size_t bytes) const {
  const std::uint64_t theirs = facts_[peer].source_bytes;
  if (theirs != bytes) c.fail(theirs > bytes ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);
}

void Direct::note(CollCtx& c, int peer, bool done) {
  if (done) return;
  const ProcId proc = c.comm().local->proc(peer);
  const Links::HostPath path = c.engine().links().host_path(proc);
  const bool lost = c.engine().links().lost(proc) || path.memory == nullptr ||
                    !path.memory->reaches_memory(path.endpoint);
  c.fail(lost ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER);
}

template <class Copy>
void Direct::copy(CollCtx& c, int peer, std::size_t bytes, Copy copy) const {
  const Links::HostPath path = c.engine().links().host_path(c.comm().local->proc(peer));
  const Clock& clock = c.engine().process().clock();
  const std::uint64_t start = pace_ != nullptr ? clock.now_ns() : 0;
  note(c, peer, path.memory != nullptr && copy(*path.memory, path.endpoint));
  if (pace_ != nullptr) pace_->copied(bytes, clock.now_ns() - start);
}

void Direct::read(CollCtx& c, int peer, std::size_t at, void* to, std::size_t bytes) const {
  if (bytes == 0 || c.error() != MPI_SUCCESS) return;
  const Fact& fact = facts_[peer];
  if (!inside(c, at, bytes, fact.source_bytes)) return;
  copy(c, peer, bytes, [&](HostMemory& memory, EndpointId endpoint) {
    return memory.read_memory(endpoint, fact.source + at, to, bytes);
  });
}

void Direct::write(CollCtx& c, int peer, std::size_t at, const void* from,
                   std::size_t bytes) const {
  if (bytes == 0 || c.error() != MPI_SUCCESS) return;
  const Fact& fact = facts_[peer];
  if (!inside(c, at, bytes, fact.target_bytes)) return;
  copy(c, peer, bytes, [&](HostMemory& memory, EndpointId endpoint) {
    return memory.write_memory(endpoint, fact.target + at, from, bytes);
  });
}

const void* Direct::look(CollCtx& c, int peer, std::size_t at, void* memory,
                         std::size_t bytes) const {
  const Fact& fact = facts_[peer];
  const Links::HostPath path = c.engine().links().host_path(c.comm().local->proc(peer));
  if (path.memory != nullptr && inside(c, at, bytes, fact.source_bytes)) {
    const void* seen = path.memory->map_memory(path.endpoint, fact.source + at, bytes);
    if (seen != nullptr) return seen;
  }
  read(c, peer, at, memory, bytes);
  return memory;
}

namespace {

/// A message to each member of whom `sends` says so, one from each of whom `receives` does: `out`
/// and `in` say where.
template <class Sends, class Receives, class Out, class In>
void start_round(CollCtx& c, RequestArray& messages, Sends sends, Receives receives, Out out,
                 In in) {
  const int size = c.size();
  for (int step = 1; step < size; ++step) {
    const int from = (c.rank() - step + size) % size;
    if (receives(from)) c.start_receive(messages.next(), in(from), from);
  }
  for (int step = 1; step < size; ++step) {
    const int to = (c.rank() + step) % size;
    if (sends(to)) c.start_send(messages.next(RequestKind::send), out(to), to);
  }
}

}  // namespace

BoardMeeting Direct::meeting(CollCtx& c) const {
  return {c.on_board()->board.lines(), hub_};
}

void Direct::meet_on_board(CollCtx& c, const CollectiveArgs* a) {
  using enum CopyPace::Role;
  const DirectOnBoard& chosen = *c.on_board();
  chosen.board.lines().waiting().set_subject(chosen.subject);
  const CopyPace::Role role = hub_ == kNoHub ? equal : hub_ == c.rank() ? hub : other;
  if (a != nullptr) pace_ = chosen.pace;
  if (pace_ != nullptr) mine_.words = pace_->begin(chosen.bytes, role);
  c.fail(meeting(c).tell(&mine_, sizeof mine_, facts_));
  facts_[c.rank()].reaches = 0;
  if (pace_ == nullptr || c.error() != MPI_SUCCESS) return;
  CopyPace::Words others;
  for (int i = 0; i < c.size(); ++i) {
    if (i == c.rank() || !meets(c.rank(), i)) continue;
    others.slow = others.slow || facts_[i].words.slow;
    others.wants_board = others.wants_board || facts_[i].words.wants_board;
  }
  if (role != other) pace_->hear(others.slow);
  // A hub decides alone; who is another meets nobody but the hub.
  was_on_board_ = (role != other && mine_.words.wants_board) || (role != hub && others.wants_board);
  if (was_on_board_) c.fail(chosen.board.run(*a, chosen.subject));
}

/// Every pair that meets exchanges a message, which also connects them: for the next time, if they
/// do not reach each other yet. A member that failed before sends nothing that counts, and uses
/// messages with all: both sides of each pair come to the same answer.
Task<int> Direct::meet(CollCtx& c, Direct& d, const CollectiveArgs* a) {
  const int size = c.size();
  if (c.on_board() != nullptr) {
    d.meet_on_board(c, a);
    co_return c.error();
  }
  const bool sound = c.error() == MPI_SUCCESS;
  auto* told = reinterpret_cast<Fact*>(c.scratch(static_cast<std::size_t>(size) * sizeof(Fact)));
  for (int i = 0; i < size; ++i) {
    const Links::HostPath path = c.engine().links().host_path(c.comm().local->proc(i));
    const bool reaches =
        i != c.rank() && path.memory != nullptr && path.memory->reaches_memory(path.endpoint);
    new (told + i) Fact(d.mine_);
    told[i].reaches = reaches ? 1 : 0;
  }
  RequestArray messages(c, RequestKind::receive, 2 * (size - 1));
  const auto met = [&](int peer) { return d.meets(c.rank(), peer); };
  start_round(
      c, messages, met, met, [&](int to) { return bytes_view(told + to, sizeof(Fact)); },
      [&](int from) { return bytes_view(d.facts_ + from, sizeof(Fact)); });
  auto everybody = c.all(messages.started());
  co_await everybody;
  for (int i = 0; i < size; ++i) {
    if (!sound || told[i].reaches == 0) d.facts_[i].reaches = 0;
  }
  co_return c.error();
}

void Direct::leave(CollCtx& c) {
  if (c.on_board() == nullptr) return;
  left_ = true;
  c.fail(meeting(c).leave(c.error()));
}

Task<int> Direct::part(CollCtx& c, Direct& d, std::span<Request> messages, bool hub_works) {
  auto rest = c.all(messages);
  co_await rest;
  if (c.on_board() != nullptr) {
    if (d.pace_ != nullptr) d.pace_->end();
    if (!d.left_) d.leave(c);
    c.fail(d.meeting(c).part(c.error(), hub_works));
    co_return c.error();
  }
  RequestArray round(c, RequestKind::receive, 2 * (c.size() - 1));
  const auto nothing = [](int) { return bytes_view(nullptr, 0); };
  const auto sends = [&](int to) { return d.meets(c.rank(), to) && (hub_works || to == d.hub_); };
  const auto receives = [&](int from) {
    return d.meets(c.rank(), from) && (hub_works || from != d.hub_);
  };
  start_round(c, round, sends, receives, nothing, nothing);
  auto everybody = c.all(round.started());
  co_await everybody;
  co_return c.error();
}

Task<int> fetch(CollCtx& c, const Direct& d, int peer, std::size_t at, View to) {
  const std::size_t bytes = to.size();
  const bool straight = to.is_contiguous();
  const std::size_t piece = straight ? kPiece : kStaging;
  std::byte* staging = straight ? nullptr : c.scratch(std::min(piece, bytes));
  for (std::size_t done = 0; done < bytes && c.error() == MPI_SUCCESS; done += piece) {
    const std::size_t length = std::min(piece, bytes - done);
    if (straight) {
      d.read(c, peer, at + done, to.data() + done, length);
    } else {
      const void* data = d.look(c, peer, at + done, staging, length);
      if (c.error() == MPI_SUCCESS) {
        to.unpack(done, {static_cast<const std::byte*>(data), length});
      }
    }
    if (done + length == bytes) break;
    auto others = c.turn();
    co_await others;
  }
  co_return c.error();
}

Task<int> deliver(CollCtx& c, const Direct& d, int peer, std::size_t at,
                  std::span<const std::byte> from) {
  while (!from.empty() && c.error() == MPI_SUCCESS) {
    const std::size_t length = std::min(kPiece, from.size());
    d.write(c, peer, at, from.data(), length);
    at += length;
    from = from.subspan(length);
    if (from.empty()) break;
    auto others = c.turn();
    co_await others;
  }
  co_return c.error();
}

}  // namespace remit
