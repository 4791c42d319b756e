// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/adapter/buffered_moves.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "links/offered_memory.hpp"
#include "onesided/elements/runs.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

constexpr std::size_t kAnyRoom = kMostMemoryRuns * sizeof(MemoryRun);

/// A get that is under way: where its bytes belong. Its layout is copied, for the program may free
/// the type.
struct Got {
  Layout layout;
  View view;
  std::uint32_t left = 1;  ///< parts that have not ended, and whoever starts them
  int status = MPI_SUCCESS;
  Request* done = nullptr;

  void end(int outcome, Progress& progress) {
    if (status == MPI_SUCCESS) status = outcome;
    if (--left != 0 || done == nullptr) return;
    done->status.error = status;
    complete_request(*done, progress);
  }
};

/// Whether a move is one part of one run, which needs no list.
bool is_one_run(const View& origin, const View& target) {
  return target.is_contiguous() && origin.is_contiguous() && target.size() <= AdapterPort::kLarge;
}
MemoryRun run_of(const View& target) {
  return {reinterpret_cast<std::uintptr_t>(target.data()), target.size()};
}

}  // namespace

bool BufferedMoves::can() {
  const Link* const link = manager_.links().find(place_.proc);
  if (link == nullptr || link->device == nullptr || link->failed || !link->same_device)
    return false;
  const Caps& caps = link->device->device->caps();
  return caps.passive && caps.has_put && caps.has_get &&
         manager_.adapter_port().open(*link->device).has_value();
}

void BufferedMoves::start(OpKind kind, std::span<const MemoryRun> runs, const AdapterBuffer& buffer,
                          AdapterPort::Finish finish) {
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
  Link& link = manager_.links().get(place_.proc);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    pieces[i] = buffer.piece(offset, runs[i].length);
    operations[i].kind = kind;
    operations[i].local = {&pieces[i], 1};
    operations[i].remote = remote_address(*link.device, place_.keys, runs[i].address - place_.base)
                               .value_or(RemoteAddress{});
    offset += runs[i].length;
  }
  manager_.adapter_port().start({link.device, link.endpoint}, operations, std::move(finish));
}

AdapterPort::Finish BufferedMoves::end_of_put(const AdapterBuffer& buffer) {
  return [&manager = manager_, buffer, window = place_.window, proc = place_.proc](int status) {
    manager.adapter_port().give_back(buffer);
    manager.move_ended(window, proc, status);
  };
}

std::uint32_t BufferedMoves::put(const View& origin, const View& target) {
  AdapterPort& port = manager_.adapter_port();
  if (is_one_run(origin, target)) {
    const MemoryRun run = run_of(target);
    const AdapterBuffer buffer = port.take(run.length);
    copy_bytes(buffer.begin, origin.data(), run.length);
    start(OpKind::put, {&run, 1}, buffer, end_of_put(buffer));
    return 1;
  }
  std::uint32_t parts = 0;
  for (RunCutter cutter(target); !cutter.done(); ++parts) {
    const auto part = cutter.next(kAnyRoom, AdapterPort::kLarge, false);
    const AdapterBuffer buffer = port.take(part.bytes);
    if (origin.is_contiguous()) {
      copy_bytes(buffer.begin, origin.data() + part.offset, part.bytes);
    } else {
      origin.pack(part.offset, std::span(buffer.begin, part.bytes));
    }
    start(OpKind::put, part.runs, buffer, end_of_put(buffer));
  }
  return parts;
}

std::uint32_t BufferedMoves::get(const View& origin, const View& target, Request* done) {
  AdapterPort& port = manager_.adapter_port();
  if (is_one_run(origin, target)) {
    const MemoryRun run = run_of(target);
    const AdapterBuffer buffer = port.take(run.length);
    start(OpKind::get, {&run, 1}, buffer,
          [&manager = manager_, buffer, bytes = run.length, to = origin.data(), done,
           window = place_.window, proc = place_.proc](int status) {
            if (status == MPI_SUCCESS) copy_bytes(to, buffer.begin, bytes);
            manager.adapter_port().give_back(buffer);
            manager.move_ended(window, proc, status);
            if (done == nullptr) return;
            done->status.error = status;
            complete_request(*done, manager.progress());
          });
    return 1;
  }
  const auto got = std::make_shared<Got>();
  got->layout = *origin.layout;
  got->view = {origin.base, origin.count, &got->layout};
  got->done = done;
  std::uint32_t parts = 0;
  for (RunCutter cutter(target); !cutter.done(); ++parts) {
    const auto part = cutter.next(kAnyRoom, AdapterPort::kLarge, false);
    const AdapterBuffer buffer = port.take(part.bytes);
    ++got->left;
    start(OpKind::get, part.runs, buffer,
          [&manager = manager_, buffer, got, offset = part.offset, bytes = part.bytes,
           window = place_.window, proc = place_.proc](int status) {
            if (status == MPI_SUCCESS) {
              got->view.unpack(offset, std::span<const std::byte>(buffer.begin, bytes));
            }
            manager.adapter_port().give_back(buffer);
            manager.move_ended(window, proc, status);
            got->end(status, manager.progress());
          });
  }
  got->end(MPI_SUCCESS, manager_.progress());
  return parts;
}

}  // namespace remit
