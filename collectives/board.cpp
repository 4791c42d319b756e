// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: setting it up, entering, waiting, and each operation on it.
#include "collectives/board.hpp"

#include <algorithm>

#include "collectives/buffers.hpp"
#include "runtime/prefetch.hpp"

namespace remit {

namespace {

/// Operations that a communicator sees before it gets a board: setting one up costs messages among
/// all members, and connects them.
constexpr std::uint32_t kPatience = 3;
/// Looks at another's line, where a core is free for this rank, before the devices are polled too.
constexpr int kLooks = 1000;
constexpr int kLooksPerRelax = 16;
constexpr std::size_t kLine = 64;
constexpr std::size_t kPrepared = 4096;

/// What members tell each other to set up a board.
struct Offer {
  std::uint64_t base = 0;
  std::uint32_t index = 0;
  bool fine = false;     ///< has a place; in the second round, can read all others'
  bool reaches = false;  ///< second round: reaches the memory of all others
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
      const Engine::Path path = engine.path(member.proc);
      member.device = path.device;
      member.endpoint = path.endpoint;
      const std::byte* memory =
          path.device == nullptr ? nullptr : path.device->notices_of(path.endpoint, offer.index);
      member.place = reinterpret_cast<const BoardPlace*>(memory);
    }
    if (member.place == nullptr || !offer.fine) return {};
    members.push_back(member);
  }
  return members;
}

/// Twice round: first everybody tells what it has, then whether it can read what all others have.
Task<int> agree(CollCtx& c, const Engine::OwnNotices& own, Board::Agreement& out) {
  auto* place = reinterpret_cast<BoardPlace*>(own.notices.memory);
  std::vector<Offer> offers(static_cast<std::size_t>(c.size()));
  Offer& mine = offers[static_cast<std::size_t>(c.rank())];
  mine.fine = place != nullptr;
  if (place != nullptr) {
    mine.base = place->closed.load(std::memory_order_relaxed);
    mine.index = own.notices.index;
  }
  Task<int> first = tell_everybody(c, offers);
  co_await first;
  out.members = find_members(c.engine(), c.comm(), offers, place);
  mine.fine = !out.members.empty();
  mine.reaches = std::all_of(out.members.begin(), out.members.end(), [](const auto& member) {
    return member.device == nullptr || member.device->reaches_memory(member.endpoint);
  });
  Task<int> second = tell_everybody(c, offers);
  co_await second;
  const auto all = [&](bool Offer::*what) {
    return std::all_of(offers.begin(), offers.end(), [=](const Offer& o) { return o.*what; });
  };
  out.reaches_memory = all(&Offer::reaches);
  if (!all(&Offer::fine) || c.error() != MPI_SUCCESS) out.members.clear();
  co_return c.error();
}

/// The longest bytes for which the table of algorithms chooses the board, or -1.
std::int64_t find_limit(CollectiveKind kind, CollectiveShape shape, const Params& params) {
  const auto chosen = [&] { return choose_algorithm(kind, shape, params).name == "board"; };
  if (kind == CollectiveKind::barrier) return chosen() ? 0 : -1;
  std::int64_t limit = -1;
  for (shape.bytes = 1; shape.bytes <= BoardPlace::kPageBytes; shape.bytes *= 2) {
    shape.elements = static_cast<MPI_Count>(shape.bytes);
    const bool known = std::any_of(all_algorithms().begin(), all_algorithms().end(),
                                   [=](const Algorithm& row) { return row.kind == kind; });
    if (!known || !chosen()) break;
    limit = static_cast<std::int64_t>(shape.bytes);
  }
  return limit;
}

/// Looks at what a waiting member waits for, whenever the devices are polled. Counts as an event
/// once: another thread that polls must not take it for something to do again and again, and never
/// give up the lock that the waiting one needs.
template <class Test>
class Watch final : public ProgressSource {
 public:
  Watch(Progress& progress, Test& test) : progress_(progress), test_(test) { progress.add(this); }
  ~Watch() override { progress_.remove(this); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  int progress() override {
    if (told_ || !test_()) return 0;
    told_ = true;
    return 1;
  }
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>& /*out*/) const override {}

 private:
  Progress& progress_;
  Test& test_;
  bool told_ = false;
};

}  // namespace

// --- setting up --------------------------------------------------------------------------------

Board::Board(Engine& engine, const CommCore& comm, Engine::OwnNotices own, Agreement agreement)
    : engine_(engine),
      rank_(comm.rank),
      size_(comm.size()),
      own_(own),
      place_(reinterpret_cast<BoardPlace*>(own.notices.memory)),
      members_(std::move(agreement.members)),
      reaches_memory_(agreement.reaches_memory),
      spins_(engine.process().progress().policy().spin) {
  CollectiveShape shape;
  shape.size = size_;
  shape.place = static_cast<Place>(comm.place);
  shape.table = comm.table;
  shape.board = true;
  shape.one_host = reaches_memory_;
  for (std::size_t kind = 0; kind < limits_.size(); ++kind) {
    limits_[kind] = find_limit(static_cast<CollectiveKind>(kind), shape, engine.process().params());
  }
}

