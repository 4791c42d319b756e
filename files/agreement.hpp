// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the members of a file come to return the same error, in the same words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/collectives.hpp"
#include "communicators/comm_process.hpp"
#include "runtime/error.hpp"

namespace remit {

/// An error as bytes, of which members take the maximum where one has them and the others have
/// zeros: class, then words, cut to what fits.
class ToldError {
 public:
  /// None.
  ToldError() = default;
  explicit ToldError(const Error& error);

  [[nodiscard]] Error error() const;
  [[nodiscard]] std::uint8_t* bytes() { return bytes_.data(); }
  static constexpr std::size_t kBytes = 512;

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

/// What is said where the members of a file could not tell each other something.
inline constexpr const char* kLostTouch = "the members have lost touch";

/// What one member brings to an agreement: nothing went wrong here, or this.
using Outcome = Expected<>;

/// Tells all members of `comm`, who all call this, whether something went wrong at any of them.
/// Each returns the error of the lowest rank that has one. No member leaves before all have come.
/// Waits.
[[nodiscard]] Outcome agree(const CommCall& call, const ParentComm& comm, const Outcome& mine);

/// An argument that members of a collective call have to give alike.
struct SameArgument {
  const char* name;
  std::int64_t value;
};

/// As agree(), and MPI_ERR_NOT_SAME at all members if an argument is not the same at all of them.
/// Few arguments. `any`, if not null, is whether it is true at any of them from then on.
[[nodiscard]] Outcome agree_on(const CommCall& call, const ParentComm& comm, const Outcome& mine,
                               std::span<const SameArgument> arguments, bool* any = nullptr);

/// The same as a part of an operation that goes on while the program computes. Members make theirs
/// in the same order among all collective operations of the communicator; which starts first does
/// not matter.
class PendingAgreement {
 public:
  /// Both must outlive it.
  PendingAgreement(Engine& engine, CommCore& comm);
  PendingAgreement(const PendingAgreement&) = delete;
  PendingAgreement& operator=(const PendingAgreement&) = delete;

  /// What came of it at this member is told, and replaced by what all agree on. Once. It
  /// returns an error class where they could not.
  [[nodiscard]] static Task<int> run(PendingAgreement& self, Outcome& outcome);

  /// An exception has ended it: it must never be destroyed (see Collective).
  [[nodiscard]] bool is_broken() const { return whose_.broken() || words_.broken(); }

  /// Where its frame is.
  [[nodiscard]] FrameArena& arena() { return arena_; }

 private:
  FrameArena arena_;
  CommCore& comm_;
  std::int64_t key_ = 0;  ///< see failure_key()
  ToldError told_;
  Collective whose_;  ///< finds out who has failed, if anybody
  Collective words_;  ///< ... and with what, then
};

}  // namespace remit
