// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: blocking collectives among the processes of a host by stores and loads, without
// messages, matching or coroutines. For small data, and long ones where the kernel copies slowly.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/board/copy_pace.hpp"

namespace remit {

class OwnBlock;

/// What a member writes and the others read. Between two, the reader takes the lines of pages, and
/// after an exchange each writes next in the page that it has read (Board::swap_pages()).
/// Operation n of a board uses line n % kDepth, so a member may be up to kDepth operations ahead of
/// a slow one; what does not fit there takes the next of as many pages. Numbers of a place never
/// come again: when it serves another board, counting goes on.
struct BoardPlace {
  static constexpr std::size_t kDepth = 4;
  static constexpr std::size_t kInline = 112;
  static constexpr std::size_t kPageBytes = 32768;

  /// `number` is stored last. Up to kInline bytes are here, more in the page: two cache lines, of
  /// which 48 bytes and fewer need the first.
  struct alignas(128) Line {
    std::atomic<std::uint64_t> number;
    std::uint32_t length;
    std::uint16_t page;                    ///< among those that the owner writes
    std::atomic<std::uint16_t> processor;  ///< where the owner ran, if members share processors
    std::byte bytes[kInline];
  };
  Line lines[kDepth];
  /// The owner has left all boards with lower numbers: it reads nothing of theirs any more.
  alignas(64) std::atomic<std::uint64_t> closed;
  /// A number: the owner has given up the board that it belongs to.
  std::atomic<std::uint64_t> broken;
  alignas(4096) std::byte pages[kDepth][kPageBytes];
};
static_assert(sizeof(BoardPlace) <= kNoticeBytes);

/// The vector of a reduction that fits a line, of a predefined operation.
struct ShortVector {
  const void* mine = nullptr;
  void* result = nullptr;  ///< may be `mine`; not used where there is no result
  std::size_t bytes = 0;
  std::size_t elements = 0;
  ReductionKernel kernel = nullptr;
};

/// One member's view of a communicator's board. Every member calls run() for the same operations
/// in the same order, so they agree on the number of each without telling each other.
///
/// A member enters an operation by storing its line, with its contribution if it has one, and then
/// waits for the lines of those from whom it needs something. That a member has entered n says that
/// it is done with n - 1. Before a line is written again, all must have entered the operation after
/// the one that it served.
///
/// If a member dies, who waits for it breaks the board: everybody's operations fail from then on.
class Board {
 public:
  /// More members than this would read each other's lines for longer than messages take.
  static constexpr int kMembers = 16;
  /// An allreduce in which members have so many bytes in all is combined in shares, which are told
  /// the others: one meeting more. Below, each combines everything. Of two, that saves time for
  /// combining only: each of them reads as many bytes.
  [[nodiscard]] static constexpr MPI_Count shares_from(int members) {
    return members == 2 ? 32768 : 8192;
  }
  /// Of longer data, what a line says of their length might not fit it.
  static constexpr std::size_t kLongest = std::size_t{64} << 20;
  /// The longest data of a shape that may take place on a board. Where members share processors,
  /// two pages: a member publishes so much and leaves, however late the others come.
  [[nodiscard]] static constexpr std::size_t longest(const CollectiveShape& shape) {
    if (shape.long_board != LongBoard::none) return kLongest;
    return (shape.place == Place::host_shared ? 2 : 1) * BoardPlace::kPageBytes;
  }

  /// Where a member's place is.
  struct Member {
    BoardPlace* place = nullptr;
    std::uint64_t base = 0;  ///< operation n has the number base + n in its place
    HostMemory* memory = nullptr;
    EndpointId endpoint = 0;
    ProcId proc = 0;
  };

  /// What the members have agreed on.
  struct Agreement {
    std::vector<Member> members;  ///< by rank, this one included; empty: there is no board
    bool reaches_memory = false;  ///< each of them reaches the memory of all others
    bool takes_lines = false;     ///< they are two, and both take lines that they have read
    LongBoard takes_long = LongBoard::none;  ///< what all of them want, the least of it
    bool copies_quickly = false;             ///< each of them, the memory of all others (CopySpeed)
    bool paces = false;                      ///< all have a CopyPace
    CopyPace::Of64k own_ns = {};             ///< what this one knows for it
  };