/// The place may serve another board when nobody reads it for this one any more: when all members
/// have closed it. They all close it after the same operation.
Board::~Board() {
  const std::uint64_t end = number_ + 1;
  place_->closed.store(members_[static_cast<std::size_t>(rank_)].base + end,
                       std::memory_order_release);
  own_.device->return_notices(own_.notices.index, [members = members_, end] {
    return std::any_of(members.begin(), members.end(), [=](const Member& member) {
      return member.place->closed.load(std::memory_order_acquire) < member.base + end;
    });
  });
}

void Board::wish(Engine& engine, CommCore& comm, const CollectiveArgs& a,
                 const CollectiveShape& shape, const WaitSubject* subject) {
  if (comm.board_wishes >= kPatience || shape.size < 2 || shape.size > kMembers ||
      !shape.one_host) {
    return;
  }
  CollectiveShape on_board = shape;
  on_board.board = shape.bytes <= BoardPlace::kPageBytes;
  const Algorithm& row = choose_algorithm(a.kind, on_board, engine.process().params());
  if (row.run != nullptr && !row.direct) return;
  if (++comm.board_wishes == kPatience) set_up(engine, comm, subject);
}

void Board::set_up(Engine& engine, CommCore& comm, const WaitSubject* subject) {
  Process& process = engine.process();
  const Engine::OwnNotices own = engine.take_notices();
  Agreement agreement;
  const ArenaLease arena(process.arenas());
  CollCtx c(engine, comm, comm.collective_sequence++, *arena, 1);
  Task<int> task = agree(c, own, agreement);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); }, subject);
  if (task.result() == MPI_SUCCESS && !agreement.members.empty()) {
    comm.board = std::make_shared<Board>(engine, comm, own, std::move(agreement));
  } else if (own.device != nullptr) {
    own.device->return_notices(own.notices.index, [] { return false; });
  }
}

// --- entering and waiting ----------------------------------------------------------------------

int Board::enter() {
  if (const int error = make_room()) return error;
  store_line(0);
  return MPI_SUCCESS;
}

int Board::publish(const View& data) {
  if (const int error = make_room()) return error;
  const std::size_t bytes = data.size();
  const std::size_t at = number_ % BoardPlace::kDepth;
  std::byte* to = bytes <= BoardPlace::kInline ? place_->lines[at].bytes : place_->pages[at];
  data.pack(0, {to, bytes});
  store_line(bytes);
  return MPI_SUCCESS;
}

void Board::store_line(std::size_t bytes) {
  BoardPlace::Line& line = place_->lines[number_ % BoardPlace::kDepth];
  line.length = static_cast<std::uint32_t>(bytes);
  published_ = bytes;
  line.number.store(members_[static_cast<std::size_t>(rank_)].base + number_,
                    std::memory_order_release);
  for (int i = 0; i < size_; ++i) {
    const Member& member = members_[static_cast<std::size_t>(i)];
    if (i != rank_) member.device->nudge(member.endpoint);
  }
}

int Board::make_room() {
  constexpr std::uint64_t kDepth = BoardPlace::kDepth;
  if (number_ <= safe_) [[likely]]
    return MPI_SUCCESS;
  const auto all_entered = [this](std::uint64_t number) {
    for (int i = 0; i < size_; ++i) {
      if (i != rank_ && !entered(members_[static_cast<std::size_t>(i)], number)) return false;
    }
    return true;
  };
  // The others have often come further than they must have.
  for (std::uint64_t number = number_ - 1; number > number_ - kDepth; --number) {
    if (!all_entered(number)) continue;
    safe_ = number + kDepth - 1;
    return MPI_SUCCESS;
  }
  return await_all(number_ - kDepth + 1);
}

int Board::await_all(std::uint64_t number) {
  const int error = await(0, size_, number);
  if (error == MPI_SUCCESS) safe_ = number + BoardPlace::kDepth - 1;
  return error;
}

/// Waits until members [first, last) have entered operation `number`.
int Board::await(int first, int last, std::uint64_t number) {
  for (int looks = 0;; ++looks) {
    while (first != last &&
           (first == rank_ || entered(members_[static_cast<std::size_t>(first)], number))) {
      ++first;
    }
    if (first == last) return MPI_SUCCESS;
    if (!spins_ || looks == kLooks) return await_slowly(first, last, number);
    if (looks % kLooksPerRelax == kLooksPerRelax - 1) cpu_relax();
  }
}

