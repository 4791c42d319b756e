// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: when a communicator gets one, what its members agree on, and its end.
#include <algorithm>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board.hpp"
#include "collectives/board/board_probe.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// Operations that a communicator sees before it gets a board: setting one up costs messages among
/// all members, and connects them.
constexpr std::uint32_t kPatience = 3;
constexpr std::uint32_t kPagesOf64k = (std::uint32_t{64} << 10) / BoardPlace::kPageBytes;

inline const ParamDecl long_board_param{
    "coll_long_board",
    std::string("auto"),
    "",
    "long data of blocking collectives go through the shared board in pieces, not by copies of the "
    "kernel; auto: where these are slower, which the ranks measure (blocks and broadcasts of some "
    "512 KB to 4 MB and more, which no cache holds, only where they are slower by far), and "
    "elsewhere as long as they take longer than between caches (data up to 256 KB or 2 MB)",
    {"auto", "yes", "no"}};

/// What members tell each other to set up a board.
struct Offer {
  std::uint64_t base = 0;
  std::uint32_t index = 0;
  bool fine = false;     ///< has a place; from the second round on, can read all others'
  bool takes = false;    ///< takes the lines that it has read
  bool knows = false;    ///< knows all facts of the host
  bool asks = false;     ///< must know what a page takes
  bool spins = false;    ///< has its core for itself
  bool paces = false;    ///< ... and nobody has told it which way long data go
  bool reaches = false;  ///< last round: reaches the memory of all others
  bool quick = false;    ///< ... copies the others' memory quickly
  LongBoard takes_long = LongBoard::none;  ///< ... should go through places
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

/// Where the others' places are; nothing if there is one that this process cannot read.
std::vector<Board::Member> find_members(Engine& engine, const CommCore& comm,
                                        const std::vector<Offer>& offers, BoardPlace* own) {
  std::vector<Board::Member> members;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const Offer& offer = offers[static_cast<std::size_t>(rank)];
    Board::Member member{own, offer.base, nullptr, 0, comm.local->proc(rank)};
    if (rank != comm.rank && offer.fine) {
      const Links::HostPath path = engine.links().host_path(member.proc);
      member.memory = path.memory;
      member.endpoint = path.endpoint;
      std::byte* memory =
          path.memory == nullptr ? nullptr : path.memory->notices_of(path.endpoint, offer.index);
      member.place = reinterpret_cast<BoardPlace*>(memory);
    }
    if (member.place == nullptr || !offer.fine) return {};
    members.push_back(member);
  }
  return members;
}

/// Bytes up to which members take the lines of what they have read: nobody else must read it.
std::size_t take_lines_to(const HostMemory& memory, int members) {
  return members == 2 ? memory.take_lines_to() : 0;
}

/// Whether they take those of whole pages.
bool takes_pages(const HostMemory& memory, int members) {
  return BoardPlace::kPageBytes <= take_lines_to(memory, members);
}

/// What members measure with.
struct Prober {
  PageTimer timer;
  BoardPlace& neighbour;
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
    facts.take_lines_to = p.timer.take_lines_to();
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
  return c.engine().page_ns(next, takes_pages(memory, c.size()));
}

bool all(const std::vector<Offer>& offers, bool Offer::*what) {
  return std::all_of(offers.begin(), offers.end(), [=](const Offer& o) { return o.*what; });
}