  /// `own` was taken from its device.
  Board(Engine& engine, const CommCore& comm, Links::OwnNotices own, Agreement agreement);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Whether an operation of this shape takes place here; all members come to the same answer.
  [[nodiscard]] bool takes(const CollectiveArgs& a, const CollectiveShape& shape) const {
    return shape.plain &&
           static_cast<std::int64_t>(shape.bytes) <= limits_[static_cast<std::size_t>(a.kind)] &&
           (shape.bytes <= BoardPlace::kPageBytes || a.op == nullptr ||
            a.recv_type->size() <= static_cast<MPI_Count>(BoardPlace::kPageBytes));
  }
  /// Whether an operation on contiguous data of so many bytes may be one of the short ones below.
  [[nodiscard]] bool takes_short(CollectiveKind kind, std::size_t bytes) const {
    return bytes <= BoardPlace::kInline &&
           static_cast<std::int64_t>(bytes) <= limits_[static_cast<std::size_t>(kind)];
  }
  /// The same where a member has a block of so many bytes for each other one.
  [[nodiscard]] bool takes_short_blocks(CollectiveKind kind, std::size_t bytes) const {
    return takes_short(kind, bytes) &&
           bytes * static_cast<std::size_t>(size_ - 1) <= BoardPlace::kInline;
  }
  // run() for data in one piece that fit a line (board_short.cpp). `bytes` are those of each
  // member.
  [[nodiscard]] int short_barrier(const WaitSubject* subject);
  [[nodiscard]] int short_bcast(void* data, std::size_t bytes, int root,
                                const WaitSubject* subject);
  [[nodiscard]] int short_reduce(const ShortVector& v, int root, const WaitSubject* subject);
  [[nodiscard]] int short_allreduce(const ShortVector& v, const WaitSubject* subject);
  // `mine` is this member's block, `all` an array with one for each member.
  [[nodiscard]] int short_allgather(const void* mine, void* all, std::size_t bytes,
                                    const WaitSubject* subject);
  [[nodiscard]] int short_gather(const void* mine, void* all, std::size_t bytes, int root,
                                 const WaitSubject* subject);
  [[nodiscard]] int short_scatter(const void* all, void* mine, std::size_t bytes, int root,
                                  const WaitSubject* subject);
  [[nodiscard]] int short_alltoall(const void* send, void* recv, std::size_t bytes,
                                   const WaitSubject* subject);

  /// MPI_SUCCESS or an error class. `subject` says what is waited for, if it lasts.
  [[nodiscard]] int run(const CollectiveArgs& a, const WaitSubject* subject = nullptr);

  /// Whether each member reaches the memory of all others: then tell() and part() serve Direct.
  [[nodiscard]] bool reaches_memory() const { return reaches_memory_; }
  [[nodiscard]] bool copies_quickly() const { return copies_quickly_; }
  /// Every member tells all others `bytes` <= kInline bytes; `all` gets them by rank, as an array.
  /// With a hub (not Direct::kNoHub) only it and each other one tell each other.
  [[nodiscard]] int tell(const void* mine, std::size_t bytes, void* all, int hub);
  /// This member is done with the others' memory, with this error. It parts next. Fails if the
  /// board is broken.
  [[nodiscard]] int leave(int error);
  /// Returns when all members that live have left, with their first error, or a lost member's.
  /// With a hub it waits for all, and the others for it if it works in their memory.
  [[nodiscard]] int part(int error, int hub, bool hub_works);
  /// An operation of this shape begins, which is no board's: members that work in each other's
  /// memory meet and part here. What they wait for, if it lasts; null: nobody knows.
  void begin_direct(const CollectiveShape& shape, const WaitSubject* subject) {
    shape_ = shape;
    subject_ = subject;
  }
  [[nodiscard]] const CollectiveShape& direct_shape() const { return shape_; }
  [[nodiscard]] const WaitSubject* subject() const { return subject_; }
  /// What decides whether an operation that is about to go directly takes place here instead; null:
  /// it goes directly. All members come to the same answer.
  [[nodiscard]] CopyPace* pace(const CollectiveArgs& a, const CollectiveShape& shape);

  /// The processes that a wait which lasts is for; none outside of one.
  [[nodiscard]] std::vector<ProcId> missing() const;

  /// What takes_long() goes by.
  struct Distance {
    bool reaches = false;       ///< the memory of all others
    bool spins = false;         ///< if not, every piece would be a change of processes
    std::uint32_t page_ns = 0;  ///< to write a page and read another's; 0: unknown
  };
  /// Whether it matters to takes_long() how long a page takes.
  [[nodiscard]] static bool asks_for_page(const Params& params);
  /// Which long data a process wants to go through the places, in two copies that take less time
  /// than one by the `kernel`, or by messages where it does not reach its peers' memory.
  [[nodiscard]] static LongBoard takes_long(const Params& params, const KernelCopies& kernel,
                                            const Distance& distance);

