// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: entering, waiting, and each operation on it.
#include "collectives/board/board.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/direct.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/take_lines.hpp"

namespace remit {

namespace {

/// Looks at another's line, where a core is free for this rank, before the devices are polled too.
constexpr int kLooks = 1000;
constexpr int kLooksPerRest = 32;
/// The same where members share processors, for members on others: 1 to 2 us, about two changes of
/// processes.
constexpr int kLooksElsewhere = 1000;
/// How often a member yields there before it polls the devices too.
constexpr std::uint32_t kBareYields = 3;

std::uint16_t processor_here() {
  return static_cast<std::uint16_t>(::sched_getcpu());
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

// --- entering and waiting ----------------------------------------------------------------------

int Board::enter() {
  if (const int error = make_room()) return error;
  store_line(0);
  return MPI_SUCCESS;
}

/// The bytes from `at` on, as many as fit a page.
int Board::publish(const View& data, std::size_t at) {
  if (const int error = make_room()) return error;
  at = std::min(at, data.size());
  const std::size_t rest = data.size() - at;
  const std::size_t bytes = std::min(rest, BoardPlace::kPageBytes);
  data.pack(at, {memory_for(bytes), bytes});
  store_line(rest);
  return MPI_SUCCESS;
}

/// Of a block for each other member, one behind the other, the piece from `at` on.
int Board::publish_blocks(const View& blocks, std::size_t at) {
  if (const int error = make_room()) return error;
  const auto members = static_cast<std::size_t>(size_);
  const std::size_t block = blocks.size() / members;
  const std::size_t rest = block - at;
  const std::size_t piece = std::min(rest, blocks_piece());
  std::byte* to = memory_for(piece * (members - 1));
  if (piece == block) {
    const std::size_t own = block * static_cast<std::size_t>(rank_);
    blocks.pack(0, {to, own});
    blocks.pack(own + block, {to + own, blocks.size() - own - block});
  } else {
    for (std::size_t i = 0; i < members; ++i) {
      if (i == static_cast<std::size_t>(rank_)) continue;
      blocks.pack(block * i + at, {to, piece});
      to += piece;
    }
  }
  store_line(rest * (members - 1));
  return MPI_SUCCESS;
}

/// Bytes of each member's block in one piece.
std::size_t Board::blocks_piece() const {
  return BoardPlace::kPageBytes / static_cast<std::size_t>(size_ - 1) / kCacheLine * kCacheLine;
}

/// Whether a member has published more than what fits a page, and so will publish another piece.
bool Board::others_go_on() const {
  const std::size_t page = blocks_piece() * static_cast<std::size_t>(size_ - 1);
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return entered(member, number_) &&
           member.place->lines[number_ % BoardPlace::kDepth].length > page;
  });
}

/// Where data of this operation go. A page was used kDepth operations ago or earlier, as the line
/// was, so there is room for both; or swap_pages() has brought it, and only this member uses it.
std::byte* Board::memory_for(std::size_t bytes) {
  BoardPlace::Line& line = place_->lines[number_ % BoardPlace::kDepth];
  if (bytes <= BoardPlace::kInline) return line.bytes;
  line.page = static_cast<std::uint16_t>(page_);
  page_ = (page_ + 1) % BoardPlace::kDepth;
  paged_ = swaps_ && bytes >= kSwappedFrom ? 0 : bytes;  // where to write next is not known yet
  prepared_ = 0;
  return page_of(rank_, line.page);
}

void Board::store_line(std::size_t bytes) {
  BoardPlace::Line& line = place_->lines[number_ % BoardPlace::kDepth];
  line.length = static_cast<std::uint32_t>(bytes);
  if (!spins_) line.processor.store(processor_here(), std::memory_order_relaxed);
  line.number.store(base_ + number_, std::memory_order_release);
  for (const Member& other : others_) other.memory->nudge(other.endpoint);
}

/// The next line served the operation kDepth ago, and the others may still be reading it.
int Board::await_room() {
  constexpr std::uint64_t kDepth = BoardPlace::kDepth;
  // The others have often come further than they must have.
  for (std::uint64_t number = number_ - 1; number > number_ - kDepth; --number) {
    Others awaited = others_;
    if (!all_entered(awaited, number)) continue;
    safe_ = number + kDepth - 1;
    return MPI_SUCCESS;
  }
  return await_all(number_ - kDepth + 1);
}

/// Waits for all, and copies this member's own block as long as one is missing.
int Board::await_all(OwnBlock& block) {
  Others awaited = others_;
  while (!block.done() && !all_entered(awaited, number_)) block.copy_some();
  return await_all(number_);
}

int Board::await_all(std::uint64_t number) {
  const int error = await(others_, number);
  if (error == MPI_SUCCESS) safe_ = number + BoardPlace::kDepth - 1;
  return error;
}

/// Whether these members have entered operation `number`; those at the front that have are taken
/// out.
inline bool Board::all_entered(Others& awaited, std::uint64_t number) {
  while (!awaited.empty() && entered(awaited.front(), number)) awaited = awaited.subspan(1);
  return awaited.empty();
}

/// Waits until these members have entered operation `number`.
int Board::await(Others awaited, std::uint64_t number) {
  if (all_entered(awaited, number)) return MPI_SUCCESS;
  return spins_ ? await_spinning(awaited, number) : await_sharing(awaited, number);
}

int Board::await_spinning(Others awaited, std::uint64_t number) {
  for (int looks = 0;; ++looks) {
    if (all_entered(awaited, number)) return MPI_SUCCESS;
    if (looks == kLooks) return await_slowly(awaited, number);
    if (looks % kLooksPerRest != kLooksPerRest - 1) continue;
    if (prepared_ < paged_) {
      prepare_page();
    } else {
      cpu_relax();
    }
  }
}

/// The same where members share processors. While one is missing that wants this processor, there
/// is nothing to look for. If all of those have come, the others are about to: to look for them as
/// long as a change of processes takes saves one, for this member goes on to the next operation.
int Board::await_sharing(Others awaited, std::uint64_t number) {
  Progress& progress = engine_.process().progress();
  for (std::uint32_t yielded = 0;; ++yielded) {
    if (all_entered(awaited, number)) return MPI_SUCCESS;
    const int most = neighbour_missing(awaited, number) ? 0 : kLooksElsewhere;
    for (int looks = 1; looks <= most; ++looks) {
      if (all_entered(awaited, number)) return MPI_SUCCESS;
      if (looks % kLooksPerRest == 0) cpu_relax();
    }
    if (yielded >= std::min(progress.yields_now(), kBareYields))
      return await_slowly(awaited, number);
    progress.yield();
  }
}

/// Whether a member that has not entered operation `number` was last seen on this processor.
bool Board::neighbour_missing(Others awaited, std::uint64_t number) {
  const std::uint16_t here = processor_here();
  return std::ranges::any_of(awaited, [=](const Member& member) {
    const auto& before = member.place->lines[(number - 1) % BoardPlace::kDepth];
    return !entered(member, number) && before.processor.load(std::memory_order_relaxed) == here;
  });
}

int Board::await_slowly(Others awaited, std::uint64_t number) {
  auto over = [&] { return all_entered(awaited, number) || hopeless(awaited, number); };
  Progress& progress = engine_.process().progress();
  const Watch watch(progress, over);
  awaited_ = awaited;
  awaited_number_ = number;
  progress.wait(over, subject_);
  awaited_ = {};
  return all_entered(awaited, number) ? MPI_SUCCESS : give_up();
}

std::vector<ProcId> Board::missing() const {
  std::vector<ProcId> procs;
  for (const Member& member : awaited_) {
    if (!entered(member, awaited_number_)) procs.push_back(member.proc);
  }
  return procs;
}

/// A member that is waited for will not come.
bool Board::hopeless(Others awaited, std::uint64_t number) const {
  for (const Member& member : awaited) {
    if (entered(member, number)) continue;
    const bool broken = member.place->broken.load(std::memory_order_acquire) > member.base;
    if (broken || engine_.links().lost(member.proc)) return !entered(member, number);
  }
  return false;
}

/// Whoever waits for this member hears of it.
int Board::give_up() {
  broken_ = true;
  place_->broken.store(base_ + number_, std::memory_order_release);
  for (const Member& other : others_) other.memory->nudge(other.endpoint);
  return MPI_ERR_PROC_ABORTED;
}

std::byte* Board::data_of(int member) const {
  BoardPlace::Line& line = line_of(member);
  return line.length <= BoardPlace::kInline ? line.bytes : page_of(member, line.page);
}

/// Whether a member has published `whole` bytes, this piece and those to come: any other length
/// says that the members' counts do not agree.
int Board::check_length(int member, std::size_t whole) const {
  const std::size_t length = line_of(member).length;
  if (length == whole) return MPI_SUCCESS;
  return length > whole ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
}

/// Copies bytes from `at` on of what a member published, which must be `whole` bytes in all.
int Board::take(int member, std::size_t at, std::size_t whole, const View& to) const {
  return take(member, at, whole, to, {0, to.size()});
}

/// The same to a part of `to`.
int Board::take(int member, std::size_t at, std::size_t whole, const View& to,
                const Part& part) const {
  if (const int error = check_length(member, whole)) return error;
  std::byte* data = data_of(member) + at;
  to.unpack(part.at, {data, part.bytes});
  done_with(member, data, part.bytes);
  return MPI_SUCCESS;
}

/// Nobody reads this part of what a member published again, if there is only one to read it.
void Board::done_with(int member, std::byte* data, std::size_t bytes) const {
  if (!takes_lines_ || bytes > take_lines_to_ || member == rank_) return;
  if (bytes <= BoardPlace::kInline || ends_with_swap()) return;
  take_lines(data, bytes);
}

/// Two members come to the same answer, also where their counts do not agree.
bool Board::ends_with_swap() const {
  return swaps_ && line_of(0).length >= kSwappedFrom && line_of(1).length >= kSwappedFrom;
}

/// Of two members each has read the page that the other one wrote, and writes there next: the lines
/// go from core to core once for each operation, not there and back.
void Board::swap_pages() {
  if (!ends_with_swap()) return;
  const int other = 1 - rank_;
  const BoardPlace::Line& mine = line_of(rank_);
  const BoardPlace::Line& theirs = line_of(other);
  std::swap(pages_[page_index(rank_, mine.page)], pages_[page_index(other, theirs.page)]);
  page_ = mine.page;
}

// --- operations --------------------------------------------------------------------------------

int Board::run(const CollectiveArgs& a, const WaitSubject* subject) {
  ++number_;
  subject_ = subject;
  if (broken_) return MPI_ERR_PROC_ABORTED;
  swaps_ =
      takes_lines_ && (a.kind == CollectiveKind::allgather || a.kind == CollectiveKind::alltoall ||
                       a.kind == CollectiveKind::allreduce);
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

/// Whether this member meets that one.
bool Board::meets(int member, int hub) const {
  return hub == Direct::kNoHub || hub == rank_ || hub == member;
}

/// Those whom it meets, but for itself.
Board::Others Board::known_to(int hub) const {
  return hub == Direct::kNoHub || hub == rank_ ? Others(others_) : one(hub);
}

int Board::tell(const void* mine, std::size_t bytes, void* all, int hub) {
  ++number_;
  if (broken_) return MPI_ERR_PROC_ABORTED;
  if (const int error = publish(bytes_view(mine, bytes))) return error;
  if (const int error = await(known_to(hub), number_)) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    if (!meets(i, hub)) continue;
    const View to =
        bytes_view(static_cast<std::byte*>(all) + static_cast<std::size_t>(i) * bytes, bytes);
    const int taken = take(i, 0, bytes, to);
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

int Board::leave(int error) {
  ++number_;
  return broken_ ? MPI_ERR_PROC_ABORTED : publish(bytes_view(&error, sizeof error));
}

/// Who breaks the board here waits for the others nevertheless: they may be in its memory.
int Board::part(int error, int hub, bool hub_works) {
  if (!hub_works && hub != rank_) return error;
  for (int i = 0; i < size_; ++i) {
    if (i == rank_ || !meets(i, hub)) continue;
    int theirs = await(one(i), number_);
    if (theirs == MPI_SUCCESS) {
      const int taken = take(i, 0, sizeof theirs, bytes_view(&theirs, sizeof theirs));
      if (taken != MPI_SUCCESS) {  // it is in another operation: counts do not agree
        (void)give_up();
        theirs = taken;
      }
    }
    if (error == MPI_SUCCESS) error = theirs;
  }
  return error;
}

/// Nobody waits for this member, and the others read this page some time ago: takes a few of its
/// cache lines back from them, if the next data may need so many.
void Board::prepare_page() {
  constexpr std::size_t kAtOnce = 8;  // lines; what arrives meanwhile waits for them
  const std::size_t end = std::min(prepared_ + kAtOnce * kCacheLine, paged_);
  for (; prepared_ < end; prepared_ += kCacheLine) {
    prefetch_for_write(page_of(rank_, page_) + prepared_);
  }
}

int Board::barrier() {
  if (const int error = enter()) return error;
  return await_all(number_);
}

int Board::bcast(const CollectiveArgs& a) {
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const std::size_t bytes = buffer.size();
  return in_pieces(bytes, BoardPlace::kPageBytes, [&](std::size_t at, std::size_t length) {
    if (rank_ == a.root) return publish(buffer, at);
    if (const int error = enter()) return error;
    if (const int error = await(one(a.root), number_)) return error;
    return take(a.root, 0, bytes - at, buffer, {at, length});
  });
}

/// The root copies its own block while it waits for the others and at the end, so that who has more
/// to publish does not wait for that.
int Board::gather(const CollectiveArgs& a) {
  if (rank_ != a.root) {
    const View mine = view_of(a.send, a.send_count, *a.send_type);
    return in_pieces(mine.size(), BoardPlace::kPageBytes,
                     [&](std::size_t at, std::size_t /*length*/) { return publish(mine, at); });
  }
  const View own = receive_slot(a, rank_);
  const View mine = a.send == MPI_IN_PLACE ? own : view_of(a.send, a.send_count, *a.send_type);
  OwnBlock block(mine, own);
  return in_pieces(own.size(), BoardPlace::kPageBytes, [&](std::size_t at, std::size_t /*length*/) {
    if (const int error = enter()) return error;
    if (const int error = await_all(block)) return error;
    return take_all(a, at);
  });
}

/// What the others have published of their blocks from `at` on, to their places.
int Board::take_all(const CollectiveArgs& a, std::size_t at) const {
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i) {
    if (i == rank_) continue;
    const View block = receive_slot(a, i);
    const std::size_t from = std::min(at, block.size());
    const std::size_t rest = block.size() - from;
    const int taken = take(i, 0, rest, block, {from, std::min(rest, BoardPlace::kPageBytes)});
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

int Board::scatter(const CollectiveArgs& a) {
  if (rank_ != a.root) {
    const View block = view_of(a.recv, a.recv_count, *a.recv_type);
    return in_pieces(block.size(), blocks_piece(), [&](std::size_t at, std::size_t length) {
      if (const int error = enter()) return error;
      if (const int error = await(one(a.root), number_)) return error;
      return take_block(a.root, block, {at, length});
    });
  }
  const View blocks = view_of(a.send, a.send_count * size_, *a.send_type);
  const int error =
      in_pieces(blocks.size() / static_cast<std::size_t>(size_), blocks_piece(),
                [&](std::size_t at, std::size_t /*length*/) { return publish_blocks(blocks, at); });
  if (error != MPI_SUCCESS || a.recv == MPI_IN_PLACE) return error;
  copy_local(slice(a.send, a.send_count * rank_, a.send_count, *a.send_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
  return MPI_SUCCESS;
}

/// A part of this member's block, of those that a member has published.
int Board::take_block(int member, const View& block, const Part& part) const {
  const std::size_t rest = (block.size() - part.at) * static_cast<std::size_t>(size_ - 1);
  const auto place = static_cast<std::size_t>(rank_ > member ? rank_ - 1 : rank_);
  return take(member, place * part.bytes, rest, block, part);
}

/// Also allgatherv. The own block is copied piece by piece as well, out of the cache.
int Board::allgather(const CollectiveArgs& a) {
  const View own = receive_slot(a, rank_);
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine = in_place ? own : view_of(a.send, a.send_count, *a.send_type);
  std::size_t longest = own.size();
  for (int i = 0; i < size_ && a.kind == CollectiveKind::allgatherv; ++i) {
    longest = std::max(longest, receive_slot(a, i).size());
  }
  OwnBlock block(mine, own);
  return in_pieces(longest, BoardPlace::kPageBytes, [&](std::size_t at, std::size_t /*length*/) {
    if (const int error = publish(mine, at)) return error;
    block.copy_to(at + BoardPlace::kPageBytes);
    if (const int error = await_all(number_)) return error;
    const int error = take_all(a, at);
    swap_pages();
    return error;
  });
}

int Board::alltoall(const CollectiveArgs& a) {
  const bool in_place = a.send == MPI_IN_PLACE;
  const View blocks = in_place ? view_of(a.recv, a.recv_count * size_, *a.recv_type)
                               : view_of(a.send, a.send_count * size_, *a.send_type);
  const std::size_t bytes = blocks.size() / static_cast<std::size_t>(size_);
  const View own = receive_slot(a, rank_);
  OwnBlock block(in_place ? own : send_slot(a, rank_), own);
  return in_pieces(bytes, blocks_piece(), [&](std::size_t at, std::size_t length) {
    if (const int error = publish_blocks(blocks, at)) return error;
    if (const int error = await_all(block)) return error;
    int error = MPI_SUCCESS;
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) continue;
      const int taken = take_block(i, receive_slot(a, i), {at, length});
      if (error == MPI_SUCCESS) error = taken;
    }
    swap_pages();
    return error;
  });
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
    all_fit = all_fit && line_of(peer).length != kElsewhere;
  }
  for (int step = 1; step < size_ && !broken_; ++step) {
    const int peer = (rank_ + step) % size_;
    const int fetched = fetch(peer, receive_slot(a, peer));
    if (error == MPI_SUCCESS) error = fetched;
  }
  if (all_fit && fits) return error;
  const int left = leave(error);
  return part(error != MPI_SUCCESS ? error : left, Direct::kNoHub, true);
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
  if (line_of(member).length != kElsewhere) {
    to.unpack(0, {page + placed.at, bytes});
    return MPI_SUCCESS;
  }
  const auto failure = [&] {
    const bool lost =
        engine_.links().lost(from.proc) || !from.memory->reaches_memory(from.endpoint);
    return lost ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER;
  };
  if (to.is_contiguous()) {
    const bool done = from.memory->read_memory(from.endpoint, placed.at, to.data(), bytes);
    return done ? MPI_SUCCESS : failure();
  }
  std::vector<std::byte> staging(std::min(bytes, kStaging));
  for (std::size_t at = 0; at < bytes; at += staging.size()) {
    const std::size_t length = std::min(staging.size(), bytes - at);
    if (!from.memory->read_memory(from.endpoint, placed.at + at, staging.data(), length)) {
      return failure();
    }
    to.unpack(at, {staging.data(), length});
  }
  return MPI_SUCCESS;
}

}  // namespace remit
