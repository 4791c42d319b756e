// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How many operations on one member are under way.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "mpi.h"

namespace remit {

/// What somebody waits for who has started operations. Made by make_tally(). One thread.
struct Tally {
  std::uint64_t under_way = 0;  ///< operations that have not ended
  int status = MPI_SUCCESS;     ///< the error class of the first one that failed
  bool is_left = false;         ///< nobody waits any more: the last operation takes it along

  void end(int outcome) {
    if (status == MPI_SUCCESS) status = outcome;
    if (--under_way == 0 && is_left) delete this;
  }
};

/// The end of whoever waits, which operations may outlive.
struct LeaveTally {
  void operator()(Tally* tally) const {
    if (tally->under_way == 0) {
      delete tally;
    } else {
      tally->is_left = true;
    }
  }
};
using OwnTally = std::unique_ptr<Tally, LeaveTally>;

[[nodiscard]] inline OwnTally make_tally() {
  return OwnTally(new Tally);
}

/// The place of one operation in a tally, from its start on. One that is dropped has ended well.
class Tallied {
 public:
  Tallied() = default;
  explicit Tallied(Tally& tally) : tally_(&tally) { ++tally.under_way; }
  Tallied(Tallied&& other) noexcept : tally_(std::exchange(other.tally_, nullptr)) {}
  Tallied& operator=(Tallied&& other) noexcept {
    if (this != &other) {
      end(MPI_SUCCESS);
      tally_ = std::exchange(other.tally_, nullptr);
    }
    return *this;
  }
  ~Tallied() { end(MPI_SUCCESS); }

  /// Once; later calls do nothing.
  void end(int status) {
    if (Tally* const tally = std::exchange(tally_, nullptr)) tally->end(status);
  }

 private:
  Tally* tally_ = nullptr;  ///< null: it is in none
};

}  // namespace remit
