// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Context ids of one process, and how the members of a new communicator agree on one.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>

#include "pt2pt/communicator.hpp"

namespace remit {

/// Which contexts are in use in one process. Communicators are numbered without end; a number's
/// context is the one of its *slot*, which comes again when all slots have been used once, more
/// than 5 * 10^8 communicators later.
class ContextIds {
 public:
  /// Slots that no communicator made by the program ever has.
  enum Reserved : std::uint32_t { kWorld, kSelf, kGroups, kPorts, kConnectRequests, kReserved };
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << 29;

  /// Fewer slots than there are: for tests. More than kReserved.
  explicit ContextIds(std::uint64_t slots = kSlots) : slots_(slots) {}

  /// A number that is free here, and above every number taken here so far by more than `distance`.
  [[nodiscard]] std::uint64_t propose(std::uint64_t distance = 0) const;
  /// Takes a number if its slot is not in use here.
  [[nodiscard]] bool take(std::uint64_t number);
  /// A communicator is gone for good.
  void release(ContextId context) { live_.erase(context / kContextsEach); }

  /// Whether a slot of that number has never been used, wherever the number is proposed.
  [[nodiscard]] bool is_fresh(std::uint64_t number) const { return number < slots_; }
  [[nodiscard]] ContextId context_of(std::uint64_t number) const {
    return static_cast<ContextId>(number % slots_) * kContextsEach;
  }
  [[nodiscard]] static constexpr ContextId context_of(Reserved slot) {
    return slot * kContextsEach;
  }
  /// Contexts in use.
  [[nodiscard]] std::size_t live() const { return live_.size(); }

  // For ContextAgreement.

  /// An agreement begins; its number among all that this process has begun.
  [[nodiscard]] std::uint64_t begin_agreement() {
    ++under_way_;
    return ++begun_;
  }
  void end_agreement() { --under_way_; }
  /// Agreements that have begun and not ended.
  [[nodiscard]] std::uint32_t under_way() const { return under_way_; }

 private:
  std::uint64_t slots_;
  std::uint64_t next_ = kReserved;          // above every number taken here
  std::unordered_set<std::uint64_t> live_;  // slots in use but the reserved ones
  std::uint32_t under_way_ = 0;             // agreements
  std::uint64_t begun_ = 0;                 // agreements, ever
};

/// One process's part of an agreement on a context, by rounds in which all members learn the
/// maximum of each word that they contribute:
///
///   do {
///     maxima = <over all members>(agreement.mine());
///   } while (!agreement.settle(maxima));
///
/// One round is enough where no member can be in two agreements at once. Elsewhere two agreements
/// may come to one number, so a second round asks whether every member could take it; if not, the
/// next proposals lie apart, by distances that differ between agreements.
class ContextAgreement {
 public:
  using Words = std::array<std::uint64_t, 2>;

  /// `alone`: this process begins no other agreement before this one has ended. `made`, if any,
  /// gets the context as soon as all agree. Both must outlive it.
  ContextAgreement(ContextIds& ids, bool alone, CommCore* made = nullptr);
  /// Gives back what was taken for an agreement that did not come to its end.
  ~ContextAgreement();
  ContextAgreement(const ContextAgreement&) = delete;
  ContextAgreement& operator=(const ContextAgreement&) = delete;

  /// The words of the next round.
  [[nodiscard]] Words mine();
  /// Whether settle() will say that all agree, which is the same at every member.
  [[nodiscard]] bool would_agree(const Words& maxima) const {
    const auto [proposal, against] = maxima;
    return against == 0 && (round_ != 0 || ids_.is_fresh(proposal));
  }
  /// Takes the maxima. True: agreed.
  [[nodiscard]] bool settle(const Words& maxima);
  /// The context, which this process has taken; once agreed.
  [[nodiscard]] ContextId context() const { return ids_.context_of(number_); }

 private:
  void end(bool agreed);

  ContextIds& ids_;
  CommCore* const made_;
  const bool alone_;
  const std::uint64_t serial_;
  std::uint64_t number_ = 0;
  std::uint32_t round_ = 0;
  bool taken_ = false;
  bool ended_ = false;
};

}  // namespace remit
