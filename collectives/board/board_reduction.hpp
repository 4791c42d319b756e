// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reductions of vectors on a board.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/board/board_lines.hpp"
#include "collectives/collectives.hpp"

namespace remit {

/// Reduces the members' vectors, in pieces that fit a page. Each member combines all elements that
/// it wants, or, in an allreduce of longer data, a share of them, which it tells the others: one
/// meeting more. Elements are combined from the last member to the first, so that every member gets
/// the same result to the last bit. One thread, the member's.
class BoardReduction {
 public:
  /// `own_processors`: members do not share processors, and so may combine in shares.
  BoardReduction(BoardLines& lines, bool own_processors)
      : lines_(lines), own_processors_(own_processors) {}
  BoardReduction(const BoardReduction&) = delete;
  BoardReduction& operator=(const BoardReduction&) = delete;

  // The operation has begun. They return MPI_SUCCESS or an error class.
  [[nodiscard]] int reduce(const CollectiveArgs& a);
  [[nodiscard]] int allreduce(const CollectiveArgs& a);

 private:
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
  [[nodiscard]] static std::byte* result_of(const CollectiveArgs& a, const Share& share);
  [[nodiscard]] static std::size_t page_offset(const Share& share, const CollectiveArgs& a);
  [[nodiscard]] int publish_share(const CollectiveArgs& a, const Share& share,
                                  const std::byte* result);
  [[nodiscard]] int take_shares(const CollectiveArgs& a);
  template <class Step>
  [[nodiscard]] int in_vector_pieces(const CollectiveArgs& a, Step step);

  BoardLines& lines_;
  const bool own_processors_;
  std::vector<std::byte> kept_;  ///< of this member's vector, while the result takes its place
};

}  // namespace remit
