// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Views of parts of collective buffers; copies and reductions between them.
#pragma once

#include <algorithm>
#include <array>

#include "collectives/collectives.hpp"
#include "runtime/copy.hpp"

namespace remit {

/// Bytes that are copied at once out of another process's memory where they are unpacked
/// afterwards.
inline constexpr std::size_t kStaging = std::size_t{64} << 10;

/// The address `bytes` behind `base`. In integers, for base may be MPI_BOTTOM.
[[nodiscard]] inline void* byte_offset(const void* base, MPI_Count bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) +
                                 static_cast<std::uintptr_t>(bytes));
}

/// The address `elements` elements of `type` behind `base`.
[[nodiscard]] inline void* element(const void* base, MPI_Count elements, const Datatype& type) {
  return byte_offset(base, elements * type.extent());
}

/// `count` elements from index `first` of the buffer.
[[nodiscard]] inline View slice(const void* base, MPI_Count first, MPI_Count count,
                                const Datatype& type) {
  return view_of(element(base, first, type), count, type);
}

/// The block of the receive buffer for member (or neighbour) i, where that buffer has one for each.
[[nodiscard]] inline View receive_slot(const CollectiveArgs& a, int i) {
  switch (a.kind) {
    case CollectiveKind::alltoallw:
    case CollectiveKind::neighbor_alltoallw:
      return view_of(byte_offset(a.recv, a.recv_displs[i]), a.recv_counts[i], *a.recv_types[i]);
    case CollectiveKind::gatherv:
    case CollectiveKind::allgatherv:
    case CollectiveKind::alltoallv:
    case CollectiveKind::neighbor_allgatherv:
    case CollectiveKind::neighbor_alltoallv:
      return slice(a.recv, a.recv_displs[i], a.recv_counts[i], *a.recv_type);
    default:
      return slice(a.recv, a.recv_count * i, a.recv_count, *a.recv_type);
  }
}

/// The block of the send buffer, not in place.
[[nodiscard]] inline View send_slot(const CollectiveArgs& a, int i) {
  switch (a.kind) {
    case CollectiveKind::alltoallw:
    case CollectiveKind::neighbor_alltoallw:
      return view_of(byte_offset(a.send, a.send_displs[i]), a.send_counts[i], *a.send_types[i]);
    case CollectiveKind::scatterv:
    case CollectiveKind::alltoallv:
    case CollectiveKind::neighbor_alltoallv:
      return slice(a.send, a.send_displs[i], a.send_counts[i], *a.send_type);
    default:
      return slice(a.send, a.send_count * i, a.send_count, *a.send_type);
  }
}

/// A broadcast from member 0, as a part of another operation.
[[nodiscard]] inline CollectiveArgs bcast_args(void* buffer, MPI_Count count,
                                               const Datatype& type) {
  CollectiveArgs args;
  args.kind = CollectiveKind::bcast;
  args.recv = buffer;
  args.recv_count = count;
  args.recv_type = &type;
  return args;
}

/// Copies a message to itself as a send and receive would: the packed bytes of `from` to the places
/// of `to`, as many as both have.
inline void copy_local(const View& from, const View& to) {
  const std::size_t bytes = std::min(from.size(), to.size());
  if (bytes == 0) return;
  if (from.is_contiguous() && to.is_contiguous()) {
    if (from.data() != to.data()) move_bytes(to.data(), from.data(), bytes);
  } else if (from.is_contiguous()) {
    to.unpack(0, {from.data(), bytes});
  } else if (to.is_contiguous()) {
    from.pack(0, {to.data(), bytes});
  } else {
    std::array<std::byte, 4096> part;
    for (std::size_t at = 0; at < bytes; at += part.size()) {
      const std::size_t length = std::min(part.size(), bytes - at);
      from.pack(at, {part.data(), length});
      to.unpack(at, {part.data(), length});
    }
  }
}

/// The block of a collective that a member sends to itself: copied in parts, when there is time or
/// when the data are in a cache anyway, and what is left of it at the end. The buffers do not
/// overlap, unless they are the same: in place, where there is nothing to copy.
class OwnBlock {
 public:
  OwnBlock(const View& from, const View& to)
      : from_(from),
        to_(to),
        bytes_(std::min(from.size(), to.size())),
        straight_(from.is_contiguous() && to.is_contiguous()) {
    const bool in_place =
        from.base == to.base && from.count == to.count && from.layout == to.layout;
    if (in_place) done_ = bytes_;
  }
  ~OwnBlock() { copy_to(bytes_); }
  OwnBlock(const OwnBlock&) = delete;
  OwnBlock& operator=(const OwnBlock&) = delete;

  [[nodiscard]] bool done() const { return done_ == bytes_; }
  /// The next few KB.
  void copy_some() { copy_to(done_ + kSome); }
  /// Everything before this packed byte. At once all of a block that is not in one piece on both
  /// sides.
  void copy_to(std::size_t end) {
    end = std::min(end, bytes_);
    if (end <= done_) return;
    if (straight_) {
      copy_bytes(to_.data() + done_, from_.data() + done_, end - done_);
    } else {
      copy_local(from_, to_);
      end = bytes_;
    }
    done_ = end;
  }

 private:
  static constexpr std::size_t kSome = 8192;

  View from_;
  View to_;
  std::size_t bytes_;
  std::size_t done_ = 0;
  bool straight_;
};

/// The vector that this process contributes to a reduction.
[[nodiscard]] inline const void* contribution(const CollectiveArgs& a) {
  return a.send == MPI_IN_PLACE ? a.recv : a.send;
}

/// Puts this process's contribution into recv, where the result grows.
inline void start_in_recv(const CollectiveArgs& a) {
  if (a.send == MPI_IN_PLACE) return;
  copy_local(view_of(a.send, a.recv_count, *a.recv_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
}

/// inout = in op inout. After an error the operands may not be values of their type, which no
/// user's function should see.
inline void combine(const CollCtx& c, const CollectiveArgs& a, const void* in, void* inout,
                    MPI_Count count) {
  if (c.error() == MPI_SUCCESS) reduce_local(*a.op, in, inout, count, *a.recv_type);
}

}  // namespace remit