  /// Counts an operation for which `comm` has no board yet, and sets one up with the other members
  /// when that pays. Every member calls it for the same operations.
  static void wish(Engine& engine, CommCore& comm, const CollectiveArgs& a,
                   const CollectiveShape& shape, const WaitSubject* subject);

 private:
  static void set_up(Engine& engine, CommCore& comm, const WaitSubject* subject);

  [[nodiscard]] int barrier();
  [[nodiscard]] int bcast(const CollectiveArgs& a);
  [[nodiscard]] int gather(const CollectiveArgs& a);
  [[nodiscard]] int scatter(const CollectiveArgs& a);
  [[nodiscard]] int allgather(const CollectiveArgs& a);
  [[nodiscard]] int alltoall(const CollectiveArgs& a);
  [[nodiscard]] int exchange(const CollectiveArgs& a);
  [[nodiscard]] int reduce(const CollectiveArgs& a);
  [[nodiscard]] int allreduce(const CollectiveArgs& a);
  /// Elements [first, last) of a vector.
  struct Share {
    MPI_Count first;
    MPI_Count last;
    [[nodiscard]] MPI_Count count() const { return last - first; }
  };
  [[nodiscard]] bool in_shares(const CollectiveArgs& a) const;
  [[nodiscard]] Share share_of(int member, const CollectiveArgs& a) const;
  [[nodiscard]] int allreduce_in_shares(const CollectiveArgs& a, std::size_t rest);
  [[nodiscard]] int publish_vector(const CollectiveArgs& a, std::size_t rest, const Share& combined,
                                   const Share& left_out);
  [[nodiscard]] int combine(const CollectiveArgs& a, std::size_t rest, const Share& share,
                            std::byte* result);
  [[nodiscard]] static std::size_t page_offset(const Share& share, const CollectiveArgs& a);
  [[nodiscard]] int publish_share(const CollectiveArgs& a, const Share& share,
                                  const std::byte* result);
  [[nodiscard]] int take_shares(const CollectiveArgs& a);
  void done_with(int member, std::byte* data, std::size_t bytes) const;
  static constexpr std::size_t kSwappedFrom = 2048;  ///< bytes in each of both pages
  [[nodiscard]] bool ends_with_swap() const;
  void swap_pages();
  template <class Step>
  [[nodiscard]] int in_pieces(std::size_t bytes, std::size_t most, Step step);
  template <class Step>
  [[nodiscard]] int in_vector_pieces(const CollectiveArgs& a, Step step);

  [[nodiscard]] int begin_short(const void* data, std::size_t bytes, const WaitSubject* subject);
  [[nodiscard]] int end_short(int error);
  [[nodiscard]] int take_short(int member, void* to, std::size_t bytes) const;
  [[nodiscard]] int take_short_blocks(const void* mine, void* all, std::size_t bytes) const;
  [[nodiscard]] int begin_short_blocks(const void* blocks, std::size_t bytes,
                                       const WaitSubject* subject);
  [[nodiscard]] int take_short_block(int member, void* to, std::size_t bytes) const;
  [[nodiscard]] int combine_short(const ShortVector& v);

