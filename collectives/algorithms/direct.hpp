// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members of one host in each other's memory: how they meet, reach it, and part. For algorithms
// that move long blocks with one copy and no message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/algorithms.hpp"
#include "collectives/board/board_meeting.hpp"
#include "collectives/board/copy_pace.hpp"
#include "collectives/context.hpp"

namespace remit {

/// One operation's view of its members' memory. Each member names a source, which others read, and
/// a target, into which they write. Members meet (then all are known), work, and part (then nobody
/// touches the memory any more).
///
/// Two members of which one does not reach the other's memory use messages for what they have for
/// each other; both know, so every algorithm serves every pair, connected already or not. With a
/// board all reach all.
///
/// Where data go from one member or to one, that is the *hub*: it meets all others, and they only
/// it. If it does not work in their memory, they part without waiting.
class Direct {
 public:
  static constexpr int kNoHub = BoardMeeting::kNoHub;

  /// Memory of no bytes is nothing that others could use.
  Direct(CollCtx& c, std::span<const std::byte> source, std::span<std::byte> target,
         int hub = kNoHub);

  /// Everybody whom this member meets has come, and is known. First of all. An algorithm that tells
  /// what it is about to do (`a`) may find it done: see was_on_board().
  static Task<int> meet(CollCtx& c, Direct& d, const CollectiveArgs* a = nullptr);
  /// This member is done with the others' memory: they need not wait for what it does before it
  /// parts. They hear of it where there is a board; elsewhere when it parts.
  void leave(CollCtx& c);
  /// This member's `messages` are complete, everybody who lives has left its memory, and nobody
  /// whom it waited for failed. Last of all, also after an error: memory may be used again only
  /// now. `hub_works`: a hub may be in the others' memory; all say the same.
  static Task<int> part(CollCtx& c, Direct& d, std::span<Request> messages, bool hub_works = true);

  /// The operation has taken place on the board, and is over: they do not part either.
  [[nodiscard]] bool was_on_board() const { return was_on_board_; }
  /// Whether both reach each other's memory. False for this member itself.
  [[nodiscard]] bool reaches(int peer) const { return facts_[peer].reaches != 0; }
  /// Whether the peer named a target.
  [[nodiscard]] bool has_target(int peer) const { return facts_[peer].target_bytes != 0; }

  /// Fails if the peer's source is not of so many bytes: then the members' counts do not agree.
  void expect_source(CollCtx& c, int peer, std::size_t bytes) const;
  /// Copies `bytes` bytes from `at` on of the peer's source. What fails is noted in `c`, after
  /// which nothing is copied any more.
  void read(CollCtx& c, int peer, std::size_t at, void* to, std::size_t bytes) const;
  /// Copies into the peer's target.
  void write(CollCtx& c, int peer, std::size_t at, const void* from, std::size_t bytes) const;
  /// These bytes of the peer's source: where they are mapped here, else copied to `memory`.
  [[nodiscard]] const void* look(CollCtx& c, int peer, std::size_t at, void* memory,
                                 std::size_t bytes) const;

 private:
  /// What a member tells a peer.
  struct Fact {
    std::uint64_t source = 0;
    std::uint64_t source_bytes = 0;
    std::uint64_t target = 0;
    std::uint64_t target_bytes = 0;
    std::uint32_t reaches = 0;  ///< the member reaches the peer's memory
    CopyPace::Words words = {};
  };
  void meet_on_board(CollCtx& c, const CollectiveArgs* a);
  [[nodiscard]] BoardMeeting meeting(CollCtx& c) const;
  /// A copy of so many bytes between this process and the peer, which may be timed.
  template <class Copy>
  void copy(CollCtx& c, int peer, std::size_t bytes, Copy copy) const;
  /// Within what the peer named: its counts may not agree with this member's.
  [[nodiscard]] static bool inside(CollCtx& c, std::size_t at, std::size_t bytes,
                                   std::uint64_t whole);
  static void note(CollCtx& c, int peer, bool done);
  [[nodiscard]] bool meets(int rank, int peer) const {
    return hub_ == kNoHub || hub_ == rank || hub_ == peer;
  }

  const int hub_;
  bool left_ = false;
  bool was_on_board_ = false;
  CopyPace* pace_ = nullptr;  ///< null: nothing is chosen by it
  Fact mine_;
  Fact* facts_;  ///< by rank
};

/// Copies the packed bytes of `to` from `at` on of the peer's source.
Task<int> fetch(CollCtx& c, const Direct& d, int peer, std::size_t at, View to);
/// Copies contiguous memory into the peer's target.
Task<int> deliver(CollCtx& c, const Direct& d, int peer, std::size_t at,
                  std::span<const std::byte> from);

}  // namespace remit
