// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: when a communicator gets one, and what its members agree on.
#include <algorithm>
#include <memory>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board.hpp"
#include "collectives/board/board_probe.hpp"
#include "collectives/choice/collective_costs.hpp"
#include "collectives/choice/decision.hpp"
#include "collectives/choice/long_board.hpp"
#include "collectives/hierarchy.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Operations that a communicator sees before it gets a board: setting one up costs messages among
/// all members, and connects them.
constexpr std::uint32_t kPatience = 3;
/// Then the cells are known, too, and short operations need not count for them.
static_assert(kPatience >= Hierarchy::kPatience);

/// What members tell each other to set up a board.
struct Offer {
  std::uint64_t base = 0;
  std::uint32_t index = 0;
  bool fine = false;     ///< has a segment; from the second round on, can read all others'
  bool takes = false;    ///< claims the lines that it has read
  bool knows = false;    ///< knows all facts of the host
  bool asks = false;     ///< must know what a page takes
  bool spins = false;    ///< has its core for itself
  bool paces = false;    ///< ... and nobody has told it which way long data go
  bool reaches = false;  ///< last round: reaches the memory of all others
  bool quick = false;    ///< ... copies the others' memory quickly
  LongBoard takes_long = LongBoard::none;  ///< ... should cross the board
  HostFacts facts;                         ///< that it knows
};

Task<int> tell_everybody(CollCtx& c, std::vector<Offer>& offers) {
  const int size = c.size();
  for (int step = 1; step < size; ++step) {
    const int to = (c.rank() + step) % size;
    const int from = (c.rank() - step + size) % size;
    const View out = bytes_view(&offers[static_cast<std::size_t>(c.rank())], sizeof(Offer));
    const View in = bytes_view(&offers[static_cast<std::size_t>(from)], sizeof(Offer));
    auto turn = c.sendrecv(out, to, in, from);
    co_await turn;
  }
  co_return c.error();
}

/// Where the others' segments are; nothing if there is one that this process cannot read.
std::vector<BoardMember> find_members(Engine& engine, const CommCore& comm,
                                      const std::vector<Offer>& offers, BoardSegment* own) {
  std::vector<BoardMember> members;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const Offer& offer = offers[static_cast<std::size_t>(rank)];
    BoardMember member{own, offer.base, nullptr, 0, comm.local->proc(rank)};
    if (rank != comm.rank && offer.fine) {
      const Links::HostPath path = engine.links().host_path(member.proc);
      member.memory = path.memory;
      member.endpoint = path.endpoint;
      std::byte* memory =
          path.memory == nullptr ? nullptr : path.memory->notices_of(path.endpoint, offer.index);
      member.segment = reinterpret_cast<BoardSegment*>(memory);
    }
    if (member.segment == nullptr || !offer.fine) return {};
    members.push_back(member);
  }
  return members;
}

/// Bytes up to which members claim the lines of what they have read: nobody else must read it.
std::size_t claim_lines_to(const HostMemory& memory, int members) {
  return members == 2 ? memory.claim_lines_to() : 0;
}

/// Whether they take those of whole pages.
bool takes_pages(const HostMemory& memory, int members) {
  return BoardSegment::kPageBytes <= claim_lines_to(memory, members);
}

/// What members measure with.
struct Prober {
  PageTimer timer;
  BoardSegment& neighbour;
  std::vector<Offer>& offers;
};

/// A round of writing and reading pages.
Task<int> time_pages(CollCtx& c, Prober& p, PageTimer::Way way) {
  p.timer.write_first(way);
  Task<int> written = tell_everybody(c, p.offers);
  co_await written;
  p.timer.read(p.neighbour, way);
  Task<int> read = tell_everybody(c, p.offers);
  co_await read;
  p.timer.write_again(way);
  co_return c.error();
}

