// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The members of a window whose locks and accumulates go by an adapter: how each is reached, and
// what is under way there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "onesided/adapter/adapter_memory.hpp"
#include "onesided/adapter/adapter_port.hpp"
#include "onesided/adapter/adapter_words.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/tally.hpp"
#include "runtime/call_status.hpp"
#include "runtime/error.hpp"

namespace remit {

/// A member that there was an operation on.
struct AdapterPeer {
  int rank = 0;
  bool is_reached = false;
  bool asked = false;        ///< for its keys
  bool known = false;        ///< ... which have come
  bool refused = false;      ///< ... or there are none
  bool used = false;         ///< by operations that no flush has seen to their end
  bool unconfirmed = false;  ///< there were puts that nobody knows to be visible
  AdapterWay way;
  AdapterKeys keys;
  OwnTally tally = make_tally();

  [[nodiscard]] RemoteAddress word(std::size_t offset) const {
    return {keys.words_address + offset, keys.words_key};
  }
  [[nodiscard]] RemoteAddress memory(std::uint64_t address) const {
    return {address, keys.memory_key};
  }
};

/// All of one window, this process among them: it goes by the adapter as well. Memory grows with
/// the members that there were operations on. The thread that holds the process.
class AdapterPeers {
 public:
  /// `window` names it in messages. `used` counts members with operations that no flush has seen to
  /// their end. All must outlive it.
  AdapterPeers(OneSided& manager, std::uint32_t window, const WindowMembers& members,
               std::unique_ptr<AdapterMemory> own, std::uint64_t& used)
      : manager_(manager), window_(window), members_(members), own_(std::move(own)), used_(used) {}
  AdapterPeers(const AdapterPeers&) = delete;
  AdapterPeers& operator=(const AdapterPeers&) = delete;

  [[nodiscard]] AdapterPort& port() const { return manager_.adapter_port(); }
  [[nodiscard]] Progress& progress() const { return manager_.progress(); }
  [[nodiscard]] const AdapterMemory& own() const { return *own_; }
  /// As a holder of locks: 1 + the rank.
  [[nodiscard]] std::uint64_t self() const {
    return static_cast<std::uint64_t>(members_.rank()) + 1;
  }
  [[nodiscard]] int members() const { return members_.size(); }
  [[nodiscard]] const char* device_name() const;
  /// Operations that were started.
  [[nodiscard]] std::uint64_t started() const { return started_; }

  /// The member, whose way and keys are known behind that: asks for them the first time, which
  /// whoever polls there answers, and waits. An error: it is gone, or its adapter is not to be had.
  [[nodiscard]] Expected<AdapterPeer*> reach(int rank) {
    AdapterPeer* const known = find(rank);
    if (known != nullptr && known->is_reached) [[likely]] {
      if (manager_.links().lost(members_.proc(rank))) return tl::unexpected(words_of_loss(rank));
      return known;
    }
    return reach_first(rank);
  }

  /// The same of one whose adapter keeps order, as far as it has been reached before and nothing is
  /// known against it; else null.
  [[nodiscard]] AdapterPeer* at_hand(int rank) {
    AdapterPeer* const known = find(rank);
    const bool fine = known != nullptr && known->is_reached && is_in_order(*known) &&
                      !manager_.links().lost(members_.proc(rank));
    return fine ? known : nullptr;
  }

  /// Starts operations, which a flush waits for.
  void start(AdapterPeer& peer, std::span<Operation> operations, Ending finish = {});
  /// Carries operations out. An error: one of them has failed.
  [[nodiscard]] Expected<> run(AdapterPeer& peer, std::span<Operation> operations);
  /// Carries puts from a buffer out so far that nothing which follows overtakes them: they may be
  /// under way on return, and keep the buffer.
  [[nodiscard]] Expected<> put(AdapterPeer& peer, std::span<Operation> puts,
                               const std::shared_ptr<HeldBuffer>& buffer);
  /// Behind it nothing overtakes what was started before.
  [[nodiscard]] Expected<> order(AdapterPeer& peer);
  /// Waits until all that was started is visible at the member: its first error.
  [[nodiscard]] Expected<> settle(AdapterPeer& peer, const WaitSubject* subject);
  /// The same of one whose adapter keeps order, or that nothing was started on, if none fails.
  /// False: settle() is to do it.
  [[nodiscard]] bool try_settle(int rank, const WaitSubject& subject);
  /// The same of `rank`, or of all (< 0).
  [[nodiscard]] Expected<> flush(int rank, const WaitSubject* subject);

  /// Whether a member has ended, as far as this process can find out: it speaks to it once, so that
  /// there is a link that tells.
  [[nodiscard]] bool is_lost(int rank);

  /// The answer to the question for keys. False: it makes no sense.
  [[nodiscard]] bool take_keys(ProcId from, std::span<const std::byte> body);

 private:
  [[nodiscard]] Expected<AdapterPeer*> reach_first(int rank);
  /// Null: there was no operation on it.
  [[nodiscard]] AdapterPeer* find(int rank) {
    if (last_ != nullptr && last_->rank == rank) return last_;
    const auto found = peers_.find(rank);
    return found == peers_.end() ? nullptr : last_ = &found->second;
  }
  void ask(AdapterPeer& peer, Link& link);
  [[nodiscard]] Error words_of_loss(int rank) const;
  [[nodiscard]] bool is_in_order(const AdapterPeer& peer) const {
    return peer.way.device->device->caps().in_order;
  }

  OneSided& manager_;
  std::uint32_t window_;
  const WindowMembers& members_;
  std::unique_ptr<AdapterMemory> own_;
  std::uint64_t& used_;
  std::uint64_t started_ = 0;
  std::map<int, AdapterPeer> peers_;
  AdapterPeer* last_ = nullptr;  ///< that was looked for and found last
  std::set<int> spoken_to_;      ///< by is_lost()
};

/// An atomic on a word; the old value goes to `result`, which may be empty.
[[nodiscard]] Operation fetch_add_of(RemoteAddress word, std::uint64_t addend,
                                     std::span<const Piece> result);
[[nodiscard]] Operation swap_of(RemoteAddress word, std::uint64_t compare, std::uint64_t value,
                                std::span<const Piece> result);
/// A put or a get of one piece, which stays until it was posted.
[[nodiscard]] Operation move_of(OpKind kind, RemoteAddress remote, const Piece& local);

}  // namespace remit