int Board::await_slowly(int first, int last, std::uint64_t number) {
  const auto arrived = [&] {
    while (first != last &&
           (first == rank_ || entered(members_[static_cast<std::size_t>(first)], number))) {
      ++first;
    }
    return first == last;
  };
  auto over = [&] { return arrived() || hopeless(first, last, number); };
  Progress& progress = engine_.process().progress();
  const Watch watch(progress, over);
  awaited_ = {first, last, number};
  progress.wait(over, subject_);
  awaited_ = {};
  return arrived() ? MPI_SUCCESS : give_up();
}

std::vector<ProcId> Board::missing() const {
  std::vector<ProcId> procs;
  for (int i = awaited_.first; i < awaited_.last; ++i) {
    const Member& member = members_[static_cast<std::size_t>(i)];
    if (i != rank_ && !entered(member, awaited_.number)) procs.push_back(member.proc);
  }
  return procs;
}

/// A member that is waited for will not come.
bool Board::hopeless(int first, int last, std::uint64_t number) const {
  for (int i = first; i < last; ++i) {
    const Member& member = members_[static_cast<std::size_t>(i)];
    if (i == rank_ || entered(member, number)) continue;
    const bool broken = member.place->broken.load(std::memory_order_acquire) > member.base;
    if (broken || engine_.lost(member.proc)) return !entered(member, number);
  }
  return false;
}

/// Whoever waits for this member hears of it.
int Board::give_up() {
  broken_ = true;
  place_->broken.store(members_[static_cast<std::size_t>(rank_)].base + number_,
                       std::memory_order_release);
  for (int i = 0; i < size_; ++i) {
    const Member& member = members_[static_cast<std::size_t>(i)];
    if (i != rank_) member.device->nudge(member.endpoint);
  }
  return MPI_ERR_PROC_ABORTED;
}

const std::byte* Board::data_of(int member) const {
  const BoardPlace& place = *members_[static_cast<std::size_t>(member)].place;
  const std::size_t at = number_ % BoardPlace::kDepth;
  return place.lines[at].length <= BoardPlace::kInline ? place.lines[at].bytes : place.pages[at];
}

/// Copies bytes from `at` on of what a member published, which must be `whole` bytes in all: any
/// other length says that the members' counts do not agree.
int Board::take(int member, std::size_t at, std::size_t whole, const View& to) const {
  const BoardPlace& place = *members_[static_cast<std::size_t>(member)].place;
  const std::size_t length = place.lines[number_ % BoardPlace::kDepth].length;
  if (length != whole) return length > whole ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
  to.unpack(0, {data_of(member) + at, to.size()});
  return MPI_SUCCESS;
}

// --- operations --------------------------------------------------------------------------------

int Board::run(const CollectiveArgs& a, const WaitSubject* subject) {
  ++number_;
  subject_ = subject;
  if (broken_) return MPI_ERR_PROC_ABORTED;
  const auto operation = [&]() -> int {
    switch (a.kind) {
      case CollectiveKind::barrier:
        return barrier();
      case CollectiveKind::bcast:
        return bcast(a);
      case CollectiveKind::gather:
        return gather(a);
      case CollectiveKind::scatter:
        return scatter(a);
      case CollectiveKind::allgather:
        return allgather(a);
      case CollectiveKind::alltoall:
        return alltoall(a);
      case CollectiveKind::reduce:
        return reduce(a);
      case CollectiveKind::allreduce:
        return allreduce(a);
      default:
        return MPI_ERR_INTERN;
    }
  };
  const int error = operation();
  prepare_next();
  return error;
}