/// Member 0's facts are everybody's from now on: what it has measured by itself, and what it takes
/// to read its neighbour's pages in each way, in turns. Once on a host: some 24 rounds of messages.
Task<int> measure_host(CollCtx& c, Prober& p, HostMemory& memory) {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    for (const bool taken : {false, true}) {
      for (const bool pieces : {false, true}) {
        const PageTimer::Way way{taken, pieces};
        Task<int> pages = time_pages(c, p, way);
        co_await pages;
      }
    }
  }
  Offer& mine = p.offers[static_cast<std::size_t>(c.rank())];
  if (c.rank() == 0) {
    HostFacts facts = memory.measure_facts();
    facts.claim_lines_to = p.timer.claim_lines_to();
    CopyLoops loops = facts.loops.value_or(copy_loops());
    loops.pieces_to = p.timer.pieces_to();
    facts.loops = loops;
    facts.day = today();
    mine.facts = facts;
  }
  Task<int> told = tell_everybody(c, p.offers);
  co_await told;
  if (c.error() == MPI_SUCCESS) memory.learn(p.offers[0].facts);
  co_return c.error();
}

/// What this member's neighbour's page takes; 0: not measured in this job.
std::uint32_t& page_ns(CollCtx& c, const HostMemory& memory) {
  const ProcId next = c.comm().local->proc((c.rank() + 1) % c.size());
  auto& costs = c.engine().process().kept<CollectiveCosts>();
  return costs.page_ns(next, takes_pages(memory, c.size()));
}

bool all(const std::vector<Offer>& offers, bool Offer::*what) {
  return std::all_of(offers.begin(), offers.end(), [=](const Offer& o) { return o.*what; });
}

/// All members measure what member 0 does not know of the host, and the page if one of them asks.
/// Who cannot read its neighbour's page does as if it could: the others wait for its messages.
Task<int> probe(CollCtx& c, std::vector<Offer>& offers, const Board::Agreement& found,
                const OwnNotices& own) {
  auto* segment = reinterpret_cast<BoardSegment*>(own.notices.memory);
  const auto next = static_cast<std::size_t>((c.rank() + 1) % c.size());
  Prober prober{PageTimer(*segment),
                found.members.empty() ? *segment : *found.members[next].segment, offers};
  if (offers[0].knows) {
    own.memory->learn(offers[0].facts);
  } else {
    Task<int> measured = measure_host(c, prober, *own.memory);
    co_await measured;
  }
  if (std::any_of(offers.begin(), offers.end(), [](const Offer& o) { return o.asks; })) {
    const PageTimer::Way way{takes_pages(*own.memory, c.size()), false};
    Task<int> pages = time_pages(c, prober, way);
    co_await pages;
    page_ns(c, *own.memory) = prober.timer.page_ns(way.taken);
  }
  co_return c.error();
}

