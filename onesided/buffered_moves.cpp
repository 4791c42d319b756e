// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/buffered_moves.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "links/offered_memory.hpp"
#include "onesided/runs.hpp"
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

}  // namespace

bool BufferedMoves::can() {
  const Link* const link = manager_.links().find(place_.proc);
  if (link == nullptr || link->device == nullptr || link->failed || !link->same_device)
    return false;
  const Caps& caps = link->device->device->caps();
  return caps.passive && caps.has_put && caps.has_get &&
         manager_.adapter_port().open(*link->device).has_value();
}

bool BufferedMoves::is_one_run(const View& origin, const View& target) {
  return target.is_contiguous() && origin.is_contiguous() && target.size() <= AdapterPort::kLarge;
}

BufferedMoves::OneRun BufferedMoves::one_run(const View& target) {
  const std::size_t bytes = target.size();
  return {reinterpret_cast<std::uintptr_t>(target.data()), bytes,
          manager_.adapter_port().take(bytes)};
}

RemoteAddress BufferedMoves::remote(const Link& link, std::uint64_t address) const {
  return remote_address(*link.device, place_.keys, address - place_.base).value_or(RemoteAddress{});
}

void BufferedMoves::start(OpKind kind, const OneRun& run, AdapterPort::Finish finish) {
  Link& link = manager_.links().get(place_.proc);
  const Piece piece = run.buffer.piece(0, run.bytes);
  Operation operation;
  operation.kind = kind;
  operation.local = {&piece, 1};
  operation.remote = remote(link, run.address);
  manager_.adapter_port().start({link.device, link.endpoint}, {&operation, 1}, std::move(finish));
}

void BufferedMoves::start(OpKind kind, std::span<const MemoryRun> runs, const AdapterBuffer& buffer,
                          AdapterPort::Finish finish) {
  constexpr std::size_t kFew = 8;
  std::array<Piece, kMostMemoryRuns> pieces;
  std::array<Operation, kFew> few;
  std::vector<Operation> many;
  if (runs.size() > kFew) many.resize(runs.size());
  const std::span<Operation> operations =
      runs.size() > kFew ? std::span<Operation>(many) : std::span(few).first(runs.size());
  Link& link = manager_.links().get(place_.proc);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    pieces[i] = buffer.piece(offset, runs[i].length);
    operations[i].kind = kind;
    operations[i].local = {&pieces[i], 1};
    operations[i].remote = remote(link, runs[i].address);
    offset += runs[i].length;
  }
  manager_.adapter_port().start({link.device, link.endpoint}, operations, std::move(finish));
}

std::uint32_t BufferedMoves::put(const View& origin, const View& target) {
  AdapterPort& port = manager_.adapter_port();
  if (is_one_run(origin, target)) {
    const OneRun run = one_run(target);
    copy_bytes(run.buffer.begin, origin.data(), run.bytes);
    start(OpKind::put, run,
          [&manager = manager_, buffer = run.buffer, window = place_.window,
           proc = place_.proc](int status) {
            manager.adapter_port().give_back(buffer);
            manager.move_ended(window, proc, status);
          });
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
    start(OpKind::put, part.runs, buffer,
          [&manager = manager_, buffer, window = place_.window, proc = place_.proc](int status) {
            manager.adapter_port().give_back(buffer);
            manager.move_ended(window, proc, status);
          });
  }
  return parts;
}

std::uint32_t BufferedMoves::get(const View& origin, const View& target, Request* done) {
  if (is_one_run(origin, target)) {
    const OneRun run = one_run(target);
    start(OpKind::get, run,
          [&manager = manager_, buffer = run.buffer, bytes = run.bytes, to = origin.data(), done,
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
  AdapterPort& port = manager_.adapter_port();
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