/// All members measure what member 0 does not know of the host, and the page if one of them asks.
/// Who cannot read its neighbour's page does as if it could: the others wait for its messages.
Task<int> probe(CollCtx& c, std::vector<Offer>& offers, const Board::Agreement& found,
                const Links::OwnNotices& own) {
  auto* place = reinterpret_cast<BoardPlace*>(own.notices.memory);
  const auto next = static_cast<std::size_t>((c.rank() + 1) % c.size());
  Prober prober{PageTimer(*place), found.members.empty() ? *place : *found.members[next].place,
                offers};
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
Task<int> agree_on_board(CollCtx& c, const Links::OwnNotices& own, Board::Agreement& out) {
  Process& process = c.engine().process();
  auto* place = reinterpret_cast<BoardPlace*>(own.notices.memory);
  std::vector<Offer> offers(static_cast<std::size_t>(c.size()));
  Offer& mine = offers[static_cast<std::size_t>(c.rank())];
  mine.fine = place != nullptr;
  mine.spins = process.progress().policy().spin;
  mine.paces = mine.spins && Board::asks_for_page(process.params());
  if (mine.fine) {
    mine.facts = own.memory->facts();
    mine.knows = mine.facts.complete(today());
    mine.asks = Board::asks_for_page(process.params()) && page_ns(c, *own.memory) == 0;
    mine.base = place->closed.load(std::memory_order_relaxed);
    mine.index = own.notices.index;
  }
  Task<int> first = tell_everybody(c, offers);
  co_await first;
  out.members = find_members(c.engine(), c.comm(), offers, place);
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
    const Board::Distance distance{mine.reaches, mine.spins, page_ns(c, *own.memory)};
    mine.takes = take_lines_to(*own.memory, c.size()) != 0;
    mine.takes_long = Board::takes_long(process.params(), kernel, distance);
    mine.quick = kernel.quick;
    out.own_ns = {kernel.ns_of_64k, kPagesOf64k * distance.page_ns};
    process.log().write(LogLevel::debug,
                        "a page of the board is written and read in {} ns (0: unknown), 64 KB are "
                        "copied by the kernel in {} ns",
                        distance.page_ns, kernel.ns_of_64k);
  }
  Task<int> last = tell_everybody(c, offers);
  co_await last;
  out.takes_lines = all(offers, &Offer::takes);
  out.reaches_memory = all(offers, &Offer::reaches);
  out.takes_long = std::ranges::min_element(offers, {}, &Offer::takes_long)->takes_long;
  out.copies_quickly = out.reaches_memory && all(offers, &Offer::quick);
  out.paces = out.copies_quickly && out.takes_long == LongBoard::none &&
              static_cast<Place>(c.comm().place) == Place::host && all(offers, &Offer::paces);
  if (!all(offers, &Offer::fine) || c.error() != MPI_SUCCESS) out.members.clear();
  co_return c.error();
}

std::vector<Board::Member> without(std::vector<Board::Member> members, int rank) {
  members.erase(members.begin() + rank);
  return members;
}

/// The longest bytes for which the table of algorithms chooses the board, or -1.
std::int64_t find_limit(CollectiveKind kind, CollectiveShape shape, const Params& params) {
  const auto chosen = [&] { return choose_algorithm(kind, shape, params).name == "board"; };
  if (kind == CollectiveKind::barrier) return chosen() ? 0 : -1;
  std::int64_t limit = -1;
  for (shape.bytes = 1; shape.bytes <= Board::kLongest; shape.bytes *= 2) {
    shape.elements = static_cast<MPI_Count>(shape.bytes);
    if (!has_algorithm(kind, false) || !chosen()) break;
    limit = static_cast<std::int64_t>(shape.bytes);
  }
  return limit;
}

}  // namespace

