// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: setting it up, entering, waiting, and each operation on it.
#include "collectives/board.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "collectives/buffers.hpp"
#include "runtime/prefetch.hpp"

namespace remit {

namespace {

/// Operations that a communicator sees before it gets a board: setting one up costs messages among
/// all members, and connects them.
constexpr std::uint32_t kPatience = 3;
/// Looks at another's line, where a core is free for this rank, before the devices are polled too.
constexpr int kLooks = 1000;
constexpr int kLooksPerRest = 32;
/// For blocks that are unpacked after they were read.
constexpr std::size_t kStaging = std::size_t{64} << 10;

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
  data.pack(0, {memory_for(bytes), bytes});
  store_line(bytes);
  return MPI_SUCCESS;
}

/// A block for each member: one's own is left out, for nobody reads it.
int Board::publish_blocks(const View& blocks) {
  if (const int error = make_room()) return error;
  const std::size_t bytes = blocks.size();
  const std::size_t block = bytes / static_cast<std::size_t>(size_);
  const std::size_t own = block * static_cast<std::size_t>(rank_);
  std::byte* to = memory_for(bytes);
  blocks.pack(0, {to, own});
  blocks.pack(own + block, {to + own + block, bytes - own - block});
  store_line(bytes);
  return MPI_SUCCESS;
}

/// Where data of this operation go. A page was used kDepth operations ago or earlier, as the line
/// was, so there is room for both.
std::byte* Board::memory_for(std::size_t bytes) {
  BoardPlace::Line& line = place_->lines[number_ % BoardPlace::kDepth];
  if (bytes <= BoardPlace::kInline) return line.bytes;
  line.page = page_;
  page_ = (page_ + 1) % BoardPlace::kDepth;
  paged_ = bytes;
  prepared_ = 0;
  return place_->pages[line.page];
}

void Board::store_line(std::size_t bytes) {
  BoardPlace::Line& line = place_->lines[number_ % BoardPlace::kDepth];
  line.length = static_cast<std::uint32_t>(bytes);
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
    if (looks % kLooksPerRest != kLooksPerRest - 1) continue;
    if (prepared_ < paged_) {
      prepare_page();
    } else {
      cpu_relax();
    }
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
  const BoardPlace::Line& line = place.lines[number_ % BoardPlace::kDepth];
  return line.length <= BoardPlace::kInline ? line.bytes : place.pages[line.page];
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
      case CollectiveKind::allgatherv:
        return allgather(a);
      case CollectiveKind::alltoall:
        return alltoall(a);
      case CollectiveKind::alltoallv:
      case CollectiveKind::alltoallw:
        return exchange(a);
      case CollectiveKind::reduce:
        return reduce(a);
      case CollectiveKind::allreduce:
        return allreduce(a);
      default:
        return MPI_ERR_INTERN;
    }
  };
  const int error = operation();
  prefetch_for_write(&place_->lines[(number_ + 1) % BoardPlace::kDepth]);
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

/// Nobody waits for this member, and the others read this page some time ago: takes a few of its
/// cache lines back from them, if the next data may need so many.
void Board::prepare_page() {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kAtOnce = 8;  // lines; what arrives meanwhile waits for them
  const std::size_t end = std::min(prepared_ + kAtOnce * kLine, paged_);
  for (; prepared_ < end; prepared_ += kLine) {
    prefetch_for_write(place_->pages[page_] + prepared_);
  }
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
  const View blocks = view_of(a.send, a.send_count * size_, *a.send_type);
  if (const int error = publish_blocks(blocks)) return error;
  if (a.recv == MPI_IN_PLACE) return MPI_SUCCESS;
  copy_local(slice(a.send, a.send_count * rank_, a.send_count, *a.send_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
  return MPI_SUCCESS;
}

/// Also allgatherv.
int Board::allgather(const CollectiveArgs& a) {
  const View own = receive_slot(a, rank_);
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine = in_place ? own : view_of(a.send, a.send_count, *a.send_type);
  if (const int error = publish(mine)) return error;
  if (!in_place) copy_local(mine, own);
  if (const int error = await_all(number_)) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    if (i == rank_) continue;
    const View block = receive_slot(a, i);
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
  if (const int error = publish_blocks(blocks)) return error;
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

namespace {

/// What a member's page begins with, for each member: where the block for that one is, in the page
/// or in the writer's memory.
struct Placed {
  std::uint64_t at;
  std::uint64_t bytes;
};
/// Instead of the bytes in the page: the blocks lie in memory.
constexpr std::uint32_t kElsewhere = std::numeric_limits<std::uint32_t>::max();

/// The blocks for all others, packed one behind the other, behind `placed`, which says where.
class Parcel {
 public:
  Parcel(const CollectiveArgs& a, int rank, int size) : a_(a), rank_(rank), size_(size) {
    for (int i = 0; i < size_; ++i) bytes_ += i == rank_ ? 0 : block(i).size();
  }
  [[nodiscard]] std::size_t table_bytes() const {
    return sizeof(Placed) * static_cast<std::size_t>(size_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] View block(int i) const {
    return a_.send == MPI_IN_PLACE ? receive_slot(a_, i) : send_slot(a_, i);
  }
  /// Packs all to `memory`, whose first byte is known as `at`.
  void pack(Placed* placed, std::byte* memory, std::uint64_t at) const {
    std::size_t done = 0;
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) continue;
      const View from = block(i);
      const std::size_t length = from.size();
      from.pack(0, {memory + done, length});
      placed[i] = {at + done, length};
      done += length;
    }
  }
  /// Nothing has to be copied: each block can be read where it is.
  [[nodiscard]] bool straight() const {
    if (a_.send == MPI_IN_PLACE) return false;
    for (int i = 0; i < size_; ++i) {
      if (i != rank_ && block(i).size() != 0 && !block(i).is_contiguous()) return false;
    }
    return true;
  }
  void point(Placed* placed) const {
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) continue;
      const View from = block(i);
      const std::size_t length = from.size();
      placed[i] = {length == 0 ? 0 : reinterpret_cast<std::uint64_t>(from.data()), length};
    }
  }

 private:
  const CollectiveArgs& a_;
  int rank_;
  int size_;
  std::size_t bytes_ = 0;
};

}  // namespace

