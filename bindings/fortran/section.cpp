// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/fortran/section.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace remit::fortran {

Section::Section(const Descriptor& buf, MPI_Count item, MPI_Count needed)
    : run_(static_cast<MPI_Count>(buf.elem_len)) {
  MPI_Count elements = 1;
  for (int i = 0; i < buf.rank; ++i) elements *= buf.dim[i].extent;
  if (buf.length_is_wrong()) {
    run_ = item;
    const MPI_Count between = buf.rank == 0 ? 0 : std::abs(buf.dim[0].sm);
    if (needed > elements * run_ && between > run_) run_ = between;
  }
  bytes_ = elements * run_;
  for (int i = 0; i < buf.rank; ++i) {
    const Dimension& dim = buf.dim[i];
    if (dim.extent == 1) continue;
    Level* const last = levels_ == 0 ? nullptr : &level_[static_cast<std::size_t>(levels_) - 1];
    if (last == nullptr && dim.sm == run_) {
      run_ *= dim.extent;
    } else if (last != nullptr && dim.sm == last->stride * last->count) {
      last->count *= dim.extent;
    } else {
      level_[static_cast<std::size_t>(levels_++)] = {dim.extent, dim.sm};
    }
  }
}

MPI_Aint Section::offset_of(MPI_Count at) const {
  MPI_Aint offset = at % run_;
  MPI_Count index = at / run_;
  for (int i = 0; i < levels_; ++i) {
    offset += index % level(i).count * level(i).stride;
    index /= level(i).count;
  }
  return offset;
}

template <class Piece>
void Section::for_pieces(MPI_Count at, MPI_Count bytes, Piece piece) const {
  MPI_Count done = 0;
  while (done < bytes) {
    // The rest of the first level in one go: there a run follows upon the other by one stride.
    MPI_Count inside = (at + done) % run_;
    MPI_Aint offset = offset_of(at + done - inside);
    const MPI_Count index = (at + done) / run_;
    const MPI_Count runs = levels_ == 0 ? 1 : level(0).count - index % level(0).count;
    for (MPI_Count i = 0; i < runs && done < bytes; ++i) {
      const MPI_Count length = std::min(run_ - inside, bytes - done);
      piece(offset + inside, at + done, static_cast<std::size_t>(length));
      done += length;
      inside = 0;
      if (levels_ > 0) offset += level(0).stride;
    }
  }
}

void Section::gather(const std::byte* base, std::byte* row, MPI_Count at, MPI_Count bytes) const {
  for_pieces(at, bytes, [&](MPI_Aint offset, MPI_Count position, std::size_t length) {
    std::memcpy(row + position, base + offset, length);
  });
}

void Section::scatter(std::byte* base, const std::byte* row, MPI_Count at, MPI_Count bytes) const {
  for_pieces(at, bytes, [&](MPI_Aint offset, MPI_Count position, std::size_t length) {
    std::memcpy(base + offset, row + position, length);
  });
}

}  // namespace remit::fortran