/// Twice round: everybody tells what it has, then whether it can read what all others have, and
/// what it would do.
Task<int> agree_on_board(CollCtx& c, const OwnNotices& own, Board::Agreement& out) {
  Process& process = c.engine().process();
  auto* segment = reinterpret_cast<BoardSegment*>(own.notices.memory);
  std::vector<Offer> offers(static_cast<std::size_t>(c.size()));
  Offer& mine = offers[static_cast<std::size_t>(c.rank())];
  mine.fine = segment != nullptr;
  mine.spins = process.progress().policy().spin;
  mine.paces = mine.spins && asks_for_page(process.params());
  if (mine.fine) {
    mine.facts = own.memory->facts();
    mine.knows = mine.facts.complete(today());
    mine.asks = asks_for_page(process.params()) && page_ns(c, *own.memory) == 0;
    mine.base = segment->closed.load(std::memory_order_relaxed);
    mine.index = own.notices.index;
  }
  Task<int> first = tell_everybody(c, offers);
  co_await first;
  out.members = find_members(c.engine(), c.comm(), offers, segment);
  mine.reaches = std::all_of(out.members.begin(), out.members.end(), [](const auto& member) {
    return member.memory == nullptr || member.memory->reaches_memory(member.endpoint);
  });
  if (all(offers, &Offer::fine) && all(offers, &Offer::spins)) {
    Task<int> probed = probe(c, offers, out, own);
    co_await probed;
  }
  mine.fine = !out.members.empty();
  if (mine.fine) {
    const auto kernel = own.memory->facts().kernel.value_or(KernelCopies{});
    const BoardDistance distance{mine.reaches, mine.spins, page_ns(c, *own.memory)};
    mine.takes = claim_lines_to(*own.memory, c.size()) != 0;
    mine.takes_long = long_board_of(process.params(), kernel, distance);
    mine.quick = kernel.quick;
    out.own_ns = {kernel.ns_of_64k, board_ns_of_64k(distance.page_ns)};
    process.log().write(LogLevel::debug,
                        "a page of the board is written and read in {} ns (0: unknown), 64 KB are "
                        "copied by the kernel in {} ns",
                        distance.page_ns, kernel.ns_of_64k);
  }
  Task<int> last = tell_everybody(c, offers);
  co_await last;
  out.claims_lines = all(offers, &Offer::takes);
  out.reaches_memory = all(offers, &Offer::reaches);
  out.takes_long = std::ranges::min_element(offers, {}, &Offer::takes_long)->takes_long;
  out.copies_quickly = out.reaches_memory && all(offers, &Offer::quick);
  out.paces = out.copies_quickly && out.takes_long == LongBoard::none &&
              known_state(c.comm()).cost_class == CostClass::host && all(offers, &Offer::paces);
  if (!all(offers, &Offer::fine) || c.error() != MPI_SUCCESS) out.members.clear();
  co_return c.error();
}

/// What has kept this member from having a board may have kept no other one: who waits for it there
/// is told. Its segment, and those of members that have one, serve nobody again.
void give_up(Engine& engine, const CommCore& comm, const OwnNotices& own) {
  if (own.memory == nullptr) return;
  auto* segment = reinterpret_cast<BoardSegment*>(own.notices.memory);
  const std::uint64_t base = segment->closed.load(std::memory_order_relaxed);
  segment->broken.store(base + 1, std::memory_order_release);
  own.memory->return_notices(own.notices.index, [] { return true; });
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank) continue;
    const Links::HostPath path = engine.links().host_path(comm.local->proc(rank));
    if (path.memory != nullptr) path.memory->nudge(path.endpoint);
  }
}

int set_up(Engine& engine, CommCore& comm, const WaitSubject* subject) {
  Process& process = engine.process();
  const OwnNotices own = engine.links().devices().take_notices();
  Board::Agreement agreement;
  const FrameArenaLease arena(process.arenas());
  CollCtx c(engine, comm, comm.collective_sequence++, *arena, 1);
  Task<int> task = agree_on_board(c, own, agreement);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); }, subject);
  if (task.result() != MPI_SUCCESS) {
    collective_state(comm).agreement_error = task.result();
    give_up(engine, comm, own);
  } else if (!agreement.members.empty()) {
    comm.collectives = std::make_shared<BoardState>(engine, comm, collective_state(comm), own,
                                                    std::move(agreement));
  } else if (own.memory != nullptr) {
    own.memory->return_notices(own.notices.index, [] { return false; });
  }
  return task.result();
}

}  // namespace

int count_board_use(Engine& engine, CommCore& comm, const CollectiveArgs& a,
                    const CollectiveShape& shape, const WaitSubject* subject) {
  CollectiveState& state = collective_state(comm);
  if (state.board_uses >= kPatience) return state.agreement_error;
  if (!would_use_board(a.kind, shape, engine.process().params())) return MPI_SUCCESS;
  if (++state.board_uses != kPatience) return MPI_SUCCESS;
  return set_up(engine, comm, subject);
}

}  // namespace remit