/// alltoallv and alltoallw. Blocks that fit the page together travel in it, longer ones are read
/// where they lie; if anybody has such, all part when everything has been read.
int Board::exchange(const CollectiveArgs& a) {
  if (const int error = make_room()) return error;
  const Parcel parcel(a, rank_, size_);
  const std::size_t table = parcel.table_bytes();
  const bool fits = table + parcel.bytes() <= BoardPlace::kPageBytes;
  std::byte* page = memory_for(BoardPlace::kInline + 1);
  auto* placed = reinterpret_cast<Placed*>(page);
  std::unique_ptr<std::byte[]> copy;
  if (fits) {
    parcel.pack(placed, page + table, table);
  } else if (parcel.straight()) {
    parcel.point(placed);
  } else {
    copy = std::make_unique_for_overwrite<std::byte[]>(parcel.bytes());
    parcel.pack(placed, copy.get(), reinterpret_cast<std::uint64_t>(copy.get()));
  }
  paged_ = table + (fits ? parcel.bytes() : 0);
  store_line(fits ? std::max(paged_, BoardPlace::kInline + 1) : kElsewhere);
  if (a.send != MPI_IN_PLACE) copy_local(send_slot(a, rank_), receive_slot(a, rank_));
  int error = await_all(number_);
  bool all_fit = true;
  for (int step = 1; step < size_ && error == MPI_SUCCESS; ++step) {
    const int peer = (rank_ + step) % size_;
    const BoardPlace& place = *members_[static_cast<std::size_t>(peer)].place;
    all_fit = all_fit && place.lines[number_ % BoardPlace::kDepth].length != kElsewhere;
  }
  for (int step = 1; step < size_ && !broken_; ++step) {
    const int peer = (rank_ + step) % size_;
    const int fetched = fetch(peer, receive_slot(a, peer));
    if (error == MPI_SUCCESS) error = fetched;
  }
  return all_fit && fits ? error : part(error);
}

/// This member's block of a member's parcel.
int Board::fetch(int member, const View& to) const {
  const Member& from = members_[static_cast<std::size_t>(member)];
  const std::byte* page = data_of(member);
  Placed placed;
  std::memcpy(&placed, page + sizeof placed * static_cast<std::size_t>(rank_), sizeof placed);
  const std::size_t bytes = to.size();
  if (placed.bytes != bytes) return placed.bytes > bytes ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
  if (bytes == 0) return MPI_SUCCESS;
  if (from.place->lines[number_ % BoardPlace::kDepth].length != kElsewhere) {
    to.unpack(0, {page + placed.at, bytes});
    return MPI_SUCCESS;
  }
  const auto failure = [&] {
    return engine_.lost(from.proc) ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER;
  };
  if (to.is_contiguous()) {
    const bool done = from.device->read_memory(from.endpoint, placed.at, to.data(), bytes);
    return done ? MPI_SUCCESS : failure();
  }
  std::vector<std::byte> staging(std::min(bytes, kStaging));
  for (std::size_t at = 0; at < bytes; at += staging.size()) {
    const std::size_t length = std::min(staging.size(), bytes - at);
    if (!from.device->read_memory(from.endpoint, placed.at + at, staging.data(), length)) {
      return failure();
    }
    to.unpack(at, {staging.data(), length});
  }
  return MPI_SUCCESS;
}

int Board::reduce(const CollectiveArgs& a) {
  const View mine = view_of(contribution(a), a.recv_count, *a.recv_type);
  if (const int error = publish(mine)) return error;
  if (rank_ != a.root) return MPI_SUCCESS;
  if (rank_ == size_ - 1) start_in_recv(a);
  if (const int error = await_all(number_)) return error;
  return combine_all(a);
}

int Board::allreduce(const CollectiveArgs& a) {
  const View mine = view_of(contribution(a), a.recv_count, *a.recv_type);
  if (const int error = publish(mine)) return error;
  if (rank_ == size_ - 1) start_in_recv(a);
  if (const int error = await_all(number_)) return error;
  return combine_all(a);
}

/// From the last member to the first, for an operation need not commute, and so that every member
/// gets the same result to the last bit. The last one's own contribution is where the result grows.
int Board::combine_all(const CollectiveArgs& a) {
  const View result = view_of(a.recv, a.recv_count, *a.recv_type);
  const std::size_t bytes = result.size();
  for (int i = size_ - 1; i >= 0; --i) {
    const BoardPlace& place = *members_[static_cast<std::size_t>(i)].place;
    if (place.lines[number_ % BoardPlace::kDepth].length != bytes) return MPI_ERR_OTHER;
  }
  if (rank_ != size_ - 1) result.unpack(0, {data_of(size_ - 1), bytes});
  for (int i = size_ - 2; i >= 0; --i) {
    reduce_local(*a.op, data_of(i), a.recv, a.recv_count, *a.recv_type);
  }
  return MPI_SUCCESS;
}

}  // namespace remit
