// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/buffered_moves.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/copy.hpp"

namespace remit {

namespace {

constexpr std::size_t kAnyRoom = kMostMemoryRuns * sizeof(MemoryRun);

/// A get that is under way: where its bytes belong. Its layout is copied, for the program may free
/// the type.
struct Got {
  Got(Progress& who, const View& origin, Request* asked)
      : progress(who),
        layout(*origin.layout),
        view{origin.base, origin.count, &layout},
        done(asked) {}

  Progress& progress;
  const Layout layout;
  const View view;
  std::uint32_t left = 1;  ///< parts that have not ended, and whoever starts them
  int status = MPI_SUCCESS;
  Request* const done;

  void end(int outcome) {
    if (status == MPI_SUCCESS) status = outcome;
    if (--left != 0 || done == nullptr) return;
    done->status.error = status;
    complete_request(*done, progress);
  }
};

}  // namespace

bool BufferedMoves::start(OpKind kind, std::span<const MemoryRun> runs, const AdapterBuffer& buffer,
                          Ending finish, const PutNotice& notice) {
  constexpr std::size_t kFew = 8;
  std::array<Piece, kFew> few_pieces;
  std::array<Operation, kFew> few_operations;
  std::vector<Piece> many_pieces;
  std::vector<Operation> many_operations;
  std::span<Piece> pieces(few_pieces.data(), std::min(runs.size(), kFew));
  std::span<Operation> operations(few_operations.data(), pieces.size());
  if (runs.size() > kFew) {
    many_pieces.resize(runs.size());
    many_operations.resize(runs.size());
    pieces = many_pieces;
    operations = many_operations;
  }
  std::size_t offset = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    pieces[i] = buffer.piece(offset, runs[i].length);
    operations[i].kind = kind;
    operations[i].local = {&pieces[i], 1};
    operations[i].remote = {place_.memory.address + (runs[i].address - place_.base),
                            place_.memory.key};
    offset += runs[i].length;
  }
  if (notice) {
    return port_.start_with_notice(place_.way, operations, std::move(finish), place_.tally, notice);
  }
  port_.start(place_.way, operations, std::move(finish), place_.tally);
  return false;
}

bool BufferedMoves::put(const View& origin, const View& target, const PutNotice& notice) {
  bool told = false;
  for (RunCutter cutter(target); !cutter.done();) {
    const auto part = cutter.next(kAnyRoom, AdapterPort::kLarge, false);
    const AdapterBuffer buffer = port_.take(part.bytes);
    if (origin.is_contiguous()) {
      copy_bytes(buffer.begin, origin.data() + part.offset, part.bytes);
    } else {
      origin.pack(part.offset, std::span(buffer.begin, part.bytes));
    }
    told = start(
        OpKind::put, part.runs, buffer,
        [&port = port_, buffer](int /*status*/) { port.give_back(buffer); },
        cutter.done() ? notice : PutNotice{});
  }
  return told;
}

void BufferedMoves::get(const View& origin, const View& target, Request* done) {
  const auto got = std::make_shared<Got>(progress_, origin, done);
  for (RunCutter cutter(target); !cutter.done();) {
    const auto part = cutter.next(kAnyRoom, AdapterPort::kLarge, false);
    const AdapterBuffer buffer = port_.take(part.bytes);
    ++got->left;
    start(OpKind::get, part.runs, buffer,
          [&port = port_, buffer, got, offset = part.offset, bytes = part.bytes](int status) {
            if (status == MPI_SUCCESS) {
              got->view.unpack(offset, std::span<const std::byte>(buffer.begin, bytes));
            }
            port.give_back(buffer);
            got->end(status);
          });
  }
  got->end(MPI_SUCCESS);
}

}  // namespace remit
