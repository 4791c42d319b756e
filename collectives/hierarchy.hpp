// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Cells of members that are near each other (a host, or a NUMA node of one), and collectives that
// are composed of one inside the cells and one among their leaders.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/collectives.hpp"
#include "runtime/params.hpp"

namespace remit {

/// The cells of a communicator as one member sees them. Immutable. The lowest rank of each cell is
/// its leader; cells are numbered in the order of their leaders.
class Hierarchy {
 public:
  /// `cells` has a number for each rank, the same for members of one cell; all members give the
  /// same. Messages inside the cells and among the leaders have contexts of their own.
  Hierarchy(const CommCore& comm, std::span<const std::int64_t> cells);
  /// Cells of `each` ranks that follow each other, of a regular group of a multiple of that.
  Hierarchy(const CommCore& comm, int each);

  [[nodiscard]] const CommCore& inside() const { return inside_; }
  /// The leaders. Only they may use it.
  [[nodiscard]] const CommCore& among() const { return among_; }
  [[nodiscard]] bool leads() const { return inside_.rank == 0; }
  [[nodiscard]] int cells() const { return among_.size(); }
  [[nodiscard]] int largest() const { return largest_; }
  /// Each cell is a range of ranks, so that reductions by cells keep the order of operands.
  [[nodiscard]] bool ordered() const { return ordered_; }
  /// Ordered, and all cells are of one size.
  [[nodiscard]] bool even() const { return even_; }
  /// More than one cell, not all of one member each.
  [[nodiscard]] bool useful() const { return cells() > 1 && largest_ > 1; }
  /// Where a rank is: its cell's number, and its rank inside of this member's cell or
  /// MPI_UNDEFINED.
  [[nodiscard]] int cell_of(int rank) const {
    return even_ ? rank / largest_ : cell_of_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] int own_cell() const { return own_cell_; }
  [[nodiscard]] int inside_rank(const CommCore& comm, int rank) const {
    return inside_.local->rank_of(comm.local->proc(rank));
  }

  /// Members without whom no cells are looked for.
  static constexpr int kLeastMembers = 4;
  /// Blocking operations that a communicator sees before its cells are found out.
  static constexpr std::uint32_t kPatience = 3;
  /// Counts a blocking collective, which all members do for the same ones; the last time it finds
  /// out the cells, with the other members, if that may pay. An error is that of the operation:
  /// others may know the cells, and go other ways.
  [[nodiscard]] static int count_use(Engine& engine, CommCore& comm, const WaitSubject* subject);

 private:
  void connect(const CommCore& comm, std::shared_ptr<const Group> near,
               std::shared_ptr<const Group> leaders);

  CommCore inside_;
  CommCore among_;
  int own_cell_ = 0;
  int largest_ = 0;
  bool ordered_ = true;
  bool even_ = true;
  std::vector<int> cell_of_;  ///< empty if even, so that it does not grow with the ranks
};

/// What the cells are.
inline const ParamDecl cells_param{"coll_cells",
                                   std::string("host"),
                                   "",
                                   "what hierarchical collectives take together: the ranks of a "
                                   "host or of a NUMA node; or nothing",
                                   {"host", "numa", "none"}};

}  // namespace remit
