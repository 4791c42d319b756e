// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reductions of vectors on a board.
#include "collectives/board/board_reduction.hpp"

#include <algorithm>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board_copies.hpp"
#include "collectives/choice/board_limits.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

View elements_of(const void* vector, MPI_Count first, MPI_Count last, const Datatype& type) {
  return slice(vector, first, last - first, type);
}

}  // namespace

/// Where the result of a share is wanted.
std::byte* BoardReduction::result_of(const CollectiveArgs& a, const Share& share) {
  return elements_of(a.recv, share.first, share.last, *a.recv_type).data();
}

/// Pieces of whole elements.
template <class Step>
int BoardReduction::in_vector_pieces(const CollectiveArgs& a, Step step) {
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(a.recv_type->size()));
  const std::size_t most = std::max(width, BoardSegment::kPageBytes / width * width);
  const std::size_t bytes = width * static_cast<std::size_t>(a.recv_count);
  return in_pieces(lines_, bytes, most, [&](std::size_t at, std::size_t length) {
    if (length == bytes) return step(a, bytes);
    const auto first = static_cast<MPI_Count>(at / width);
    CollectiveArgs piece = a;
    piece.send = a.send == MPI_IN_PLACE ? a.send : element(a.send, first, *a.recv_type);
    piece.recv = element(a.recv, first, *a.recv_type);
    piece.recv_count = static_cast<MPI_Count>(length / width);
    return step(piece, bytes - at);
  });
}

int BoardReduction::reduce(const CollectiveArgs& a) {
  return in_vector_pieces(a, [&](const CollectiveArgs& piece, std::size_t rest) -> int {
    if (lines_.rank() != a.root) return publish_vector(piece, rest, {}, {});
    const Share all = {0, piece.recv_count};
    if (const int error = publish_vector(piece, rest, all, all)) return error;
    return combine(piece, rest, all, result_of(piece, all));
  });
}

int BoardReduction::allreduce(const CollectiveArgs& a) {
  return in_vector_pieces(a, [&](const CollectiveArgs& piece, std::size_t rest) -> int {
    if (in_shares(piece)) return allreduce_in_shares(piece, rest);
    const Share all = {0, piece.recv_count};
    if (const int error = publish_vector(piece, rest, all, {})) return error;
    const int error = combine(piece, rest, all, result_of(piece, all));
    if (error == MPI_SUCCESS) lines_.swap_pages();
    return error;
  });
}

/// All members come to the same answer, unless their counts do not agree: then none of them gets
/// further than the first meeting, where their bytes do not agree either.
bool BoardReduction::in_shares(const CollectiveArgs& a) const {
  return own_processors_ && a.recv_count >= lines_.size() &&
         a.recv_count * a.recv_type->size() * lines_.size() >=
             BoardLimits::shares_from(lines_.size());
}

BoardReduction::Share BoardReduction::share_of(int member, const CollectiveArgs& a) const {
  return {a.recv_count * member / lines_.size(), a.recv_count * (member + 1) / lines_.size()};
}

int BoardReduction::allreduce_in_shares(const CollectiveArgs& a, std::size_t rest) {
  const Share own = share_of(lines_.rank(), a);
  std::byte* const result = result_of(a, own);
  if (const int error = publish_vector(a, rest, own, own)) return error;
  if (const int error = combine(a, rest, own, result)) return error;
  lines_.swap_pages();
  lines_.next_piece();
  if (const int error = publish_share(a, own, result)) return error;
  if (const int error = take_shares(a)) return error;
  lines_.swap_pages();
  return MPI_SUCCESS;
}

/// Where a share is in a page: whatever it is part of, the same lines are written by one member and
/// read by the other one in turn.
std::size_t BoardReduction::page_offset(const Share& share, const CollectiveArgs& a) {
  const MPI_Count width = a.recv_type->size();
  return share.count() * width <= static_cast<MPI_Count>(BoardSegment::kInline)
             ? 0
             : static_cast<std::size_t>(share.first * width);
}