  [[nodiscard]] int enter();
  [[nodiscard]] int publish(const View& data, std::size_t at = 0);
  [[nodiscard]] int publish_blocks(const View& blocks, std::size_t at);
  [[nodiscard]] std::size_t blocks_piece() const;
  [[nodiscard]] bool others_go_on() const;
  [[nodiscard]] std::byte* memory_for(std::size_t bytes);
  void store_line(std::size_t bytes);
  [[nodiscard]] int make_room() { return number_ <= safe_ ? MPI_SUCCESS : await_room(); }
  [[nodiscard]] int await_room();
  [[nodiscard]] int await_all(std::uint64_t number);
  [[nodiscard]] int await_all(OwnBlock& block);
  /// Other members, without this one.
  using Others = std::span<const Member>;
  [[nodiscard]] Others one(int member) const {
    return {&members_[static_cast<std::size_t>(member)], 1};
  }
  [[nodiscard]] bool meets(int member, int hub) const;
  [[nodiscard]] Others known_to(int hub) const;
  [[nodiscard]] int await(Others awaited, std::uint64_t number);
  [[nodiscard]] int await_spinning(Others awaited, std::uint64_t number);
  [[nodiscard]] int await_sharing(Others awaited, std::uint64_t number);
  [[nodiscard]] int await_slowly(Others awaited, std::uint64_t number);
  [[nodiscard]] static bool all_entered(Others& awaited, std::uint64_t number);
  [[nodiscard]] static bool neighbour_missing(Others awaited, std::uint64_t number);
  [[nodiscard]] bool hopeless(Others awaited, std::uint64_t number) const;
  [[nodiscard]] static bool entered(const Member& member, std::uint64_t number) {
    const auto& line = member.place->lines[number % BoardPlace::kDepth];
    return line.number.load(std::memory_order_acquire) >= member.base + number;
  }
  [[nodiscard]] std::byte* data_of(int member) const;
  [[nodiscard]] int fetch(int member, const View& to) const;
  /// Packed bytes of a view.
  struct Part {
    std::size_t at;
    std::size_t bytes;
  };
  [[nodiscard]] int check_length(int member, std::size_t whole) const;
  [[nodiscard]] int take(int member, std::size_t at, std::size_t whole, const View& to) const;
  [[nodiscard]] int take(int member, std::size_t at, std::size_t whole, const View& to,
                         const Part& part) const;
  [[nodiscard]] int take_all(const CollectiveArgs& a, std::size_t at) const;
  [[nodiscard]] int take_block(int member, const View& block, const Part& part) const;
  [[nodiscard]] int give_up();
  void prepare_page();
  [[nodiscard]] BoardPlace::Line& line_of(int member) const {
    return members_[static_cast<std::size_t>(member)].place->lines[number_ % BoardPlace::kDepth];
  }
  [[nodiscard]] static std::size_t page_index(int member, std::uint32_t page) {
    return static_cast<std::size_t>(member) * BoardPlace::kDepth + page;
  }
  [[nodiscard]] std::byte* page_of(int member, std::uint32_t page) const {
    return pages_[page_index(member, page)];
  }

  Engine& engine_;
  const int rank_;
  const int size_;
  const Links::OwnNotices own_;
  BoardPlace* const place_;
  const std::vector<Member> members_;
  const std::vector<Member> others_;  ///< members_ without this one
  const std::uint64_t base_;          ///< of this one
  const bool reaches_memory_;
  const bool copies_quickly_;
  std::optional<CopyPace> pace_;             ///< either all members have one or none
  std::vector<std::byte*> pages_;            ///< kDepth for each member: those that it writes
  std::uint64_t number_ = 0;                 ///< of the operation under way or the last one
  std::uint64_t safe_ = BoardPlace::kDepth;  ///< lines may be written up to this operation
  std::uint32_t page_ = 0;                   ///< for the next data that do not fit a line
  std::size_t paged_ = 0;                    ///< bytes in the page before it
  std::size_t prepared_ = 0;                 ///< bytes of the next page, fetched already
  std::vector<std::byte> kept_;  ///< of this member's vector, while the result takes its place
  bool swaps_ = false;           ///< the operation under way is an exchange between two
  bool broken_ = false;
  const WaitSubject* subject_ = nullptr;  ///< of the operation under way
  Others awaited_;                    ///< what missing() tells: those of them that have not entered
  std::uint64_t awaited_number_ = 0;  ///< ... this operation
  const bool spins_;
  const bool own_processors_;        ///< members do not share processors
  const bool takes_lines_;           ///< of two members both take lines: exchanges swap pages
  const std::size_t take_lines_to_;  ///< bytes at once, up to which this one takes them
  /// By CollectiveKind: the longest shape.bytes that takes place here; -1: none.
  std::array<std::int64_t, kCollectiveKinds> limits_;
  /// By CollectiveKind: whether costs choose the algorithm, whatever the shape; all members agree.
  std::array<bool, kCollectiveKinds> cost_chooses_;
  CollectiveShape shape_;  ///< of the direct operation under way
};

/// Longer data are operations that follow each other, a piece of at most `most` bytes each. Where
/// the members do not mean the same length, they would not come to the end together: the board is
/// given up then. `step(at, length)` does a piece.
template <class Step>
int Board::in_pieces(std::size_t bytes, std::size_t most, Step step) {
  for (std::size_t at = 0;; ++number_) {
    const int error = step(at, std::min(most, bytes - at));
    const bool last = bytes - at <= most;
    if (error != MPI_SUCCESS && (!last || others_go_on())) (void)give_up();
    if (error != MPI_SUCCESS || last) return error;
    at += most;
  }
}

}  // namespace remit
