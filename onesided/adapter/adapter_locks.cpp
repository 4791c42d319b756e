// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/adapter_locks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "runtime/clock.hpp"

namespace remit {

namespace {

using Ticket = TicketLock::Ticket;

constexpr std::uint64_t kFinished = std::uint64_t{1} << 32;
constexpr std::size_t kNext = offsetof(AdapterWords, lock) + offsetof(AdapterWords::Lock, next);
constexpr std::size_t kServed = offsetof(AdapterWords, lock) + offsetof(AdapterWords::Lock, served);
constexpr std::size_t kTakers = offsetof(AdapterWords, lock) + offsetof(AdapterWords::Lock, takers);

/// How long a lock is waited for before those who stand before are asked for, and before all are
/// of whom it is not known.
constexpr std::int64_t kTakerPatienceNs = 100'000'000;
constexpr std::int64_t kLongTakerPatienceNs = 2'000'000'000;

/// What lets the next one in behind a reader with this ticket, and behind a writer that leaves. The
/// lower half of the word has to count round without a carry.
constexpr std::uint64_t reader_step(Ticket ticket) {
  return ticket + 1 == 0 ? 1 - kFinished : 1;
}
constexpr std::uint64_t writer_step(Ticket ticket) {
  return kFinished + reader_step(ticket);
}

bool is_in(std::uint64_t served, bool exclusive, Ticket ticket) {
  const bool turn = static_cast<Ticket>(served) == ticket;
  return turn && (!exclusive || static_cast<Ticket>(served >> 32) == ticket);
}

}  // namespace

Expected<> AdapterLocks::lock(int rank, bool exclusive, Ticket& ticket,
                              const WaitSubject* subject) {
  const Expected<AdapterPeer*> reached = peers_.reach(rank);
  if (!reached) return tl::unexpected(reached.error());
  AdapterPeer& peer = **reached;
  std::array<std::uint64_t, 2> found{};
  {
    // Whichever comes first: what has been served cannot go beyond this ticket.
    const HeldBuffer buffer(peers_.port(), sizeof found);
    const Piece next = buffer->piece(0, sizeof found[0]);
    const Piece served = buffer->piece(sizeof found[0], sizeof found[1]);
    std::array<Operation, 2> both = {fetch_add_of(peer.word(kNext), 1, {&next, 1}),
                                     move_of(OpKind::get, peer.word(kServed), served)};
    if (auto done = peers_.run(peer, both); !done) return done;
    std::memcpy(found.data(), buffer->begin, sizeof found);
  }
  ticket = static_cast<Ticket>(found[0]);
  const AdapterBuffer taker = peers_.port().take(sizeof(std::uint64_t));
  const std::uint64_t sign = std::uint64_t{ticket} << 32 | peers_.self();
  std::memcpy(taker.begin, &sign, sizeof sign);
  const Piece piece = taker.piece(0, sizeof sign);
  const std::size_t place = ticket % AdapterWords::kTakers * sizeof sign;
  Operation tell = move_of(OpKind::put, peer.word(kTakers + place), piece);
  peers_.start(peer, {&tell, 1},
               [&port = peers_.port(), taker](int /*status*/) { port.give_back(taker); });
  if (!is_in(found[1], exclusive, ticket)) {
    ++waits_;
    if (auto waited = wait(peer, exclusive, ticket, subject); !waited) return waited;
  }
  if (exclusive) return {};
  Operation let_in = fetch_add_of(peer.word(kServed), reader_step(ticket), {});
  peers_.start(peer, {&let_in, 1});
  return {};
}

/// One read is always under way, so that its end wakes this process if it sleeps.
Expected<> AdapterLocks::wait(AdapterPeer& peer, bool exclusive, Ticket ticket,
                              const WaitSubject* subject) {
  const HeldBuffer buffer(peers_.port(), sizeof(AdapterWords::Lock));
  const std::int64_t begin = monotonic_ns();
  std::int64_t waited_ns = 0;
  bool over = true;
  bool read_all = false;
  bool was_read = false;
  int status = MPI_SUCCESS;
  int lost = -1;
  AdapterWords::Lock seen;
  const auto look = [&] {
    if (!over) return false;
    if (status != MPI_SUCCESS) return true;
    if (was_read) {
      std::memcpy(&seen, buffer->begin, read_all ? sizeof seen : sizeof seen.served);
      if (!read_all) std::memcpy(&seen.served, buffer->begin, sizeof seen.served);
      if (is_in(seen.served, exclusive, ticket)) return true;
      if (read_all) lost = find_lost(seen, ticket, waited_ns > kLongTakerPatienceNs);
      if (lost >= 0) return true;
    }
    waited_ns = monotonic_ns() - begin;
    read_all = waited_ns > kTakerPatienceNs;
    const Piece piece = buffer->piece(0, read_all ? sizeof seen : sizeof seen.served);
    Operation read = move_of(OpKind::get, peer.word(read_all ? kNext : kServed), piece);
    over = false;
    was_read = true;
    const auto finish = [&over, &status](int outcome) {
      over = true;
      status = outcome;
    };
    peers_.port().start(peer.way, {&read, 1}, finish, nullptr);
    return false;
  };
  peers_.progress().wait(look, subject);
  if (status != MPI_SUCCESS) {
    return fail(status, "rank {}, whose lock this process waits for, cannot be reached any more",
                peer.rank);
  }
  if (lost < 0) return {};
  return fail(MPI_ERR_PROC_ABORTED,
              "rank {}, which has locked rank {} or stood before this process, has ended", lost,
              peer.rank);
}

int AdapterLocks::find_lost(const AdapterWords::Lock& lock, Ticket ticket, bool ask_all) {
  const auto left = static_cast<Ticket>(lock.served >> 32);
  // Readers leave in any order: each of those that came before may be the one who is in.
  const bool readers_are_in = left != static_cast<Ticket>(lock.served);
  const Ticket most = readers_are_in ? ticket : ticket - left;
  const Ticket told = std::min(most, static_cast<Ticket>(AdapterWords::kTakers));
  last_holder_ = -1;
  for (Ticket other = ticket - told; other != ticket; ++other) {
    const std::uint64_t sign = lock.takers[other % AdapterWords::kTakers];
    const int rank = static_cast<int>(static_cast<std::uint32_t>(sign)) - 1;
    if (rank < 0 || static_cast<Ticket>(sign >> 32) != other) continue;
    if (last_holder_ < 0) last_holder_ = rank;
    if (peers_.is_lost(rank)) return rank;
  }
  if (!ask_all || (!readers_are_in && last_holder_ >= 0)) return -1;
  for (int rank = 0; rank < peers_.members(); ++rank) {
    if (peers_.is_lost(rank)) return rank;
  }
  return -1;
}

void AdapterLocks::unlock(int rank, bool exclusive, Ticket ticket) {
  const Expected<AdapterPeer*> reached = peers_.reach(rank);
  if (!reached) return;  // it has gone, and its lock with it
  AdapterPeer& peer = **reached;
  Operation leave =
      fetch_add_of(peer.word(kServed), exclusive ? writer_step(ticket) : kFinished, {});
  peers_.start(peer, {&leave, 1});
}

}  // namespace remit
