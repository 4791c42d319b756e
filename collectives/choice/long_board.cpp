// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether long data cross a board, in two copies, or the kernel copies them.
#include "collectives/choice/long_board.hpp"

#include "collectives/board/board_segment.hpp"

namespace remit {

namespace {

inline const ParamDecl long_board_param{
    "coll_long_board",
    std::string("auto"),
    "",
    "long data of blocking collectives go through the shared board in pieces, not by copies of the "
    "kernel; auto: where these are slower, which the ranks measure (blocks and broadcasts of some "
    "512 KB to 4 MB and more, which no cache holds, only where they are slower by far), and "
    "elsewhere as long as they take longer than between caches (data up to 256 KB or 2 MB)",
    {"auto", "yes", "no"}};

}  // namespace

std::uint32_t board_ns_of_64k(std::uint32_t page_ns) {
  constexpr std::uint32_t kPages = (std::uint32_t{64} << 10) / BoardSegment::kPageBytes;
  return kPages * page_ns;
}

bool asks_for_page(const Params& params) {
  return params.text(long_board_param) == "auto";
}

/// What a piece costs beside its copies, the board's lines, is less than the announcement of a copy
/// by the kernel.
LongBoard long_board_of(const Params& params, const KernelCopies& kernel,
                        const BoardDistance& distance) {
  const auto all_if = [](bool all) { return all ? LongBoard::all : LongBoard::none; };
  if (!asks_for_page(params)) return all_if(params.text(long_board_param) == "yes");
  if (!distance.spins || !distance.reaches) return all_if(distance.spins);
  constexpr std::uint64_t kByFar = 2;  // as much as memory costs more than caches
  const std::uint64_t board_ns = board_ns_of_64k(distance.page_ns);
  if (board_ns == 0 || board_ns >= kernel.ns_of_64k) return LongBoard::none;
  return kByFar * board_ns < kernel.ns_of_64k ? LongBoard::all : LongBoard::cached;
}

}  // namespace remit