int Board::tell(const void* mine, std::size_t bytes, void* all) {
  ++number_;
  if (broken_) return MPI_ERR_PROC_ABORTED;
  if (const int error = publish(bytes_view(mine, bytes))) return error;
  if (const int error = await_all(number_)) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    const View to =
        bytes_view(static_cast<std::byte*>(all) + static_cast<std::size_t>(i) * bytes, bytes);
    const int taken = take(i, 0, bytes, to);
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

/// Who breaks the board here waits for the others nevertheless: they may be in its memory.
int Board::part(int error) {
  ++number_;
  if (!broken_) {
    const int failed = publish(bytes_view(&error, sizeof error));
    if (error == MPI_SUCCESS) error = failed;
  }
  for (int i = 0; i < size_; ++i) {
    int theirs = await(i, i + 1, number_);
    if (theirs == MPI_SUCCESS && i != rank_) {
      const int taken = take(i, 0, sizeof theirs, bytes_view(&theirs, sizeof theirs));
      if (taken != MPI_SUCCESS) theirs = taken;
    }
    if (error == MPI_SUCCESS) error = theirs;
  }
  return error;
}

/// Fetches what the next operation will write, while nobody waits for that.
void Board::prepare_next() const {
  const std::size_t at = (number_ + 1) % BoardPlace::kDepth;
  prefetch_for_write(&place_->lines[at]);
  if (published_ <= BoardPlace::kInline) return;
  const std::size_t bytes = std::min(published_, kPrepared);
  for (std::size_t i = 0; i < bytes; i += kLine) prefetch_for_write(place_->pages[at] + i);
}

int Board::barrier() {
  if (const int error = enter()) return error;
  return await_all(number_);
}

int Board::bcast(const CollectiveArgs& a) {
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  if (rank_ == a.root) return publish(buffer);
  if (const int error = enter()) return error;
  if (const int error = await(a.root, a.root + 1, number_)) return error;
  return take(a.root, 0, buffer.size(), buffer);
}

int Board::gather(const CollectiveArgs& a) {
  if (rank_ != a.root) return publish(view_of(a.send, a.send_count, *a.send_type));
  if (const int error = enter()) return error;
  if (const int error = await_all(number_)) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    const View block = slice(a.recv, a.recv_count * i, a.recv_count, *a.recv_type);
    if (i != rank_) {
      const int taken = take(i, 0, block.size(), block);
      if (error == MPI_SUCCESS) error = taken;
    } else if (a.send != MPI_IN_PLACE) {
      copy_local(view_of(a.send, a.send_count, *a.send_type), block);
    }
  }
  return error;
}

int Board::scatter(const CollectiveArgs& a) {
  if (rank_ != a.root) {
    const View block = view_of(a.recv, a.recv_count, *a.recv_type);
    const std::size_t bytes = block.size();
    if (const int error = enter()) return error;
    if (const int error = await(a.root, a.root + 1, number_)) return error;
    return take(a.root, static_cast<std::size_t>(rank_) * bytes,
                static_cast<std::size_t>(size_) * bytes, block);
  }
  if (const int error = publish(view_of(a.send, a.send_count * size_, *a.send_type))) return error;
  if (a.recv == MPI_IN_PLACE) return MPI_SUCCESS;
  copy_local(slice(a.send, a.send_count * rank_, a.send_count, *a.send_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
  return MPI_SUCCESS;
}

int Board::allgather(const CollectiveArgs& a) {
  const View own = slice(a.recv, a.recv_count * rank_, a.recv_count, *a.recv_type);
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine = in_place ? own : view_of(a.send, a.send_count, *a.send_type);
  if (const int error = publish(mine)) return error;
  if (!in_place) copy_local(mine, own);
  if (const int error = await_all(number_)) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    if (i == rank_) continue;
    const View block = slice(a.recv, a.recv_count * i, a.recv_count, *a.recv_type);
    const int taken = take(i, 0, block.size(), block);
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

int Board::alltoall(const CollectiveArgs& a) {
  const bool in_place = a.send == MPI_IN_PLACE;
  const View blocks = in_place ? view_of(a.recv, a.recv_count * size_, *a.recv_type)
                               : view_of(a.send, a.send_count * size_, *a.send_type);
  const std::size_t whole = blocks.size();
  const std::size_t at = whole / static_cast<std::size_t>(size_) * static_cast<std::size_t>(rank_);
  if (const int error = publish(blocks)) return error;
  if (!in_place) copy_local(send_slot(a, rank_), receive_slot(a, rank_));
  if (const int error = await_all(number_)) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    if (i == rank_) continue;
    const int taken = take(i, at, whole, receive_slot(a, i));
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

int Board::reduce(const CollectiveArgs& a) {
  const View mine = view_of(contribution(a), a.recv_count, *a.recv_type);
  if (const int error = publish(mine)) return error;
  if (rank_ != a.root) return MPI_SUCCESS;
  if (const int error = await_all(number_)) return error;
  return combine_all(a);
}

int Board::allreduce(const CollectiveArgs& a) {
  const View mine = view_of(contribution(a), a.recv_count, *a.recv_type);
  if (const int error = publish(mine)) return error;
  if (const int error = await_all(number_)) return error;
  return combine_all(a);
}

/// From the last member to the first, for an operation need not commute, and so that every member
/// gets the same result to the last bit.
int Board::combine_all(const CollectiveArgs& a) {
  const View result = view_of(a.recv, a.recv_count, *a.recv_type);
  const std::size_t bytes = result.size();
  for (int i = size_ - 1; i >= 0; --i) {
    const BoardPlace& place = *members_[static_cast<std::size_t>(i)].place;
    if (place.lines[number_ % BoardPlace::kDepth].length != bytes) return MPI_ERR_OTHER;
  }
  result.unpack(0, {data_of(size_ - 1), bytes});
  for (int i = size_ - 2; i >= 0; --i) {
    reduce_local(*a.op, data_of(i), a.recv, a.recv_count, *a.recv_type);
  }
  return MPI_SUCCESS;
}

}  // namespace remit