Board::Board(Engine& engine, const CommCore& comm, Links::OwnNotices own, Agreement agreement)
    : engine_(engine),
      rank_(comm.rank),
      size_(comm.size()),
      own_(own),
      place_(reinterpret_cast<BoardPlace*>(own.notices.memory)),
      members_(std::move(agreement.members)),
      others_(without(members_, rank_)),
      base_(members_[static_cast<std::size_t>(rank_)].base),
      reaches_memory_(agreement.reaches_memory),
      copies_quickly_(agreement.copies_quickly),
      spins_(engine.process().progress().policy().spin),
      own_processors_(static_cast<Place>(comm.place) == Place::host),
      takes_lines_(agreement.takes_lines),
      take_lines_to_(take_lines_to(*own.memory, size_)) {
  for (const Member& member : members_) {
    for (auto& page : member.place->pages) pages_.push_back(page);
  }
  const Params& params = engine.process().params();
  if (agreement.paces) pace_.emplace(agreement.own_ns);
  CollectiveShape shape;
  shape.size = size_;
  shape.place = static_cast<Place>(comm.place);
  shape.processors = comm.processors;
  shape.table = comm.table;
  shape.board = true;
  shape.one_host = reaches_memory_;
  shape.long_board = agreement.takes_long;
  shape.quick_copies = copies_quickly_;
  shape.hierarchy = comm.hierarchy.get();  // found out before, if at all: see kPatience
  for (std::size_t kind = 0; kind < limits_.size(); ++kind) {
    limits_[kind] = find_limit(static_cast<CollectiveKind>(kind), shape, params);
    cost_chooses_[kind] =
        chosen_by_cost_alone(static_cast<CollectiveKind>(kind), comm.table, params);
  }
}

/// The place may serve another board when nobody reads it for this one any more: when all members
/// have closed it. They all close it after the same operation; but after an error among pieces a
/// member may be ahead, and its place serves nobody again.
Board::~Board() {
  const std::uint64_t end = number_ + 1;
  place_->closed.store(base_ + end, std::memory_order_release);
  own_.memory->return_notices(own_.notices.index, [members = members_, end] {
    return std::any_of(members.begin(), members.end(), [=](const Member& member) {
      return member.place->closed.load(std::memory_order_acquire) < member.base + end;
    });
  });
}

bool Board::asks_for_page(const Params& params) {
  return params.text(long_board_param) == "auto";
}

/// What a piece costs beside its copies, the board's lines, is less than the announcement of a copy
/// by the kernel.
LongBoard Board::takes_long(const Params& params, const KernelCopies& kernel,
                            const Distance& distance) {
  const auto all_if = [](bool all) { return all ? LongBoard::all : LongBoard::none; };
  if (!asks_for_page(params)) return all_if(params.text(long_board_param) == "yes");
  if (!distance.spins || !distance.reaches) return all_if(distance.spins);
  constexpr std::uint64_t kByFar = 2;  // as much as memory costs more than caches
  const std::uint64_t board_ns = std::uint64_t{kPagesOf64k} * distance.page_ns;
  if (board_ns == 0 || board_ns >= kernel.ns_of_64k) return LongBoard::none;
  return kByFar * board_ns < kernel.ns_of_64k ? LongBoard::all : LongBoard::cached;
}

void Board::wish(Engine& engine, CommCore& comm, const CollectiveArgs& a,
                 const CollectiveShape& shape, const WaitSubject* subject) {
  if (comm.board_wishes >= kPatience || shape.size < 2 || shape.size > kMembers ||
      !shape.one_host) {
    return;
  }
  CollectiveShape on_board = shape;
  on_board.board = shape.bytes <= BoardPlace::kPageBytes || shape.size > 2;
  on_board.quick_copies = true;  // if they are not, the board will know
  const Algorithm& row = choose_algorithm(a.kind, on_board, engine.process().params());
  if (row.run != nullptr && !row.direct) return;
  if (++comm.board_wishes == kPatience) set_up(engine, comm, subject);
}

void Board::set_up(Engine& engine, CommCore& comm, const WaitSubject* subject) {
  Process& process = engine.process();
  const Links::OwnNotices own = engine.links().take_notices();
  Agreement agreement;
  const FrameArenaLease arena(process.arenas());
  CollCtx c(engine, comm, comm.collective_sequence++, *arena, 1);
  Task<int> task = agree_on_board(c, own, agreement);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); }, subject);
  if (task.result() == MPI_SUCCESS && !agreement.members.empty()) {
    comm.board = std::make_shared<Board>(engine, comm, own, std::move(agreement));
  } else if (own.memory != nullptr) {
    own.memory->return_notices(own.notices.index, [] { return false; });
  }
}

}  // namespace remit