/// The elements of a share, combined.
int BoardReduction::publish_share(const CollectiveArgs& a, const Share& share,
                                  const std::byte* result) {
  if (const int error = lines_.make_room()) return error;
  const auto bytes = static_cast<std::size_t>(share.count() * a.recv_type->size());
  std::byte* to = lines_.memory_for(bytes) + page_offset(share, a);
  copy_bytes(to, result, bytes);
  lines_.store_line(bytes);
  return MPI_SUCCESS;
}

/// The others' shares, combined, to recv.
int BoardReduction::take_shares(const CollectiveArgs& a) {
  for (int step = 1; step < lines_.size(); ++step) {
    const int peer = (lines_.rank() + step) % lines_.size();
    const Share share = share_of(peer, a);
    const View to = elements_of(a.recv, share.first, share.last, *a.recv_type);
    if (const int error = lines_.await(lines_.one(peer))) return error;
    if (const int error = take(lines_, peer, page_offset(share, a), to.size(), to)) return error;
  }
  return MPI_SUCCESS;
}

/// The vector to the page, but for what is left out, because no other member combines it: all of it
/// at the root of a reduce, which says that it has published nothing. In place the result grows
/// where the own elements were: those that this member combines are kept aside, for the page is not
/// its to read any more when the other one takes its lines.
int BoardReduction::publish_vector(const CollectiveArgs& a, std::size_t rest, const Share& combined,
                                   const Share& left_out) {
  if (const int error = lines_.make_room()) return error;
  const View mine = view_of(contribution(a), a.recv_count, *a.recv_type);
  const auto width = static_cast<std::size_t>(a.recv_type->size());
  const auto at = [=](MPI_Count element) { return width * static_cast<std::size_t>(element); };
  const bool tells = left_out.count() != a.recv_count;
  if (tells) {
    std::byte* to = lines_.memory_for(mine.size());
    const std::size_t behind = at(left_out.last);
    mine.pack(0, {to, at(left_out.first)});
    mine.pack(behind, {to + behind, mine.size() - behind});
  }
  if (a.send == MPI_IN_PLACE && lines_.rank() != lines_.size() - 1) {
    kept_.resize(at(combined.count()));
    mine.pack(at(combined.first), kept_);
  }
  lines_.store_line(tells ? rest : 0);
  return MPI_SUCCESS;
}

/// A share of all members' elements to `result`, from the last member to the first, for an
/// operation need not commute, and so that every member gets the same result to the last bit.
int BoardReduction::combine(const CollectiveArgs& a, std::size_t rest, const Share& share,
                            std::byte* result) {
  const View mine = elements_of(contribution(a), share.first, share.last, *a.recv_type);
  const std::size_t bytes = mine.size();
  const bool starts = lines_.rank() == lines_.size() - 1;
  if (starts && a.send != MPI_IN_PLACE) copy_bytes(result, mine.data(), bytes);
  if (const int error = lines_.await_all()) return error;
  for (int i = lines_.size() - 1; i >= 0; --i) {
    if (i != lines_.rank() && check_length(lines_, i, rest) != MPI_SUCCESS) return MPI_ERR_OTHER;
  }
  const auto at = static_cast<std::size_t>(share.first * a.recv_type->size());
  const std::byte* own = a.send == MPI_IN_PLACE && !starts ? kept_.data() : mine.data();
  for (int i = lines_.size() - 1 - (starts ? 1 : 0); i >= 0; --i) {
    const std::byte* from = i == lines_.rank() ? own : lines_.data(i) + at;
    if (i == lines_.size() - 1) {
      copy_bytes(result, from, bytes);
    } else {
      reduce_local(*a.op, from, result, share.count(), *a.recv_type);
    }
    lines_.done_with(i, lines_.data(i) + at, bytes);
  }
  return MPI_SUCCESS;
}

}  // namespace remit
